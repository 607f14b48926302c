"""Which printed facts move findings: how much of the variance between boxes each carries.

A group of facts carries the variance between boxes in which it alone is drawn. What an owner reads
off at once, such as a card, is drawn too rarely for that: pairs of boxes in which all is drawn are
compared instead, since findings that hang on a card are alike where the card is alike (Haseman and
Elston 1972, "The investigation of linkage between a quantitative trait and a marker locus"). Pairs
share no sampling error, so none is in that figure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shakespeare_env.boxes import differ, fact_at, facts_by_group
from shakespeare_env.checks.box_files import Keys
from shakespeare_research.verdicts import variance_between

Floats = NDArray[np.float64]
Facts = Mapping[str, Any]
_TINY = np.finfo(float).tiny


@dataclass(frozen=True)
class ExplainedVariance:
    """What knowing something is worth."""

    name: str  # a group, or what an owner reads off at once
    group: str  # of its facts
    entries: tuple[str, ...]  # the last keys of its facts
    share: float  # of the findings' variance between boxes; by chance it may be below 0
    error: float  # its standard error
    boxes: int  # that it is estimated from


class DrawnBoxes:
    """Boxes by name, and which of their facts were drawn, given the package's own box."""

    def __init__(self, game: str, own: Facts, boxes: Mapping[str, Facts]) -> None:
        self._boxes = boxes
        group_of = facts_by_group(game)
        self.kinds: dict[str, str] = {}
        """What each was drawn for: `own`, the one group drawn, or `all` for several."""
        for name, box in boxes.items():
            drawn = {group for keys, group in group_of.items() if differ(box, own, keys)}
            self.kinds[name] = "all" if len(drawn) > 1 else next(iter(drawn), "own")
        self.units: dict[tuple[str, str], list[Keys]] = {}
        """The facts that an owner reads off at once, by what they stand on and their group."""
        for keys, group in group_of.items():
            table = own[str(keys[0])]  # a list of cards, or a table of its own
            on = table[int(keys[1])]["name"] if isinstance(table, list) else str(keys[0])
            self.units.setdefault((on.replace("_", " "), group), []).append(keys)

    def likeness(self, names: Sequence[str], keys: Iterable[Keys]) -> Floats:
        """float64[k, k]: how alike k boxes are in some facts, 1 on average with themselves."""
        columns: list[dict[str, float]] = [{} for _ in names]
        for entry in keys:
            for row, name in zip(columns, names, strict=True):
                row |= _numbers(str(entry), fact_at(self._boxes[name], entry))
        known = sorted({column for row in columns for column in row})
        table = np.array([[row.get(column, 0.0) for column in known] for row in columns])
        table = table[:, np.ptp(table, axis=0) > 0] if known else np.zeros((len(names), 0))
        scaled = (table - table.mean(axis=0)) / table.std(axis=0)
        alike: Floats = scaled @ scaled.T / max(scaled.shape[1], 1)
        return alike


def explained_by_groups(
    values: Floats, errors: Floats, kinds: Sequence[str]
) -> list[ExplainedVariance]:
    """What every group with three boxes or more of its own carries, the most first.

    `values` are estimates, float64[findings, boxes], `errors` their standard errors, and `kinds`,
    by box, those of `DrawnBoxes`, two or more of them `all`.
    """
    values, errors = _scaled(values, errors, _places(kinds, "all"))
    groups = []
    for group in sorted({*kinds} - {"own", "all"}):
        boxes = _places(kinds, group)
        if len(boxes) > 2:
            rest = [np.delete(boxes, i) for i in range(len(boxes))]
            share, *without = (
                variance_between(values[:, some], errors[:, some]) for some in [boxes, *rest]
            )
            groups.append(
                ExplainedVariance(group, group, (), share, _jackknife(without), len(boxes))
            )
    return sorted(groups, key=lambda carried: -carried.share)


def explained_by_units(
    values: Floats, errors: Floats, names: Sequence[str], drawn: DrawnBoxes
) -> list[ExplainedVariance]:
    """What everything that an owner reads off at once carries, the most first.

    An estimate is drawn towards an equal part of what its group carries, or all if that is unknown,
    the more so the less it is known. The prior is normal; it is as wide as the estimates say and at
    least as that part, but what is a group by itself is known as well as the group. `names` are
    those of the columns' boxes.
    """
    kinds, units = [drawn.kinds[name] for name in names], drawn.units
    of_groups = {carried.name: carried for carried in explained_by_groups(values, errors, kinds)}
    sizes = Counter(group for _, group in units)
    everything = _places(kinds, "all")
    scaled = _scaled(values, errors, everything)[0][:, everything]
    off = scaled - scaled.mean(axis=1, keepdims=True)
    together = off.T @ off
    chosen = [names[box] for box in everything]
    rest = [np.delete(np.arange(len(chosen)), box) for box in range(len(chosen))]
    raw, error, part, part_error = [], [], [], []
    for (_, group), keys in units.items():
        likeness = drawn.likeness(chosen, keys)
        raw.append(_slope(likeness, together))
        without = [_slope(likeness[np.ix_(r, r)], together[np.ix_(r, r)]) for r in rest]
        error.append(_jackknife(without))
        of_group = of_groups.get(group)
        share = sizes[group] / len(units) if of_group is None else max(of_group.share, 0.0)
        part.append(share / sizes[group])
        part_error.append(0.0 if of_group is None else of_group.error / sizes[group])
    slopes, known, parts = np.array(raw), np.array(error) ** 2, np.array(part)
    alone = np.array([group in of_groups and sizes[group] == 1 for _, group in units])
    wider = max(((slopes - parts) ** 2 - known).sum() / max((parts**2).sum(), _TINY), 1.0)
    width = np.array(part_error) ** 2 + np.where(alone, 0.0, wider * parts**2)
    weight = width / np.maximum(width + known, _TINY)
    shares = (weight * slopes + (1 - weight) * parts).tolist()
    left = np.sqrt(weight * known).tolist()
    carried = [
        ExplainedVariance(
            *unit, tuple(dict.fromkeys(str(key[-1]) for key in keys)), share, off, len(chosen)
        )
        for (unit, keys), share, off in zip(units.items(), shares, left, strict=True)
    ]
    return sorted(carried, key=lambda unit: -unit.share)


def matrices(rows: pl.DataFrame) -> tuple[Floats, Floats, list[str]]:
    """Answers as float64[findings, boxes] of estimates and of errors, and the boxes' names.

    Findings without an estimate in some box are left out, and so are players not asked in all.
    """
    index = ["question", "item", "players", "player"]
    names = rows["box"].unique().sort().to_list()
    wide = [
        rows.pivot("box", index=index, values=what).sort(index).select(names).to_numpy()
        for what in ("estimate", "error")
    ]
    full = np.isfinite(wide[0]).all(axis=1)
    return wide[0][full], wide[1][full], names


def _places(kinds: Sequence[str], kind: str) -> NDArray[np.int64]:
    return np.flatnonzero(np.array(kinds) == kind)


def _scaled(values: Floats, errors: Floats, everything: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Findings in a unit in which their variances between boxes in which all is drawn sum to 1.

    A finding counts by the square of its variance's reliability, so those that differ by sampling
    errors alone add next to no noise.
    """
    spread = values[:, everything].var(axis=1, ddof=1)
    reliable = (1 - (errors[:, everything] ** 2).mean(axis=1) / spread).clip(0)
    unit = reliable / np.sqrt(spread * max((reliable**3).sum(), _TINY))
    return values * unit[:, None], errors * unit[:, None]


def _slope(likeness: Floats, together: Floats) -> float:
    pairs = np.triu_indices(len(likeness), 1)
    x, y = likeness[pairs], together[pairs]
    x = x - x.mean()
    return float(x @ y / max(float(x @ x), _TINY))


def _jackknife(without: Sequence[float]) -> float:
    return float(np.std(without) * (len(without) - 1) ** 0.5)


def _numbers(name: str, value: Any) -> dict[str, float]:
    if isinstance(value, str):
        return {f"{name}={value}": 1.0}
    if not isinstance(value, Mapping | list):
        return {name: float(value or 0)}
    parts = value.items() if isinstance(value, Mapping) else enumerate(value)
    return {k: v for key, part in parts for k, v in _numbers(f"{name}.{key}", part).items()}
