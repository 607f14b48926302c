"""Moves of one position are compared by many continuations under the same chance, or by search."""

import numpy as np
import pytest

from shakespeare_agents import make
from shakespeare_env import Position
from shakespeare_env.errors import IllegalMove
from shakespeare_env.play.history import GameHistory
from shakespeare_research.counterfactual import Counterfactual, candidates, counterfactual
from shakespeare_table.session import Session
from tests.generators import Witness, history_of_moves

SEARCH = "search,rollouts=heuristic,simulations=16"


def later_position(name, players, moves=6):
    """Return a position after at least so many moves, in which several moves are legal."""
    position = Position.new(name, players=players, seed=3)
    for _ in range(moves):
        position.push(position.moves()[-1])
    while len(position.moves()) < 2:
        position.push(position.moves()[0])
    return position


def test_the_first_continuation_of_each_move_is_the_game_of_a_session_with_this_seed():
    position = later_position("figaro", 6)
    agent = make("random", position.game)
    moves = [position.moves()[0], position.moves()[-1]]
    result = counterfactual(position, moves, ["random"] * 6, continuations=3, seed=5)
    for move, scores, shares in zip(moves, result.scores, result.shares, strict=True):
        start = Position.from_dict(position.to_dict(), seed=5)
        session = Session(start, dict.fromkeys(range(6), agent), 5)
        session.push(move, lambda *_: None)
        session.play_out(lambda *_: None)
        assert scores[0].tolist() == session.position.scores()
        assert np.flatnonzero(shares[0]).tolist() == session.position.winners
        assert shares[0].sum() == pytest.approx(1.0)
        assert len(np.unique(scores, axis=0)) > 1, "other continuations have other chance"


def test_agents_observe_the_decisions_before_the_position():
    first = Position.new("shakespeare", players=2, seed=3)
    history = GameHistory([first], [])
    for _ in range(6):
        history = history.pushed(history.position.moves()[-1])
    witness = Witness()
    move = history.position.moves()[0]
    counterfactual(history.position, [move], [witness] * 2, continuations=2)
    after = history.pushed(move)
    expected = history_of_moves(after.positions, after.moves)
    assert np.array_equal(witness.observed[0], expected.repeat(2, axis=0))
    assert expected[:, :, 0].all()


def test_the_position_s_own_random_state_does_not_matter():
    position = later_position("shakespeare", 2)
    moves = position.moves()[:2]
    results = []
    for seed in (1, 2):
        position.reseed(seed)
        result = counterfactual(position, moves, ["random"], continuations=5)
        results.append((result.scores.tolist(), result.shares.tolist()))
    assert results[0] == results[1]


def test_seeds_and_agents_matter_and_one_continuation_has_no_interval():
    position = later_position("shakespeare", 2)
    moves = position.moves()[:2]
    result = counterfactual(position, moves, ["random"], continuations=1)
    other = counterfactual(position, moves, ["greedy", "random"], continuations=1, seed=1)
    assert other.agents == ("greedy", "random")
    assert other.scores.tolist() != result.scores.tolist()
    assert np.isnan(other.score(moves[0], 0).low)


def test_progress_ends_with_all_games_finished():
    position = later_position("shakespeare", 2)
    reports = []
    counterfactual(
        position,
        position.moves()[:2],
        ["random"],
        continuations=5,
        on_progress=lambda decisions, games: reports.append(games),
    )
    assert reports[-1] == 10


SCORES = np.array([[[20, 18], [22, 18]], [[19, 18], [19, 26]]], np.int16)
"""int16[move, continuation, seat]."""
SHARES = np.array([[[1.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]])
"""float64[move, continuation, seat], shares of the victory."""


def test_means_and_intervals_are_over_continuations():
    """With 2 continuations, the quantile of Student's distribution is 12.71."""
    result = Counterfactual(("stay", "go"), ("a", "b"), SCORES, SHARES)
    assert result.score("stay", 0) == pytest.approx((21, 8.29, 33.71), abs=0.01)
    assert result.score("go", 0) == (19, 19, 19)
    # The changes are -1 and -3.
    assert result.score_change("go", 0) == pytest.approx((-2, -14.71, 10.71), abs=0.01)
    won = result.won("go", 0)
    assert 0.0 < won.low < won.mean == 0.5 < won.high
    assert result.won_change("go", 0)[:2] == (-0.5, -1.0)
    with pytest.raises(KeyError, match="'run' was not tried; the moves were stay, go"):
        result.score("run", 0)


def test_a_frame_holds_all_means():
    result = Counterfactual(("stay", "go"), ("a", "b"), SCORES, SHARES)
    *_, last = result.frame().rows(named=True)
    assert (last["move"], last["seat"], last["agent"]) == ("go", 1, "b")
    for name in ("score", "won", "score_change", "won_change"):
        assert (last[name], last[f"{name}_low"]) == getattr(result, name)("go", 1)[:2]


def test_with_one_player_nobody_wins():
    alone = Counterfactual(("stay", "go"), ("a",), SCORES[:, :, :1], SHARES[:, :, :1]).frame()
    assert alone["won"].null_count() == alone["won_change_low"].null_count() == 2


def test_the_move_that_a_search_plays_comes_before_the_others_it_tries():
    position = Position.new("figaro", players=3, seed=1)
    table = candidates(position, SEARCH, seed=3)
    assert len(table) > 1
    assert set(table["move"]) <= set(position.moves())
    assert table["played"].to_list() == [True] + [False] * (len(table) - 1)
    assert 0 not in table["playouts"].to_list()


def test_a_near_certain_move_is_the_only_candidate_and_has_no_playouts():
    position = Position.new("figaro", players=3, seed=1)
    table = candidates(position, f"{SEARCH},near_certain=0")
    assert table.select("playouts", "value", "played").rows() == [(0, None, True)]


def test_a_wrong_move_number_agent_or_position_is_refused():
    position = later_position("shakespeare", 2)
    over = later_position("figaro", 3)
    while over.to_move is not None:
        over.push(over.moves()[0])
    legal = position.moves()[0]
    for message, call in (
        (legal, lambda: counterfactual(position, [legal, legal])),
        ("continuations=0", lambda: counterfactual(position, [legal], continuations=0)),
        ("3 players for 2", lambda: counterfactual(position, [legal], ["random"] * 3)),
        ("heuristic", lambda: candidates(position, "heuristic")),
        ("over", lambda: candidates(over, SEARCH)),
    ):
        with pytest.raises((IllegalMove, ValueError), match=message):
            call()
