"""An agent that fails loses its game, and other games go on as if nothing had happened."""

import re

import numpy as np
import pytest

from shakespeare_agents import RandomAgent
from shakespeare_agents.program_agent import Answers
from shakespeare_agents.programs import Fault
from shakespeare_arena.games.referee import RefereedLineup
from shakespeare_env.play.lineup import OUTSIDE, Call, Lineup, play_out
from tests.contract.each_table import full_tables, small_tables
from tests.contract.random_games import TABLES
from tests.generators import RememberingAgent, generators


class Fails(RememberingAgent):
    """An agent whose answers `fail` changes in game 1, after some decisions there.

    It recognises games by their generators, which no agent should do.
    """

    def __init__(self, fail, after=0):
        self.fail = fail
        self.left = after

    def act(self, observations, masks, rng):
        chosen = super().act(observations, masks, rng)
        if 1 in rng.rows:
            self.left -= 1
            if self.left < 0:
                return self.fail(chosen, rng.rows == 1)
        return chosen


def raises(error):
    def fail(chosen, in_game_1):
        raise error

    return fail


def answers(action):
    return lambda chosen, in_game_1: np.where(in_game_1, action, chosen)


def games(table, agents, n=4, kind=RefereedLineup):
    """Return a batch and its line-up, in which agents take turns at the seats."""
    batch = table.batch(n, seed=1, autoreset=False)
    places = np.tile(np.arange(table.players) % len(agents), (n, 1))
    lineup = kind.seated(agents, places, batch.game.max_seats, generators(n))
    return batch, lineup


def played(batch, lineup, calls=None):
    """Play games out, and return the (seat, action) pairs that agents chose in each game.

    The calls of agents are added to `calls`.
    """
    moves: list[list[tuple[int, int]]] = [[] for _ in range(batch.n)]

    def note(rows, actions):
        if calls is not None:
            calls.extend(lineup.calls)
        is_forfeited = getattr(lineup, "forfeited", np.zeros(batch.n, bool))
        for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
            if not is_forfeited[row]:
                moves[row].append((int(batch.to_move[row]), action))

    play_out(batch, lineup, before_step=note)
    return moves


@full_tables
def test_agents_without_faults_play_the_same_games_as_without_a_referee(table):
    batch, refereed = games(table, [RememberingAgent()])
    other_batch, plain = games(table, [RememberingAgent()], kind=Lineup)
    assert played(batch, refereed) == played(other_batch, plain)
    assert batch.final_scores.tolist() == other_batch.final_scores.tolist()
    assert not refereed.forfeits


@pytest.mark.parametrize(
    ("fail", "kind", "says"),
    [
        (raises(LookupError("no idea")), "error", "test_referee.py, line [0-9]+: LookupError: no"),
        (raises(SystemExit(3)), "error", "SystemExit: 3"),
        (lambda chosen, in_game_1: chosen[1:], "garbage", "shape"),
        (lambda chosen, in_game_1: chosen + 0.5, "garbage", "give integers"),
        (answers(-1), "illegal", "action -1 is not legal; legal: "),
        (answers(2**40), "illegal", "action 2147483647 is not"),
    ],
)
def test_a_fault_loses_its_game_and_no_other(fail, kind, says):
    table = TABLES[3]
    agents = [Fails(fail, after=2), RememberingAgent()]
    expected = played(*games(table, [RememberingAgent()]))
    batch, lineup = games(table, agents)
    moves = played(batch, lineup)
    assert lineup.forfeits.keys() == {1}
    assert lineup.forfeited.tolist() == [False, True, False, False]
    forfeit = lineup.forfeits[1]
    assert forfeit.seat % 2 == 0
    assert forfeit.fault.kind == kind
    assert re.search(says, forfeit.fault.details)
    # Up to the fault its moves are the same as without it, and other games are the same throughout.
    assert moves[1] == expected[1][: len(moves[1])]
    assert len(moves[1]) < len(expected[1])
    assert [moves[row] for row in (0, 2, 3)] == [expected[row] for row in (0, 2, 3)]
    assert (lineup.seats[1] == OUTSIDE).all()


class AsyncFails(Fails):
    """A `Fails` that decides in an `async def`."""

    async def act(self, observations, masks, rng):
        return super().act(observations, masks, rng)


def test_an_asynchronous_agent_s_fault_loses_its_game_and_no_other():
    table = TABLES[3]
    expected = played(*games(table, [RememberingAgent()]))
    agents = [AsyncFails(raises(LookupError("no idea")), after=2), RememberingAgent()]
    batch, lineup = games(table, agents)
    moves = played(batch, lineup)
    assert lineup.forfeits.keys() == {1}
    assert "no idea" in lineup.forfeits[1].fault.details
    assert [moves[row] for row in (0, 2, 3)] == [expected[row] for row in (0, 2, 3)]


class Answering(RandomAgent):
    """An agent that reports its own faults: it always has one in the second of several games."""

    def __init__(self):
        self.asked = []
        self.ended = []

    def answer(self, games, keys):
        self.asked += keys
        actions = games.masks.argmax(axis=1)
        faults = {}
        if len(keys) > 1:
            actions[1] = -1
            faults[1] = Fault("time", "too slow")
        return Answers(actions, np.arange(1.0, len(keys) + 1), faults)

    def end(self, keys):
        self.ended += keys


@small_tables
def test_an_agent_that_reports_its_own_faults_is_asked_once_and_told_of_the_end(table):
    agent = Answering()
    batch, lineup = games(table, [agent], n=3)
    calls: list[Call] = []
    moves = played(batch, lineup, calls)
    assert len({key[0] for key in agent.asked}) == 3
    # The second of three games is lost, then the second of two. The last one is played out.
    kinds = {row: forfeit.fault.kind for row, forfeit in lineup.forfeits.items()}
    assert kinds == {1: "time", 2: "time"}
    assert [len(moves[row]) for row in (1, 2)] == [0, 1]
    seconds = sum(np.sum(call.seconds) for call in calls)
    assert seconds == 1 + 2 + 3 + 1 + 2 + (len(moves[0]) - 2)
    lineup.end(np.arange(3))
    assert set(agent.asked) <= set(agent.ended)
    assert len(set(agent.ended)) == len(agent.ended)
