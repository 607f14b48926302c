"""An agent that fails loses the game; other games go on as if nothing had happened."""

import re

import numpy as np
import pytest

from shakespeare_agents import RandomAgent
from shakespeare_agents.programs import Answers, Fault
from shakespeare_arena.referee import RefereedLineup
from shakespeare_env.play.lineup import OUTSIDE, Lineup, play_out
from tests.contract.each_table import full_tables, small_tables
from tests.contract.random_games import TABLES
from tests.generators import RememberingAgent, generators


class Fails(RememberingAgent):
    """An agent in whose place `fail` answers for row 1 after some decisions there.

    It recognises rows by their generators, which no agent should do.
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
    def fail(chosen, at):
        raise error

    return fail


def games(table, agents, n=4, kind=RefereedLineup):
    """Return a batch and its line-up; agents hold the seats in turn."""
    batch = table.batch(n, seed=1, autoreset=False)
    places = np.tile(np.arange(table.players) % len(agents), (n, 1))
    lineup = kind.seated(agents, places, batch.game.max_seats, generators(n))
    return batch, lineup


def played(batch, lineup):
    """Play out, and return each game's moves, (seat, action), without those nobody chose."""
    moves: list[list[tuple[int, int]]] = [[] for _ in range(batch.n)]

    def keep(rows, actions):
        gone = getattr(lineup, "forfeited", np.zeros(batch.n, bool))[rows]
        for row, action in zip(rows[~gone].tolist(), actions[~gone].tolist(), strict=True):
            moves[row].append((int(batch.to_move[row]), action))

    play_out(batch, lineup, before_step=keep)
    return moves


@full_tables
def test_agents_without_faults_play_the_same_games_as_without_a_referee(table):
    batch, refereed = games(table, [RememberingAgent()])
    other_batch, plain = games(table, [RememberingAgent()], kind=Lineup)
    assert played(batch, refereed) == played(other_batch, plain)
    assert batch.final_scores.tolist() == other_batch.final_scores.tolist()
    assert not refereed.forfeits
    assert ((refereed.seconds > 0) == (refereed.decisions > 0)).all()


@pytest.mark.parametrize(
    ("fail", "kind", "says"),
    [
        (raises(LookupError("no idea")), "error", "test_referee.py, line [0-9]+: LookupError: no"),
        (raises(SystemExit(3)), "error", "SystemExit: 3"),
        (lambda chosen, at: chosen[1:], "garbage", "shape"),
        (lambda chosen, at: chosen + 0.5, "garbage", "give integers"),
        (lambda chosen, at: np.where(at, -1, chosen), "illegal", "action -1 is not legal; legal: "),
        (lambda chosen, at: np.where(at, 2**40, chosen), "illegal", "action 2147483647 is not"),
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
    # It went on as without the fault up to there, and the other games to their end.
    assert moves[1] == expected[1][: len(moves[1])]
    assert len(moves[1]) < len(expected[1])
    assert [moves[row] for row in (0, 2, 3)] == [expected[row] for row in (0, 2, 3)]
    assert (lineup.seats[1] == OUTSIDE).all()


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
def test_an_agent_that_reports_its_own_faults_is_asked_once_and_hears_of_the_end(table):
    agent = Answering()
    batch, lineup = games(table, [agent], n=3)
    moves = played(batch, lineup)
    assert len({key[0] for key in agent.asked}) == 1
    # The second of three is lost, then the second of two; the last one alone is played out.
    assert {row: lost.fault.kind for row, lost in lineup.forfeits.items()} == {1: "time", 2: "time"}
    assert [len(moves[row]) for row in (1, 2)] == [0, 1]
    assert lineup.seconds.sum() == 1 + 2 + 3 + 1 + 2 + (len(moves[0]) - 2)
    assert lineup.decisions.sum() == sum(map(len, moves))
    lineup.end()
    assert set(agent.asked) <= set(agent.ended)
    assert len(set(agent.ended)) == len(agent.ended)
