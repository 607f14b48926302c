"""Games that say only their rules: the rest is derived, and every tool takes them.

Leduc hold'em and Kuhn poker for three, in docs/games/, are small enough to know the truth.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from shakespeare_agents.mcp.tables import notation, rules
from shakespeare_env import Batch, Position, PositionError, StateField, below, define, rule
from shakespeare_env.cli import app
from shakespeare_env.core import registration, registry
from shakespeare_env.core.registry import box_fault
from shakespeare_env.errors import BoxError, GameError
from shakespeare_training.exploit import exploit_by_search

GAMES = Path(__file__).parents[3] / "docs" / "games"
BEST_AT_LEDUC = 2.373611
"""The mean score of the best response to random moves, OpenSpiel's `exploitability`."""
COURSES = {
    "leduc": "da232477bcf94bf2035ae0abd26d8bbf8d6245f81d29ecec89a29f216ad24d06",
    "kuhn": "20dc76c33614dff74c8879b01669a58228b5f670a6cb15edc8b470a4cb588837",
}
"""Digests of all positions of 200 random games.

The best responses to random moves in these games were computed over the whole tree and are those
that OpenSpiel finds.
"""
NAMES = ("leduc", "kuhn")


@pytest.fixture(scope="module", autouse=True)
def games():
    """Both, until the end of the module."""
    with_ids: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(registry.GAMES_VARIABLE, "")
        patch.setattr(registry, "_loaded", dict(registry._loaded))
        patch.setattr(registration, "register", lambda *given: with_ids.append(given))
        found = {name: registry.register_file(f"{GAMES / name}.py:GAME") for name in NAMES}
        assert with_ids == [(name, registry.seats(name)) for name in NAMES]
        yield found


def positions(name, count=20):
    """Every position of some games of random moves."""
    for seed in range(count):
        players = registry.seats(name)[0]
        position = Position.new(name, players=players, seed=seed)
        rng = np.random.default_rng(seed)
        while position.to_move is not None:
            yield position
            position.push(str(rng.choice(position.moves())))
        yield position


@pytest.mark.parametrize("name", NAMES)
def test_text_holds_the_whole_position(name):
    for position in positions(name):
        text = json.loads(json.dumps(position.to_dict()))
        assert Position.from_dict(text) == position
        assert all(len(line) <= 80 for line in str(position).splitlines())


@pytest.mark.parametrize("name", NAMES)
def test_what_a_seat_does_not_see_has_no_influence_on_what_it_is_given(name):
    """Two positions that look the same to a seat give the same view, text, masks and draws."""
    for position in positions(name):
        for seat in range(position.players):
            twin = position.determinize(seat, seed=5)
            assert (twin.observation(seat) == position.observation(seat)).all()
            assert twin.seen_by(seat) == position.seen_by(seat)
            assert twin.determinize(seat, seed=6) == position.determinize(seat, seed=6)


def test_hidden_cards_are_drawn_as_often_as_they_are_left():
    start = Position.new("leduc", players=2, seed=0).to_dict()
    queen = {**start, "card": ["Q", "J"], "deck": [0, 1, 2, 2]}
    position = Position.from_dict(queen)
    found = Counter(position.determinize(0, seed).to_dict()["card"][1] for seed in range(2000))
    for card, share in {"J": 0.4, "Q": 0.2, "K": 0.4}.items():
        assert found[card] / 2000 == pytest.approx(share, abs=4 * 0.011)


@pytest.mark.parametrize("name", NAMES)
def test_the_games_are_those_whose_best_responses_are_known(name):
    digest = hashlib.sha256()
    for position in positions(name, 200):
        digest.update(json.dumps([position.to_dict(), position.moves()], sort_keys=True).encode())
    assert digest.hexdigest() == COURSES[name]


def test_exploiting_finds_most_of_what_there_is_to_take_and_no_more():
    """A search knows how the others play, but its playouts go on at random for itself, too."""
    found = exploit_by_search("random", "leduc", minutes=10, games=3000, seed=1).own
    assert found.score_low is not None
    assert found.score_low <= BEST_AT_LEDUC
    assert found.mean_score > 0.75 * BEST_AT_LEDUC


@pytest.mark.parametrize("name", NAMES)
def test_views_and_commands_take_it(name, tmp_path):
    done = CliRunner().invoke(app, ["check", "--game", f"{GAMES / name}.py:GAME", "--rows", "1"])
    assert done.exit_code == 0, done.output
    position = next(positions(name))
    assert position.svg().startswith("<svg")
    assert position.game.presentation.board(position.to_dict(), ())[0].seat is None
    assert "card" in rules(name)
    assert f"`{position.moves()[0]}`" in notation(name)


@rule
def _set_up(game, players, options):
    game["players"], game["to_move"] = players, 0
    game["winners"][:] = 0
    for seat in range(2):
        game["held"][seat] = below(game, 3)


@rule
def _legal(game, mask):
    """Who holds 0 must pass, which is played automatically."""
    mask[0] = True
    mask[1] = game["held"][game["to_move"]] > 0
    return 1 + int(mask[1])


@rule
def _play(game, action):
    game["to_move"] = 1 if game["to_move"] == 0 else -1
    if game["to_move"] < 0:
        game["winners"][0] = 1


@rule
def _scores(game, out):
    out[:] = 0


HELD = StateField("held", 0, 2, 2, by_seat=True, visible="owner")
RULES: dict[str, Any] = {"set_up": _set_up, "legal": _legal, "play": _play, "scores": _scores}
SMALL: dict[str, Any] = {"seats": range(2, 3), "actions": {"pass": "pass", "go": "go"}, **RULES}


def test_a_seat_that_is_asked_has_a_choice_in_every_possible_position():
    """Forced moves are played automatically, so everybody knows it."""
    position = Position(define("passing", fields=[HELD], **SMALL))
    records = Batch("leduc", n=1, players=2).save(slice(0, 0))  # another game's record is refused
    assert records.dtype != position.game.state
    held = {"game": "passing", "players": 2, "to_move": 0, "held": [2, 1], "winners": None}
    position.game.from_dict(held, position._record[0])
    position._refresh()
    drawn = [position.determinize(1, seed).to_dict()["held"] for seed in range(300)]
    assert {tuple(one) for one in drawn} == {(1, 1), (2, 1)}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"name": "Two Words"}, "lower case"),
        ({"fields": [HELD, HELD]}, "another name"),
        ({"fields": [StateField("held", 0, 2, 3, by_seat=True)]}, "give it 2"),
        ({"fields": [StateField("held", 0, 2, visible="owner")]}, "no owner"),
        ({"fields": [StateField("held", 0, 2, 2, words=("no", "yes"))]}, "give 3"),
        ({"observe": _scores}, "give both"),
    ],
)
def test_a_definition_that_does_not_hold_together_is_refused(change, fault):
    with pytest.raises(ValueError, match=fault):
        define(**{"name": "small", "fields": [HELD], **SMALL, **change})


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"card": ["Q"]}, "card: 1 entries; write 2"),
        ({"card": ["Q", "?"]}, r"card\[1\]"),
        ({"paid": [1, 99]}, r"paid\[1\].*0 to 13"),
        ({"to_move": 2}, "to_move"),
        ({"to_move": None}, "winners.*write the winning seats"),
        ({"winners": [0]}, "winners.*write null"),
        ({"more": 1}, "unknown key"),
        ({"deck": [0, 1, -1, -1]}, "fault 1 of the rules"),
    ],
)
def test_text_that_does_not_fit_the_fields_is_refused(change, fault):
    text = Position.new("leduc", players=2, seed=0).to_dict()
    with pytest.raises(PositionError, match=fault):
        Position.from_dict({**text, **change})


def test_what_is_no_game_is_refused(games, tmp_path, monkeypatch):
    before = os.environ[registry.GAMES_VARIABLE]
    other = tmp_path / "leduc.py"
    other.write_text((GAMES / "leduc.py").read_text())
    with pytest.raises(ValueError, match="another name"):
        registry.register_file(f"{other}:GAME")
    monkeypatch.setattr(registry, "_loaded", {})
    registry.register_file(f"{other}:GAME")
    (tmp_path / "copy.py").write_text(other.read_text())
    with pytest.raises(ValueError, match="another name"):  # of another file in the same folder
        registry.register_file(f"{tmp_path / 'copy.py'}:GAME")
    assert os.environ[registry.GAMES_VARIABLE] == f"{before}\n{other}:GAME"
    monkeypatch.undo()
    monkeypatch.setenv(registry.GAMES_VARIABLE, before)
    with pytest.raises(ValueError, match="no game CARDS"):
        registry.register_file(f"{GAMES / 'leduc.py'}:CARDS")
    with pytest.raises(ValueError, match=r"FILE\.py:NAME"):
        registry.register_file("leduc")
    with pytest.raises(FileNotFoundError, match="no such file"):
        registry.register_file("nowhere.py:GAME")
    with pytest.raises(BoxError, match="has none"):
        registry.game("leduc", tmp_path / "box.toml")
    with pytest.raises(ValueError, match="has no box"):
        registry.folder("leduc")
    assert "another version" in str(box_fault("leduc", "0" * 64))


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ("leduc", r"write FILE\.py:NAME"),
        ("nowhere.py:GAME", r"nowhere\.py: there is no such file"),
        (f"{GAMES / 'leduc'}.py:CARDS", "has no game CARDS"),
    ],
)
def test_a_variable_that_names_no_game_is_said_to_whoever_asks(monkeypatch, value, fault):
    """Again and again: a later call does not go on without the game."""
    monkeypatch.setattr(registry, "_others_found", False)
    monkeypatch.setenv(registry.GAMES_VARIABLE, value)
    said = rf"{registry.GAMES_VARIABLE}={re.escape(repr(value))}: .*{fault}.*; correct or unset"
    for _ in range(2):
        with pytest.raises(GameError, match=said):
            registry.names()
    done = CliRunner().invoke(app, ["watch", "--moves", "0"])
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith(f"Error: {registry.GAMES_VARIABLE}=")
    monkeypatch.setenv(registry.GAMES_VARIABLE, "")
    assert set(NAMES) < set(registry.names())
