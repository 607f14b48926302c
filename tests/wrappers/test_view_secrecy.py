"""Secret stays secret in every view: nothing shown depends on what the seat may not know."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from shakespeare_env.wrappers.gym import SingleAgentEnv
from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv, SB3SingleAgentVecEnv
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from shakespeare_env.wrappers.vector import SingleAgentVectorEnv
from tests.contract import knowledge
from tests.contract.each_table import plain_tables
from tests.contract.random_games import stacked
from tests.contract.test_secrecy import positions, tables
from tests.wrappers.lives import BySight, Life, learn

FEW = 4
"""Every so-manieth position, for the view that takes them one at a time."""


def bytes_of(shown: Any) -> Any:
    """All that a view has shown, down to the bytes of its arrays."""
    if isinstance(shown, dict):
        return {key: bytes_of(value) for key, value in shown.items()}
    if isinstance(shown, list | tuple):
        return [bytes_of(part) for part in shown]
    if isinstance(shown, np.ndarray):
        return bytes_of(list(shown)) if shown.dtype == np.object_ else shown.tobytes()
    return shown


def secrets(table, every=4):
    """(records, records that differ in what the seat may not know, seats), where they decide."""
    hidden, rng = knowledge.of(table.game, "hidden"), random.Random(8)
    decisions = [
        (position.record(), seat)
        for position, seat in positions(table, every)
        if position.to_move == seat
    ]
    changed = [hidden.change_in_record(record, seat, rng) for record, seat in decisions]
    assert len(changed) > 20
    records = [record for record, _ in decisions]
    assert stacked(changed).tobytes() != stacked(records).tobytes()
    return stacked(records), stacked(changed), np.array([seat for _, seat in decisions])


def seated(games, records, seats):
    """Put positions in which the learner is to decide in the place of games just dealt."""
    games.batch.load(slice(None), records)
    games.seats[:] = seats
    assert (games.batch.to_move == seats).all()


@tables
def test_the_environment_of_one_game(table):
    """What it shows before a decision, and when an illegal action ends the game there."""
    records, others, seats = (some[::FEW] for some in secrets(table))
    env = SingleAgentEnv(**table.arguments)

    def shown(record, seat):
        env.reset()
        seated(env.games, stacked([record]), [seat])
        before = env.reset()
        assert (env.games.batch.save([0])["random"] == record["random"]).all()
        return bytes_of([before, env.action_masks(), env.step(-1), env.action_masks()])

    for record, other, seat in zip(records, others, seats, strict=True):
        assert shown(record, seat) == shown(other, seat)


@tables
def test_the_vector_environment(table):
    records, others, seats = secrets(table)

    def shown(records):
        env = SingleAgentVectorEnv(len(records), **table.arguments)
        seated(env.games, records, seats)
        before = [env.reset(), env.action_masks()]
        # The next games are dealt by chance to come; the last ones are what was seen of these.
        _, *rest, infos = env.step(np.full(len(records), -1))
        assert infos["_final_obs"].all()
        return bytes_of([before, rest, infos["final_obs"], infos["final_info"]])

    assert shown(records) == shown(others)


@tables
def test_the_vector_environment_of_sb3(table):
    records, others, seats = secrets(table)

    def shown(records):
        games = SingleAgentBatch(n=len(records), **table.arguments)
        view = SB3SingleAgentVecEnv(games)
        seated(games, records, seats)
        before = [view.reset(), view.action_masks()]
        _, *rest = view.step(np.full(len(records), -1))
        return bytes_of([before, rest])

    assert shown(records) == shown(others)


@tables
def test_the_vector_environment_of_all_seats(table):
    records, others, _ = secrets(table)

    def shown(records):
        view = SB3SelfPlayVecEnv(table.batch(len(records), seed=0, autoreset=False))
        view.batch.load(slice(None), records)
        return bytes_of([view.reset(), view.action_masks(), view.seats, view.seat_rewards])

    assert shown(records) == shown(others)


ROWS = 6


def lives(table, seed):
    seats, others = [table.players] * ROWS, [BySight(1)] * (table.players - 1)
    return [Life(table.game, row, seats, seed, None, others, "win") for row in range(ROWS)]


def one_game(table, seed):
    """(observation, info, end or None) of row 0: the environment of one game."""
    env = SingleAgentEnv(**table.arguments, opponents=BySight(1))
    observation: Any
    observation, info = env.reset(seed=seed)
    assert set(info) == {"action_mask"}
    while True:
        actions = learn(observation[None], info["action_mask"][None])
        observation, _, over, _, info = env.step(actions[0])
        yield actions, [observation if over else None]
        if over:
            observation, info = env.reset()
        assert set(info) == {"action_mask"}


def vector(table, seed):
    env = SingleAgentVectorEnv(ROWS, **table.arguments, opponents=BySight(1))
    observations: Any
    observations, infos = env.reset(seed=seed)
    while True:
        assert set(infos) <= {"action_mask", "_action_mask"}
        actions = learn(observations, infos["action_mask"])
        observations, _, _, _, infos = env.step(actions)
        yield actions, infos.pop("final_obs", [None] * ROWS)
        for key in ("_final_obs", "final_info", "_final_info"):
            infos.pop(key, None)


def sb3(table, seed):
    games = SingleAgentBatch(n=ROWS, **table.arguments, seed=seed, opponents=BySight(1))
    view = SB3SingleAgentVecEnv(games)
    observations: Any = view.reset()
    while True:
        actions = learn(observations, view.action_masks())
        observations, _, dones, infos = view.step(actions)
        assert not any(info for info, done in zip(infos, dones, strict=True) if not done)
        yield actions, [info.get("terminal_observation") for info in infos]


@plain_tables
@pytest.mark.parametrize("view", [one_game, vector, sb3])
def test_the_end_is_shown_as_the_learners_own_seat_sees_it(view, table):
    """And while a game runs infos hold nothing but masks."""
    rows = lives(table, seed=14)
    ended = 0
    for actions, ends in view(table, 14):
        for life, action, end in zip(rows, actions, ends, strict=False):
            _, over = life.step(int(action))
            assert over == (end is not None)
            if over:
                ended += 1
                for seat in range(table.players):
                    seen = life.game.observe([seat])[0]
                    assert np.array_equal(end, seen) == (seat == life.learner)
                life.restart()
        if ended > 2 * len(ends):
            break
