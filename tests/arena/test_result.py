"""Figures against numbers worked out by hand, and the same as JSON."""

from __future__ import annotations

import json
import math
import statistics
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

from shakespeare_agents import RandomAgent, make
from shakespeare_agents.arena import Entrant, evaluate
from shakespeare_agents.arena.result import FORMAT, agent_results
from shakespeare_agents.arena.seat_orders import SeatPlan
from shakespeare_agents.intervals import wilson_interval
from shakespeare_env import registry
from tests.contract.each_table import small_tables
from tests.contract.random_games import TABLES

# By deal, rotation and seat: the first agent sits at seat 0, then at seat 1.
SCORES = np.array([[[10, 4], [5, 9]], [[6, 8], [7, 7]]])
WINNERS = np.array([[[1, 0], [0, 1]], [[0, 1], [1, 1]]], bool)
BY_HAND: dict[str, Any] = {
    "a": {"wins": 2.5, "seats": (0.5, 0.75), "deals": (9.5, 6.5)},
    "b": {"wins": 1.5, "seats": (0.25, 0.5), "deals": (4.5, 7.5)},
}


def results(*arguments) -> Any:
    """Win figures are None with one seat only, which no test needs to be told."""
    return agent_results(*in_rotation(*arguments))[0]


def compared(*arguments) -> Any:
    """Nor are differences of several deals."""
    return agent_results(*in_rotation(*arguments))[1]


def in_rotation(names, *arguments):
    return names, SeatPlan(tuple(names), "fixed", 0).of(range(len(arguments[0]))), *arguments


def test_agents_are_compared_deal_by_deal():
    (found,) = compared(["a", "b"], SCORES, WINNERS)
    # In a deal a won 1 and -½ of the games more than b, and scored 5 and -1 points more.
    assert (found.first, found.second, found.deals) == ("a", "b", 2)
    assert (found.win_rate, found.score) == (0.25, 2)
    # Two deals are too few: their interval ends where differences do.
    assert (found.win_low, found.win_high) == (-1, 1)
    assert found.score - found.score_low == pytest.approx(12.7062 * 3)
    assert str(found) == (
        "a less b, 2 deals:\n  wins +25.0 % (-100.0 to +100.0), score +2.00 (-36.12 to +40.12)"
    )


def test_a_difference_can_be_asked_either_way():
    found = evaluate(["random", "heuristic", "random"], "figaro", games=9)
    one: Any = found.difference("random", "heuristic")
    other: Any = found.difference("heuristic", "random")
    random: Any = found["random"]
    heuristic: Any = found["heuristic"]
    assert (one.first, other.first) == ("random", "heuristic")
    assert one.win_rate == pytest.approx(random.win_rate - heuristic.win_rate)
    assert one.score == pytest.approx(random.mean_score - heuristic.mean_score)
    assert (one.win_rate, one.win_low, one.score_high) == (
        -other.win_rate,
        -other.win_high,
        -other.score_low,
    )
    assert other.turned() == one
    for names, fault in {
        ("random", "greedy"): "'greedy' did not play; the entrants were random, heuristic, random",
        ("random", "random"): "'random' was compared with itself; name two agents",
    }.items():
        with pytest.raises(KeyError, match=fault):
            found.difference(*names)


def test_what_a_deal_gives_to_all_is_no_difference():
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 3, (50, 2, 2)) + 100 * np.arange(50)[:, None, None]
    table = ["a", "b"], scores, scores == scores.max(2, keepdims=True)
    (one, _), (found,) = results(*table), compared(*table)
    assert found.score_high - found.score_low < 1
    assert one.score_high - one.score_low > 500


def test_a_single_deal_has_a_difference_without_an_interval():
    (found,) = compared(["a", "b"], SCORES[:1], WINNERS[:1])
    assert (found.win_rate, found.win_low, found.score_high) == (1, None, None)
    assert "wins +100.0 %, score +5.00" in str(found)


def test_figures_worked_out_by_hand():
    for found in results(["a", "b"], SCORES, WINNERS):
        expected = BY_HAND[found.name]
        assert (found.copies, found.games, found.wins) == (1, 4, expected["wins"])
        assert found.win_rate == found.wins / 4
        assert (found.low, found.high) == wilson_interval(found.wins, 4)
        assert found.seat_win_rates == expected["seats"]
        assert found.mean_score == statistics.mean(expected["deals"])
        # The standard error of two deals that are 3 apart is 1.5.
        assert found.mean_score - found.score_low == pytest.approx(1.959964 * 1.5)
        assert found.score_high - found.mean_score == pytest.approx(1.959964 * 1.5)


def test_games_that_share_a_deal_count_for_less():
    """Six games that only repeat one are worth no more than one."""
    names, deals = ["a", "b", "c"], 100
    seating = SeatPlan(tuple(names), "balanced", 0).of(range(deals))
    winner = np.random.default_rng(0).integers(0, 3, deals)
    winners = seating == winner[:, None, None]
    for found in agent_results(names, seating, winners.astype(int), winners)[0]:
        assert found.low is not None
        assert found.wins is not None
        low, high = wilson_interval(found.wins / 6, deals)
        assert found.low == pytest.approx(low, rel=0.01)
        assert found.high == pytest.approx(high, rel=0.01)


def test_copies_share_a_row():
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 9, (5, 3, 3))
    winners = scores == scores.max(axis=2, keepdims=True)
    one, two, three = results(["a", "b", "c"], scores, winners)
    pair, single = results(["a", "b", "a"], scores, winners)
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
    assert pair.low < pair.win_rate < pair.high


def test_whoever_holds_every_seat_wins_its_share():
    (found,) = results(["a", "a"], SCORES, WINNERS)
    assert (found.copies, found.games, found.wins, found.win_rate) == (2, 8, 4.0, 0.5)
    assert found.seat_win_rates == (0.375, 0.625)


@small_tables
def test_the_best_score_of_each_game(table):
    class Highest:
        def act(self, observations, masks, rng):
            return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)

    seats = table.players
    entrants = [Entrant("highest", Highest())] * seats
    found = evaluate(entrants, table.game, games=seats, seed=0)
    batch = table.batch(1, seed=0, autoreset=False)
    while batch.to_move[0] >= 0:
        batch.step(Highest().act(batch.obs, batch.mask, None))
    assert found.mean_winning_score == batch.final_scores[0, :seats].max()
    assert found["highest"].mean_score == batch.final_scores[0, :seats].mean()
    assert (found.winning_score_low, found["highest"].score_high) == (None, None)  # one deal


@pytest.mark.parametrize("where", TABLES, ids=str)
def test_as_json_and_back(where, tmp_path):
    game, players, options = registry.game(where.game), where.players, where.options
    entrants = [Entrant("heuristic", make("heuristic", game))]
    entrants += [Entrant("random", RandomAgent())] * (players - 1)
    found = evaluate(
        entrants, game.name, games=players, players=players, seed=2**64 - 1, options=options
    )
    path = tmp_path / "result.json"
    found.save(path)
    data = json.loads(path.read_bytes(), parse_constant=pytest.fail)
    assert data == found.to_json()
    assert data.pop("format") == FORMAT
    assert data.pop("box_digest") == registry.box_digest(game.name)
    assert data.pop("entrants") == ["heuristic", *["random"] * (players - 1)]
    assert (data["seed"], data["options"]) == (2**64 - 1, options)
    for row, agent in zip(data.pop("agents"), found.agents, strict=True):
        if row["seat_win_rates"] is not None:
            row["seat_win_rates"] = tuple(row["seat_win_rates"])
        assert row == asdict(agent)
    assert data.pop("differences") == [asdict(pair) for pair in found.differences]
    assert data == {name: value for name, value in asdict(found).items() if name in data}
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["result.json"]


@small_tables
def test_figures_that_are_not_finite_are_not_written(table, tmp_path):
    entrants = [Entrant("random", RandomAgent())] * table.players
    found = evaluate(entrants, table.game, games=table.players, seed=0)
    with pytest.raises(ValueError, match="not JSON compliant"):
        replace(found, mean_winning_score=math.nan).save(tmp_path / "result.json")
    assert list(tmp_path.iterdir()) == []


@small_tables
def test_a_name_that_did_not_play(table):
    entrants = [Entrant("random", RandomAgent())] * table.players
    found = evaluate(entrants, table.game, games=table.players, seed=0)
    with pytest.raises(KeyError, match="'heuristic' did not play; the entrants were random, ran"):
        found["heuristic"]
