"""How much of the findings' variance between boxes each group of printed facts explains.

A finding is a player's answer to a question about strategy, a number estimated in every box. A box
is a file of printed facts, which are drawn at random in groups, such as costs. What a group
explains is the variance between boxes in which only this group is drawn. A unit is the facts
printed on one thing, such as a card, which an owner of the game reads off together. Units are never
drawn alone. So for units, pairs of boxes in which all facts are drawn are compared instead:
findings that depend on a card are alike in boxes where the card is alike (Haseman and Elston 1972,
"The investigation of linkage between a quantitative trait and a marker locus"). Pairs share no
sampling error, so these estimates contain none.
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
    entries: tuple[str, ...]  # the last key of each of a unit's facts; empty for a group
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
            section = own[str(keys[0])]  # a list of cards, or a table of the file
            thing = section[int(keys[1])]["name"] if isinstance(section, list) else str(keys[0])
            self.units.setdefault((thing.replace("_", " "), group), []).append(keys)

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
    """Return what each group explains, the largest share first.

    Groups with fewer than three boxes of their kind are left out.

    Args:
        values: Estimates, float64[findings, boxes].
        errors: Their standard errors, float64[findings, boxes].
        kinds: The kind of each box (see `DrawnBoxes.kinds`). At least two are `all`.
    """
    values, errors = _scaled(values, errors, _boxes_of_kind(kinds, "all"))
    groups = []
    for group in sorted({*kinds} - {"own", "all"}):
        boxes = _boxes_of_kind(kinds, group)
        if len(boxes) <= 2:
            continue
        share = variance_between(values[:, boxes], errors[:, boxes])
        leave_one_out = []
        for place in range(len(boxes)):
            rest = np.delete(boxes, place)
            leave_one_out.append(variance_between(values[:, rest], errors[:, rest]))
        groups.append(
            ExplainedVariance(
                name=group,
                group=group,
                entries=(),
                share=share,
                error=_jackknife(leave_one_out),
                boxes=len(boxes),
            )
        )
    return sorted(groups, key=lambda explained: -explained.share)


def explained_by_units(
    values: Floats, errors: Floats, names: Sequence[str], drawn: DrawnBoxes
) -> list[ExplainedVariance]:
    """Return what each unit explains, the largest share first.

    Estimates are shrunk towards the mean of a normal prior. This mean is the share that the unit's
    group explains, divided by the number of units in the group. If the group's share is unknown,
    every unit has the same prior mean, 1 / units. The more uncertain an estimate is, the more it is
    shrunk. The prior is as wide as the scatter of the estimates, and at least as wide as its mean.
    For a unit that is its whole group, the prior is as certain as the group's estimate.

    Args:
        values: Estimates, float64[findings, boxes].
        errors: Their standard errors, float64[findings, boxes].
        names: The names of the boxes.
        drawn: The boxes.
    """
    kinds = [drawn.kinds[name] for name in names]
    by_group = {group.name: group for group in explained_by_groups(values, errors, kinds)}
    sizes = Counter(group for _, group in drawn.units)

    fully_drawn = _boxes_of_kind(kinds, "all")
    scaled_values, _ = _scaled(values, errors, fully_drawn)
    scaled = scaled_values[:, fully_drawn]
    deviations = scaled - scaled.mean(axis=1, keepdims=True)
    products = deviations.T @ deviations
    drawn_names = [names[box] for box in fully_drawn]
    count = len(drawn_names)
    without_one = [np.ix_(rest, rest) for rest in _leave_one_out(count)]

    slopes = np.zeros(len(drawn.units))
    slope_errors = np.zeros(len(drawn.units))
    means = np.zeros(len(drawn.units))
    mean_errors = np.zeros(len(drawn.units))
    is_whole_group = np.zeros(len(drawn.units), np.bool_)
    for row, ((_, group), keys) in enumerate(drawn.units.items()):
        likeness = drawn.likeness(drawn_names, keys)
        slopes[row] = _slope(likeness, products)
        slope_errors[row] = _jackknife(
            [_slope(likeness[rest], products[rest]) for rest in without_one]
        )
        size = sizes[group]
        share_of_group = size / len(drawn.units)
        if group in by_group:
            share_of_group = max(by_group[group].share, 0.0)
            mean_errors[row] = by_group[group].error / size
            is_whole_group[row] = size == 1
        means[row] = share_of_group / size

    error_variances = slope_errors**2
    scatter = ((slopes - means) ** 2 - error_variances).sum() / max((means**2).sum(), _TINY)
    scatter_variances = np.where(is_whole_group, 0.0, max(scatter, 1.0) * means**2)
    prior_variances = mean_errors**2 + scatter_variances
    weight = prior_variances / np.maximum(prior_variances + error_variances, _TINY)
    shares = (weight * slopes + (1 - weight) * means).tolist()
    share_errors = np.sqrt(weight * error_variances).tolist()

    units = []
    for ((name, group), keys), share, error in zip(
        drawn.units.items(), shares, share_errors, strict=True
    ):
        entries = tuple(dict.fromkeys(str(key[-1]) for key in keys))
        units.append(ExplainedVariance(name, group, entries, share, error, count))
    return sorted(units, key=lambda unit: -unit.share)


def matrices(rows: pl.DataFrame) -> tuple[Floats, Floats, list[str]]:
    """Return the findings' estimates and standard errors as arrays.

    A finding without an estimate in some box is left out. So the arrays have no findings of a
    player that was not tried in every box.

    Returns:
        Estimates and their errors, float64[findings, boxes] each, and the boxes' names.
    """
    names = rows["box"].unique().sort().to_list()
    values = _by_finding_and_box(rows, "estimate", names)
    errors = _by_finding_and_box(rows, "error", names)
    is_complete = np.isfinite(values).all(axis=1)
    return values[is_complete], errors[is_complete], names


def _by_finding_and_box(rows: pl.DataFrame, column: str, names: Sequence[str]) -> Floats:
    index = ["question", "item", "players", "player"]
    return rows.pivot("box", index=index, values=column).sort(index).select(names).to_numpy()


def _boxes_of_kind(kinds: Sequence[str], kind: str) -> NDArray[np.int64]:
    return np.flatnonzero(np.array(kinds) == kind)


def _scaled(
    values: Floats, errors: Floats, fully_drawn: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Scale findings so that their variances between boxes of kind `all` sum to 1.

    The reliability of a finding is the share of its variance that is not due to sampling errors. A
    finding counts by the square of its reliability, so findings that differ by
    sampling errors alone add next to no noise.

    Args:
        values: Estimates, float64[findings, boxes].
        errors: Their standard errors, float64[findings, boxes].
        fully_drawn: The indices of the boxes of kind `all`.
    """
    spread = values[:, fully_drawn].var(axis=1, ddof=1)
    reliability = (1 - (errors[:, fully_drawn] ** 2).mean(axis=1) / spread).clip(0)
    scale = reliability / np.sqrt(spread * max((reliability**3).sum(), _TINY))
    return values * scale[:, None], errors * scale[:, None]


def _slope(likeness: Floats, products: Floats) -> float:
    """Return the slope of the regression of pairs' products on pairs' likeness."""
    pairs = np.triu_indices(len(likeness), 1)
    x = likeness[pairs] - likeness[pairs].mean()
    y = products[pairs]
    return float(x @ y / max(float(x @ x), _TINY))


def _leave_one_out(count: int) -> list[NDArray[np.int64]]:
    return [np.delete(np.arange(count), left_out) for left_out in range(count)]


def _jackknife(leave_one_out: Sequence[float]) -> float:
    """Return the standard error of an estimate, given it without each observation in turn."""
    return float(np.std(leave_one_out) * (len(leave_one_out) - 1) ** 0.5)


def _numbers(name: str, value: Any) -> dict[str, float]:
    """Flatten a fact into numbers by name. A text is one-hot: `name=text` has the number 1."""
    if isinstance(value, str):
        return {f"{name}={value}": 1.0}
    if not isinstance(value, Mapping | list):
        return {name: float(value or 0)}
    parts = value.items() if isinstance(value, Mapping) else enumerate(value)
    numbers: dict[str, float] = {}
    for key, part in parts:
        numbers |= _numbers(f"{name}.{key}", part)
    return numbers
