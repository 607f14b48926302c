"""Deals, each played once for every seat, the agents moved on by one seat in between."""

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
) -> tuple[Batch, Lineup]:
    """The games of some deals at their first decision, and who sits where in them.

    Game k is deal `deals[k // P]` with `agents[0]` at seat `k % P`, the others after it in order.
    Deal d is game d of `Batch(seed=seed)`, and the agents of each game draw from a generator of its
    own: what happens in a deal depends on the seed and its number alone.

    Args:
        agents: P of them, one a seat; the same object may have several seats.
        game: Name of the game.
        deals: Which deals.
        seed: Of the deals and of what agents draw.
        options: Variants of the game, by name.
        threads: That step the games.
    """
    players = len(agents)
    numbers = np.arange(deals.start * players, deals.stop * players)
    variants: dict[str, Any] = dict(options or {})
    batch = Batch(
        game,
        len(numbers),
        players=players,
        threads=threads,
        autoreset=False,
        **variants,
    )
    batch.reset(seed, numbers // players)
    generators = GameGenerators.of_games(seed, numbers)
    rotations = numbers % players
    return batch, Lineup.in_rotation(agents, rotations, batch.game.max_seats, generators)


def parts(deals: range, size: int) -> Iterator[range]:
    """Some deals in parts of `size`; the last one may be smaller."""
    for first in range(deals.start, deals.stop, size):
        yield range(first, min(first + size, deals.stop))
