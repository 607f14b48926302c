"""Deals, each played in several games that seat the agents differently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.agent import AnyAgent
from shakespeare_env.batch import Batch
from shakespeare_env.generators import GameGenerators
from shakespeare_env.lineup import Lineup


def deal(
    agents: Sequence[AnyAgent],
    game: str,
    deals: range,
    seed: int,
    seating: NDArray[np.integer],
    *,
    options: Mapping[str, bool] | None = None,
    threads: int = 1,
    names: Sequence[str] = (),
) -> tuple[Batch, Lineup]:
    """The games of some deals at their first decision, and their line-up.

    Each deal is played in G games, which `seating`, int[deals, G, P], seats by places in `agents`
    (see `SeatPlan.of`); an object may hold several seats. Deal d is game d of `Batch(seed=seed)`,
    and each game's agents draw from their own generator: a deal depends only on the seed, its
    number and its seating. Errors call the agents by `names`.
    """
    _, games, players = seating.shape
    numbers = np.arange(deals.start * games, deals.stop * games)
    variants: dict[str, Any] = dict(options or {})
    batch = Batch(game, len(numbers), players=players, threads=threads, autoreset=False, **variants)
    batch.reset(seed, numbers // games)
    generators = GameGenerators.of_games(seed, numbers)
    places = seating.reshape(-1, players)
    return batch, Lineup.seated(agents, places, batch.game.max_seats, generators, names)


def parts(deals: range, size: int) -> Iterator[range]:
    """Split deals into ranges of `size`; the last may be shorter."""
    for first in range(deals.start, deals.stop, size):
        yield range(first, min(first + size, deals.stop))
