"""The command `shakespeare`: what it prints for every game."""

import itertools
import json
import re
from typing import Any

import pytest

from shakespeare_env import Position
from shakespeare_env.cli import COMMANDS
from shakespeare_env.core import registry
from tests.contract.command_line import LOGGED_MOVE, output_of, printed_scores, run
from tests.contract.random_games import description_of

GAMES = registry.names()


@pytest.fixture(params=GAMES)
def game(request):
    return registry.game(request.param)


@pytest.fixture
def position(game):
    return Position.new(game.name, players=game.max_seats, seed=4)


class TestWatch:
    def test_a_whole_game_with_its_scores_drawn_at_each_day_or_round(self, game, position):
        chapter = game.presentation.chapter
        out = output_of("watch", "--game", game.name, "--seed", "4")
        numbers = []
        chapters = [position.to_dict()[chapter]]
        for number, seat, _, words, move in LOGGED_MOVE.findall(out):
            numbers.append(int(number))
            assert int(seat) == position.to_move
            assert words == description_of(position, move)
            position.push(move)
            chapters.append(position.to_dict()[chapter])
        assert position.to_move is None
        assert numbers == list(range(1, len(numbers) + 1))
        assert printed_scores(out) == (position.scores(), position.winners)
        changes = sum(one != other for one, other in itertools.pairwise(chapters))
        drawings = len(re.findall(f"^{str(position).split()[0]} ", out, re.MULTILINE))
        assert drawings == 1 + changes + 1 > 3  # the first, one a change, and the last

    def test_plays_so_many_moves_with_its_variants(self, game):
        on: dict[str, Any] = dict.fromkeys(game.options, True)
        watch = ["watch", "--game", game.name]
        for option in on:
            watch += ["--option", option]
        position = Position.new(game.name, players=game.max_seats, seed=0, **on)
        assert output_of(*watch, "--moves", "0").count(str(position)) == 1
        assert len(LOGGED_MOVE.findall(output_of(*watch, "--moves", "5"))) == 5


class TestPosition:
    def test_a_position_is_drawn_with_its_moves(self, position, tmp_path):
        file = tmp_path / "position.json"
        text = json.dumps(position.to_dict())
        file.write_text(text, encoding="utf-8")
        out = output_of("replay", str(file))
        assert out == output_of("replay", text)
        assert str(position) in out
        rows = re.findall(r"^│ (\S+) +│ (.+?) +│$", out, re.MULTILINE)
        expected = [(move, description_of(position, move)) for move in position.moves()]
        assert rows[-len(expected) :] == expected
        while position.to_move is not None:
            position.push(position.moves()[0])
        assert "Final score" in output_of("replay", json.dumps(position.to_dict()))


def test_every_action_and_field_is_listed(game):
    out = output_of("check", "--actions", "--game", game.name)
    listed = re.findall(r"^\| (\d+) \| `(.+)` \| (.+) \|$", out, re.MULTILINE)
    expected = zip(game.actions.texts, game.actions.descriptions, strict=True)
    assert listed == [(str(index), *texts) for index, texts in enumerate(expected)]
    assert ("{+1} is 3 when seat 2 moves" in out) == game.actions.is_relative
    out = output_of("check", "--observation", "--game", game.name)
    found = re.findall(r"^\| `(\S+)` \| (\d+) \| (\d+) \| (-?\d+) to (-?\d+) \|", out, re.M)
    fields = [(each.name, each.start, each.size, each.low, each.high) for each in game.layout]
    assert {(name, *map(int, numbers)) for name, *numbers in found} == {*fields}


def test_the_box_in_force_contradicts_nothing(game):
    assert re.search(r": (\d+) of \1 constraints hold", output_of("check", "--game", game.name))


def test_without_names_the_default_game_is_meant():
    assert all(f"│ {command} " in run().output for command in COMMANDS)
    first = Position.new(registry.DEFAULT, players=registry.seats(registry.DEFAULT)[-1])
    assert str(first) in output_of("watch", "--moves", "0")
