"""A game's rules and notation as text, read from the game's own files."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import NamedTuple

from shakespeare_env.core import registry

_RULE = re.compile(r"^\| ([A-Z]+\d+\w?)( Ruling)? \| ([^|]+) \|", re.MULTILINE)
"""A row of a table of rules: `| A3 Ruling | text | ...`."""
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_REFERENCE_TO_SHARED_NOTATION = re.compile(r"^\[Shared by all games\].*$\n\n?", re.MULTILINE)


class NumberedRule(NamedTuple):
    """A rule of a game's `RULES.md`."""

    number: str
    text: str
    is_ruling: bool  # whether it settles what the rule book leaves open


@cache
def numbered_rules(game: str) -> list[NumberedRule]:
    """Return the rules of a game's `RULES.md` in order, or none if there is no such file."""
    # A game with a box has a folder of files. A game without one is a single Python file.
    if not registry.has_box(game):
        return []
    file = registry.folder(game) / "RULES.md"
    if not file.is_file():
        return []
    rows = _RULE.findall(file.read_text(encoding="utf-8"))
    return [NumberedRule(number, text, bool(ruling)) for number, ruling, text in rows]


def rules_text(game: str) -> str:
    """Return a game's rules as Markdown, with a line for each numbered rule.

    Raises:
        ValueError: there is no such game.
    """
    if registry.has_box(game):
        lines = [
            f"- {rule.number}{' Ruling' if rule.is_ruling else ''}: {rule.text}"
            for rule in numbered_rules(game)
        ]
    else:
        # For a game without a box, `own_box` returns the Python file that defines the game. The
        # docstring of this file states the rules.
        python_file = registry.own_box(game)
        lines = [ast.get_docstring(ast.parse(python_file.read_bytes())) or ""]
    return "\n".join([f"# Rules of {game}", "", *lines]) + "\n"


def notation_text(game: str) -> str:
    """Return a description of how a game's moves and positions are written, as Markdown.

    Raises:
        ValueError: there is no such game.
    """
    if registry.has_box(game):
        text = (registry.folder(game) / "NOTATION.md").read_text(encoding="utf-8")
        return _LINK.sub(r"\1", _REFERENCE_TO_SHARED_NOTATION.sub("", text))
    actions = registry.game(game).actions
    lines = [
        f"- `{text}`: {description}"
        for text, description in zip(actions.texts, actions.descriptions, strict=True)
    ]
    return "\n".join([f"# Moves of {game}", "", *lines]) + "\n"
