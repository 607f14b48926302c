"""Evaluations: every agent at every seat of the same deals, and results worked out by hand."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from shakespeare_agents import RandomAgent, make
from shakespeare_arena import Entrant, evaluate
from shakespeare_arena.dataset import write_dataset
from shakespeare_arena.evaluation import Evaluation, EvaluationResult, NoCompleteDeal, agent_results
from shakespeare_arena.games import playing, recording
from shakespeare_arena.intervals import share_interval
from shakespeare_env.core import registry
from shakespeare_env.errors import ArenaError
from tests.contract.each_table import full_tables, small_tables


class Fixed:
    """An agent that plays the legal action of the least id, and counts its decisions."""

    decisions = 0
    most_at_once = 0

    def act(self, observations, masks, rng):
        self.decisions += len(masks)
        self.most_at_once = max(self.most_at_once, len(masks))
        return masks.argmax(axis=1)


RANDOM = Entrant("random", RandomAgent())


def against_random(table, agent):
    return [Entrant("one", agent), *[RANDOM] * (table.players - 1)]


@full_tables
def test_equal_agents_win_their_share(table):
    """Equal agents make all games of a deal one game, and hold each of its seats equally often."""
    seats = table.players
    same = Fixed()
    entrants = [Entrant(f"copy {k}", same) for k in range(seats)]
    reports: list[tuple[int, int]] = []

    def on_progress(decisions: int, games: int) -> None:
        reports.append((decisions, games))

    result = evaluate(entrants, table.game, games=10 * seats, seed=5, on_progress=on_progress)
    assert result.games % result.deals == 0
    # Seats of one agent decide together.
    decisions = [decisions for decisions, _ in reports]
    assert same.most_at_once == max(np.diff(decisions, prepend=0))
    assert reports == sorted(reports)
    assert reports[-1] == (same.decisions, result.games)
    for agent in result.agents:
        assert agent.games == result.games
        assert agent.wins == pytest.approx(result.games / seats)
        assert agent.seat_win_rates == result.agents[0].seat_win_rates
        assert np.mean(agent.seat_win_rates or ()) == pytest.approx(1 / seats)
        assert agent.mean_score == pytest.approx(result.agents[0].mean_score)
        assert agent.score_low == pytest.approx(result.agents[0].score_low)


@small_tables
def test_results_depend_on_the_seed_and_not_on_how_many_games_run_at_once(table, monkeypatch):
    entrants = against_random(table, make("heuristic", registry.game(table.game)))
    results = []
    few = 3 * table.players
    for seed, games_at_once in (1, 16_384), (1, few), (1, 1), (2, 1):
        monkeypatch.setattr(playing, "GAMES_AT_ONCE", games_at_once)
        results.append(evaluate(entrants, table.game, games=10 * table.players, seed=seed))
    assert results[0] == results[1] == results[2]
    assert results[0].agents != results[3].agents


def test_an_interrupted_evaluation_shows_complete_deals_and_goes_on_from_its_folder(
    tmp_path, monkeypatch
):
    """Resumed in many pieces, it has the result of an undisturbed one, which keeps no games."""
    monkeypatch.setattr(playing, "GAMES_AT_ONCE", 4)
    monkeypatch.setattr(recording, "WRITE_EVERY_S", 0)
    agents = ["random", "heuristic"]
    arguments: dict[str, Any] = {"games": 18, "players": 3, "seed": 3}
    undisturbed = evaluate(agents, "figaro", **arguments)

    def interrupt_at(games):
        def interrupt(_decisions, finished):
            if finished >= games:
                raise KeyboardInterrupt

        return interrupt

    for results in (None, tmp_path):
        evaluation = Evaluation(agents, "figaro", results=results, **arguments)
        with pytest.raises(NoCompleteDeal, match="0 of 18 games are over, and a deal has 3"):
            evaluation.result()
        with pytest.raises(KeyboardInterrupt):
            evaluation.play(interrupt_at(6))
        partly = evaluation.result()
        missing = 6 - partly.deals
        assert 0 < missing < 6
        assert partly.games == 3 * partly.deals
        assert f"Interrupted: {missing} deal" in (partly.warning or "")
        assert "Interrupted" in str(partly)
    with pytest.raises(KeyboardInterrupt):
        Evaluation(agents, "figaro", results=tmp_path, **arguments).play(interrupt_at(12))
    asked: list[tuple[int, int]] = []
    resumed = Evaluation(agents, "figaro", results=tmp_path, **arguments)
    resumed.play(lambda *counts: asked.append(counts))
    assert resumed.result() == undisturbed
    assert asked[0][1] >= 12, "those of earlier runs are not played again"
    assert asked[-1][1] == 18


class Stumbles(RandomAgent):
    """An agent that fails once some games are over."""

    version = 1
    left = 200

    def act(self, observations, masks, rng):
        self.left -= len(masks)
        if self.left < 0:
            raise ConnectionError("the service is down")
        return super().act(observations, masks, rng)


def test_an_agent_that_fails_loses_no_game_of_an_evaluation_that_keeps_its_games(
    tmp_path, monkeypatch
):
    """In a dataset it does, and such games are not evaluated."""
    monkeypatch.setattr(playing, "GAMES_AT_ONCE", 3)
    agent = Stumbles()
    entrants = [Entrant("mine", agent), RANDOM, RANDOM]
    arguments: dict[str, Any] = {"games": 30, "seed": 3}
    evaluation = Evaluation(entrants, "figaro", results=tmp_path / "games", **arguments)
    with pytest.raises(ConnectionError) as caught:
        evaluation.play()
    assert "mine failed to decide in" in caught.value.__notes__[0]
    assert evaluation.result().games > 0
    agent.left = 10**6
    evaluation.play()
    assert evaluation.result() == evaluate(entrants, "figaro", **arguments)

    agent.left = 50
    write_dataset(tmp_path / "lost", entrants, "figaro", **arguments)
    refused = Evaluation(entrants, "figaro", results=tmp_path / "lost", **arguments)
    with pytest.raises(ArenaError, match=r"mine has forfeited .*service is down.*another folder"):
        refused.play()


def test_in_the_solo_game_nobody_wins_and_the_target_is_given():
    result = evaluate([RANDOM], "shakespeare", games=7, players=1, seed=0)
    alone = result["random"]
    # The record counts the only seat as a winner, but it has beaten nobody.
    assert (alone.wins, alone.win_rate, alone.seat_win_rates) == (None, None, None)
    assert (alone.low, alone.high) == (None, None)
    assert (result.mean_winning_score, result.winning_score_low) == (None, None)
    assert result.solo_target == registry.game("shakespeare").solo_target
    assert alone.score_low is not None
    assert alone.score_low < alone.mean_score


# Indexed by deal, rotation and seat. The first agent sits at seat 0, then at seat 1.
SCORES = np.array([[[10, 4], [5, 9]], [[6, 8], [7, 7]]])
WINNERS = np.array([[[1, 0], [0, 1]], [[0, 1], [1, 1]]], bool)
BY_HAND: dict[str, Any] = {"a": (2.5, (0.5, 0.75), 8.0), "b": (1.5, (0.25, 0.5), 6.0)}
"""Victories, win rates by seat, and mean score."""
STUDENT_1 = 12.706205
"""The 97.5 % quantile of Student's t with one degree of freedom."""


def results(names, scores, winners) -> Any:
    """Return each agent's result and the differences of pairs for games in all rotations."""
    rotations = [np.roll(np.arange(len(names)), rotation) for rotation in range(len(names))]
    seating = np.broadcast_to(rotations, scores.shape)
    return agent_results(names, seating, scores, winners)


def test_an_agent_s_result_worked_out_by_hand():
    agents, _ = results(["a", "b"], SCORES, WINNERS)
    for agent in agents:
        wins, by_seat, mean = BY_HAND[agent.name]
        assert (agent.copies, agent.games) == (1, 4)
        assert (agent.wins, agent.win_rate, agent.seat_win_rates) == (wins, wins / 4, by_seat)
        by_deal = np.array([1, 0.25] if agent.name == "a" else [0, 0.75])
        assert (agent.low, agent.high) == pytest.approx(share_interval(by_deal)[1:])
        assert agent.mean_score == mean
        # The standard error of two deals that are 3 apart is 1.5.
        half = STUDENT_1 * 1.5
        assert (agent.score_low, agent.score_high) == pytest.approx((mean - half, mean + half))


def test_a_difference_worked_out_by_hand():
    _, (between, turned) = results(["a", "b"], SCORES, WINNERS)
    # In the two deals a won 1 and -½ of the games more than b, and scored 5 and -1 points more.
    assert (between.first, between.second, between.deals) == ("a", "b", 2)
    assert (between.win_rate, between.score) == (0.25, 2)
    # Two deals say little, so the interval covers nearly all possible differences.
    assert (between.win_low, between.win_high) == pytest.approx((-0.992, 0.997), abs=1e-3)
    assert between.score - between.score_low == pytest.approx(STUDENT_1 * 3)
    assert (turned.first, turned.win_rate, turned.score) == ("b", -0.25, -2)
    assert (turned.win_low, turned.score_high) == pytest.approx((-0.997, 36.12), abs=2e-3)
    assert str(between) == (
        "a less b, 2 deals (fewer than 30):\n"
        "  wins +25.0 % (-99.2 to +99.7), score +2.00 (-36.12 to +40.12)"
    )


@pytest.mark.parametrize("deals", [4, 10, 30, 100, 500])
def test_intervals_hold_as_often_as_they_say_if_a_deal_suits_one_agent_at_every_seat(deals):
    """The games of a deal then only repeat one game, and count no more than one."""
    rng = np.random.default_rng(deals)
    odds = np.array([0.5, 0.3, 0.2])
    held = []
    rotations = np.array([np.roll(np.arange(3), rotation) for rotation in range(3)])
    for _ in range(400):
        winners = rotations == rng.choice(3, deals, p=odds)[:, None, None]
        scores = np.rint(100 * rng.standard_normal((deals, 3)))[:, rotations]
        agents, between = results("abc", scores, winners)
        for agent, odd in zip(agents, odds, strict=True):
            held.append((agent.low <= odd <= agent.high, agent.score_low <= 0 <= agent.score_high))
        leads = (a - b for a in odds for b in odds if a != b)
        for pair, lead in zip(between, leads, strict=True):
            held.append(
                (pair.win_low <= lead <= pair.win_high, pair.score_low <= 0 <= pair.score_high)
            )
    share, mean = np.mean(held, axis=0)
    assert 0.93 <= share <= (0.97 if deals >= 30 else 1)
    assert 0.93 <= mean <= 0.97


def test_copies_share_a_result():
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
    # One of the two copies wins unless the third agent does, and each copy has half of that.
    assert pair.low == pytest.approx((1 - single.high) / 2)
    assert pair.high == pytest.approx((1 - single.low) / 2)


@pytest.mark.parametrize(
    ("game", "players"), [("figaro", 3), ("shakespeare", 1), ("shakespeare", 4)]
)
def test_a_result_is_saved_as_json_and_read_by_name(game, players, tmp_path):
    variants = registry.game(game).options.items()
    options = {name: True for name, seats in variants if players in seats}
    entrants = ["heuristic", *["random"] * (players - 1)]
    result = evaluate(
        entrants, game, games=players, players=players, options=options, seed=2**64 - 1
    )
    path = tmp_path / "result.json"
    result.save(path)
    data = json.loads(path.read_bytes(), parse_constant=pytest.fail)
    assert data == result.to_json()
    assert data.pop("format") == EvaluationResult.FORMAT
    assert data.pop("box_digest") == registry.box_digest(game)
    assert data["warning"] == "Only 1 deal: below 30 intervals are rough."
    assert data["warning"] in str(result)
    with pytest.raises(ValueError, match="not JSON compliant"):
        replace(result, mean_winning_score=math.nan).save(tmp_path / "another.json")
    assert [entry.name for entry in tmp_path.iterdir()] == ["result.json"]
    with pytest.raises(KeyError, match="'greedy' did not play; the entrants were heuristic"):
        result["greedy"]
