"""Seats rotated over the same deals, everybody at every seat, each game played once."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from shakespeare_agents import RandomAgent, make
from shakespeare_agents.arena import Entrant, evaluate
from shakespeare_env import registry
from tests.contract.each_table import full_tables, small_tables


class Fixed:
    """Plays the legal action of the least or the greatest id, and counts what it was shown."""

    def __init__(self, order):
        self.order = order
        self.seen = 0
        self.most_at_once = 0

    def act(self, observations, masks, rng):
        assert len(observations) == len(masks) == len(rng)
        assert masks.any(axis=1).all()
        self.seen += len(masks)
        self.most_at_once = max(self.most_at_once, len(masks))
        if self.order < 0:
            return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
        return masks.argmax(axis=1)


def first_legal(observations, masks, rng):
    return masks.argmax(axis=1)


RANDOM = Entrant("random", RandomAgent())
MODULE = import_module("shakespeare_agents.arena.series")


@full_tables
def test_equal_agents_win_their_share(table):
    """The games of a deal are one game: everybody holds each of its seats equally often."""
    seats, same = table.players, Fixed(1)
    entrants = [Entrant(f"copy {k}", same) for k in range(seats)]
    found = evaluate(entrants, table.game, games=10 * seats, seed=5)
    assert found.games % found.deals == 0
    assert [agent.wins for agent in found.agents] == pytest.approx([found.games / seats] * seats)
    assert [agent.games for agent in found.agents] == [found.games] * seats
    for agent in found.agents:
        assert agent.seat_win_rates == found.agents[0].seat_win_rates
        assert np.mean(agent.seat_win_rates or ()) == pytest.approx(1 / seats)
        assert agent.mean_score == pytest.approx(found.agents[0].mean_score)
        assert agent.score_low == pytest.approx(found.agents[0].score_low)


@small_tables
def test_the_order_of_the_entrants_says_who_sits_where(table):
    """The entrants may begin anywhere: the games are the same, in another order."""
    seats = table.players
    entrants = [Entrant(str(k), Fixed((-1) ** k)) for k in range(seats)]
    one, two = (
        evaluate(order, table.game, games=20 * seats, seed=1)
        for order in (entrants, entrants[1:] + entrants[:1])
    )
    for entrant in entrants:
        mine, other = one[entrant.name], two[entrant.name]
        assert mine.seat_win_rates == pytest.approx(other.seat_win_rates)
        assert mine.mean_score == pytest.approx(other.mean_score)
    assert one["0"].mean_score != one["1"].mean_score


@full_tables
def test_what_was_played_is_in_the_result(table):
    game = registry.game(table.game)
    options = {name: True for name, seats in game.options.items() if table.players in seats}
    others = [RANDOM] * (table.players - 1)
    found = evaluate(
        [Entrant("fixed", Fixed(1)), *others],
        table.game,
        games=2 * table.players,
        seed=9,
        options=options,
    )
    assert (found.game, found.options, found.seed) == (table.game, options, 9)
    assert (found.players, found.games, found.deals) == (table.players, 2 * table.players, 2)
    assert found.entrants == ("fixed", *["random"] * len(others))
    assert [agent.name for agent in found.agents] == ["fixed", "random"]


@small_tables
def test_the_same_seed_gives_the_same_figures(table):
    entrants = [RANDOM, *[Entrant("fixed", Fixed(1))] * (table.players - 1)]
    first, again, threaded, other = (
        evaluate(entrants, table.game, games=10 * table.players, seed=seed, threads=threads)
        for seed, threads in ((1, 1), (1, 1), (1, 2), (2, 1))
    )
    assert first == again == threaded
    assert first.agents != other.agents


@small_tables
def test_figures_do_not_depend_on_how_many_games_are_played_together(table, monkeypatch):
    entrants = [
        Entrant("heuristic", make("heuristic", registry.game(table.game))),
        *[RANDOM] * (table.players - 1),
    ]
    results = []
    for together in (16_384, 3 * table.players, 1):
        monkeypatch.setattr(MODULE, "_GAMES_AT_ONCE", together)
        results.append(evaluate(entrants, table.game, games=10 * table.players, seed=3))
    assert results[0] == results[1] == results[2]


@full_tables
def test_seats_with_the_same_agent_are_asked_together(table):
    one, other = Fixed(1), Fixed(-1)
    entrants = [Entrant("one", one), *[Entrant("other", other)] * (table.players - 1)]
    evaluate(entrants, table.game, games=10 * table.players, seed=5)
    assert other.most_at_once > 10 * table.players / 2


@small_tables
@pytest.mark.parametrize("together", [16_384, 1])
def test_progress_counts_decisions_and_games(table, together, monkeypatch):
    """From part to part, too."""
    monkeypatch.setattr(MODULE, "_GAMES_AT_ONCE", together)
    agent, games = Fixed(1), 5 * table.players
    told: list[tuple[int, int]] = []
    entrants = [Entrant("one", agent)] * table.players
    evaluate(entrants, table.game, games=games, seed=5, on_progress=lambda *now: told.append(now))
    assert all(before[0] < after[0] and before[1] <= after[1] for before, after in pairwise(told))
    assert told[0] == (min(together, games) if together > 1 else table.players, 0)
    assert told[-1] == (agent.seen, games)


solo = pytest.mark.parametrize("name", [n for n in registry.names() if 1 in registry.seats(n)])


@solo
def test_alone_nobody_wins_and_the_target_is_beside_the_score(name):
    found = evaluate([RANDOM], name, games=7, players=1, seed=0)
    alone = found["random"]
    # Its only seat is among the record's winners, but nobody was beaten.
    assert (alone.wins, alone.win_rate, alone.low, alone.high) == (None,) * 4
    assert alone.seat_win_rates is None
    assert (found.mean_winning_score, found.winning_score_low) == (None, None)
    assert found.solo_target == registry.game(name).solo_target
    assert alone.score_low is not None
    assert alone.score_low < alone.mean_score


@small_tables
@pytest.mark.parametrize(("deals", "surplus"), [(0, 1), (1, 0), (2, 1)])
def test_games_are_rounded_up_to_fill_every_seat_equally(table, deals, surplus):
    seats = table.players
    given = deals * seats + surplus
    found = evaluate([RANDOM] * seats, table.game, games=given, players=seats, seed=0)
    assert (found.games, found.deals) == (-(-given // seats) * seats, -(-given // seats))


@pytest.mark.parametrize("games", [0, -3])
def test_no_games_are_refused(games):
    with pytest.raises(ValueError, match=f"games={games}"):
        evaluate(["random"] * 3, "figaro", games=games)


def test_seats_are_filled_as_in_the_command():
    """As many as the game needs, and at least one each; with fewer than two, all there are."""
    for entrants, others in ((["heuristic", "random"], 1), (["random"] * 4, 0)):
        result = evaluate(entrants, "figaro", games=1)
        assert result.entrants == (*entrants, *["random"] * others)
    for few in ([], ["random"]):
        result = evaluate(few, "figaro", games=1)
        assert result.entrants == (*few, *["network"] * (6 - len(few)))


@pytest.mark.parametrize("single", ["random", first_legal, RandomAgent()])
def test_a_single_agent_is_not_a_list_of_agents(single):
    with pytest.raises(TypeError, match=r"give a list of agents, \["):
        evaluate(single, "figaro", games=3)


def test_it_needs_neither_torch_nor_the_command_line():
    program = """
import sys, shakespeare_agents.arena.evaluate
unwanted = {"torch", "stable_baselines3", "sb3_contrib", "typer", "rich"}
sys.exit(repr(unwanted & sys.modules.keys()) if unwanted & sys.modules.keys() else 0)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


class Player:
    def act(self, observations, masks, rng):
        return first_legal(observations, masks, rng)


@pytest.mark.parametrize("game", registry.names())
def test_functions_agents_and_names_can_play_as_they_are(game):
    """As a line of Python: what plays is named, and the last of several fills the table."""
    seats = registry.seats(game)[-1]
    result = evaluate([first_legal, "random"], game, players=seats, games=2 * seats)
    assert result.entrants == ("first_legal", *["random"] * (seats - 1))
    assert (
        result.agents
        == evaluate(
            [Entrant("first_legal", Player()), *[RANDOM] * (seats - 1)], game, games=2 * seats
        ).agents
    )
    text = str(result)
    assert f"{game}, {seats} seats: {2 * seats} games, 2 deals, seed 0" in text
    for agent in result.agents:
        assert agent.win_rate is not None
        assert re.search(rf"│ {agent.name}.*│ +{100 * agent.win_rate:.1f} \(.* to .*\) │", text)
    assert max(map(len, text.splitlines())) <= 80


def test_names_of_what_plays(tmp_path):
    player = Player()
    other = lambda observations, masks, rng: masks.argmax(axis=1)  # noqa: E731
    given: list[Any] = [player, Player(), player, Player, first_legal, other]
    result = evaluate(given, "figaro", games=6)
    assert result.entrants == (
        "Player",
        "Player 2",
        "Player",
        "Player 3",
        "first_legal",
        "<lambda>",
    )
    assert [agent.copies for agent in result.agents] == [2, 1, 1, 1, 1]


def test_a_single_one_plays_against_the_default_agent():
    result = evaluate([first_legal], "figaro", players=3, games=3)
    assert result.entrants == ("first_legal", *["network"] * 2)


def test_more_than_there_are_seats():
    with pytest.raises(ValueError, match="4 players for 3 seats; name fewer agents"):
        evaluate(["random"] * 4, "figaro", players=3, games=3)
    with pytest.raises(ValueError, match="players=9: figaro is played by 3 to 6 seats"):
        evaluate(["random"], "figaro", players=9, games=9)
