"""A game's rules, and how its moves and positions are written, from its own files."""

from __future__ import annotations

import ast
import re
from functools import cache

from shakespeare_env.core import registry

_ROW = re.compile(r"^\| ([A-Z]+\d+\w?)( Ruling)? \| ([^|]+) \|", re.M)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_REFERENCES = re.compile(r"^\[Shared by all games\].*$\n\n?", re.MULTILINE)


@cache
def rules_of(game: str) -> list[tuple[str, str, bool]]:
    """(number, rule, whether the book leaves it open) of a game's `RULES.md`, in order."""
    if not registry.has_box(game) or not (file := registry.folder(game) / "RULES.md").is_file():
        return []
    rows = _ROW.findall(file.read_text(encoding="utf-8"))
    return [(number, rule, bool(ruling)) for number, ruling, rule in rows]


def rules(game: str) -> str:
    """A game's rules as Markdown, a line each with its number; ValueError without such a game."""
    if registry.has_box(game):
        lines = [f"- {number}{' Ruling' * open_}: {rule}" for number, rule, open_ in rules_of(game)]
    else:  # what the game's file says of itself
        lines = [ast.get_docstring(ast.parse(registry.own_box(game).read_bytes())) or ""]
    return "\n".join([f"# Rules of {game}", "", *lines]) + "\n"


def notation(game: str) -> str:
    """How a game's moves and positions are written, as Markdown; ValueError without such a game."""
    if registry.has_box(game):
        text = (registry.folder(game) / "NOTATION.md").read_text(encoding="utf-8")
        return _LINK.sub(r"\1", _REFERENCES.sub("", text))
    moves = registry.game(game).actions
    described = zip(moves.texts, moves.descriptions, strict=True)
    return "\n".join([f"# Moves of {game}", "", *(f"- `{t}`: {d}" for t, d in described)]) + "\n"
