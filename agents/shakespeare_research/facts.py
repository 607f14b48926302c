"""Shares of the findings' variance between boxes that printed facts explain.

A group of facts explains the variance between boxes in which it alone is drawn. A unit, the facts
that an owner reads off at once, such as a card, is never drawn alone. For units, pairs of boxes in
which all facts are drawn are compared instead: findings that depend on a card are alike where the
card is alike (Haseman and Elston 1972, "The investigation of linkage between a quantitative trait
and a marker locus"). Pairs share no sampling error, so these estimates contain none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shakespeare_env.boxes import differ, fact_at, fact_groups
from shakespeare_env.checks.box_files import Keys
from shakespeare_research.verdicts import variance_between

Floats = NDArray[np.float64]
Facts = Mapping[str, Any]
_TINY = np.finfo(float).tiny


@dataclass(frozen=True)
class ExplainedVariance:
    """The share of the findings' variance between boxes that a group or a unit explains."""

    name: str  # the name of the group or of the unit
    group: str  # the group of its facts
    entries: tuple[str, ...]  # the last keys of a unit's facts
    share: float  # the share explained; by chance it may be below 0
    error: float  # the share's standard error
    boxes: int  # the number of boxes that it is estimated from


class DrawnBoxes:
    """Boxes by name, and the facts in which each differs from the package's own box."""

    def __init__(self, game: str, own: Facts, boxes: Mapping[str, Facts]) -> None:
        self._boxes = boxes
        group_of = fact_groups(game)
        self.kinds: dict[str, str] = {}
        """The kind of each box: `own`, the name of the only group drawn, or `all` for several."""
        for name, box in boxes.items():
            drawn = {group for keys, group in group_of.items() if differ(box, own, keys)}
            self.kinds[name] = "all" if len(drawn) > 1 else next(iter(drawn), "own")
        self.units: dict[tuple[str, str], list[Keys]] = {}
        """The facts of each unit, by the thing that they are printed on and their group."""
        for keys, group in group_of.items():
            table = own[str(keys[0])]  # a list of cards, or a table of its own
            on = table[int(keys[1])]["name"] if isinstance(table, list) else str(keys[0])
            self.units.setdefault((on.replace("_", " "), group), []).append(keys)

    def likeness(self, names: Sequence[str], keys: Iterable[Keys]) -> Floats:
        """Return how alike k boxes are in some facts, float64[k, k], with a mean diagonal of 1."""
        rows: list[dict[str, float]] = [{} for _ in names]
        for entry in keys:
            for row, name in zip(rows, names, strict=True):
                row |= _numbers(str(entry), fact_at(self._boxes[name], entry))
        columns = sorted({column for row in rows for column in row})
        table = np.array([[row.get(column, 0.0) for column in columns] for row in rows])
        table = table[:, np.ptp(table, axis=0) > 0] if columns else np.zeros((len(names), 0))
        scaled = (table - table.mean(axis=0)) / table.std(axis=0)
        alike: Floats = scaled @ scaled.T / max(scaled.shape[1], 1)
        return alike


def explained_by_groups(
    values: Floats, errors: Floats, kinds: Sequence[str]
) -> list[ExplainedVariance]:
    """Return what each group explains that has three boxes or more of its own, the most first.

    Args:
        values: Estimates, float64[findings, boxes].
        errors: Their standard errors, float64[findings, boxes].
        kinds: The kind of each box; see `DrawnBoxes`. Two or more are `all`.
    """
    values, errors = _scaled(values, errors, _places(kinds, "all"))
    groups = []
    for group in sorted({*kinds} - {"own", "all"}):
        boxes = _places(kinds, group)
        if len(boxes) <= 2:
            continue
        share = variance_between(values[:, boxes], errors[:, boxes])
        without = []
        for place in range(len(boxes)):
            rest = np.delete(boxes, place)
            without.append(variance_between(values[:, rest], errors[:, rest]))
        groups.append(
            ExplainedVariance(
                name=group,
                group=group,
                entries=(),
                share=share,
                error=_jackknife(without),
                boxes=len(boxes),
            )
        )
    return sorted(groups, key=lambda explained: -explained.share)


def explained_by_units(
    values: Floats, errors: Floats, names: Sequence[str], drawn: DrawnBoxes
) -> list[ExplainedVariance]:
    """Return what each unit explains, the most first.

    Estimates are shrunk towards a prior, an equal part of what the unit's group explains, or of
    everything if that is unknown. The more uncertain an estimate is, the more it is shrunk. The
    prior is normal. It is as wide as the estimates say, and at least as wide as its mean, but a
    unit that is a whole group is known as well as the group.

    Args:
        values: Estimates, float64[findings, boxes].
        errors: Their standard errors, float64[findings, boxes].
        names: The names of the boxes.
        drawn: The boxes.
    """
    kinds = [drawn.kinds[name] for name in names]
    by_group = {group.name: group for group in explained_by_groups(values, errors, kinds)}
    sizes = Counter(group for _, group in drawn.units)

    everything = _places(kinds, "all")
    scaled = _scaled(values, errors, everything)[0][:, everything]
    deviations = scaled - scaled.mean(axis=1, keepdims=True)
    products = deviations.T @ deviations
    chosen = [names[box] for box in everything]
    leave_one_out = [np.delete(np.arange(len(chosen)), box) for box in range(len(chosen))]

    raw = []
    raw_error = []
    prior = []
    prior_error = []
    for (_, group), keys in drawn.units.items():
        likeness = drawn.likeness(chosen, keys)
        raw.append(_slope(likeness, products))
        without = [_slope(likeness[np.ix_(r, r)], products[np.ix_(r, r)]) for r in leave_one_out]
        raw_error.append(_jackknife(without))
        known = by_group.get(group)
        share = sizes[group] / len(drawn.units) if known is None else max(known.share, 0.0)
        prior.append(share / sizes[group])
        prior_error.append(0.0 if known is None else known.error / sizes[group])

    slopes = np.array(raw)
    noise = np.array(raw_error) ** 2
    parts = np.array(prior)
    is_whole_group = np.array([group in by_group and sizes[group] == 1 for _, group in drawn.units])
    wider = max(((slopes - parts) ** 2 - noise).sum() / max((parts**2).sum(), _TINY), 1.0)
    width = np.array(prior_error) ** 2 + np.where(is_whole_group, 0.0, wider * parts**2)
    weight = width / np.maximum(width + noise, _TINY)
    shares = (weight * slopes + (1 - weight) * parts).tolist()
    errors_left = np.sqrt(weight * noise).tolist()

    units = []
    for ((name, group), keys), share, error in zip(
        drawn.units.items(), shares, errors_left, strict=True
    ):
        entries = tuple(dict.fromkeys(str(key[-1]) for key in keys))
        units.append(ExplainedVariance(name, group, entries, share, error, len(chosen)))
    return sorted(units, key=lambda unit: -unit.share)


def matrices(rows: pl.DataFrame) -> tuple[Floats, Floats, list[str]]:
    """Return answers as arrays, leaving out findings without an estimate in some box.

    Players that were not asked in all boxes are therefore left out.

    Returns:
        Estimates and their errors, float64[findings, boxes] each, and the boxes' names.
    """
    names = rows["box"].unique().sort().to_list()
    values = _wide(rows, "estimate", names)
    errors = _wide(rows, "error", names)
    full = np.isfinite(values).all(axis=1)
    return values[full], errors[full], names


def _wide(rows: pl.DataFrame, values: str, names: Sequence[str]) -> Floats:
    index = ["question", "item", "players", "player"]
    return rows.pivot("box", index=index, values=values).sort(index).select(names).to_numpy()


def _places(kinds: Sequence[str], kind: str) -> NDArray[np.int64]:
    return np.flatnonzero(np.array(kinds) == kind)


def _scaled(values: Floats, errors: Floats, everything: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Scale findings so that their variances between the boxes in which all is drawn sum to 1.

    A finding counts by the square of its variance's reliability, so findings that differ by
    sampling errors alone add next to no noise.
    """
    spread = values[:, everything].var(axis=1, ddof=1)
    reliable = (1 - (errors[:, everything] ** 2).mean(axis=1) / spread).clip(0)
    unit = reliable / np.sqrt(spread * max((reliable**3).sum(), _TINY))
    return values * unit[:, None], errors * unit[:, None]


def _slope(likeness: Floats, products: Floats) -> float:
    """Regress the products of pairs of boxes on their likeness."""
    pairs = np.triu_indices(len(likeness), 1)
    x = likeness[pairs] - likeness[pairs].mean()
    y = products[pairs]
    return float(x @ y / max(float(x @ x), _TINY))


def _jackknife(without: Sequence[float]) -> float:
    return float(np.std(without) * (len(without) - 1) ** 0.5)


def _numbers(name: str, value: Any) -> dict[str, float]:
    """Flatten a fact into named numbers, in which a text is a 1 under its own name."""
    if isinstance(value, str):
        return {f"{name}={value}": 1.0}
    if not isinstance(value, Mapping | list):
        return {name: float(value or 0)}
    parts = value.items() if isinstance(value, Mapping) else enumerate(value)
    numbers: dict[str, float] = {}
    for key, part in parts:
        numbers |= _numbers(f"{name}.{key}", part)
    return numbers
