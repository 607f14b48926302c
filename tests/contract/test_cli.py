"""The command `shakespeare`: what it prints for every game, and how it refuses."""

import itertools
import json
import os
import re
import subprocess
import sys
from importlib import metadata
from typing import Any

import pytest

import shakespeare_agents
import shakespeare_env
from shakespeare_env import Position, registry
from shakespeare_env.equality import VIEWS
from shakespeare_env.raster import png
from tests.contract.command_line import (
    NO_SCREEN,
    PLAYED,
    moves_told,
    printed,
    refused,
    run,
    scores_told,
)
from tests.contract.random_games import described

GAMES = registry.names()
DEFAULT_SEATS = registry.seats(registry.DEFAULT)[-1]


@pytest.fixture(params=GAMES)
def game(request):
    return registry.game(request.param)


class TestPicture:
    def test_a_position_as_a_file(self, game, tmp_path):
        position = Position.new(game.name, players=game.max_seats, seed=4)
        file = tmp_path / "position.json"
        file.write_text(json.dumps(position.to_dict()), encoding="utf-8")
        drawing, pixels = tmp_path / "table.svg", tmp_path / "table.png"
        for picture in (drawing, pixels):
            assert printed("show", str(file), "--picture", str(picture)) == ""
        assert drawing.read_text(encoding="utf-8") == position.svg()
        assert pixels.read_bytes() == png(position.svg())

    def test_what_cannot_be_written_is_said(self, game, tmp_path):
        position = json.dumps(Position.new(game.name, players=game.max_seats).to_dict())
        for name, said in (("table.gif", "give a .svg or .png file"), ("no/table.svg", "No such")):
            out = refused("show", "-", "--picture", str(tmp_path / name), input=position)
            assert said in out


class TestCheck:
    def test_all_views_agree(self, game):
        out = printed("check", "--game", game.name, "--games", "1", "--rows", "1", "--seed", "3")
        counts = [int(number.replace(",", "")) for number in re.findall(r"[\d,]+\d(?= *│)", out)]
        assert len(counts) == len(VIEWS) * len(registry.seats(game.name))
        assert min(counts) > 20
        assert f"All views agree at {sum(counts):,} decisions." in out

    def test_a_view_that_differs_fails_the_command(self, game, monkeypatch):
        def lie(setting, course, comparison):
            comparison.same("the mask", [1, 0], [1, 1], row=2)

        monkeypatch.setitem(VIEWS, "Position", lie)
        said = refused("check", "--game", game.name, "--games", "1", "--rows", "1")
        assert "Position: the mask differs from the batch's in row 2" in said
        assert "expected [1, 0], found [1, 1]" in said


class TestWatch:
    def test_a_whole_game_with_its_scores(self, game):
        out = printed("watch", "--game", game.name, "--seed", "4", "--final")
        played = moves_told(out)
        assert [number for number, _, _ in played] == list(range(1, len(played) + 1))
        position = Position.new(game.name, players=game.max_seats, seed=4)
        for _, seat, move in played:
            assert (seat, move in position.moves()) == (position.to_move, True)
            position.push(move)
        assert position.to_move is None
        assert out.count(str(position)) == 1
        assert scores_told(out) == (position.scores(), position.winners)

    def test_every_move_is_described(self, game):
        out = printed("watch", "--game", game.name, "--moves", "12", "--final")
        lines = [(move, words) for _, _, _, words, move in PLAYED.findall(out)]
        assert len(lines) == 12
        position = Position.new(game.name, players=game.max_seats, seed=0)
        for move, words in lines:
            assert words == described(position, move)
            position.push(move)

    def test_the_same_seed_is_the_same_game(self, game):
        watch = ["watch", "--game", game.name, "--moves", "30", "--seed"]
        assert printed(*watch, "5") == printed(*watch, "5") != printed(*watch, "6")

    def test_agents_play_seat_by_seat_and_the_last_one_fills_the_table(self, game):
        seats = ["--players", str(game.max_seats)]
        watch = ["watch", "--game", game.name, "--seed", "4", "--moves", "40", "--final", *seats]
        best = shakespeare_agents.default(game)
        assert printed(*watch) == printed(*watch, best) == printed(*watch, best, best)
        filled = printed(*watch, "random", "heuristic")
        assert filled == printed(*watch, *["random", *["heuristic"] * (game.max_seats - 1)])
        assert filled != printed(*watch, "random") == printed(*watch, "random", best)

    def test_the_seats_are_as_many_as_are_named(self, game):
        few = max(2, game.min_seats)
        out = printed("watch", "random", "heuristic", "--game", game.name, "--moves", "0")
        names = [line for line in out.splitlines() if line.startswith("┃")][1]
        assert re.findall(r"\w+", names) == ["random", *["heuristic"] * (few - 1)]

    @pytest.mark.parametrize(
        ("arguments", "drawings"),
        [(["--final"], 1), (["--every-position"], 6), (["--draw-at", "players"], 2)],
    )
    def test_draws_when_asked(self, game, arguments, drawings):
        out = printed("watch", "--game", game.name, "--moves", "5", *arguments)
        head = str(Position.new(game.name, players=game.max_seats, seed=0)).split()[0]
        assert len(re.findall(f"^{head}", out, re.MULTILINE)) == drawings
        assert "Score so far" in out

    def test_refuses_to_draw_at_what_no_position_has(self, game):
        message = refused("watch", "--game", game.name, "--draw-at", "weather")
        assert all(words in message for words in ("--draw-at", "weather", game.chapter))

    def test_draws_at_each_change_of_a_field(self, game):
        chapter = game.chapter
        out = printed("watch", "--game", game.name, "--draw-at", chapter)
        position = Position.new(game.name, players=game.max_seats, seed=0)
        chapters = [position.to_dict()[chapter]]
        for _, _, move in moves_told(out):
            position.push(move)
            chapters.append(position.to_dict()[chapter])
        assert position.to_move is None
        changes = sum(one != other for one, other in itertools.pairwise(chapters))
        drawings = len(re.findall(f"^{str(position).split()[0]} ", out, re.MULTILINE))
        assert drawings == 1 + changes + 1 > 3  # the first, one a change, and the last

    def test_no_moves_draw_the_position_once(self, game):
        out = printed("watch", "--game", game.name, "--moves", "0", "--seed", "8")
        assert out.count(str(Position.new(game.name, players=game.max_seats, seed=8))) == 1

    def test_variants(self, game):
        for option in game.options:
            out = printed("watch", "--game", game.name, "--option", option, "--moves", "0")
            on: dict[str, Any] = {option: True}
            position = Position.new(game.name, players=game.max_seats, seed=0, **on)
            assert str(position) in out

    def test_waits_after_each_move(self, game, monkeypatch):
        waited: list[float] = []
        monkeypatch.setattr("time.sleep", waited.append)
        printed("watch", "--game", game.name, "--moves", "3", "--delay", "0.25")
        assert waited == [0.25] * 3

    def test_a_solo_score_is_held_against_its_target(self, game):
        if 1 in registry.seats(game.name):
            out = printed("watch", "--game", game.name, "--players", "1", "--final")
            scores = out[out.index("Final score") :]
            assert f"The game is over: a score of {re.findall(r'-?[0-9]+', scores)[1]};" in scores
            assert f"a good solo game passes {game.solo_target:g}." in scores
            assert "wins" not in out
            assert "Winner" not in out
            out = printed("watch", "--game", game.name, "--players", "1", "--moves", "3")
            assert f"A good solo game passes {game.solo_target:g}." in out

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["--players", "0"], ["--players", "{least} to {most} seats"]),
            (["--players", "99"], ["--players", "{least} to {most} seats"]),
            (["--option", "fast"], ["--option", "{options}"]),
            (["--seed", "-1"], ["--seed"]),
            (["--seed", str(2**64)], ["--seed"]),
            (["--moves", "-1"], ["--moves", "'all'"]),
            (["--moves", "few"], ["--moves", "'all'"]),
            (["--delay", "-1"], ["--delay"]),
            (["nobody"], ["AGENT", "'nobody'", "random"]),
            (["greedy,samples=many"], ["AGENT", "samples='many'"]),
            (["random"] * 99, ["AGENT", "99 players for {most} seats"]),
        ],
    )
    def test_refuses_what_cannot_be(self, game, arguments, said):
        message = refused("watch", "--game", game.name, *arguments)
        seats, options = registry.seats(game.name), ", ".join(game.options) or "none"
        for words in said:
            assert words.format(least=seats[0], most=seats[-1], options=options) in message

    def test_refuses_an_unknown_game(self):
        message = refused("watch", "--game", "chess")
        assert all(name in message for name in GAMES)


class TestShow:
    @pytest.fixture
    def position(self, game):
        return Position.new(game.name, players=game.max_seats, seed=2)

    def test_draws_a_file_and_lists_the_moves(self, position, tmp_path):
        file = tmp_path / "position.json"
        file.write_text(json.dumps(position.to_dict()), encoding="utf-8")
        out = printed("show", str(file))
        assert out.startswith(str(position))
        rows = re.findall(r"^│ (\S+) +│ (.+?) +│$", out, re.MULTILINE)
        expected = [(move, described(position, move)) for move in position.moves()]
        assert rows[-len(expected) :] == expected

    def test_terminals_show_it_in_colour(self, position):
        """Files and pipes do not, nor does a terminal where NO_COLOR is set."""
        told = json.dumps(position.to_dict())
        plain, terminal = printed("show", "-", input=told), {"FORCE_COLOR": "1", "TERM": "xterm"}
        coloured = printed("show", "-", input=told, env={**NO_SCREEN, **terminal})
        assert "\x1b[" not in plain
        drawing, table = coloured.split("┏")
        assert "\x1b[1;36mSeat 0\x1b[0m" in drawing
        assert "\x1b[" in table
        assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain
        without = printed("show", "-", input=told, env={**NO_SCREEN, **terminal, "NO_COLOR": "1"})
        assert not re.findall(r"\x1b\[[\d;]*3\dm", without)

    def test_reads_the_input(self, position):
        assert printed("show", "-", input=json.dumps(position.to_dict())).startswith(str(position))

    def test_a_game_that_is_over_has_scores(self, position):
        while position.to_move is not None:
            position.push(position.moves()[0])
        out = printed("show", "-", input=json.dumps(position.to_dict()))
        assert "Final score" in out

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            (b"", "not JSON"),
            (b"{", "not JSON"),
            (b"\xff", "not UTF-8"),
            (b"[" * 100_000, "not JSON"),
            (b"9" * 10_000, "not JSON"),
            (b"[]", "is an array, not an object"),
            (b"null", "is null"),
            (b"{}", "not a position"),
            (b'{"game": "chess"}', "chess"),
        ],
    )
    def test_refuses_what_is_no_position(self, text, said, tmp_path):
        file = tmp_path / "position.json"
        file.write_bytes(text)
        assert said in refused("show", str(file))
        assert said in refused("show", "-", input=text)

    def test_says_what_is_wrong_with_a_position(self, position):
        message = refused("show", "-", input=json.dumps(position.to_dict() | {"to_move": 99}))
        assert "to_move" in message
        assert "99" in message

    def test_refuses_a_file_that_cannot_be_read(self, tmp_path):
        assert "nowhere.json" in refused("show", str(tmp_path / "nowhere.json"))
        assert "cannot read" in refused("show", str(tmp_path))


class TestActions:
    def test_lists_every_action(self, game):
        rows = re.findall(
            r"^│ +(\d+) +│ (\S+) +│ (.+?) +│$",
            printed("actions", "--game", game.name),
            re.MULTILINE,
        )
        assert [int(index) for index, _, _ in rows] == list(range(game.actions.size))
        assert [text for _, text, _ in rows] == list(game.actions.texts)
        assert [words for _, _, words in rows] == list(game.actions.descriptions)

    def test_as_markdown(self, game):
        out = printed("actions", "--game", game.name, "--markdown")
        assert out.startswith("# ")
        rows = re.findall(r"^\| (\d+) \| `(.+)` \| (.+) \|$", out, re.MULTILINE)
        expected = zip(game.actions.texts, game.actions.descriptions, strict=True)
        assert rows == [(str(index), *texts) for index, texts in enumerate(expected)]

    def test_says_how_a_move_names_a_seat_where_ids_do_not(self, game):
        for arguments in ([], ["--markdown"]):
            said = printed("actions", "--game", game.name, *arguments)
            assert ("{+1} is 3 when seat 2 moves" in said) == game.actions.is_relative

    def test_refuses_an_unknown_game(self):
        assert all(name in refused("actions", "--game", "chess") for name in GAMES)


@pytest.mark.parametrize("name", GAMES)
def test_a_box_that_is_none_is_refused_in_a_line(name, tmp_path):
    """In a process of its own: this one plays with another box already."""
    (tmp_path / "box.toml").write_text("[no]\n")
    done = subprocess.run(
        [sys.executable, "-m", "shakespeare_env.cli", "evaluate", "--game", name, "random"],
        capture_output=True,
        text=True,
        env={**os.environ, f"{name.upper()}_BOX": str(tmp_path / "box.toml")},
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"Error: {tmp_path / 'box.toml'}: ")
    assert "Traceback" not in done.stderr


def test_without_a_name_the_default_game_is_meant():
    out = printed("watch", "--moves", "0")
    assert out.startswith("\n" + str(Position.new(registry.DEFAULT, players=DEFAULT_SEATS)))


def test_without_a_command_it_helps():
    out = run().output
    assert all(
        command in out
        for command in ("watch", "play", "train", "evaluate", "show", "actions", "protocol")
    )


@pytest.mark.parametrize("module", ["shakespeare_env", "shakespeare_env.cli"])
def test_runs_as_a_program(module):
    done = subprocess.run(
        [sys.executable, "-m", module, "protocol"],
        input=b'{"command": "new", "players": %d}\n\xff\n' % DEFAULT_SEATS,
        capture_output=True,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [next(iter(answer)) for answer in answers] == ["result", "error"]


def test_the_version():
    assert printed("--version") == f"shakespeare-env {shakespeare_env.__version__}\n"
    assert shakespeare_env.__version__ == metadata.version("shakespeare-env")


def test_a_checkout_that_is_not_installed_says_so(monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr("shakespeare_env.version.installed_version", missing)
    assert shakespeare_env.__version__ == "0+not.installed"
    assert printed("--version") == "shakespeare-env 0+not.installed\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["evalute"], "there is no command 'evalute' (did you mean 'evaluate'?); give one of"),
        (["xyzzy"], "there is no command 'xyzzy'; give one of watch, play"),
        (["watch", "heuristc"], "'heuristc' (did you mean 'heuristic'?)"),
        (["watch", "--game", "shakespear"], "'shakespear' (did you mean 'shakespeare'?)"),
        (["watch", "--option", "strategic_rests"], "(did you mean 'strategic_rest'?)"),
        (["watch", "--playrs", "3"], "--players"),
        (["train", "--set", "learning_rat=1"], "there is no setting learning_rat"),
        (["train", "--set", "game=figarro"], "no such game (did you mean 'figaro'?)"),
    ],
)
def test_what_was_meant_is_asked(arguments, said):
    assert said in refused(*arguments)


def test_help_names_every_variant():
    """Known without loading a game."""
    for name in GAMES:
        assert registry.variants(name) == tuple(registry.game(name).options)
    plain = " ".join(re.sub(r"[│╭╮╰╯─]", " ", printed("watch", "--help")).split())
    assert "shakespeare: strategic_rest; figaro: none" in plain
