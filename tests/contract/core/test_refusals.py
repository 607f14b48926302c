"""Refusals by `Batch` and other public functions name the argument and change nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shakespeare_agents import RandomAgent
from shakespeare_arena import Entrant, evaluate
from shakespeare_env import Batch, IllegalMove, Position
from shakespeare_env.core import registry
from shakespeare_env.errors import MemoryLimitError
from shakespeare_env.wrappers.gym import SingleAgentVectorEnv
from tests.contract.batches import assert_unchanged, batch_in_play, games, sizes, snapshot
from tests.contract.each_table import full_tables
from tests.contract.random_games import actions_by_rule, record_of


@full_tables
@sizes
@pytest.mark.parametrize("rows", ["some", "all"])
def test_an_illegal_action_names_its_game_and_changes_nothing_in_any_game(table, n, threads, rows):
    batch = batch_in_play(table, n, threads=threads)
    before = snapshot(batch)
    game = n - 2
    places = np.arange(0 if rows == "all" else 1, n)
    position = Position.of_record(batch.game, record_of(batch, game))
    illegal = int(np.argmin(batch.mask[game]))
    legal = int(actions_by_rule(batch.mask, 0)[game])
    # The last one would be legal if only its lowest 32 bits were looked at.
    for wrong in (illegal, -1, batch.actions.size, 2**31, -(2**40), 2**62, legal + 2**32):
        actions = actions_by_rule(batch.mask, 0)[places]
        actions[game - places[0]] = wrong
        for given in (actions, actions.tolist()):
            with pytest.raises(IllegalMove, match=f"in game {game}:") as caught:
                batch.step(given, None if rows == "all" else places)
            fault = caught.value
            assert (fault.game_index, fault.seat) == (game, batch.to_move[game])
            assert fault.move == (position.move_text(illegal) if wrong == illegal else wrong)
            assert (fault.legal, fault.phase) == (position.moves(), position.phase)
        assert_unchanged(batch, before)
    with pytest.raises(IllegalMove, match="game 0"):
        batch.step(np.full(n, 2**64 - 1, np.uint64))
    assert_unchanged(batch, before)


CALLS: list[tuple[type[Exception], Any]] = [
    (TypeError, lambda batch, legal: batch.step(legal.astype(float))),
    (TypeError, lambda batch, legal: batch.step([None] * 5)),
    (ValueError, lambda batch, legal: batch.step(legal[:4])),
    (ValueError, lambda batch, legal: batch.step(legal[:2], [2, 1])),
    (ValueError, lambda batch, legal: batch.restart([1, 1])),
    (ValueError, lambda batch, legal: batch.observe([0, 0], [-1, 0])),
    (ValueError, lambda batch, legal: batch.scores([5])),
    (TypeError, lambda batch, legal: batch.scores([0, 2**64])),
    (TypeError, lambda batch, legal: batch.restart([0.0, 1.0])),
    (TypeError, lambda batch, legal: batch.scores([True])),
    (ValueError, lambda batch, legal: batch.copies([5])),
    (ValueError, lambda batch, legal: batch.observe([9] * 5)),
    (ValueError, lambda batch, legal: batch.observe([0], [0, 1])),
    (ValueError, lambda batch, legal: batch.determinize([0], [-1], [0])),
    (ValueError, lambda batch, legal: batch.determinize([0], [0], [-1])),
    (ValueError, lambda batch, legal: batch.determinize([0], [0], [1, 2])),
    (ValueError, lambda batch, legal: batch.load([1, 1], batch.save([0, 2]))),
    (TypeError, lambda batch, legal: batch.load([0], np.zeros(1))),
    (TypeError, lambda batch, legal: batch.reset(1, deals=np.zeros(5))),
    (ValueError, lambda batch, legal: batch.reset(1, deals=[0, 1])),
    (ValueError, lambda batch, legal: batch.reset(1, deals=[0, -1, 2, 3, 4])),
    (ValueError, lambda batch, legal: batch.mask.fill(1)),
    (ValueError, lambda batch, legal: batch.players.fill(1)),
]


@full_tables
def test_a_wrong_call_is_refused_and_changes_nothing(table):
    """Nor what the step before was worth."""
    batch = batch_in_play(table, reward="score")
    while not batch.rewards.any():
        batch.step(batch.random_actions())
    before = snapshot(batch)
    for error, call in CALLS:
        with pytest.raises(error):
            call(batch, actions_by_rule(batch.mask, 40))
        assert_unchanged(batch, before)


WRONG_ARGUMENTS: list[tuple[type[Exception], str, Any]] = [
    (ValueError, "n", 0),
    (TypeError, "n", True),
    (MemoryLimitError, "n", 2**31),
    (ValueError, "threads", 10**6),
    (TypeError, "threads", "2"),
    (ValueError, "seed", -1),
    (ValueError, "seed", True),
    (ValueError, "reward", "money"),
    (ValueError, "reward", float("nan")),
    (ValueError, "players", 99),
    (ValueError, "players", [3, 3]),
    (TypeError, "players", 2.0),
    (TypeError, "box", 7),
    (TypeError, "no_such_option", True),
]


@games
@pytest.mark.parametrize(("error", "argument", "value"), WRONG_ARGUMENTS)
def test_a_wrong_argument_is_refused(name, error, argument, value):
    right: dict[str, Any] = {"n": 1, "players": 3}
    with pytest.raises(error):
        Batch(name, **(right | {argument: value}))


@games
def test_a_variant_is_refused_where_it_is_not_for_the_table(name):
    game = registry.game(name)
    for option, seats in game.options.items():
        on: dict[str, Any] = {option: True}
        with pytest.raises(TypeError, match=option):
            Batch(name, 1, players=seats[0], **(on | {option: 1}))
        for players in {game.min_seats, game.max_seats} - set(seats):
            with pytest.raises(ValueError, match=option):
                Batch(name, 2, players=[seats[0], players], **on)


def test_what_is_beyond_the_memory_is_refused_before_a_game_is_played(monkeypatch):
    monkeypatch.setattr("shakespeare_env.checks.limits.total_memory", lambda: 2**20)
    entrants = [Entrant("random", RandomAgent())] * 3
    with pytest.raises(MemoryLimitError):
        evaluate(entrants, "figaro", games=3 * 10**6)
    with pytest.raises(MemoryLimitError):
        SingleAgentVectorEnv(10**6, "figaro")
