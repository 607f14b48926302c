"""Finding where two values differ."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from shakespeare_env.equality.trace import Setting
from shakespeare_env.errors import ShakespeareEnvError


class DifferenceError(ShakespeareEnvError, AssertionError):
    """Two views differ; the message says which, where and how."""


@dataclass
class Comparison:
    """Compares a view with the batch and counts equal decisions."""

    view: str
    setting: Setting
    decisions: int = 0

    def same(self, what: str, expected: object, found: object, row: int = 0) -> None:
        """Raise `DifferenceError` unless two values are equal in elements and type."""
        one, other = np.asarray(expected), np.asarray(found)
        if one.shape == other.shape and one.dtype == other.dtype and (one == other).all():
            return
        where = ""
        if one.shape == other.shape and one.ndim:
            where = f", first at {np.argwhere(one != other)[:1].tolist()}"
        raise DifferenceError(
            f"{self.view}: {what} differs from the batch's in row {row} after {self.decisions} "
            f"decisions of {self.setting}{where}: expected {expected!r}, found {found!r}"
        )

    def same_rows(self, what: str, expected: Iterable[object], found: Iterable[object]) -> None:
        """Raise `DifferenceError` unless all rows are the same."""
        for row, (one, other) in enumerate(zip(expected, found, strict=True)):
            self.same(what, one, other, row)
