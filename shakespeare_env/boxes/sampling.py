"""Plausible boxes checked, and drawn into files."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from shakespeare_env.boxes.plausibility import Constraint, Constraints
from shakespeare_env.checks.box_entries import Keys
from shakespeare_env.checks.values import meant, shown
from shakespeare_env.core import registry
from shakespeare_env.errors import BoxError
from shakespeare_env.extras import needing

_MOST_DRAWS = 1000
"""Draws of one box before a prior is at fault."""
_LOOKS = 16
"""Draws of a group that show all its facts."""


def constraints(game: str) -> Constraints:
    """What holds for every copy of a game."""
    found: Constraints = _of(game, "plausible").CONSTRAINTS
    return found


def groups(game: str) -> tuple[str, ...]:
    """The groups of facts that are drawn."""
    return tuple(_of(game, "prior").GROUPS)


def facts_by_group(game: str) -> dict[Keys, str]:
    """The groups of all facts that are ever drawn, by the facts' keys in the file."""
    facts = tomllib.loads(registry.own_box(game).read_text("utf-8"))
    known = _of(game, "prior").GROUPS
    return {
        keys: group
        for group, draw in known.items()
        for seed in range(_LOOKS)
        for keys, _ in draw(np.random.default_rng(seed), facts)
    }


def violated(game: str, path: Path) -> list[tuple[Constraint, list[str]]]:
    """The constraints that a box file violates, with what is wrong.

    Raises:
        BoxError: the file cannot be read, or an entry is wrong.
    """
    return constraints(game).violated(_of(game, "loading").load_box(path))


def sample_box(game: str, seed: int, number: int, drawn: Collection[str] | None = None) -> str:
    """A plausible box as a TOML document: the package's own, some groups of facts drawn anew.

    Equal arguments give equal boxes. A box differs from the package's own in some fact, but boxes
    of an ensemble may be equal, above all if only a small group is drawn.

    Args:
        game: Its name.
        seed: Of the ensemble.
        number: Of the box in it.
        drawn: The groups of facts to draw; None draws all.

    Raises:
        ValueError: there is no such group, or none is named.
        ModuleNotFoundError: tomlkit is missing.
    """
    with needing("table", "boxes are written with"):
        import tomlkit

        from shakespeare_env.boxes.document import as_file, put_at

    known = _of(game, "prior").GROUPS
    for group in drawn or ():
        if group not in known:
            raise ValueError(f"there is no group {shown(group)}{meant(group, known)}")
    chosen = known if drawn is None else {group: known[group] for group in known if group in drawn}
    if not chosen:
        raise ValueError(f"no group is drawn; name some of {', '.join(known)}")
    text = registry.own_box(game).read_text("utf-8")
    facts = tomllib.loads(text)
    rng = np.random.default_rng([seed, number])
    for _ in range(_MOST_DRAWS):
        document: Any = tomlkit.parse(text)
        moved = False
        for draw in chosen.values():
            for keys, value in draw(rng, facts):
                put_at(document, keys, value)
                moved |= differ(document, facts, keys)
        if not moved:
            continue
        written = f"# Box {number} of seed {seed}: reconstructed facts are drawn.\n" + str(
            tomlkit.dumps(document)
        )
        with as_file(written) as path, suppress(BoxError):
            if not violated(game, path):
                return written
    raise BoxError(f"no box in {_MOST_DRAWS} draws is new and plausible; the prior is at fault")


def fact_at(box: Any, keys: Keys) -> Any:
    """An entry of a box file; None if it is not there."""
    for key in keys:
        if isinstance(box, Mapping) and key not in box:
            return None
        box = box[key]
    return box


def differ(one: Any, other: Any, keys: Keys) -> bool:
    """Whether boxes differ in a fact, one that is not there being 0 or false."""
    return bool((fact_at(one, keys) or 0) != (fact_at(other, keys) or 0))


def _of(game: str, module: str) -> Any:
    registry.folder(game)  # refuses unknown games, and those without a box
    return import_module(f"shakespeare_env.{game}.box.{module}")


def names_of(count: int) -> Iterable[str]:
    """File names of an ensemble's boxes."""
    digits = max(3, len(str(count - 1)))
    return (f"box-{number:0{digits}}.toml" for number in range(count))
