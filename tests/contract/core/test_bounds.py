"""Numbers given to public functions: each works or is refused at once, by name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from shakespeare_agents import RandomAgent
from shakespeare_agents.arena import Entrant, evaluate
from shakespeare_agents.greedy import GreedyAgent
from shakespeare_env.core import registry
from shakespeare_env.errors import MemoryLimitError
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from shakespeare_env.wrappers.vector import SingleAgentVectorEnv

GAME = registry.names()[-1]
SEATS = registry.seats(GAME)[0]
ENTRANTS = [Entrant("random", RandomAgent())] * SEATS
NUMBERS: list[Any] = [0, -1, 10**12, 2**64, math.nan, math.inf, True, "1", None, [1]]
refused = pytest.raises((ValueError, TypeError, MemoryLimitError))


def found(name, **arguments):
    positions = pytest.importorskip("shakespeare_agents.strategy.positions")
    blocks = [block.name for block in registry.game(name).actions.blocks]
    few = {"players": 3, "games": 2, "most": 5, "player": "random"}
    return positions.find_positions(name, blocks, **{**few, **arguments})


CALLS = {
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


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_numbers_out_of_range(call):
    for number in NUMBERS:
        with refused:
            call(number)


def test_what_is_beyond_the_memory_is_refused_before_a_game_is_played(monkeypatch):
    monkeypatch.setattr("shakespeare_env.checks.memory.total_memory", lambda: 2**20)
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
