"""Seats rotated over the same deals, everybody at every seat, each game played once."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

import numpy as np
import pytest

import shakespeare_agents
from shakespeare_agents import RandomAgent
from shakespeare_env import Batch, registry
from tests.contract.each_table import plain_tables
from tests.training.toy_game import GAME, LAYOUT, make_toy
from shakespeare_agents.arena.evaluate import Seated, deal_in_rotation, evaluate, play_out


class Fixed:
    """Plays the legal action of the least or the greatest id, and keeps what it was shown."""

    def __init__(self, order):
        self.order = order
        self.seen = 0

    def act(self, observations, masks, rng):
        assert observations.shape == (len(masks), LAYOUT.size)
        assert masks.any(axis=1).all()
        self.seen += len(masks)
        if self.order < 0:
            return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
        return masks.argmax(axis=1)


class Perfect:
    """The winning strategy of the toy at two seats: leave 1 when divided by 4."""

    def act(self, observations, masks, rng):
        pile = observations[:, LAYOUT["pile"].slice].argmax(axis=1)
        take = np.maximum((pile - 1) % 4, 1)
        return take - 1


RANDOM = Seated("random", RandomAgent())
PERFECT = Seated("perfect", Perfect())


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_deal_is_dealt_once_for_each_seat(players):
    batch = make_toy(5 * players, players=players, seed=3, autoreset=False)
    deal_in_rotation(batch, players)
    piles = batch.pile.reshape(players, 5)
    first = batch.to_move.reshape(players, 5)
    assert (piles == piles[0]).all()
    assert (first == first[0]).all()
    assert len(set(piles[0])) > 1


@plain_tables
def test_a_deal_of_a_real_game_is_the_same_at_every_rotation(table):
    """Chance to come included: with the same play at all seats it stays the same game."""
    players = table.players
    batch = table.batch(3 * players, seed=8, autoreset=False)
    deal_in_rotation(batch, players)
    records = batch.save(slice(None)).reshape(players, 3)
    assert (records == records[0]).all()  # generators included
    assert records[0, 0] != records[0, 1]
    agent = shakespeare_agents.make(lambda _, masks, rng: masks.argmax(axis=1), batch.game)
    rotation = np.arange(batch.n) // 3
    scores, winners = play_out(batch, [agent] * players, rotation, seed=0)
    assert (scores.reshape(players, 3, -1) == scores[:3]).all()
    assert (winners.reshape(players, 3, -1) == winners[:3]).all()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_table_moves_on_by_one_seat_from_part_to_part(players):
    """Each agent sits at every seat, in the same order around the table."""

    class Named:
        def __init__(self, name):
            self.name = name

        def act(self, observations, masks, rng):
            for game in np.flatnonzero(batch.to_move >= 0):
                seat = int(batch.to_move[game])
                if expected[game, seat] == self.name:
                    asked.add((self.name, int(rotation[game]), seat))
            return masks.argmax(axis=1)

    batch = make_toy(6 * players, players=players, seed=1, autoreset=False)
    rotation = np.arange(batch.n) // 6
    expected = (np.arange(players) - rotation[:, None]) % players
    asked: set[tuple[int, int, int]] = set()
    play_out(batch, [Named(k) for k in range(players)], rotation, seed=0)
    assert asked == {(k, r, (k + r) % players) for k in range(players) for r in range(players)}


def test_equal_agents_win_their_share():
    same = Fixed(1)
    table = [Seated(name, same) for name in "abcd"]
    found = evaluate(table, make_toy, games=40, seed=5)
    # Same deals, same play: of each deal's four games everybody loses one and shares three.
    assert [agent.wins for agent in found.agents] == pytest.approx([40 / 4] * 4)
    assert [agent.games for agent in found.agents] == [40] * 4
    for agent in found.agents:
        assert agent.seat_win_rates is not None
        assert np.mean(agent.seat_win_rates) == pytest.approx(1 / 4)
        assert agent.mean_score == pytest.approx(3 / 4)
        assert agent.score_low == pytest.approx(3 / 4)  # in every deal


def test_a_perfect_player_beats_random():
    found = evaluate([PERFECT, RANDOM], make_toy, games=200, seed=5)
    perfect, other = found["perfect"], found["random"]
    assert None not in (perfect.low, perfect.win_rate, perfect.high, perfect.score_low)
    assert 0.85 < (perfect.low or 0) < (perfect.win_rate or 0) < (perfect.high or 0)
    # Whoever wins the toy has 1 point, the other none.
    assert perfect.mean_score == pytest.approx(perfect.win_rate)
    assert other.mean_score == pytest.approx(other.win_rate)
    assert (perfect.wins or 0) + (other.wins or 0) == pytest.approx(200)
    assert (found.mean_winning_score, found.winning_score_low, found.winning_score_high) == (1,) * 3


def test_who_sits_where_follows_from_the_order_of_the_table():
    """The same deals and draws: the table may begin anywhere, the games are the same."""
    seats = [Seated("low", Fixed(1)), Seated("high", Fixed(-1)), Seated("low again", Fixed(1))]
    one = evaluate(seats, make_toy, games=60, seed=1)
    two = evaluate(seats[1:] + seats[:1], make_toy, games=60, seed=1)
    for seated in seats:
        mine, other = one[seated.name], two[seated.name]
        assert mine.seat_win_rates == pytest.approx(other.seat_win_rates)
        assert mine.mean_score == pytest.approx(other.mean_score)


def test_what_was_played_is_in_the_result():
    asked = {}

    def make_batch(**arguments):
        asked.update(arguments)
        return make_toy(**arguments)

    found = evaluate(
        [PERFECT, RANDOM, RANDOM], make_batch, games=12, seed=9, options={"fast": True}
    )
    assert asked == {"n": 12, "players": 3, "seed": 9, "autoreset": False, "fast": True}
    assert (found.game, found.options) == ("toy", {"fast": True})
    assert (found.players, found.games, found.deals, found.seed) == (3, 12, 4, 9)
    assert found.table == ("perfect", "random", "random")
    assert [agent.name for agent in found.agents] == ["perfect", "random"]


def test_the_same_seed_gives_the_same_figures():
    first, again, other = (
        evaluate([RANDOM, PERFECT], make_toy, games=60, seed=seed) for seed in (1, 1, 2)
    )
    assert first == again
    assert first.agents != other.agents


def test_seats_with_the_same_agent_are_asked_together():
    calls = []

    class Counting(Fixed):
        def act(self, observations, masks, rng):
            calls.append(len(masks))
            return super().act(observations, masks, rng)

    other = Seated("other", Counting(1))
    evaluate([Seated("one", Fixed(1)), other, other, other], make_toy, games=40, seed=5)
    assert max(calls) > 20


def test_progress_counts_decisions_and_games():
    agent = Fixed(1)
    told: list[tuple[int, int]] = []
    table = [Seated("one", agent)] * 2
    evaluate(table, make_toy, games=30, seed=5, on_progress=lambda *now: told.append(now))
    assert told == sorted(told)
    assert told[0] == (30, 0)
    assert told[-1] == (agent.seen, 30)
    assert any(0 < finished < 30 for _, finished in told)


def test_alone_nobody_wins_and_the_target_is_beside_the_score():
    found = evaluate([RANDOM], make_toy, games=7, seed=0)
    alone = found["random"]
    assert (alone.wins, alone.win_rate, alone.low, alone.high) == (None,) * 4
    assert alone.seat_win_rates is None
    assert (found.mean_winning_score, found.winning_score_low) == (None, None)
    assert found.solo_target == GAME.solo_target


@pytest.mark.parametrize("name", [name for name in registry.names() if 1 in registry.seats(name)])
def test_alone_at_a_real_game(name):
    real = evaluate([RANDOM], partial(Batch, name), games=7, seed=0)
    assert real.solo_target == registry.game(name).solo_target
    assert real["random"].win_rate is None  # its only seat is among the record's winners
    assert real["random"].score_low is not None
    assert real["random"].score_low < real["random"].mean_score


@pytest.mark.parametrize(("games", "remedy"), [(0, 4), (-4, 4), (-5, 4), (1, 4), (10, 12)])
def test_games_must_fill_every_seat_equally(games, remedy):
    said = rf"^games={games} with 4 seats: give a multiple of 4, such as {remedy}$"
    with pytest.raises(ValueError, match=said):
        evaluate([RANDOM] * 4, make_toy, games=games, seed=0)


def test_nobody_can_be_measured_at_an_empty_table():
    with pytest.raises(ValueError, match="nobody sits at the table"):
        evaluate([], make_toy, games=4, seed=0)


def test_it_needs_neither_torch_nor_the_command_line():
    program = """
import sys, shakespeare_agents.arena.evaluate
unwanted = {"torch", "stable_baselines3", "sb3_contrib", "typer", "rich"}
sys.exit(repr(unwanted & sys.modules.keys()) if unwanted & sys.modules.keys() else 0)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
