"""Figures against numbers worked out by hand, and the same as JSON."""

import json
import math
from dataclasses import asdict, astuple, replace
from typing import Any

import numpy as np
import pytest

from shakespeare_agents.arena import evaluate
from shakespeare_agents.arena.evaluation.result import EvaluationResult, agent_results
from shakespeare_agents.arena.games.seat_orders import SeatPlan
from shakespeare_agents.intervals import wilson_interval
from shakespeare_env.core import registry

# By deal, rotation and seat: the first agent sits at seat 0, then at seat 1.
SCORES = np.array([[[10, 4], [5, 9]], [[6, 8], [7, 7]]])
WINNERS = np.array([[[1, 0], [0, 1]], [[0, 1], [1, 1]]], bool)
BY_HAND: dict[str, Any] = {
    "a": (2.5, (0.5, 0.75), (9.5 + 6.5) / 2),
    "b": (1.5, (0.25, 0.5), (4.5 + 7.5) / 2),
}
"""Victories, shares of them by seat, and mean score."""


def results(names, scores, winners) -> Any:
    """Each agent's figures and the differences of pairs, of games in fixed rotation."""
    seating = SeatPlan(tuple(names), "fixed", 0).of(range(len(scores)))
    return agent_results(names, seating, scores, winners)


def test_figures_worked_out_by_hand():
    agents, (between,) = results(["a", "b"], SCORES, WINNERS)
    for found in agents:
        wins, by_seat, mean = BY_HAND[found.name]
        # The standard error of two deals that are 3 apart is 1.5.
        scores = mean, *(pytest.approx(mean + way * 1.959964 * 1.5) for way in (-1, 1))
        rates = wins, wins / 4, *wilson_interval(wins, 4), by_seat
        assert astuple(found) == (found.name, 1, 4, *rates, *scores)
    # In a deal a won 1 and -½ of the games more than b, and scored 5 and -1 points more.
    assert (between.first, between.second, between.deals) == ("a", "b", 2)
    assert (between.win_rate, between.score) == (0.25, 2)
    # Two deals are too few: their interval ends where differences do.
    assert (between.win_low, between.win_high) == (-1, 1)
    assert between.score - between.score_low == pytest.approx(12.7062 * 3)
    assert str(between) == (
        "a less b, 2 deals:\n  wins +25.0 % (-100.0 to +100.0), score +2.00 (-36.12 to +40.12)"
    )


def test_a_single_deal_has_a_difference_without_an_interval():
    _, (found,) = results(["a", "b"], SCORES[:1], WINNERS[:1])
    assert (found.win_rate, found.win_low, found.score_high) == (1, None, None)
    assert "wins +100.0 %, score +5.00" in str(found)


def test_what_a_deal_gives_to_all_is_no_difference():
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 3, (50, 2, 2)) + 100 * np.arange(50)[:, None, None]
    (one, _), (found,) = results(["a", "b"], scores, scores == scores.max(2, keepdims=True))
    assert found.score_high - found.score_low < 1
    assert one.score_high - one.score_low > 500


def test_games_that_share_a_deal_count_for_less():
    """Six games that only repeat one are worth no more than one."""
    names, deals = ["a", "b", "c"], 100
    seating = SeatPlan(tuple(names), "balanced", 0).of(range(deals))
    winner = np.random.default_rng(0).integers(0, 3, deals)
    winners = seating == winner[:, None, None]
    for found in agent_results(names, seating, winners.astype(int), winners)[0]:
        assert found.wins is not None
        expected = wilson_interval(found.wins / 6, deals)
        assert (found.low, found.high) == pytest.approx(expected, rel=0.01)


def test_copies_share_a_row():
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 9, (5, 3, 3))
    winners = scores == scores.max(axis=2, keepdims=True)
    (one, two, three), _ = results(["a", "b", "c"], scores, winners)
    (pair, single), _ = results(["a", "b", "a"], scores, winners)
    assert single == two
    assert (pair.name, pair.copies, pair.games) == ("a", 2, 30)
    assert pair.wins == pytest.approx(one.wins + three.wins)
    assert pair.win_rate == pytest.approx((one.win_rate + three.win_rate) / 2)
    assert pair.mean_score == pytest.approx((one.mean_score + three.mean_score) / 2)
    both = np.add(one.seat_win_rates, three.seat_win_rates)
    assert pair.seat_win_rates == pytest.approx(both / 2)
    # That one of the two wins is that the third does not; each has half of it.
    assert pair.low == pytest.approx((1 - single.high) / 2)
    assert pair.high == pytest.approx((1 - single.low) / 2)
    ((all_seats,), _) = results(["a", "a"], SCORES, WINNERS)
    assert (all_seats.copies, all_seats.wins, all_seats.win_rate) == (2, 4.0, 0.5)


def test_an_agent_and_a_difference_can_be_asked_for_by_name():
    found: Any = evaluate(["random", "heuristic", "random"], "figaro", games=9)
    one, other = found.difference("random", "heuristic"), found.difference("heuristic", "random")
    assert (one.first, other.first) == ("random", "heuristic")
    assert one.win_rate == pytest.approx(found["random"].win_rate - found["heuristic"].win_rate)
    assert one.score == pytest.approx(found["random"].mean_score - found["heuristic"].mean_score)
    opposite = (-other.win_rate, -other.win_high, -other.score_low)
    assert (one.win_rate, one.win_low, one.score_high) == opposite
    assert other.turned() == one
    did_not_play = "'greedy' did not play; the entrants were random, heuristic, random"
    with pytest.raises(KeyError, match=did_not_play):
        found["greedy"]
    with pytest.raises(KeyError, match=did_not_play):
        found.difference("random", "greedy")
    with pytest.raises(KeyError, match="'random' was compared with itself; name two agents"):
        found.difference("random", "random")


@pytest.mark.parametrize(
    ("game", "players"), [("figaro", 3), ("shakespeare", 1), ("shakespeare", 4)]
)
def test_as_json_and_back(game, players, tmp_path):
    variants = registry.game(game).options.items()
    options = {name: True for name, seats in variants if players in seats}
    entrants = ["heuristic", *["random"] * (players - 1)]
    how: dict[str, Any] = {"players": players, "options": options, "seed": 2**64 - 1}
    found = evaluate(entrants, game, games=players, **how)
    path = tmp_path / "result.json"
    found.save(path)
    data = json.loads(path.read_bytes(), parse_constant=pytest.fail)
    assert data == found.to_json()
    assert data.pop("format") == EvaluationResult.FORMAT
    assert data.pop("box_digest") == registry.box_digest(game)
    expected = json.loads(json.dumps(asdict(found)))  # tuples are lists there
    assert data == {name: expected[name] for name in data}
    assert {"seed", "options", "agents", "differences", "entrants"} <= data.keys()
    assert [entry.name for entry in tmp_path.iterdir()] == ["result.json"]
    with pytest.raises(ValueError, match="not JSON compliant"):
        replace(found, mean_winning_score=math.nan).save(tmp_path / "another.json")
    assert [entry.name for entry in tmp_path.iterdir()] == ["result.json"]
