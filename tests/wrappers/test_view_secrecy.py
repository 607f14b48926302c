"""Secret stays secret in every view: nothing shown depends on what the seat may not know."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from shakespeare_env import raw_env
from shakespeare_env.wrappers.gym import SingleAgentEnv, SingleAgentVectorEnv
from shakespeare_env.wrappers.sb3 import SB3SingleAgentVecEnv
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from tests.contract import knowledge
from tests.contract.each_table import all_tables
from tests.contract.random_games import sample_positions, stack_records
from tests.wrappers.learners import bytes_of


def seated(games, records, seats):
    """Put positions in which the learner is to decide in the place of the games of a new batch."""
    games.batch.load(slice(None), records)
    games.seats[:] = seats
    games._is_first_deal[:] = True
    assert (games.batch.to_move == seats).all()


def shown_by_gym(table, records, seats):
    """Return what is shown before a decision, and after an illegal action ends the game."""
    env = SingleAgentEnv(**table.arguments)
    shown: list[Any] = []
    for record, seat in list(zip(records, seats, strict=True))[::4]:
        env.reset()
        seated(env.games, stack_records([record]), [seat])
        shown.append(env.reset())
        assert (env.games.batch.save([0])["random"] == record["random"]).all()
        shown += [env.action_masks(), env.step(-1), env.action_masks()]
    return shown


def shown_by_vector(table, records, seats):
    env = SingleAgentVectorEnv(len(records), **table.arguments)
    seated(env.games, records, seats)
    return [env.reset(), env.action_masks(), env.step(np.full(len(records), -1))]


def shown_by_sb3(table, records, seats):
    games = SingleAgentBatch(n=len(records), **table.arguments)
    view = SB3SingleAgentVecEnv(games)
    seated(games, records, seats)
    before = [view.reset(), view.action_masks()]
    _, *rest = view.step(np.full(len(records), -1))
    return [before, rest]


def shown_by_pettingzoo(table, records, seats):
    """Return what every agent is shown where it decides, with its info."""
    view = raw_env(**table.arguments)
    shown = []
    view.reset(seed=0)
    for record, seat in zip(records, seats, strict=True):
        view._batch.load([0], stack_records([record]))
        view._turn_to_decider()
        agent = view.possible_agents[seat]
        assert view.agent_selection == agent
        shown.append([view.observe(agent), view.infos[agent]])
    return shown


@all_tables
def test_what_a_seat_may_not_know_changes_nothing_that_it_is_shown(table):
    hidden = knowledge.of(table.game, "hidden")
    rng = random.Random(8)
    decisions = [
        (position.record(), position.to_move)
        for seed in (1, 2)
        for position in sample_positions(table, seed, every=4)
        if position.to_move is not None
    ]
    changed = stack_records(
        hidden.change_in_record(record, seat, rng) for record, seat in decisions
    )
    records = stack_records(record for record, _ in decisions)
    seats = np.array([seat for _, seat in decisions])
    assert len(records) > 20
    assert changed.tobytes() != records.tobytes()
    for shown in (shown_by_gym, shown_by_vector, shown_by_sb3, shown_by_pettingzoo):
        assert bytes_of(shown(table, records, seats)) == bytes_of(shown(table, changed, seats))
