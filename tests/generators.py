"""Random generators for agents in tests, and agents that depend on what came before."""

import numpy as np

from shakespeare_env import Batch
from shakespeare_env.play.generators import GameGenerators


def generators(n, seed=0):
    """Return the generators of games 0 to n - 1 for a seed."""
    return GameGenerators.of_games(seed, np.arange(n))


class RememberingAgent:
    """An agent that draws its actions by its memory: its number of decisions in the game."""

    def act(self, observations, masks, rng):
        numbers = rng.random()
        actions = []
        for row, mask in enumerate(masks):
            memory = rng.memory(row)
            memory["decisions"] = memory.get("decisions", 0) + 1
            legal = np.flatnonzero(mask)
            rank = int(numbers[row] * len(legal) + memory["decisions"]) % len(legal)
            actions.append(legal[rank])
        return np.array(actions)


class RecallingAgent:
    """An agent that chooses its actions by the last decisions of everybody."""

    history_length = 5

    def act(self, observations, masks, rng):
        ranks = observations["history"].sum(axis=(1, 2)) % masks.sum(axis=1)
        return (masks.cumsum(axis=1) > ranks[:, None]).argmax(axis=1)


class Witness(RecallingAgent):
    """An agent that keeps the histories that it has observed."""

    def __init__(self):
        self.observed = []

    def act(self, observations, masks, rng):
        self.observed.append(observations["history"])
        return super().act(observations, masks, rng)


def history_of_moves(positions, moves):
    """Return the history that `RecallingAgent` observes after moves from the first position."""
    batch = Batch(positions[0].game.name, players=positions[0].players, autoreset=False)
    batch.keep_history(RecallingAgent.history_length)
    batch.load([0], np.array([positions[0].record()]))
    for position, move in zip(positions, moves, strict=False):
        batch.step([position.action_id(move)])
    return batch.history()
