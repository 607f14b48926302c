"""Measure how fast comparable environments step.

Each library plays uniformly random legal moves, in code as its users write it. The times include
reading the decider's observation and legal actions, drawing the action and starting the next game.
No peer is a dependency of this project. Install them with

    pip install pettingzoo==1.27.0 pygame-ce==2.5.8 shimmy==2.0.1 open_spiel==2.0.2 \\
        catanatron==3.2.1
    pip install --no-deps catanatron-gym==4.0.0    # pins a Gymnasium too old for PettingZoo
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from itertools import accumulate, chain, count, islice
from typing import Any

import gymnasium
import numpy as np
import pettingzoo

from benchmarks.report import rate

CLOCK_EVERY = 64
"""Steps between readings of the clock, so many that the readings cost next to nothing."""


@dataclass(frozen=True)
class Peer:
    """An environment to compare with.

    Attributes:
        name: The name in the table.
        needs: The modules that it imports.
        play: Takes the seconds to play and a seed, and returns decisions a second.
    """

    name: str
    needs: tuple[str, ...]
    play: Callable[[float, int], float]

    def rate(self, seconds: float, seed: int) -> float | None:
        """Return decisions a second, or None if the peer is not installed."""
        if any(find_spec(module) is None for module in self.needs):
            return None
        return self.play(seconds, seed)


def aec_rate(make_env: Callable[[], Any], seconds: float, seed: int) -> float:
    """Return decisions a second of a PettingZoo AEC environment with an `action_mask`."""
    return _rate(partial(_aec_game, make_env(), np.random.default_rng(seed)), seconds)


def catanatron_rate(seconds: float, seed: int) -> float:
    """Return decisions a second of Catan for two, including the environment's own opponent.

    The opponent draws its moves inside `step` without an observation, which flatters the result.
    Moves without a choice, such as rolling the dice, count too.
    """
    # Catanatron draws from Python's global generator, which is restored for other code.
    state = random.getstate()
    try:
        env = gymnasium.make("catanatron_gym:catanatron-v1")
        return _rate(partial(_catanatron_game, env, np.random.default_rng(seed)), seconds)
    finally:
        random.setstate(state)


def open_spiel_rate(name: str, seconds: float, seed: int) -> float:
    """Return decisions a second of a turn-based OpenSpiel game.

    Chance nodes take time, but do not count as decisions.
    """
    import pyspiel

    game = pyspiel.load_game(name)
    return _rate(partial(_open_spiel_game, game, np.random.default_rng(seed)), seconds)


def _rate(game: Callable[[], Iterator[int]], seconds: float) -> float:
    """Return decisions a second over consecutive games, which yield each step's decisions."""
    sum(game())  # a warm-up
    steps = chain.from_iterable(game() for _ in count())
    return rate(lambda: sum(islice(steps, CLOCK_EVERY)), seconds)


def _aec_game(env: Any, generator: np.random.Generator) -> Iterator[int]:
    env.reset(seed=_seed(generator))
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        legal = np.flatnonzero(observation["action_mask"])
        env.step(int(legal[_index(generator, len(legal))]))
        yield 1


def _catanatron_game(env: Any, generator: np.random.Generator) -> Iterator[int]:
    seed = _seed(generator)
    # `reset` draws the map before it uses its seed. Legal actions still come in the order of sets,
    # which differs between processes, so games repeat only within one.
    random.seed(seed)
    _, info = env.reset(seed=seed)
    state = env.unwrapped.game.state
    counted = 0  # if the opponent has begun, its moves count with the first step
    is_over = False
    while not is_over:
        # `get_valid_actions` would compute the legal actions a second time.
        legal = info["valid_actions"]
        _, _, terminated, truncated, info = env.step(legal[_index(generator, len(legal))])
        is_over = terminated or truncated
        yield len(state.actions) - counted
        counted = len(state.actions)


def _open_spiel_game(game: Any, generator: np.random.Generator) -> Iterator[int]:
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
            sums = list(accumulate(probabilities))
            # `Generator.choice` with probabilities would take nearly as long as a decision.
            state.apply_action(outcomes[bisect_left(sums, generator.random() * sums[-1])])
            continue
        state.observation_tensor(state.current_player())
        legal = state.legal_actions()
        state.apply_action(legal[_index(generator, len(legal))])
        yield 1


def _index(generator: np.random.Generator, size: int) -> int:
    # `Generator.choice` would take longer than some steps.
    return int(generator.random() * size)


def _seed(generator: np.random.Generator) -> int:
    # Without a seed peers ask the system for one. Some take the seed 0 for a missing one.
    return int(generator.integers(1, 1 << 31))


PEERS = (
    Peer(
        "PettingZoo connect_four_v3",
        ("pygame",),
        partial(aec_rate, lambda: pettingzoo.make("aec", "classic/connect_four-v3")),
    ),
    Peer(
        "PettingZoo hanabi_v5",
        ("pygame", "shimmy", "pyspiel"),
        partial(aec_rate, lambda: pettingzoo.make("aec", "classic/hanabi-v5")),
    ),
    Peer(
        "catanatron, Gymnasium, moves of both seats",
        ("catanatron", "catanatron_gym"),
        catanatron_rate,
    ),
    Peer("OpenSpiel connect_four", ("pyspiel",), partial(open_spiel_rate, "connect_four")),
    Peer("OpenSpiel hanabi", ("pyspiel",), partial(open_spiel_rate, "hanabi")),
)
"""The peers in the order of the table."""
