"""Line-ups: who decides in each game, games played out, and the random numbers of agents."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import Counter

import numpy as np
import pytest

from shakespeare_agents import RandomAgent
from shakespeare_env.play.agent import decide
from shakespeare_env.play.generators import draw_columns
from shakespeare_env.play.lineup import NOBODY, OUTSIDE, Lineup, play_out
from tests.contract.each_table import full_tables, plain_tables, small_tables
from tests.contract.random_games import TABLES
from tests.generators import RememberingAgent, generators


class RecordingAgent:
    """An agent that plays the first legal action, and keeps what it was shown and has drawn."""

    def __init__(self):
        self.shown = []
        self.drawn = []

    def act(self, observations, masks, rng):
        self.shown.append((observations.copy(), masks.copy()))
        self.drawn.append(rng.random().tolist())
        return masks.argmax(axis=1)


class RecordingSearcher(RecordingAgent):
    """A `RecordingAgent` with the interface of an agent that searches."""

    def search(self, games, rng):
        return self.act(games.observations, games.masks, rng)


class WrongAgent:
    """An agent that gives an answer, a function of the number of games, in place of actions."""

    def __init__(self, answer):
        self.answer = answer

    def act(self, observations, masks, rng):
        return self.answer(len(masks))

    def __repr__(self):
        return "WrongAgent()"


def lineup_for_next_move(batch, agents, movers):
    """Return a line-up in which the seat to move in game i is held by `agents[movers[i]]`."""
    seats = np.full((batch.n, batch.game.max_seats), NOBODY)
    seats[np.arange(batch.n), batch.to_move] = movers
    return Lineup(agents, seats, generators(batch.n))


def lineup_of_one(batch, agent):
    """Return a line-up with one agent at every seat."""
    places = np.zeros((batch.n, int(batch.players[0])), int)
    return Lineup.seated([agent], places, batch.game.max_seats, generators(batch.n))


@pytest.fixture
def decided(table):
    """A batch, and a line-up of three agents that has decided in some of its games."""
    batch = table.batch(8, seed=3)
    agents = [RecordingAgent(), RecordingAgent(), RecordingSearcher()]
    lineup = lineup_for_next_move(batch, agents, [2, 1, 0, 2, 1, 0, 1, 2])
    rows = np.array([0, 2, 3, 5, 7])
    assert lineup.to_move(batch, rows).tolist() == [2, 0, 2, 0, 2]
    before = batch.save(slice(None)).tobytes()
    actions = lineup.decide(batch, rows)
    assert actions.tolist() == batch.mask[rows].argmax(axis=1).tolist()
    assert batch.save(slice(None)).tobytes() == before
    return batch, lineup


@full_tables
def test_each_agent_is_asked_once_for_its_games_and_no_others(decided):
    batch, lineup = decided
    assert [len(agent.shown) for agent in lineup.agents] == [1, 0, 1]
    for agent, rows in ((lineup.agents[0], [2, 5]), (lineup.agents[2], [0, 3, 7])):
        ((observations, masks),) = agent.shown
        assert (observations == batch.obs[rows]).all()
        assert (masks == batch.mask[rows]).all()


@full_tables
def test_each_game_has_its_own_generator_whoever_else_decides(decided):
    _, lineup = decided
    assert lineup.agents[0].drawn == [generators(8).random()[[2, 5]].tolist()]


@full_tables
def test_for_no_games_there_are_no_actions(decided):
    batch, lineup = decided
    assert lineup.decide(batch, np.zeros(0, int)).shape == (0,)


@small_tables
def test_an_agent_has_a_memory_for_each_game_and_seat(table):
    batch = table.batch(4, seed=1, autoreset=False)
    decisions = Counter[tuple[int, int]]()
    lineup = lineup_of_one(batch, RememberingAgent())

    def count(rows, _actions):
        decisions.update(zip(rows.tolist(), batch.to_move[rows].tolist(), strict=True))

    play_out(batch, lineup, before_step=count)
    for (row, seat), count_of_seat in decisions.items():
        of_seat = lineup.generators.for_seats(np.array([seat]), np.array([row]))
        assert of_seat.memory(0) == {"decisions": count_of_seat}


@small_tables
@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (lambda n: np.zeros(n + 1, int), ValueError),
        (lambda n: np.zeros(n), TypeError),
        (lambda n: 1 / 0, ZeroDivisionError),
        (lambda n: sys.exit(3), RuntimeError),
    ],
    ids=["too many actions", "no integers", "an error", "an exit"],
)
def test_an_agent_that_fails_is_named_with_the_number_of_games(table, answer, fault):
    batch = table.batch(5, seed=0)
    lineup = lineup_for_next_move(batch, [RandomAgent(), WrongAgent(answer)], [0, 1, 1, 0, 1])
    with pytest.raises(fault) as caught:
        lineup.decide(batch, np.arange(5))
    (note,) = caught.value.__notes__
    assert "WrongAgent()" in note
    assert "3 games" in note


@small_tables
def test_an_agent_that_chooses_an_illegal_action_is_named_with_the_game(table):
    batch = table.batch(5, seed=0)
    agents = [RandomAgent(), WrongAgent(lambda n: np.full(n, -1))]
    lineup = lineup_for_next_move(batch, agents, [0, 1, 1, 0, 1])
    with pytest.raises(ValueError, match="in game 1") as caught:
        play_out(batch, lineup)
    (note,) = caught.value.__notes__
    assert "WrongAgent()" in note


@plain_tables
def test_only_the_given_rows_are_played_out(table):
    batch = table.batch(5, seed=2, autoreset=False)
    before = batch.save([0, 2, 4]).tobytes()
    play_out(batch, lineup_of_one(batch, RandomAgent()), np.array([1, 3]))
    assert batch.save([0, 2, 4]).tobytes() == before
    assert (batch.to_move[[1, 3]] == -1).all()


@plain_tables
@pytest.mark.parametrize("max_steps", [0, 7])
def test_no_more_steps_are_played_than_given(table, max_steps):
    batch = table.batch(3, seed=2, autoreset=False)
    steps: list[int] = []
    lineup = lineup_of_one(batch, RandomAgent())
    play_out(batch, lineup, max_steps=max_steps, after_step=lambda rows, _: steps.append(len(rows)))
    assert steps == [3] * max_steps


@plain_tables
def test_games_wait_where_a_seat_from_outside_is_to_move(table):
    batch = table.batch(3, seed=2, autoreset=False)
    lineup = lineup_of_one(batch, RandomAgent())
    lineup.seats[:, 0] = OUTSIDE
    stops = 0
    while True:
        play_out(batch, lineup)
        waiting = np.flatnonzero(batch.to_move >= 0)
        if not len(waiting):
            break
        assert (batch.to_move[waiting] == 0).all()
        stops += 1
        batch.step(batch.mask[waiting].argmax(axis=1), waiting)
    assert stops


def test_numbers_are_uniform_from_0_up_to_1_across_games_and_draws():
    across = generators(20_000).random()
    one = generators(1)
    in_one_game = np.concatenate([one.random() for _ in range(20_000)])
    for numbers in (across, in_one_game):
        shares = np.histogram(numbers, 10, (0, np.nextafter(1, 0)))[0] / 20_000
        assert shares == pytest.approx([0.1] * 10, abs=0.01)
        assert abs(np.corrcoef(numbers[:-1], numbers[1:])[0, 1]) < 0.03


def test_words_drawn_together_are_those_drawn_one_by_one():
    """Places come in any order and repeat. Each game's words are its own, in order."""
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


ENOUGH_S = 20.0
"""Seconds after which a test that waits for something gives up."""


class AsyncAgent:
    """A random agent whose decisions wait for `before`, a coroutine function."""

    def __init__(self, before):
        self.before = before

    async def act(self, observations, masks, rng):
        await asyncio.wait_for(self.before(), ENOUGH_S)
        return RandomAgent().act(observations, masks, rng)


@small_tables
def test_asynchronous_agents_think_at_the_same_time_and_draw_as_others_do(table):
    """Each waits until the other one and an agent of this thread have been asked."""
    batch = table.batch(6, seed=0)
    both_asked = asyncio.Barrier(2)
    other_asked = threading.Event()

    async def meet():
        await both_asked.wait()
        await asyncio.to_thread(other_asked.wait)

    class Other(RandomAgent):
        def act(self, observations, masks, rng):
            other_asked.set()
            return super().act(observations, masks, rng)

    movers = [0, 1, 2, 0, 1, 2]
    lineup = lineup_for_next_move(batch, [Other(), AsyncAgent(meet), AsyncAgent(meet)], movers)
    plain = lineup_for_next_move(batch, [RandomAgent() for _ in range(3)], movers)
    actions = lineup.decide(batch, np.arange(6))
    assert actions.tolist() == plain.decide(batch, np.arange(6)).tolist()
    assert sorted((call.agent, call.rows.tolist()) for call in lineup.calls) == [
        (0, [0, 3]),
        (1, [1, 4]),
        (2, [2, 5]),
    ]


def test_an_asynchronous_agent_is_asked_in_one_event_loop_even_where_another_one_runs():
    table = TABLES[0]
    batch = table.batch(1, seed=0)
    loops = []

    async def note():
        loops.append(asyncio.get_running_loop())

    async def notebook():
        loops.append(asyncio.get_running_loop())
        return decide(AsyncAgent(note), batch, np.array([0]), generators(1))

    decide(AsyncAgent(note), batch, np.array([0]), generators(1))
    asyncio.run(notebook())
    before, of_notebook, after = loops
    assert before is after is not of_notebook


@pytest.mark.parametrize("fault", [ZeroDivisionError("no"), SystemExit(3)])
def test_an_asynchronous_agent_that_fails_is_named_and_can_be_asked_again(fault):
    batch = TABLES[0].batch(2, seed=0)

    async def fail():
        raise fault

    async def nothing():
        pass

    lineup = lineup_for_next_move(batch, [AsyncAgent(fail)], [0, 0])
    expected = RuntimeError if isinstance(fault, SystemExit) else type(fault)
    with pytest.raises(expected) as caught:
        lineup.decide(batch, np.arange(2))
    (note,) = caught.value.__notes__
    assert "AsyncAgent" in note
    lineup.agents[0].before = nothing
    assert (lineup.decide(batch, np.arange(2)) >= 0).all()


def test_an_interrupt_cancels_what_asynchronous_agents_do():
    batch = TABLES[0].batch(2, seed=0)
    begun = threading.Event()
    cancelled = threading.Event()

    async def think():
        begun.set()
        try:
            await asyncio.sleep(ENOUGH_S)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    class Interrupted:
        def act(self, observations, masks, rng):
            begun.wait(ENOUGH_S)
            raise KeyboardInterrupt

    lineup = lineup_for_next_move(batch, [AsyncAgent(think), Interrupted()], [0, 1])
    with pytest.raises(KeyboardInterrupt):
        lineup.decide(batch, np.arange(2))
    assert cancelled.wait(ENOUGH_S)
