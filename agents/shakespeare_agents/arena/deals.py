"""Deals, each played once per seat with the agents rotated by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from shakespeare_env.agent import AnyAgent
from shakespeare_env.batch import Batch
from shakespeare_env.generators import GameGenerators
from shakespeare_env.lineup import Lineup


def deal(
    agents: Sequence[AnyAgent],
    game: str,
    deals: range,
    seed: int,
    *,
    options: Mapping[str, bool] | None = None,
    threads: int = 1,
    names: Sequence[str] = (),
) -> tuple[Batch, Lineup]:
    """The games of some deals at their first decision, and their line-up.

    Game k is deal `deals[k // P]` with `agents[0]` at seat `k % P` and the other P - 1 after it; an
    object may hold several seats. Deal d is game d of `Batch(seed=seed)`, and each game's agents
    draw from their own generator: a deal depends only on the seed and its number. Errors call the
    agents by `names`.
    """
    players = len(agents)
    numbers = np.arange(deals.start * players, deals.stop * players)
    variants: dict[str, Any] = dict(options or {})
    batch = Batch(game, len(numbers), players=players, threads=threads, autoreset=False, **variants)
    batch.reset(seed, numbers // players)
    generators = GameGenerators.of_games(seed, numbers)
    rotations = numbers % players
    seats = batch.game.max_seats
    return batch, Lineup.in_rotation(agents, rotations, seats, generators, names)


def parts(deals: range, size: int) -> Iterator[range]:
    """Split deals into ranges of `size`; the last may be shorter."""
    for first in range(deals.start, deals.stop, size):
        yield range(first, min(first + size, deals.stop))
