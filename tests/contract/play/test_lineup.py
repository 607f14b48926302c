"""Whom each game waits for, games played out, and what agents draw from in each."""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np
import pytest

from shakespeare_agents import RandomAgent
from shakespeare_env.play.generators import draw_columns
from shakespeare_env.play.lineup import NOBODY, OUTSIDE, Lineup, play_out
from tests.contract.each_table import full_tables, plain_tables, small_tables
from tests.generators import RememberingAgent, generators


class Notes:
    """Plays the legal action of the least id; keeps what it was shown and a number drawn a game."""

    def __init__(self):
        self.shown = []
        self.drawn = []

    def act(self, observations, masks, rng):
        self.shown.append((observations.copy(), masks.copy()))
        self.drawn.append(rng.random().tolist())
        return masks.argmax(axis=1)


class Looks(Notes):
    """Plays like the other agent, as one that searches."""

    def search(self, games, rng):
        return self.act(games.observations, games.masks, rng)


class Clueless:
    def __init__(self, answer):
        self.answer = answer

    def act(self, observations, masks, rng):
        return self.answer(len(masks))

    def __repr__(self):
        return "Clueless()"


def lineup_of(batch, agents, mover):
    """A line-up in which the seat to move has the agent of this index in each game."""
    seats = np.full((batch.n, batch.game.max_seats), NOBODY)
    seats[np.arange(batch.n), batch.to_move] = mover
    return Lineup(agents, seats, generators(batch.n))


def everywhere(batch, agent):
    """One agent at every seat."""
    places = np.zeros((batch.n, int(batch.players[0])), int)
    return Lineup.seated([agent], places, batch.game.max_seats, generators(batch.n))


@full_tables
def test_each_is_asked_once_for_its_games_and_answers_in_their_places(table):
    batch = table.batch(8, seed=3)
    rows = np.array([0, 2, 3, 5, 7])
    agents = [Notes(), Notes(), Looks()]
    lineup = lineup_of(batch, agents, [2, 1, 0, 2, 1, 0, 1, 2])
    assert lineup.to_move(batch, rows).tolist() == [2, 0, 2, 0, 2]
    before = batch.save(slice(None)).tobytes()
    assert lineup.decide(batch, rows).tolist() == batch.mask[rows].argmax(axis=1).tolist()
    assert [len(agent.shown) for agent in agents] == [1, 0, 1]
    for agent, games in ((agents[0], [2, 5]), (agents[2], [0, 3, 7])):
        observations, masks = agent.shown[0]
        assert (observations == batch.obs[games]).all()
        assert (masks == batch.mask[games]).all()
    assert lineup.decide(batch, np.zeros(0, int)).shape == (0,)
    # Each game has a generator, whoever else decides.
    assert agents[0].drawn == [generators(8).random()[[2, 5]].tolist()]
    assert batch.save(slice(None)).tobytes() == before


@small_tables
def test_an_agent_remembers_each_game_for_each_seat(table):
    batch = table.batch(4, seed=1, autoreset=False)
    asked = Counter[tuple[int, int]]()
    lineup = everywhere(batch, RememberingAgent())

    def count(rows, _actions):
        asked.update(zip(rows.tolist(), batch.to_move[rows].tolist(), strict=True))

    play_out(batch, lineup, before_step=count)
    for (row, seat), decisions in asked.items():
        of_seat = lineup.generators.asked_by(np.array([seat]), np.array([row]))
        assert of_seat.memory(0) == {"decisions": decisions}


@small_tables
def test_an_agent_that_fails_is_named_with_the_number_of_games(table):
    batch = table.batch(5, seed=0)
    for answer, fault in (
        (lambda n: np.zeros(n + 1, int), ValueError),
        (lambda n: np.zeros(n), TypeError),
        (lambda n: 1 / 0, ZeroDivisionError),
        (lambda n: sys.exit(3), RuntimeError),
    ):
        lineup = lineup_of(batch, [RandomAgent(), Clueless(answer)], [0, 1, 1, 0, 1])
        with pytest.raises(fault) as caught:
            lineup.decide(batch, np.arange(5))
        assert caught.value.__notes__ == ["The agent Clueless() failed to decide in 3 games."]
    lineup.agents[1] = Clueless(lambda n: np.full(n, -1))
    with pytest.raises(ValueError, match="in game 1") as caught:
        play_out(batch, lineup)
    assert caught.value.__notes__ == ["The agent Clueless() chose it."]


@plain_tables
def test_only_the_rows_and_steps_asked_for_are_played(table):
    batch = table.batch(5, seed=2, autoreset=False)
    steps = []
    lineup = everywhere(batch, RandomAgent())
    before = batch.save([0, 2, 4]).tobytes()
    play_out(batch, lineup, np.array([1, 3]))
    assert batch.save([0, 2, 4]).tobytes() == before
    assert (batch.to_move[[1, 3]] == -1).all()
    for most in (0, 7):
        play_out(batch, lineup, most=most, after_step=lambda rows, _: steps.append(len(rows)))
        assert steps == [3] * most
    # A seat from outside is waited for: every game stops where it is that seat's turn.
    lineup.seats[:, 0] = OUTSIDE
    while True:
        play_out(batch, lineup)
        waiting = np.flatnonzero(batch.to_move >= 0)
        if not len(waiting):
            break
        assert (batch.to_move[waiting] == 0).all()
        steps.append(len(waiting))
        batch.step(batch.mask[waiting].argmax(axis=1), waiting)
    assert len(steps) > 7


def test_numbers_are_uniform_from_0_up_to_1_across_games_and_draws():
    across = generators(20_000).random()
    one = generators(1)
    for numbers in (across, np.concatenate([one.random() for _ in range(20_000)])):
        shares = np.histogram(numbers, 10, (0, np.nextafter(1, 0)))[0] / 20_000
        assert shares == pytest.approx([0.1] * 10, abs=0.01)
        assert abs(np.corrcoef(numbers[:-1], numbers[1:])[0, 1]) < 0.03


def test_words_are_those_drawn_one_by_one():
    """For places in any order and repeated, each game's words are its own, in order."""
    places = np.array([3, 0, 3, 3, 1, 0])
    together = generators(5)
    apart = generators(5)
    words = together.words(places)
    assert words.tolist() == [apart.words(np.array([place]))[0] for place in places]
    assert (together.states == apart.states).all()


def test_columns_are_drawn_by_weight_and_never_one_of_weight_0():
    row = np.array([0.0, 5, 0.0, 2, 3, 0.0], np.float32)
    for weights, wanted in ((row, row / 10), (row > 0, (row > 0) / 3)):
        drawn = generators(20_000).choose(np.tile(weights, (20_000, 1)))
        assert np.bincount(drawn, minlength=6) / 20_000 == pytest.approx(wanted, abs=0.015)
    assert draw_columns(row[None], np.zeros(1)) == [1]
    assert draw_columns(row[None], np.nextafter(np.ones(1), 0)) == [4]
