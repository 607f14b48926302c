"""Whether what was made with a game's printed facts fits those in force."""

from __future__ import annotations

import shlex
from contextlib import suppress
from pathlib import Path

from shakespeare_env.checks.box_files import differing_facts, facts_digest
from shakespeare_env.core import registry
from shakespeare_env.core.game import Game
from shakespeare_env.errors import BoxError

_MOST_FACTS = 5
"""The most facts that a message names."""


def game_saved(name: str, digest: str) -> Game:
    """The game that something was saved from under a digest; BoxError if its facts differ now."""
    loaded = registry.game(name)
    if fault := box_fault(name, digest):
        raise BoxError(f"this comes from {name}, {fault}")
    return loaded


def box_fault(name: str, digest: str, copy: Path | None = None) -> str | None:
    """Why something made with a box cannot be used with the one in force, and the remedy, in words.

    None where both have the same facts. The game is not loaded. `copy` is a file of the former box,
    if one was kept.

    Raises:
        ValueError: there is no such game.
        BoxError: the box in force is invalid.
    """
    in_force, box = registry.digest_in_force(name), registry.box_in_force(name)
    if digest == in_force:
        return None
    if not registry.has_box(name):
        return f"made with another version of {box}; use the file it was made with"
    own, variable = registry.own_box(name), f"{name.upper()}_BOX"
    bundled = facts_digest(own.parent, own)
    if digest == bundled:
        return (
            f"made with the package's own box, but {box} is in force{_how(box, own)}; "
            f"unset {variable}"
        )
    shown_box = "the package's own" if in_force == bundled else box
    remedy = (
        f"set {variable} to the box it was made with"
        if copy is None
        else f"set {variable}={shlex.quote(str(copy))}, the copy of its box"
    )
    return f"made with another box than {shown_box}, which is in force; {remedy}"


def _how(box: Path, own: Path) -> str:
    """The facts in which a box differs from the package's own, as far as it can still be read."""
    facts: list[str] = []
    with suppress(BoxError):
        facts = differing_facts(own.parent, box)
    more = f" and {len(facts) - _MOST_FACTS} more" if len(facts) > _MOST_FACTS else ""
    return f", which differs in {', '.join(facts[:_MOST_FACTS])}{more}" if facts else ""
