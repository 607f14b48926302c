"""Seats rotated over the same deals, everybody at every seat, each game played once."""

import re
from typing import Any

import numpy as np
import pytest

from shakespeare_agents import RandomAgent, make
from shakespeare_agents.arena import Entrant, evaluate
from shakespeare_agents.arena.evaluation import series
from shakespeare_agents.arena.evaluation.series import Series
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
        monkeypatch.setattr(series, "_GAMES_AT_ONCE", together)
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
        (["random"] * 3, {"order": "x"}, ValueError, "order='x': give one of 'balanced', 'fixed'"),
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


def test_functions_play_as_they_are_and_the_result_is_readable():
    result = evaluate([first_legal, "random"], "shakespeare", players=4, games=8)
    named = [Entrant("first_legal", PLAYER), *[RANDOM] * 3]
    assert result == evaluate(named, "shakespeare", games=8)
    text = str(result)
    assert "shakespeare, 4 seats: 8 games, 2 deals, seed 0" in text
    for agent in result.agents:
        assert agent.win_rate is not None
        assert re.search(rf"│ {agent.name}.*│ +{100 * agent.win_rate:.1f} \(.* to .*\) │", text)
    assert max(map(len, text.splitlines())) <= 80
