"""Plausible boxes: the printed facts that a copy of a game could have.

A game's `box/plausible.py` says by constraints what is plausible, each with its source. Its
`box/prior.py` says how facts are drawn, group by group.
"""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from shakespeare_env.checks.box_files import Keys, checked_box, read_box
from shakespeare_env.checks.values import did_you_mean, short_repr
from shakespeare_env.core import registry
from shakespeare_env.errors import BoxError
from shakespeare_env.extras import requires_extra

FaultFinder = Callable[[Any], Iterable[str]]
"""A function from a box to what is wrong with it, in words."""
Changes = Iterator[tuple[Keys, Any]]
"""Entries of a box file, by their keys, with their values."""
Groups = Mapping[str, Callable[[np.random.Generator, Mapping[str, Any]], Changes]]
"""Groups of facts, each drawn by a function (generator, the package's own box file) -> changes."""

_MOST_DRAWS = 1000  # the draws of one box after which the prior is at fault
_LOOKS = 16  # the draws of a group that show all its facts


@dataclass(frozen=True)
class Constraint:
    """A constraint that holds for every copy of a game.

    Attributes:
        name: The constraint's name.
        says: The constraint in words.
        source: Where it can be read.
        faults: What in a box violates it.
    """

    name: str
    says: str
    source: str
    faults: FaultFinder


class Constraints(list[Constraint]):
    """The constraints of a game, in the order of their definition."""

    def from_source(self, source: str) -> Callable[[FaultFinder], FaultFinder]:
        """Return a decorator that adds a function as a constraint, with its name and docstring."""

        def add(finder: FaultFinder) -> FaultFinder:
            name = finder.__name__.replace("_", " ").strip()
            self.append(Constraint(name, inspect.getdoc(finder) or "", source, finder))
            return finder

        return add

    def violated(self, box: Any) -> list[tuple[Constraint, list[str]]]:
        """Return the constraints that a box violates, with what is wrong."""
        found = [(constraint, list(constraint.faults(box))) for constraint in self]
        return [(constraint, faults) for constraint, faults in found if faults]


def must_equal(fact: object, wanted: object, what: str) -> Iterator[str]:
    """Yield a fault unless a fact is what every copy has."""
    if fact != wanted:
        yield f"{what}: {fact}, not {wanted}"


def constraints(game: str) -> Constraints:
    """Return what holds for every copy of a game."""
    all_of_them: Constraints = _of(game, "plausible").CONSTRAINTS
    return all_of_them


def fact_groups(game: str) -> dict[Keys, str]:
    """Return the group of each fact that is ever drawn, by the fact's keys in the file."""
    facts = tomllib.loads(registry.own_box(game).read_text("utf-8"))
    groups: dict[Keys, str] = {}
    for group, draw in _of(game, "prior").GROUPS.items():
        for seed in range(_LOOKS):
            for keys, _ in draw(np.random.default_rng(seed), facts):
                groups[keys] = group
    return groups


def violated_constraints(game: str, path: Path) -> list[tuple[Constraint, list[str]]]:
    """Return the constraints that a box file violates, with what is wrong.

    Errors are those of `read_box`.
    """
    box = read_box(type(_of(game, "tables").BOX), registry.folder(game), path)
    return constraints(game).violated(box)


def sample_box(game: str, seed: int, number: int, drawn: Collection[str] | None = None) -> str:
    """Draw a plausible box: the package's own, with some groups of facts drawn anew.

    Equal arguments give equal boxes. A box differs from the package's own, but two boxes of an
    ensemble may be equal.

    Args:
        game: The game.
        seed: The seed of the ensemble.
        number: The number of the box in the ensemble.
        drawn: The groups of facts to draw; None draws all.

    Returns:
        The box as a TOML document.

    Raises:
        ValueError: there is no such group, or none is named.
        BoxError: the prior yields no plausible box.
        ModuleNotFoundError: tomlkit is missing.
    """
    with requires_extra("table", "boxes are written with"):
        import tomlkit

    own = registry.own_box(game)
    known = _of(game, "prior").GROUPS
    for group in drawn or ():
        if group not in known:
            raise ValueError(f"there is no group {short_repr(group)}{did_you_mean(group, known)}")
    chosen = known if drawn is None else {group: known[group] for group in known if group in drawn}
    if not chosen:
        raise ValueError(f"no group is drawn; name some of {', '.join(known)}")
    text = own.read_text("utf-8")
    kind = type(_of(game, "tables").BOX)
    facts = tomllib.loads(text)
    rng = np.random.default_rng([seed, number])
    for _ in range(_MOST_DRAWS):
        document: Any = tomlkit.parse(text)
        moved = False
        for draw in chosen.values():
            for keys, value in draw(rng, facts):
                entry = value
                if isinstance(value, Mapping):
                    entry = tomlkit.inline_table() | dict(value)
                fact_at(document, keys[:-1])[keys[-1]] = entry
                moved |= differ(document, facts, keys)
        if not moved:
            continue
        with suppress(BoxError):
            box = checked_box(kind, document.unwrap(), own)
            if not constraints(game).violated(box):
                head = f"# Box {number} of seed {seed}: reconstructed facts are drawn.\n"
                return head + str(tomlkit.dumps(document))
    raise BoxError(f"no box in {_MOST_DRAWS} draws is new and plausible; the prior is at fault")


def fact_at(box: Any, keys: Keys) -> Any:
    """Return an entry of a box file, or None if it is not there."""
    for key in keys:
        if isinstance(box, Mapping) and key not in box:
            return None
        box = box[key]
    return box


def differ(one: Any, other: Any, keys: Keys) -> bool:
    """Return whether boxes differ in a fact; one that is not there is 0 or false."""
    return bool((fact_at(one, keys) or 0) != (fact_at(other, keys) or 0))


def _of(game: str, module: str) -> Any:
    registry.folder(game)  # refuses unknown games, and those without a box
    return import_module(f"shakespeare_env.{game}.box.{module}")


def box_file_names(count: int) -> Iterable[str]:
    """Return the file names of an ensemble's boxes."""
    digits = max(3, len(str(count - 1)))
    return (f"box-{number:0{digits}}.toml" for number in range(count))
