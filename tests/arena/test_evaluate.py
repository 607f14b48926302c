"""Evaluations: everybody at every seat of the same deals, and figures worked out by hand."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, astuple, replace
from typing import Any

import numpy as np
import pytest

from shakespeare_agents import RandomAgent, make
from shakespeare_arena import Entrant, evaluate, evaluation
from shakespeare_arena.evaluation import EvaluationResult, Series, agent_results
from shakespeare_arena.intervals import share_interval
from shakespeare_env.core import registry
from tests.contract.each_table import full_tables, small_tables


class Fixed:
    """Plays the legal action of the least or the greatest id, and counts what it was shown."""

    def __init__(self, order):
        self.order = order
        self.seen = 0
        self.most_at_once = 0

    def act(self, observations, masks, rng):
        self.seen += len(masks)
        self.most_at_once = max(self.most_at_once, len(masks))
        if self.order < 0:
            return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
        return masks.argmax(axis=1)


class Impatient(RandomAgent):
    """Leaves when asked for the n-th time, then plays on."""

    left = 10**9

    def act(self, observations, masks, rng):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        return super().act(observations, masks, rng)


def first_legal(observations, masks, rng):
    return masks.argmax(axis=1)


RANDOM = Entrant("random", RandomAgent())


def against_random(table, agent):
    return [Entrant("one", agent), *[RANDOM] * (table.players - 1)]


@full_tables
def test_equal_agents_win_their_share(table):
    """The games of a deal are one game: everybody holds each of its seats equally often."""
    seats, same = table.players, Fixed(1)
    entrants = [Entrant(f"copy {k}", same) for k in range(seats)]
    heard: list[tuple[int, int]] = []
    how: dict[str, Any] = {"on_progress": lambda *now: heard.append(now)}
    found = evaluate(entrants, table.game, games=10 * seats, seed=5, **how)
    assert found.games % found.deals == 0
    # Seats of one agent are asked together; decisions and games are counted.
    assert (heard[0], same.most_at_once) == ((found.games, 0), found.games)
    assert heard == sorted(heard)
    assert heard[-1] == (same.seen, found.games)
    for agent in found.agents:
        assert agent.games == found.games
        assert agent.wins == pytest.approx(found.games / seats)
        assert agent.seat_win_rates == found.agents[0].seat_win_rates
        assert np.mean(agent.seat_win_rates or ()) == pytest.approx(1 / seats)
        assert agent.mean_score == pytest.approx(found.agents[0].mean_score)
        assert agent.score_low == pytest.approx(found.agents[0].score_low)


@small_tables
def test_figures_depend_on_the_seed_and_not_on_threads_or_what_is_played_together(
    table, monkeypatch
):
    entrants = against_random(table, make("heuristic", registry.game(table.game)))
    results = []
    few = 3 * table.players
    for seed, threads, together in (1, 1, 16_384), (1, 2, few), (1, 1, 1), (2, 1, 1):
        monkeypatch.setattr(evaluation, "_GAMES_AT_ONCE", together)
        how: dict[str, Any] = {"games": 10 * table.players, "seed": seed, "threads": threads}
        results.append(evaluate(entrants, table.game, **how))
    assert results[0] == results[1] == results[2]
    assert results[0].agents != results[3].agents


@small_tables
def test_a_match_in_parts_is_the_match_and_an_interrupted_part_does_not_count(table):
    agent = Impatient()
    match = Series(against_random(table, agent), table.game, seed=4)
    match.play(2)
    before = match.result()
    agent.left = 3
    with pytest.raises(KeyboardInterrupt):
        match.play(1)
    assert (match.deals, match.result()) == (2, before)
    match.play(1)
    how: dict[str, Any] = {"games": 3 * table.players, "seed": 4}
    assert match.result() == evaluate(against_random(table, RandomAgent()), table.game, **how)


def test_alone_nobody_wins_and_the_target_is_beside_the_score():
    found = evaluate([RANDOM], "shakespeare", games=7, players=1, seed=0)
    alone = found["random"]
    # Its only seat is among the record's winners, but nobody was beaten.
    rates = alone.wins, alone.win_rate, alone.low, alone.high, alone.seat_win_rates
    assert (*rates, found.mean_winning_score, found.winning_score_low) == (None,) * 7
    assert found.solo_target == registry.game("shakespeare").solo_target
    assert alone.score_low is not None
    assert alone.score_low < alone.mean_score


@pytest.mark.parametrize(
    ("entrants", "how", "fault", "says"),
    [
        (["random"] * 3, {"games": 0}, ValueError, "games=0"),
        (["random"] * 4, {"players": 3}, ValueError, "4 players for 3 seats; name fewer agents"),
        (["random"], {"players": 9}, ValueError, "players=9: figaro is played by 3 to 6 seats"),
        (first_legal, {}, TypeError, r"give a list of agents, \["),
        ("random", {}, TypeError, r"give a list of agents, \["),
    ],
)
def test_what_cannot_be_evaluated_is_refused(entrants, how, fault, says):
    given: dict[str, Any] = {"games": 3, **how}
    with pytest.raises(fault, match=says):
        evaluate(entrants, "figaro", **given)


class Player:
    def act(self, observations, masks, rng):
        return first_legal(observations, masks, rng)


PLAYER = Player()


@pytest.mark.parametrize(
    ("given", "players", "names"),
    [
        ([first_legal], 3, ["first_legal", "network", "network"]),
        ([PLAYER, Player(), PLAYER, Player], None, ["Player", "Player 2", "Player", "Player 3"]),
    ],
)
def test_seats_are_filled_and_named_as_in_the_command(given, players, names):
    """With fewer than two agents by the default one; an object at several seats has one name."""
    assert evaluate(given, "figaro", games=1, players=players).entrants == tuple(names)


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
    turns = [np.roll(np.arange(len(names)), turn) for turn in range(len(names))]
    seating = np.broadcast_to(turns, scores.shape)
    return agent_results(names, seating, scores, winners)


def test_figures_worked_out_by_hand():
    agents, (between,) = results(["a", "b"], SCORES, WINNERS)
    for found in agents:
        wins, by_seat, mean = BY_HAND[found.name]
        # The standard error of two deals that are 3 apart is 1.5.
        scores = mean, *(pytest.approx(mean + way * 12.7062 * 1.5) for way in (-1, 1))
        won = share_interval(np.array([1, 0.25] if found.name == "a" else [0, 0.75]))[1:]
        rates = wins, wins / 4, *map(pytest.approx, won), by_seat
        assert astuple(found) == (found.name, 1, 4, *rates, *scores)
    # In a deal a won 1 and -½ of the games more than b, and scored 5 and -1 points more.
    assert (between.first, between.second, between.deals) == ("a", "b", 2)
    assert (between.win_rate, between.score) == (0.25, 2)
    # Two deals are too few: their interval ends about where differences do.
    assert (between.win_low, between.win_high) == pytest.approx((-0.992, 0.997), abs=1e-3)
    assert between.score - between.score_low == pytest.approx(12.7062 * 3)
    assert str(between) == (
        "a less b, 2 deals (fewer than 30):\n"
        "  wins +25.0 % (-99.2 to +99.7), score +2.00 (-36.12 to +40.12)"
    )


def test_what_a_deal_gives_to_all_is_no_difference():
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 3, (50, 2, 2)) + 100 * np.arange(50)[:, None, None]
    (one, _), (found,) = results(["a", "b"], scores, scores == scores.max(2, keepdims=True))
    assert found.score_high - found.score_low < 1
    assert one.score_high - one.score_low > 500


@pytest.mark.parametrize("deals", [4, 10, 30, 100, 500])
def test_intervals_hold_as_often_as_they_say_where_a_deal_suits_one_agent_in_every_seat(deals):
    """The games of a deal only repeat one, and are worth no more."""
    rng, odds, luck = np.random.default_rng(deals), np.array([0.5, 0.3, 0.2]), []
    turns = np.array([np.roll(np.arange(3), turn) for turn in range(3)])
    for _ in range(400):
        winners = turns == rng.choice(3, deals, p=odds)[:, None, None]
        scores = np.rint(100 * rng.standard_normal((deals, 3)))[:, turns]
        agents, between = results("abc", scores, winners)
        for one, odd in zip(agents, odds, strict=True):
            luck.append((one.low <= odd <= one.high, one.score_low <= 0 <= one.score_high))
        for pair, lead in zip(between, (0.2, 0.3, 0.1), strict=True):
            luck.append(
                (pair.win_low <= lead <= pair.win_high, pair.score_low <= 0 <= pair.score_high)
            )
    share, mean = np.mean(luck, axis=0)
    assert 0.93 <= share <= (0.97 if deals >= 30 else 1)
    assert 0.93 <= mean <= 0.97


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
    assert data["warning"] == "Only 1 deal: below 30 intervals are rough."
    assert data["warning"] in str(found)
    assert [entry.name for entry in tmp_path.iterdir()] == ["result.json"]
    with pytest.raises(ValueError, match="not JSON compliant"):
        replace(found, mean_winning_score=math.nan).save(tmp_path / "another.json")
    assert [entry.name for entry in tmp_path.iterdir()] == ["result.json"]
