"""Numbers and texts given to public functions: each works or is refused at once, by name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from shakespeare_agents import RandomAgent, make
from shakespeare_agents.arena import Entrant, evaluate
from shakespeare_agents.greedy import GreedyAgent
from shakespeare_env import Batch, registry
from shakespeare_env.errors import MemoryLimitError
from shakespeare_env.rewards import reward_code
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from shakespeare_env.wrappers.vector import SingleAgentVectorEnv

GAME = registry.names()[-1]
SEATS = registry.seats(GAME)[0]
NUMBERS: list[Any] = [-1, 10**12, 2**63, 2**64, math.nan, math.inf, True, "1", None, [1], 10**400]
refused = pytest.raises((ValueError, TypeError, MemoryLimitError))


@pytest.mark.parametrize("number", [0, *NUMBERS])
class TestNumbers:
    def test_of_games_evaluated(self, number):
        with refused:
            evaluate([Entrant("random", RandomAgent())] * SEATS, GAME, games=number)

    def test_of_samples(self, number):
        with refused:
            GreedyAgent(lambda seen: seen[:, 0], number)
        with refused:
            make("greedy", registry.game(GAME), samples=number)

    def test_of_environments(self, number):
        with refused:
            SingleAgentVectorEnv(number, GAME)

    def test_of_threads(self, number):
        with refused:
            evaluate([Entrant("random", RandomAgent())] * SEATS, GAME, games=1, threads=number)
        with refused:
            SingleAgentBatch(GAME, players=SEATS, threads=number)


@pytest.mark.parametrize("number", NUMBERS)
class TestSeatsAndSeeds:
    def test_of_the_learner(self, number):
        if number is not None:
            with refused:
                SingleAgentBatch(GAME, players=SEATS, seat=number)

    def test_of_a_table(self, number):
        with refused:
            SingleAgentBatch(GAME, players=number)


def test_results_beyond_the_memory_are_refused_before_a_game_is_played(monkeypatch):
    monkeypatch.setattr("shakespeare_env.memory.total_memory", lambda: 2**20)
    with pytest.raises(MemoryLimitError, match="play fewer games"):
        evaluate([Entrant("random", RandomAgent())] * SEATS, GAME, games=SEATS * 10**6)


def test_environments_beyond_the_memory(monkeypatch):
    monkeypatch.setattr("shakespeare_env.memory.total_memory", lambda: 2**30)
    with pytest.raises(MemoryLimitError, match=r"num_envs=1000000 .*use fewer environments"):
        SingleAgentVectorEnv(10**6, GAME)


@pytest.mark.parametrize("name", [None, 3, [], {}, "", "x" * 10**5, b"win", float("nan")])
def test_a_reward_that_is_none(name):
    with pytest.raises(ValueError, match="choose one of"):
        reward_code(name)


def test_more_opponents_than_can_be_drawn_from():
    with pytest.raises(ValueError, match="1001 opponents to draw from: give 1000"):
        SingleAgentBatch(GAME, players=SEATS, opponents={RandomAgent(): 1.0 for _ in range(1001)})


@pytest.mark.parametrize("weights", [(1e308, 1e308), (5e-324, 0.0), (1e-300, 1e308)])
def test_weights_of_any_size_are_shares(weights):
    games = SingleAgentBatch(
        GAME,
        players=SEATS,
        seed=1,
        opponents=dict(zip((RandomAgent(), RandomAgent()), weights, strict=True)),
    )
    assert (games.batch.to_move == games.seats).all()


@pytest.mark.parametrize("weight", [math.nan, math.inf, -1.0, "x", None, [1]])
def test_weights_that_are_none(weight):
    with pytest.raises(ValueError, match="give every player a weight"):
        SingleAgentBatch(GAME, players=SEATS, opponents={"random": weight})


class TestStrategy:
    @pytest.mark.parametrize("number", [0, *NUMBERS])
    @pytest.mark.parametrize("name", ["games", "most", "least"])
    def test_numbers_out_of_range(self, name, number):
        positions = pytest.importorskip("shakespeare_agents.strategy.positions")
        block = registry.game(GAME).actions.blocks[0].name
        arguments = {"players": SEATS, "games": 2, "most": 5, "player": "random", name: number}
        if name != "least" or number not in (10**12, 2**63, 2**64, 10**400):
            with refused:
                positions.find_positions(GAME, [block], **arguments)

    def test_a_gift_beyond_the_record(self):
        positions = pytest.importorskip("shakespeare_agents.strategy.positions")
        trials = pytest.importorskip("shakespeare_agents.strategy.trials")
        game = registry.game("shakespeare")
        blocks = [block.name for block in game.actions.blocks]
        found = positions.find_positions(
            game.name, blocks, players=2, games=2, most=5, player="random"
        )
        what = next(name for name in ("pounds", "money") if name in (game.state.names or ()))
        room = np.iinfo(game.state[what].base).max
        for amount in (*NUMBERS, room, room + 1):
            with refused:
                trials.try_gift(found, what, amount)


def test_no_thread_or_game_is_too_many_for_a_batch_silently():
    too_many: tuple[dict[str, Any], ...] = ({"n": 10**12}, {"n": 2**64}, {"threads": 2**64})
    for arguments in too_many:
        with refused:
            Batch(GAME, players=SEATS, **arguments)
