"""The rules and the notation of the games, for whoever has to read them."""

from __future__ import annotations

import ast
import re

from shakespeare_env.core import registry

_ROW = re.compile(r"^\| (?P<number>[A-Z]+\d+\w*(?: Ruling)?) \| (?P<rule>.*?) \| `", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_REFERENCES = re.compile(r"^\[Shared by all games\].*$\n\n?", re.MULTILINE)


def rules(game: str) -> str:
    """A game's rules as Markdown, a line each with its number; ValueError without such a game."""
    if not registry.has_box(game):
        return f"# Rules of {game}\n\n{_said_by(game)}\n"
    lines = [f"- {row['number']}: {row['rule']}" for row in _ROW.finditer(_read(game, "RULES.md"))]
    return "\n".join([f"# Rules of {game}", "", *lines]) + "\n"


def notation(game: str) -> str:
    """How a game's moves and positions are written, as Markdown; ValueError without such a game."""
    if not registry.has_box(game):
        moves = registry.game(game).actions
        said = zip(moves.texts, moves.descriptions, strict=True)
        return "\n".join([f"# Moves of {game}", "", *(f"- `{t}`: {d}" for t, d in said)]) + "\n"
    return _LINK.sub(r"\1", _REFERENCES.sub("", _read(game, "NOTATION.md")))


def _said_by(game: str) -> str:
    """What the file of a game without a rule book says of itself."""
    return ast.get_docstring(ast.parse(registry.own_box(game).read_bytes())) or ""


def _read(game: str, file: str) -> str:
    return (registry.folder(game) / file).read_text(encoding="utf-8")
