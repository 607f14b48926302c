"""A learner and opponents that play without chance, and games of one seat for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from tests.contract.random_games import mix_bits


class ObservationHashAgent:
    """An agent that picks a legal action by a hash of the observation and a salt."""

    def __init__(self, salt: int = 0) -> None:
        self._salt = np.uint64(salt)

    def act(
        self,
        observations: npt.NDArray[np.int8],
        masks: npt.NDArray[np.bool_],
        rng: GameGenerators | None = None,
    ) -> npt.NDArray[np.int64]:
        assert observations.dtype == np.int8
        assert masks.dtype == np.bool_
        assert len(observations) == len(masks) > 0
        assert masks.any(axis=1).all()
        weights = mix_bits(np.arange(1, observations.shape[1] + 1, dtype=np.uint64))
        hashes = (observations.astype(np.uint64) * weights).sum(axis=1, dtype=np.uint64)
        ranks = mix_bits(hashes + self._salt) % masks.sum(axis=1).astype(np.uint64)
        is_beyond_rank = masks.cumsum(axis=1, dtype=np.int16) > ranks[:, None].astype(np.int64)
        actions: npt.NDArray[np.int64] = is_beyond_rank.argmax(axis=1)
        return actions


LEARNER = ObservationHashAgent(99)
"""The learner in tests. It plays the same games wherever it sees the same views."""


def learner_actions(
    observations: npt.NDArray[np.int8], masks: npt.NDArray[Any]
) -> npt.NDArray[np.int64]:
    """Return the actions of `LEARNER`, int64[n]."""
    return LEARNER.act(observations, masks.astype(np.bool_))


def one_seat_games(table, n=5, seed=0, **arguments):
    return SingleAgentBatch(n=n, seed=seed, **(table.arguments | arguments))


def next_actions(games):
    """Return what `LEARNER` plays next in games of one seat."""
    return learner_actions(games.batch.obs, games.action_masks())


def play_learner(games, steps):
    """Play some steps with `LEARNER`, and yield what is shown before and after each."""
    for _ in range(steps):
        yield games.batch.obs.tobytes(), games.batch.mask.tobytes(), games.seats.tolist()
        rewards, ended = games.step(next_actions(games))
        yield rewards.tobytes(), ended.tolist()
        games.restart(np.flatnonzero(ended))


def first_legal(observations, masks, rng):
    """An agent that plays the legal action of the lowest id."""
    return masks.argmax(axis=1)


def bytes_of(shown: Any) -> Any:
    """Return what a view has shown with every array as its type, shape and bytes."""
    if isinstance(shown, dict):
        return {key: bytes_of(value) for key, value in shown.items()}
    if isinstance(shown, np.ndarray) and shown.dtype != np.object_:
        return shown.dtype, shown.shape, shown.tobytes()
    if isinstance(shown, list | tuple | np.ndarray):
        return [bytes_of(part) for part in shown]
    return shown
