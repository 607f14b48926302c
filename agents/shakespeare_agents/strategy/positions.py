"""Positions of self-play in which something can be tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.agent import AnyAgent, decide
from shakespeare_env.batch import Batch
from shakespeare_env.game import Game, Records


@dataclass(frozen=True)
class Decisions:
    """Positions of self-play in which a seat is to decide.

    Attributes:
        records: The games as they stand, chance to come included.
        deals: int[m], which game each is from.
        seats: int[m], who decides.
        observations: int8[m, D], what that seat sees.
        masks: bool[m, A], what it may do.
        choices: int[m], what the agent does there.
        lots: float[m], drawn for each; those with the lowest are kept.
    """

    records: Records
    deals: NDArray[np.int64]
    seats: NDArray[np.int64]
    observations: NDArray[np.int8]
    masks: NDArray[np.bool_]
    choices: NDArray[np.int64]
    lots: NDArray[np.float64]

    def some(self, chosen: NDArray[Any]) -> Decisions:
        """Those that an index or a mask chooses."""
        return Decisions(*(getattr(self, one.name)[chosen] for one in fields(self)))

    def lowest(self, most: int) -> Decisions:
        """At most so many, those with the lowest lots, in the order they came up."""
        return self.some(np.sort(np.argsort(self.lots)[:most]))


def _joined(parts: Sequence[Decisions]) -> Decisions:
    """All of several lots of decisions, in order."""
    names = [one.name for one in fields(Decisions)]
    return Decisions(*(np.concatenate([getattr(part, n) for part in parts]) for n in names))


def ids_of(game: Game, blocks: Sequence[str]) -> NDArray[np.int64]:
    """The ids of the actions of some blocks of the action table."""
    known = {block.name: block for block in game.actions.blocks}
    for name in blocks:
        if name not in known:
            raise ValueError(f"{game.name} has no block {name!r}; its blocks: {', '.join(known)}")
    return np.concatenate(
        [game.actions.start[name] + np.arange(len(known[name].texts)) for name in blocks]
    )


def positions_of(
    batch: Batch, agent: AnyAgent, ids: NDArray[np.int64], *, least: int, most: int, seed: int
) -> Decisions:
    """Play a batch out, and keep positions where at least so many of some actions are legal.

    There must be a choice beside them, if one is enough.  Of all that are found, `most` are drawn,
    each as likely as the others.
    """
    rng = np.random.default_rng([seed, 0])
    lots = np.random.default_rng([seed, 1])
    kept: list[Decisions] = []
    count, highest = 0, np.inf
    while len(rows := np.flatnonzero(batch.to_move >= 0)):
        chosen = decide(agent, batch, rows, rng)
        masks = batch.mask[rows]
        fits = (masks[:, ids].sum(axis=1) >= least) & (masks.sum(axis=1) > 1)
        lot = lots.random(len(rows))
        found = np.flatnonzero(fits & (lot < highest))
        at = rows[found]
        kept.append(
            Decisions(
                batch.save(at),
                at,
                batch.to_move[at].astype(np.int64),
                batch.obs[at],
                masks[found],
                chosen[found].astype(np.int64),
                lot[found],
            )
        )
        count += len(found)
        if count > 2 * most:
            kept = [_joined(kept).lowest(most)]
            count, highest = most, float(kept[0].lots.max())
        batch.step(chosen, rows)
    if not count:
        raise ValueError("no such decision came up in these games; play more of them")
    return _joined(kept).lowest(most)
