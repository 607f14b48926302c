"""Runs that differ in their seed alone, and the course of a figure over them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.networks.checkpoint import read_card
from shakespeare_env.errors import CheckpointError
from shakespeare_training.runs.history import History, Measurement

_SEED = "seed"
_LONGEST = 60
"""The most signs of a label."""

Figure = Callable[[Measurement], tuple[float | None, float | None, float | None]]
"""A figure of a measurement with the ends of its interval; None where there is none."""


@dataclass(frozen=True)
class Followed:
    """The settings and the measurements of a run."""

    settings: dict[str, Any]
    history: History


@dataclass(frozen=True)
class Course:
    """A figure by decisions learned from, all float64[k].

    Attributes:
        decisions: Increasing.
        mean: Over the runs.
        low: The lowest of several runs, or the lower end of one's 95 % interval.
        high: The highest, or the upper end.
    """

    decisions: NDArray[np.float64]
    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def followed(folder: Path) -> Followed:
    """What the card in a run's folder says of it.

    Raises:
        CheckpointError: there is no card, or it holds no measurements.
    """
    card = read_card(folder)
    try:
        history = History(Measurement(**row) for row in card.figures["history"])
    except (KeyError, TypeError, ValueError) as fault:
        raise CheckpointError(f"{folder}: its card holds no measurements of a run") from fault
    if not history:
        raise CheckpointError(f"{folder}: nothing was measured yet; wait for its first evaluation")
    return Followed({"game": card.game, **card.settings}, history)


def grouped(runs: Sequence[Followed]) -> dict[str, list[Followed]]:
    """Runs that differ in their seed alone, by a label that says how the groups differ."""
    groups: dict[str, list[Followed]] = {}
    for run in runs:
        same = {name: value for name, value in run.settings.items() if name != _SEED}
        groups.setdefault(json.dumps(same, sort_keys=True), []).append(run)
    settings = [json.loads(key) for key in groups]
    names = sorted({name for one in settings for name in one})
    differing = [name for name in names if len({json.dumps(s.get(name)) for s in settings}) > 1]
    labelled = {}
    for one, members in zip(settings, groups.values(), strict=True):
        words = [f"{name}={one.get(name)}" for name in differing]
        label = ", ".join([*words, f"{len(members)} seed{'' if len(members) == 1 else 's'}"])
        shown = label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}…"
        labelled[f"{shown}{' ' * (shown in labelled)}"] = members
    return labelled


def course(runs: Sequence[Followed], players: int, opponent: str, figure: Figure) -> Course | None:
    """The course of a figure over runs; None if one lacks it.

    Runs are measured at moments of their own: between two, a figure is on the line that joins them,
    and the course is as long as the shortest run.
    """
    series = [_known(run.history.series(players, opponent), figure) for run in runs]
    if not all(len(one) for one in series):
        return None
    first, last = max(one[0, 0] for one in series), min(one[-1, 0] for one in series)
    moments = np.unique(np.concatenate([one[:, 0] for one in series]))
    moments = moments[(moments >= first) & (moments <= last)]
    values = np.array([[np.interp(moments, one[:, 0], y) for y in one[:, 1:].T] for one in series])
    if len(runs) == 1:
        mean, low, high = values[0]
        return Course(moments, mean, low, high)
    means = values[:, 0]
    return Course(moments, means.mean(axis=0), means.min(axis=0), means.max(axis=0))


def _known(measurements: Sequence[Measurement], figure: Figure) -> NDArray[np.float64]:
    """float64[k, 4]: decisions, figure and the ends of its interval, itself where it has none."""
    rows = []
    for one in measurements:
        value, low, high = figure(one)
        if value is not None:
            ends = (value if end is None else end for end in (low, high))
            rows.append((one.decisions, value, *ends))
    return np.array(rows, np.float64).reshape(-1, 4)
