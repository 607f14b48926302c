"""What `Batch` and other public functions refuse by name; nothing changes where they do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from shakespeare_agents import RandomAgent
from shakespeare_agents.arena import Entrant, evaluate
from shakespeare_agents.greedy import GreedyAgent
from shakespeare_env import Batch, IllegalMove, Position
from shakespeare_env.core import registry
from shakespeare_env.core.batch_checks import as_actions, checked_rows
from shakespeare_env.errors import MemoryLimitError
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from shakespeare_env.wrappers.vector import SingleAgentVectorEnv
from tests.contract.batches import assert_unchanged, games, played, sizes, snapshot
from tests.contract.each_table import full_tables
from tests.contract.random_games import chosen, record_of


@full_tables
@sizes
@pytest.mark.parametrize("rows", ["some", "all"])
def test_an_illegal_action_names_its_game_and_changes_nothing_in_any_game(table, n, threads, rows):
    batch = played(table, n, threads=threads)
    before, game = snapshot(batch), n - 2
    places = np.arange(0 if rows == "all" else 1, n)
    position = Position.of_record(batch.game, record_of(batch, game))
    illegal, legal = int(np.argmin(batch.mask[game])), int(chosen(batch.mask, 0)[game])
    # The last one would be legal if only its lowest 32 bits were looked at.
    for wrong in (illegal, -1, batch.actions.size, 2**31, -(2**40), 2**62, legal + 2**32):
        actions = chosen(batch.mask, 0)[places]
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


ROWS = r"the games of this batch are 0 to "
CALLS: list[tuple[str, type[Exception], Any]] = [
    ("integers", TypeError, lambda batch, legal: batch.step(legal.astype(float))),
    ("integers", TypeError, lambda batch, legal: batch.step([None] * 5)),
    ("shape", ValueError, lambda batch, legal: batch.step(legal[:4])),
    ("shape", ValueError, lambda batch, legal: batch.step(legal[:, None])),
    ("each of the 2 games", ValueError, lambda batch, legal: batch.step(legal, [0, 1])),
    ("increasing order", ValueError, lambda batch, legal: batch.step(legal[:2], [2, 1])),
    (r"rows=\[1, 1\]: .*increasing", ValueError, lambda batch, legal: batch.restart([1, 1])),
    (ROWS, ValueError, lambda batch, legal: batch.observe([0, 0], [-1, 0])),
    (f"{ROWS}4", ValueError, lambda batch, legal: batch.scores([5])),
    (ROWS, ValueError, lambda batch, legal: batch.scores(np.array([2**64 - 1], np.uint64))),
    ("indices of games", TypeError, lambda batch, legal: batch.scores([0, 2**64])),
    ("float64; give the indices", TypeError, lambda batch, legal: batch.restart([0.0, 1.0])),
    ("bool; give the indices", TypeError, lambda batch, legal: batch.scores([True])),
    ("give a list of the indices", ValueError, lambda batch, legal: batch.restart([[0, 1]])),
    ("rows", ValueError, lambda batch, legal: batch.copies([5])),
    ("seat", ValueError, lambda batch, legal: batch.observe([9] * 5)),
    ("one seat at the table for each", ValueError, lambda batch, legal: batch.observe([0], [0, 1])),
    ("seat", ValueError, lambda batch, legal: batch.determinize([0], [-1], [0])),
    ("seed", ValueError, lambda batch, legal: batch.determinize([0], [0], [-1])),
    ("seed", ValueError, lambda batch, legal: batch.determinize([0], [0], [2**64])),
    ("seed", ValueError, lambda batch, legal: batch.determinize([0], [0], np.ones(1, bool))),
    ("seed", ValueError, lambda batch, legal: batch.determinize([0], [0], [1, 2])),
    ("once", ValueError, lambda batch, legal: batch.load([1, 1], batch.save([0, 2]))),
    ("not of", TypeError, lambda batch, legal: batch.load([0], np.zeros(1))),
    ("not of", TypeError, lambda batch, legal: batch.load([0], b"1234")),
    ("deals", TypeError, lambda batch, legal: batch.reset(1, deals=np.zeros(5))),
    ("deals", ValueError, lambda batch, legal: batch.reset(1, deals=[0, 1])),
    ("deals", ValueError, lambda batch, legal: batch.reset(1, deals=[0, -1, 2, 3, 4])),
    ("read-only", ValueError, lambda batch, legal: batch.mask.fill(1)),
    ("read-only", ValueError, lambda batch, legal: batch.to_move.fill(1)),
    ("read-only", ValueError, lambda batch, legal: batch.players.fill(1)),
]


@full_tables
def test_a_wrong_call_is_refused_by_name_and_changes_nothing(table):
    """Nor what the step before was worth."""
    batch = played(table, reward="score")
    while not batch.rewards.any():
        batch.step(batch.random_actions())
    before = snapshot(batch)
    for said, error, call in CALLS:
        with pytest.raises(error, match=said):
            call(batch, chosen(batch.mask, 40))
        assert_unchanged(batch, before)


WRONG_ARGUMENTS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"n": 0}, ValueError, "n=0 must be from 1"),
    ({"n": 2.0}, TypeError, "n=2.0 must be an integer"),
    ({"n": True}, TypeError, "n=True must be an integer"),
    ({"n": 2**31}, MemoryLimitError, r"2,147,483,648 games of .*: play fewer at once"),
    ({"threads": 10**6}, ValueError, "threads=1000000 must be from 1 to 1024"),
    ({"threads": "2"}, TypeError, "threads='2' must be an integer"),
    ({"seed": -1}, ValueError, "seed=-1"),
    ({"seed": 2**64}, ValueError, "seed="),
    ({"seed": True}, ValueError, "seed=True"),
    ({"reward": "money"}, ValueError, "reward='money'"),
    ({"reward": float("nan")}, ValueError, "choose one of"),
    ({"players": 99}, ValueError, "players=99"),
    ({"players": 2.0}, TypeError, r"players=.*2\.0"),
    ({"n": 3, "players": [3, 3]}, ValueError, r"shape \(2,\); give one number or 3"),
    ({"n": 2, "players": [3, 99]}, ValueError, "players=99"),
    ({"no_such_option": True}, TypeError, "no_such_option"),
]


@games
def test_wrong_arguments_are_refused_by_name(name):
    right: dict[str, Any] = {"n": 1, "players": 3}
    for arguments, error, named in WRONG_ARGUMENTS:
        with pytest.raises(error, match=named):
            Batch(name, **(right | arguments))


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


def test_what_was_checked_is_not_the_callers_to_change():
    """Another thread may write into them while the step is under way."""
    actions, rows = np.zeros(3, np.int32), np.arange(3)
    assert not np.shares_memory(as_actions(actions, 3), actions)
    assert not np.shares_memory(checked_rows(3, rows), rows)


GAME = registry.names()[-1]
SEATS = registry.seats(GAME)[0]
ENTRANTS = [Entrant("random", RandomAgent())] * SEATS
NUMBERS: list[Any] = [0, -1, 10**12, 2**64, math.nan, math.inf, True, "1", None, [1]]
refused = pytest.raises((ValueError, TypeError, MemoryLimitError))


def found(name, **arguments):
    positions = pytest.importorskip("shakespeare_agents.strategy.trials")
    blocks = [block.name for block in registry.game(name).actions.blocks]
    few = {"players": 3, "games": 2, "most": 5, "player": "random"}
    return positions.find_positions(name, blocks, **{**few, **arguments})


NUMBERED = {
    "games evaluated": lambda n: evaluate(ENTRANTS, GAME, games=n),
    "threads of games": lambda n: evaluate(ENTRANTS, GAME, games=1, threads=n),
    "samples": lambda n: GreedyAgent(lambda seen: seen[:, 0], n),
    "environments": lambda n: SingleAgentVectorEnv(n, GAME),
    "threads": lambda n: SingleAgentBatch(GAME, players=SEATS, threads=n),
    "seat": lambda n: SingleAgentBatch(GAME, players=SEATS, seat=9 if n in (0, None) else n),
    "players": lambda n: SingleAgentBatch(GAME, players=n),
    "games searched": lambda n: found(GAME, games=n),
    "positions": lambda n: found(GAME, most=n),
}


@pytest.mark.parametrize("call", NUMBERED.values(), ids=NUMBERED)
def test_numbers_out_of_range(call):
    for number in NUMBERS:
        with refused:
            call(number)


def test_what_is_beyond_the_memory_is_refused_before_a_game_is_played(monkeypatch):
    monkeypatch.setattr("shakespeare_env.checks.limits.total_memory", lambda: 2**20)
    with pytest.raises(MemoryLimitError, match="play fewer games"):
        evaluate(ENTRANTS, GAME, games=SEATS * 10**6)
    with pytest.raises(MemoryLimitError, match=r"num_envs=1000000 .*use fewer environments"):
        SingleAgentVectorEnv(10**6, GAME)


def test_opponents_are_no_more_than_can_be_drawn_from_and_weights_of_any_size_are_shares():
    with pytest.raises(ValueError, match="1001 opponents to draw from: give 1000"):
        SingleAgentBatch(GAME, players=SEATS, opponents={RandomAgent(): 1.0 for _ in range(1001)})
    for weights in ((1e308, 1e308), (5e-324, 0.0)):
        opponents: Any = dict(zip((RandomAgent(), RandomAgent()), weights, strict=True))
        games = SingleAgentBatch(GAME, players=SEATS, seed=1, opponents=opponents)
        assert (games.batch.to_move == games.seats).all()


def test_a_gift_beyond_the_record():
    trials = pytest.importorskip("shakespeare_agents.strategy.trials")
    game = registry.game(registry.DEFAULT)
    positions = found(game.name)
    for amount in (*NUMBERS[1:], np.iinfo(game.state["pounds"].base).max + 1):
        with refused:
            trials.try_gift(positions, "pounds", amount)
