"""Whether an exported network computes what the network does, over positions of whole games."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.networks.network import ILLEGAL, Network
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.game import Game

Outputs = Mapping[str, NDArray[np.float32]]
"""`logits` [n, A], `value` [n], and of networks with heads `win_logits` and `changes` [n, S]."""
Runner = Callable[[NDArray[np.int8]], Outputs]
"""An exported network: observations, int8[n, D], to outputs."""

LARGEST = 1e-3
"""The largest difference that rounding explains."""
_GAMES, _STEPS = 40, 250


@dataclass(frozen=True)
class Difference:
    """The largest differences of two networks over some positions.

    Attributes:
        positions: How many were compared.
        same_move: In how many the likeliest legal move is the same.
        policy: Of legal moves' log-probabilities.
        value: Of values, and of heads' changes of scores.
        share: Of forecast shares of the victory; None for networks without heads.
    """

    positions: int
    same_move: int
    policy: float
    value: float
    share: float | None

    @property
    def is_rounding(self) -> bool:
        """Whether rounding alone can explain it."""
        return max(self.policy, self.value, self.share or 0.0) <= LARGEST


def positions_of(
    game: Game, network: Network, players: Sequence[int]
) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """10,000 positions, int8[m, D] and bool[m, A], of whole games at tables of these seat counts.

    The network plays half of the decisions and chance the others, so that weak play occurs, too.
    """
    batch = Batch(game.name, n=_GAMES, players=np.resize(players, _GAMES), seed=0)
    observations, masks = [], []
    by_chance = np.random.default_rng(0)
    for _ in range(_STEPS):
        observations.append(batch.obs[:, : game.layout.size].copy())
        masks.append(batch.mask.copy())
        likeliest = np.where(batch.mask, network.logits(observations[-1]), ILLEGAL).argmax(axis=1)
        at_random = by_chance.random(_GAMES) < 0.5
        batch.step(np.where(at_random, batch.random_actions(), likeliest))
    return np.concatenate(observations), np.concatenate(masks)


def difference(
    network: Network, run: Runner, observations: NDArray[np.int8], masks: NDArray[np.bool_]
) -> Difference:
    """How an exported network differs from `network`, the reference in NumPy."""
    outputs = run(observations)
    ours = _log_probabilities(network.logits(observations), masks)
    theirs = _log_probabilities(outputs["logits"], masks)
    value = _largest(network.values(observations), outputs["value"])
    share = None
    if network.has_heads:
        seats = outputs["win_logits"].shape[1]
        shares, changes = network.forecasts(observations, np.full(len(observations), seats))
        everyone = np.ones(shares.shape, np.bool_)
        share = _largest(shares, np.exp(_log_probabilities(outputs["win_logits"], everyone)))
        value = max(value, _largest(changes, outputs["changes"]))
    return Difference(
        positions=len(observations),
        same_move=int((ours.argmax(axis=1) == theirs.argmax(axis=1)).sum()),
        policy=_largest(ours[masks], theirs[masks]),
        value=value,
        share=share,
    )


def _log_probabilities(
    logits: NDArray[np.float32], masks: NDArray[np.bool_]
) -> NDArray[np.float64]:
    legal = np.where(masks, logits, ILLEGAL).astype(np.float64)
    legal -= legal.max(axis=1, keepdims=True)
    found: NDArray[np.float64] = legal - np.log(np.exp(legal).sum(axis=1, keepdims=True))
    return found


def _largest(ours: NDArray[np.floating], theirs: NDArray[np.floating]) -> float:
    return float(np.abs(ours.astype(np.float64) - theirs.astype(np.float64)).max())
