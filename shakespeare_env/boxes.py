"""Plausible boxes: files of printed facts that a real copy of a game could have.

A game's `box/plausible.py` lists the constraints that a plausible box meets, each with its source.
Its `box/prior.py` draws facts, group by group.
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
"""A function that takes a box and yields what is wrong with it, in words."""
Changes = Iterator[tuple[Keys, Any]]
"""The entries of a box file that a draw changes: their keys and their new values."""
Groups = Mapping[str, Callable[[np.random.Generator, Mapping[str, Any]], Changes]]
"""The groups of facts by name, each with the function that draws it.

The function takes a generator and the package's own box file, and yields changes.
"""

_MOST_DRAWS = 1000  # attempts to draw one plausible box before `BoxError` is raised
_DRAWS_OF_GROUP = 16  # enough draws of a group to see every fact that it changes


@dataclass(frozen=True)
class Constraint:
    """A constraint that holds for every copy of a game.

    Attributes:
        name: The constraint's name.
        description: The constraint in words.
        source: The place where it can be read, such as a page of the rule book.
        faults: A function that finds what violates it in a box.
    """

    name: str
    description: str
    source: str
    faults: FaultFinder


class Constraints(list[Constraint]):
    """The constraints of a game, in the order of their definition."""

    def from_source(self, source: str) -> Callable[[FaultFinder], FaultFinder]:
        """Return a decorator that adds a constraint, described by the function's docstring."""

        def add(finder: FaultFinder) -> FaultFinder:
            name = finder.__name__.replace("_", " ").strip()
            self.append(Constraint(name, inspect.getdoc(finder) or "", source, finder))
            return finder

        return add

    def violated_by(self, box: Any) -> list[tuple[Constraint, list[str]]]:
        """Return the constraints that a box violates, each with its faults."""
        faults_of_all = [(constraint, list(constraint.faults(box))) for constraint in self]
        return [(constraint, faults) for constraint, faults in faults_of_all if faults]


def must_equal(fact: object, wanted: object, what: str) -> Iterator[str]:
    """Yield a fault if a fact differs from the value that every copy has."""
    if fact != wanted:
        yield f"{what}: {fact}, not {wanted}"


def constraints(game: str) -> Constraints:
    """Return the constraints that hold for every copy of a game."""
    of_game: Constraints = _box_module(game, "plausible").CONSTRAINTS
    return of_game


def fact_groups(game: str) -> dict[Keys, str]:
    """Return the group of each fact that the prior draws, by the fact's keys in the file."""
    facts = tomllib.loads(registry.own_box(game).read_text("utf-8"))
    groups: dict[Keys, str] = {}
    for group, draw in _box_module(game, "prior").GROUPS.items():
        for seed in range(_DRAWS_OF_GROUP):
            for keys, _ in draw(np.random.default_rng(seed), facts):
                groups[keys] = group
    return groups


def violated_constraints(game: str, path: Path) -> list[tuple[Constraint, list[str]]]:
    """Return the constraints that a box file violates, each with its faults.

    Errors are those of `read_box`.
    """
    box = read_box(type(_box_module(game, "tables").BOX), registry.folder(game), path)
    return constraints(game).violated_by(box)


def sample_box(game: str, seed: int, number: int, drawn: Collection[str] | None = None) -> str:
    """Draw a plausible box: the package's own box, with some groups of facts drawn anew.

    Equal arguments give equal boxes. A drawn box always differs from the package's own, but two
    boxes of an ensemble may be equal.

    Args:
        game: The game.
        seed: The seed of the ensemble.
        number: The number of the box in the ensemble.
        drawn: The groups of facts to draw; None draws all.

    Returns:
        The box as a TOML document.

    Raises:
        ValueError: there is no such group, or `drawn` is empty.
        BoxError: the prior yields no plausible box.
        ModuleNotFoundError: tomlkit is missing.
    """
    with requires_extra("table", "boxes are written with"):
        import tomlkit

    own = registry.own_box(game)
    draws = _chosen_groups(game, drawn).values()
    text = own.read_text("utf-8")
    model = type(_box_module(game, "tables").BOX)
    facts = tomllib.loads(text)
    rng = np.random.default_rng([seed, number])
    for _ in range(_MOST_DRAWS):
        document: Any = tomlkit.parse(text)
        is_new = False
        for draw in draws:
            for keys, value in draw(rng, facts):
                entry = value
                if isinstance(value, Mapping):
                    entry = tomlkit.inline_table() | dict(value)
                fact_at(document, keys[:-1])[keys[-1]] = entry
                is_new |= differ(document, facts, keys)
        if not is_new:
            continue

        with suppress(BoxError):
            box = checked_box(model, document.unwrap(), own)
            if not constraints(game).violated_by(box):
                head = f"# Box {number} of seed {seed}: reconstructed facts are drawn.\n"
                return head + str(tomlkit.dumps(document))
    raise BoxError(f"no box in {_MOST_DRAWS} draws is new and plausible; the prior is at fault")


def _chosen_groups(game: str, drawn: Collection[str] | None) -> Groups:
    groups: Groups = _box_module(game, "prior").GROUPS
    if drawn is None:
        return groups

    for name in drawn:
        if name not in groups:
            raise ValueError(f"there is no group {short_repr(name)}{did_you_mean(name, groups)}")
    if not drawn:
        raise ValueError(f"no group is drawn; name some of {', '.join(groups)}")
    return {name: draw for name, draw in groups.items() if name in drawn}


def fact_at(box: Any, keys: Keys) -> Any:
    """Return an entry of a parsed box file, or None if it has no such entry."""
    for key in keys:
        if isinstance(box, Mapping) and key not in box:
            return None
        box = box[key]  # of a table, or of a list by its index
    return box


def differ(one: Any, other: Any, keys: Keys) -> bool:
    """Return whether two boxes differ in a fact. A fact that a box lacks counts as 0 or false."""
    return bool((fact_at(one, keys) or 0) != (fact_at(other, keys) or 0))


def _box_module(game: str, module: str) -> Any:
    registry.folder(game)  # refuses unknown games and games without a box
    return import_module(f"shakespeare_env.{game}.box.{module}")


def box_file_names(count: int) -> Iterable[str]:
    """Return the file names of an ensemble of boxes."""
    digits = max(3, len(str(count - 1)))
    return (f"box-{number:0{digits}}.toml" for number in range(count))
