"""Moves of one position, each played on many times under the same chance."""

from __future__ import annotations

import numpy as np
import pytest

from shakespeare_agents import make
from shakespeare_agents.single_game import SingleGame
from shakespeare_agents.strategy.counterfactual import Counterfactual, counterfactual
from shakespeare_env import Position, registry
from shakespeare_env.errors import IllegalMove


def later(name, players, moves=6):
    """A position in which several moves are legal."""
    position = Position.new(name, players=players, seed=3)
    for _ in range(moves):
        position.push(position.moves()[-1])
    while len(position.moves()) < 2:
        position.push(position.moves()[0])
    return position


@pytest.mark.parametrize("name", registry.names())
def test_the_first_continuation_of_each_move_is_the_game_that_is_told(name):
    """So chance and draws are the same for both."""
    players = registry.seats(name)[-1]
    position = later(name, players)
    agent = make("random", position.game)
    moves = [position.moves()[0], position.moves()[-1]]
    found = counterfactual(position, moves, ["random"] * players, continuations=3, seed=5)
    for move, scores, shares in zip(moves, found.scores, found.shares, strict=True):
        start = Position.from_dict(position.to_dict(), seed=5)
        told = SingleGame(start, dict.fromkeys(range(players), agent), 5)
        told.push(move, lambda *_: None)
        told.play_out(lambda *_: None)
        assert scores[0].tolist() == told.position.scores()
        winners = told.position.winners
        assert np.flatnonzero(shares[0]).tolist() == winners
        assert len(winners) in (0, pytest.approx(1 / shares[0].max()))
        assert len(np.unique(scores, axis=0)) > 1, "other continuations meet other chance"


def test_neither_what_is_to_come_nor_how_many_play_at_once_decides(monkeypatch):
    position = later("shakespeare", 2)
    moves = position.moves()[:2]
    found = []
    for at_once, reseeded in ((4096, 1), (4, 2), (1, 3)):
        monkeypatch.setattr("shakespeare_agents.strategy.counterfactual._AT_ONCE", at_once)
        position.reseed(reseeded)
        result = counterfactual(position, moves, ["random"], continuations=5)
        found.append((result.scores.tolist(), result.shares.tolist()))
    assert found[0] == found[1] == found[2]
    other = counterfactual(position, moves, ["random"], continuations=5, seed=1)
    assert other.scores.tolist() != found[0][0]


def test_progress_is_told_to_the_last_game():
    told: list[tuple[int, int]] = []

    def tell(decisions, games):
        told.append((decisions, games))

    position = later("figaro", 3)
    counterfactual(position, position.moves()[:2], ["random"], continuations=5, on_progress=tell)
    assert told == sorted(told)
    assert told[-1][1] == 10


def test_the_last_of_several_agents_fills_the_seats():
    position = later("shakespeare", 3)
    found = counterfactual(position, position.moves()[:1], ["greedy", "random"], continuations=1)
    assert found.agents == ("greedy", "random", "random")
    assert np.isnan(found.score(found.moves[0], 0).low)


def two_seats():
    scores = np.array([[[20, 18], [22, 18]], [[19, 18], [19, 26]]], np.int16)
    shares = np.array([[[1.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]])
    return Counterfactual(("stay", "go"), ("a", "b"), scores, shares)


def test_means_and_intervals():
    found = two_seats()
    assert (found.score("stay", 0).mean, found.score("go", 0).mean) == (21.0, 19.0)
    assert found.score("stay", 0).margin == pytest.approx(1.96, abs=0.01)  # errors of 1
    assert found.score("go", 0).margin == 0.0
    less = found.score_change("go", 0)
    assert (less.mean, less.margin) == (-2.0, pytest.approx(1.96, abs=0.01))  # of -1 and -3
    assert found.won("go", 0).mean == 0.5
    assert 0.0 < found.won("go", 0).low < 0.5 < found.won("go", 0).high < 1.0
    change = found.won_change("go", 0)
    assert (change.mean, change.low) == (-0.5, -1.0)
    with pytest.raises(KeyError, match="'run' was not tried; the moves were stay, go"):
        found.score("run", 0)


def test_as_a_frame():
    found = two_seats()
    frame = found.frame()
    assert frame.select("move", "seat", "agent").rows() == [
        ("stay", 0, "a"), ("stay", 1, "b"), ("go", 0, "a"), ("go", 1, "b"),
    ]  # fmt: skip
    last = frame.row(3, named=True)
    for name in ("score", "won", "score_change", "won_change"):
        expected = getattr(found, name)("go", 1)
        assert [last[name], last[f"{name}_low"], last[f"{name}_high"]] == [
            expected.mean, expected.low, expected.high,
        ]  # fmt: skip


def test_nobody_wins_alone():
    position = later("shakespeare", 1)
    found = counterfactual(position, position.moves()[:2], ["random"], continuations=4)
    frame = found.frame()
    assert frame["won"].null_count() == frame["won_change"].null_count() == 2
    assert frame["score_low"].null_count() == 0


def test_refuses_what_cannot_be():
    position = later("shakespeare", 2)
    legal = position.moves()[0]
    with pytest.raises(IllegalMove, match="hop"):
        counterfactual(position, ["hop"])
    for moves in ([], [legal, legal]):
        with pytest.raises(ValueError, match="give one or more, each once"):
            counterfactual(position, moves)
    with pytest.raises(TypeError, match="moves='pass': give a list"):
        counterfactual(position, "pass")
    for continuations in (0, 10**9):
        with pytest.raises(ValueError, match="from 1 to 100000"):
            counterfactual(position, [legal], continuations=continuations)
    with pytest.raises(ValueError, match="3 players for 2 seats"):
        counterfactual(position, [legal], ["random"] * 3)
    while position.to_move is not None:
        position.push(position.moves()[0])
    with pytest.raises(IllegalMove):
        counterfactual(position, [legal])
