"""What a plausible box is, by constraints with a source each, and how facts are drawn."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from shakespeare_env.checks.box_entries import Keys

Finder = Callable[[Any], Iterable[str]]
"""From a box to what is wrong with it, in words."""
Changes = Iterator[tuple[Keys, Any]]
"""Entries by their keys in the file, and their values."""
Groups = Mapping[str, Callable[[np.random.Generator, Mapping[str, Any]], Changes]]
"""Groups of facts, each drawn by itself: (generator, the package's own box file) -> changes."""


@dataclass(frozen=True)
class Constraint:
    """Something that holds for every copy of the game.

    Attributes:
        name: In words.
        says: What has to hold.
        source: Where it is read, or what it follows from.
        faults: (box) -> what violates it.
    """

    name: str
    says: str
    source: str
    faults: Finder


class Constraints:
    """The constraints of a game, in the order of their definition."""

    def __init__(self) -> None:
        self._found: list[Constraint] = []

    def __iter__(self) -> Iterator[Constraint]:
        return iter(self._found)

    def from_source(self, source: str) -> Callable[[Finder], Finder]:
        """Make a constraint of a function: its name, its docstring and what it finds."""

        def add(finder: Finder) -> Finder:
            name = finder.__name__.replace("_", " ").strip()
            self._found.append(Constraint(name, inspect.getdoc(finder) or "", source, finder))
            return finder

        return add

    def violated(self, box: Any) -> list[tuple[Constraint, list[str]]]:
        """The constraints that a box violates, with what is wrong."""
        found = [(one, list(one.faults(box))) for one in self]
        return [(one, faults) for one, faults in found if faults]


def unless(found: object, wanted: object, what: str) -> Iterator[str]:
    """A fault if a fact is not what every copy has."""
    if found != wanted:
        yield f"{what}: {found}, not {wanted}"
