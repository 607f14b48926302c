"""No view shows a seat anything that depends on what it may not know."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from shakespeare_env import raw_env
from shakespeare_env.wrappers.gym import SingleAgentEnv, SingleAgentVectorEnv
from shakespeare_env.wrappers.sb3 import SB3SingleAgentVecEnv
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from tests.contract import knowledge
from tests.contract.random_games import TABLES, sample_positions, stack_records
from tests.wrappers.learners import bytes_of


def put_positions(games, records, seats):
    """Replace the games of a new batch by positions in which the learner is to decide.

    The first reset of a new batch keeps its games.
    """
    games.batch.load(slice(None), records)
    games.seats[:] = seats
    assert (games.batch.to_move == seats).all()


def shown_by_gym(table, records, seats):
    """Return what is shown before a decision, and after an illegal action ends the game."""
    shown: list[Any] = []
    for record, seat in list(zip(records, seats, strict=True))[::4]:
        env = SingleAgentEnv(**table.arguments, opponents="random")
        put_positions(env.games, stack_records([record]), [seat])
        shown.append(env.reset())
        assert (env.games.batch.save([0])["random"] == record["random"]).all()
        shown += [env.action_masks(), env.step(-1), env.action_masks()]
    return shown


def shown_by_vector(table, records, seats):
    env = SingleAgentVectorEnv(len(records), **table.arguments)
    put_positions(env.games, records, seats)
    return [env.reset(), env.action_masks(), env.step(np.full(len(records), -1))]


def shown_by_sb3(table, records, seats):
    """Return what is shown but for the first observations of the next games."""
    games = SingleAgentBatch(n=len(records), **table.arguments)
    view = SB3SingleAgentVecEnv(games)
    put_positions(games, records, seats)
    before = [view.reset(), view.action_masks()]
    _, *after = view.step(np.full(len(records), -1))
    return [before, after]


def shown_by_pettingzoo(table, records, seats):
    """Return what every agent is shown where it decides, with its info."""
    view = raw_env(**table.arguments)
    shown = []
    view.reset(seed=0)
    for record, seat in zip(records, seats, strict=True):
        # PettingZoo has no way to begin with a given position.
        view._batch.load([0], stack_records([record]))
        view._select_next_agent()
        agent = view.possible_agents[seat]
        assert view.agent_selection == agent
        shown.append([view.observe(agent), view.infos[agent]])
    return shown


@pytest.fixture(scope="module", params=TABLES, ids=str)
def twins(request):
    """A table, decisions at it as records, the same with hidden facts changed, and the seats."""
    table = request.param
    hidden = knowledge.of(table.game, "hidden")
    rng = random.Random(8)
    decisions = [
        position
        for seed in (1, 2)
        for position in sample_positions(table, seed, every=4)
        if position.to_move is not None
    ]
    assert len(decisions) > 20
    records = stack_records(position.record() for position in decisions)
    changed = stack_records(
        hidden.change_in_record(position.record(), position.to_move, rng) for position in decisions
    )
    assert changed.tobytes() != records.tobytes()
    return table, records, changed, np.array([position.to_move for position in decisions])


@pytest.mark.parametrize(
    "shown_by", [shown_by_gym, shown_by_vector, shown_by_sb3, shown_by_pettingzoo]
)
def test_what_a_seat_may_not_know_changes_nothing_that_it_is_shown(twins, shown_by):
    table, records, changed, seats = twins
    assert bytes_of(shown_by(table, records, seats)) == bytes_of(shown_by(table, changed, seats))
