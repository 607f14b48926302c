"""Moves of one position, played to the end many times under the same chance, or searched."""

import numpy as np
import pytest

from shakespeare_agents import make
from shakespeare_env import Position
from shakespeare_env.errors import IllegalMove
from shakespeare_research.counterfactual import Counterfactual, candidates, counterfactual
from shakespeare_table.session import Session

SEARCH = "search,rollouts=heuristic,simulations=16"


def later(name, players, moves=6):
    """Return a later position in which several moves are legal."""
    position = Position.new(name, players=players, seed=3)
    for _ in range(moves):
        position.push(position.moves()[-1])
    while len(position.moves()) < 2:
        position.push(position.moves()[0])
    return position


def test_the_first_continuation_of_each_move_is_the_game_of_a_session_with_this_seed():
    position = later("figaro", 6)
    agent = make("random", position.game)
    moves = [position.moves()[0], position.moves()[-1]]
    found = counterfactual(position, moves, ["random"] * 6, continuations=3, seed=5)
    for move, scores, shares in zip(moves, found.scores, found.shares, strict=True):
        start = Position.from_dict(position.to_dict(), seed=5)
        played = Session(start, dict.fromkeys(range(6), agent), 5)
        played.push(move, lambda *_: None)
        played.play_out(lambda *_: None)
        assert scores[0].tolist() == played.position.scores()
        assert np.flatnonzero(shares[0]).tolist() == played.position.winners
        assert shares[0].sum() == pytest.approx(1.0)
        assert len(np.unique(scores, axis=0)) > 1, "other continuations meet other chance"


def test_the_position_s_own_chance_to_come_decides_nothing():
    position = later("shakespeare", 2)
    moves = position.moves()[:2]
    ends = []
    for reseeded in (1, 2):
        position.reseed(reseeded)
        result = counterfactual(position, moves, ["random"], continuations=5)
        ends.append((result.scores.tolist(), result.shares.tolist()))
    assert ends[0] == ends[1]
    other = counterfactual(position, moves, ["greedy", "random"], continuations=1, seed=1)
    assert other.agents == ("greedy", "random")
    assert other.scores.tolist() != ends[0][0]
    assert np.isnan(other.score(moves[0], 0).low)


def test_progress_ends_with_all_games_finished():
    position = later("shakespeare", 2)
    progress = []
    counterfactual(
        position,
        position.moves()[:2],
        ["random"],
        continuations=5,
        on_progress=lambda *now: progress.append(now),
    )
    assert progress[-1][1] == 10


SCORES = np.array([[[20, 18], [22, 18]], [[19, 18], [19, 26]]], np.int16)
SHARES = np.array([[[1.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]])


def test_means_and_intervals_are_over_continuations():
    found = Counterfactual(("stay", "go"), ("a", "b"), SCORES, SHARES)
    assert found.score("stay", 0) == pytest.approx((21, 8.29, 33.71), abs=0.01)  # t of 12.71
    assert found.score("go", 0) == (19, 19, 19)
    assert found.score_change("go", 0) == pytest.approx((-2, -14.71, 10.71), abs=0.01)  # -1 and -3
    assert 0.0 < found.won("go", 0).low < found.won("go", 0).mean == 0.5 < found.won("go", 0).high
    assert found.won_change("go", 0)[:2] == (-0.5, -1.0)
    with pytest.raises(KeyError, match="'run' was not tried; the moves were stay, go"):
        found.score("run", 0)


def test_a_frame_holds_all_means_and_nothing_of_winning_alone():
    found = Counterfactual(("stay", "go"), ("a", "b"), SCORES, SHARES)
    *_, last = found.frame().rows(named=True)
    assert (last["move"], last["seat"], last["agent"]) == ("go", 1, "b")
    for name in ("score", "won", "score_change", "won_change"):
        assert (last[name], last[f"{name}_low"]) == getattr(found, name)("go", 1)[:2]
    alone = Counterfactual(("stay", "go"), ("a",), SCORES[:, :, :1], SHARES[:, :, :1]).frame()
    assert alone["won"].null_count() == alone["won_change_low"].null_count() == 2


def test_the_move_that_a_search_plays_comes_before_the_others_it_tries():
    position = Position.new("figaro", players=3, seed=1)
    found = candidates(position, SEARCH, seed=3)
    assert len(found) > 1
    assert set(found["move"]) <= set(position.moves())
    assert found["played"].to_list() == [True] + [False] * (len(found) - 1)
    assert 0 not in found["playouts"].to_list()
    certain = candidates(position, f"{SEARCH},near_certain=0")
    assert certain.select("playouts", "value", "played").rows() == [(0, None, True)]


def test_a_wrong_move_number_agent_or_position_is_refused():
    position = later("shakespeare", 2)
    over = later("figaro", 3)
    while over.to_move is not None:
        over.push(over.moves()[0])
    legal = position.moves()[0]
    for named, tried in (
        (legal, lambda: counterfactual(position, [legal, legal])),
        ("continuations=0", lambda: counterfactual(position, [legal], continuations=0)),
        ("3 players for 2", lambda: counterfactual(position, [legal], ["random"] * 3)),
        ("heuristic", lambda: candidates(position, "heuristic")),
        ("over", lambda: candidates(over, SEARCH)),
    ):
        with pytest.raises((IllegalMove, ValueError), match=named):
            tried()
