"""Rows of facts from many games, and means by group with intervals that count deals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.arena.result import wilson_interval

_Z_95 = 1.959963984540054
FEWEST_DEALS = 30
"""Groups of fewer deals are left out: their intervals would not hold."""


class Sample:
    """Columns of equal length, by name; a row is a seat of a game, or a move that was tried.

    Args:
        columns: One array a column; `deal`, int, says which rows depend on each other.

    Raises:
        ValueError: there is no deal, or the columns differ in length.
    """

    def __init__(self, columns: Mapping[str, NDArray[Any]]) -> None:
        if "deal" not in columns:
            raise ValueError("a sample needs a column 'deal': which rows depend on each other")
        lengths = {name: len(column) for name, column in columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"columns of different lengths: {lengths}")
        self.columns = dict(columns)

    def __len__(self) -> int:
        return len(self.columns["deal"])

    def __getitem__(self, name: str) -> NDArray[Any]:
        try:
            return self.columns[name]
        except KeyError:
            known = ", ".join(self.columns)
            raise KeyError(f"no column {name!r}; there are {known}") from None

    def where(self, chosen: NDArray[np.bool_]) -> Sample:
        """The rows that are chosen.

        Args:
            chosen: bool[rows].
        """
        return Sample({name: column[chosen] for name, column in self.columns.items()})

    def with_columns(self, **columns: NDArray[Any]) -> Sample:
        """The same rows with more columns, or other ones in place of those of the same name."""
        return Sample({**self.columns, **columns})


@dataclass(frozen=True)
class Group:
    """What the rows of one group have in common, and their mean.

    Attributes:
        key: Value of the column they were grouped by.
        rows: How many.
        deals: From how many deals; the interval counts these.
        mean: Of the column that was asked for.
        low: Lower end of its 95 % interval.
        high: Upper end.
    """

    key: Any
    rows: int
    deals: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Groups:
    """Groups of rows in increasing order of their keys; a notebook shows them as a table.

    Attributes:
        by: The column they were grouped by.
        of: The column whose means they hold.
        groups: The groups.
        percent: Whether the means are shares, to be shown as such.
    """

    by: str
    of: str
    groups: tuple[Group, ...]
    percent: bool = False

    def __iter__(self) -> Iterator[Group]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, key: Any) -> Group:
        for group in self.groups:
            if group.key == key:
                return group
        raise KeyError(f"no group {key!r}; there are {[group.key for group in self.groups]}")

    def best_first(self) -> Groups:
        """The same groups, the greatest mean first."""
        ranked = sorted(self.groups, key=lambda group: -group.mean)
        return Groups(self.by, self.of, tuple(ranked), self.percent)

    def _repr_markdown_(self) -> str:
        unit, scale, digits = (" %", 100.0, 1) if self.percent else ("", 1.0, 2)
        lines = [
            f"| {self.by} | {self.of}{unit} | 95 % interval | rows | deals |",
            "|---" * 5 + "|",
        ]
        for group in self.groups:
            mean, low, high = (
                f"{scale * x:.{digits}f}" for x in (group.mean, group.low, group.high)
            )
            lines.append(
                f"| {group.key} | {mean} | {low} to {high} | {group.rows} | {group.deals} |"
            )
        return "\n".join(lines)

    __str__ = _repr_markdown_


def group(sample: Sample, by: str, of: str, *, fewest_deals: int = FEWEST_DEALS) -> Groups:
    """Means of a column by the values of another, with 95 % intervals.

    Rows of one deal depend on each other and deals do not, so the standard error is that of a mean
    over clusters (a ratio of sums, linearised).  Shares, columns between 0 and 1 whose name is
    `won`, get Wilson's interval for as many rows as would be worth the same if they did not depend
    on each other.

    Args:
        sample: The rows.
        by: The column to group by.
        of: The column to take means of; rows where it is not a number are left out.
        fewest_deals: Groups of fewer deals are left out.
    """
    values = sample[of].astype(float)
    keys, share = sample[by], of == "won" and bool(np.all((values >= 0) & (values <= 1)))
    groups = []
    for key in np.unique(keys):
        chosen = (keys == key) & np.isfinite(values)
        deals = sample["deal"][chosen]
        count = len(np.unique(deals))
        if count < max(fewest_deals, 2):
            continue
        mean, low, high = clustered_interval(values[chosen], deals, share=share)
        groups.append(Group(key.item(), int(chosen.sum()), count, mean, low, high))
    return Groups(by, of, tuple(groups), share)


def clustered_interval(
    values: NDArray[Any], deals: NDArray[Any], *, share: bool = False
) -> tuple[float, float, float]:
    """A mean and its 95 % interval, rows of one deal depending on each other.

    Args:
        values: float[rows].
        deals: int[rows], at least two different ones.
        share: Whether the values lie between 0 and 1 and Wilson's interval is to be taken.

    Returns:
        The mean, and the ends of the interval.
    """
    mean = float(values.mean())
    _, cluster = np.unique(deals, return_inverse=True)
    clusters = int(cluster.max()) + 1
    off = np.bincount(cluster, weights=values - mean)
    variance = float((off**2).sum()) / len(values) ** 2 * clusters / (clusters - 1)
    if share:
        worth = mean * (1 - mean) / variance if variance > 0 else float(clusters)
        independent = max(round(worth), 1)
        low, high = wilson_interval(mean * independent, independent)
        return mean, low, high
    half = _Z_95 * math.sqrt(variance)
    return mean, mean - half, mean + half


def against(
    sample: Sample,
    baseline: NDArray[np.bool_],
    *,
    within: Sequence[str] = ("position",),
    of: Sequence[str] = ("score", "lead", "won"),
) -> Sample:
    """Differences to what a baseline gave in the same position.

    Args:
        sample: Rows of `strategy.try_moves` or `strategy.try_gift`.
        baseline: bool[rows], the rows to compare with; their mean is taken where a position has
            several.  Positions without one are left out.
        within: Columns that together say what is compared with each other.
        of: Columns in which the difference takes the place of the value.
    """
    _, place = np.unique(
        np.stack([np.unique(sample[name], return_inverse=True)[1] for name in within]),
        axis=1,
        return_inverse=True,
    )
    place = place.reshape(-1)
    count = np.bincount(place[baseline], minlength=int(place.max(initial=-1)) + 1)
    known = count[place] > 0
    changed = {}
    for name in of:
        total = np.bincount(place[baseline], sample[name][baseline].astype(float), len(count))
        changed[name] = sample[name] - (total / count.clip(1))[place]
    return sample.with_columns(**changed).where(known)
