"""Who sits where, whom each game waits for, and games played out."""

from __future__ import annotations

import numpy as np
import pytest

from shakespeare_agents import RandomAgent
from shakespeare_env import IllegalMove
from shakespeare_env.lineup import NOBODY, OUTSIDE, Lineup, play_out
from tests.contract.each_table import full_tables, plain_tables, small_tables
from tests.generators import generators


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
    """The same as one that searches."""

    act = None  # type: ignore[assignment]

    def search(self, games, rng):
        self.shown.append((games.observations.copy(), games.masks.copy()))
        return games.masks.argmax(axis=1)


class Clueless:
    def __init__(self, answer):
        self.answer = answer

    def act(self, observations, masks, rng):
        return self.answer(len(masks))

    def __repr__(self):
        return "Clueless()"


def lineup_of(batch, agents, mover, seed=0):
    """A line-up in which the seat to move has the agent of this index in each game."""
    seats = np.full((batch.n, batch.game.max_seats), NOBODY)
    seats[np.arange(batch.n), batch.to_move] = mover
    return Lineup(agents, seats, generators(batch.n, seed))


def everywhere(batch, agent):
    """One agent at every seat."""
    places = np.zeros((batch.n, int(batch.players[0])), int)
    return Lineup.seated([agent], places, batch.game.max_seats, generators(batch.n))


# -------------------------------------------------------------------------------------- deciding


@full_tables
def test_each_is_asked_once_for_its_games_and_answers_in_their_places(table):
    batch = table.batch(8, seed=3)
    rows = np.array([0, 2, 3, 5, 7])
    agents = [Notes(), Notes(), Looks()]
    lineup = lineup_of(batch, agents, [2, 1, 0, 2, 1, 0, 1, 2])
    assert lineup.to_move(batch, rows).tolist() == [2, 0, 2, 0, 2]
    before = batch.save(slice(None)).tobytes()
    actions = lineup.decide(batch, rows)
    assert actions.dtype == np.int64
    assert actions.tolist() == batch.mask[rows].argmax(axis=1).tolist()
    assert [len(agent.shown) for agent in agents] == [1, 0, 1]
    for agent, games in ((agents[0], [2, 5]), (agents[2], [0, 3, 7])):
        observations, masks = agent.shown[0]
        assert (observations == batch.obs[games]).all()
        assert (masks == batch.mask[games]).all()
    assert lineup.decide(batch, np.zeros(0, int)).shape == (0,)
    assert batch.save(slice(None)).tobytes() == before


@small_tables
def test_each_game_has_a_generator_whoever_else_decides(table):
    batch = table.batch(4, seed=0)
    in_company, alone = Notes(), Notes()
    lineup_of(batch, [in_company, RandomAgent()], [0, 1, 0, 1]).decide(batch, np.arange(4))
    lineup_of(batch, [alone], [0] * 4).decide(batch, np.array([0, 2]))
    assert in_company.drawn == alone.drawn == [generators(4).random()[[0, 2]].tolist()]


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (lambda n: np.zeros(n + 1, int), ValueError),
        (lambda n: np.zeros(n), TypeError),
        (lambda n: None, ValueError),
        (lambda n: 1 / 0, ZeroDivisionError),
    ],
)
@small_tables
def test_an_agent_that_fails_is_named_with_the_number_of_games(table, answer, fault):
    batch, agents = table.batch(5, seed=0), [RandomAgent(), Clueless(answer)]
    with pytest.raises(fault) as caught:
        lineup_of(batch, agents, [0, 1, 1, 0, 1]).decide(batch, np.arange(5))
    assert caught.value.__notes__ == ["The agent Clueless() failed to decide in 3 games."]


def test_agents_sit_at_their_places_and_one_of_several_stands_once():
    one, other = Notes(), Notes()
    places = np.array([[0, 1, 2], [2, 0, 1], [1, 0, 2]])
    lineup = Lineup.seated([one, other, one], places, 4, generators(3))
    assert lineup.agents == [one, other]
    expected = [[0, 1, 0, NOBODY], [0, 0, 1, NOBODY], [1, 0, 0, NOBODY]]
    assert lineup.seats.tolist() == expected


# --------------------------------------------------------------------------------------- play-out


@full_tables
def test_hooks_are_told_of_every_decision_before_and_after_it(table):
    batch, told = table.batch(4, seed=1, autoreset=False), []
    twin = table.batch(4, seed=1, autoreset=False)

    def before_step(rows, actions):
        assert batch.save(slice(None)).tobytes() == twin.save(slice(None)).tobytes()
        told.append((rows.tolist(), actions.tolist()))
        twin.step(actions, rows)

    def after_step(rows, actions):
        assert (rows.tolist(), actions.tolist()) == told[-1]
        assert batch.save(slice(None)).tobytes() == twin.save(slice(None)).tobytes()

    play_out(batch, everywhere(batch, Notes()), before_step=before_step, after_step=after_step)
    assert (twin.to_move == -1).all()
    assert told[0][0] == [0, 1, 2, 3]


@plain_tables
def test_only_the_rows_and_steps_asked_for_are_played(table):
    batch, steps = table.batch(5, seed=2, autoreset=False), []
    lineup, before = everywhere(batch, RandomAgent()), batch.save([0, 2, 4]).tobytes()
    play_out(batch, lineup, np.array([1, 3]))
    assert batch.save([0, 2, 4]).tobytes() == before
    assert (batch.to_move[[1, 3]] == -1).all()
    for most in (0, 7):
        play_out(batch, lineup, most=most, after_step=lambda rows, _: steps.append(len(rows)))
        assert steps == [3] * most
    assert (batch.to_move[[0, 2, 4]] >= 0).all()


@full_tables
def test_a_seat_from_outside_is_waited_for(table):
    """Every game stops where it is that seat's turn, and goes on once it has moved."""
    batch = table.batch(6, seed=4, autoreset=False)
    lineup = everywhere(batch, RandomAgent())
    lineup.seats[:, 1] = OUTSIDE
    waited = 0
    while True:
        play_out(batch, lineup)
        waiting = np.flatnonzero(batch.to_move >= 0)
        if not len(waiting):
            break
        assert (batch.to_move[waiting] == 1).all()
        waited += len(waiting)
        batch.step(batch.mask[waiting].argmax(axis=1), waiting)
    assert waited >= 6


@full_tables
def test_an_illegal_choice_is_named_with_who_chose_it(table):
    batch = table.batch(4, seed=1, autoreset=False)
    lineup = lineup_of(batch, [RandomAgent(), Clueless(lambda n: np.full(n, -1))], [0, 1, 0, 1])
    before = batch.save(slice(None)).tobytes()
    with pytest.raises(IllegalMove) as caught:
        play_out(batch, lineup)
    assert caught.value.game_index == 1
    assert caught.value.__notes__ == ["The agent Clueless() chose it."]
    assert batch.save(slice(None)).tobytes() == before
