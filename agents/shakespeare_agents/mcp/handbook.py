"""The rules and the notation of the games, for whoever has to read them."""

from __future__ import annotations

import re

from shakespeare_env import registry

_ROW = re.compile(r"^\| (?P<number>[A-Z]+\d+\w*(?: Ruling)?) \| (?P<rule>.*?) \| `", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_REFERENCES = re.compile(r"^\[Shared by all games\].*$\n\n?", re.MULTILINE)


def rules(game: str) -> str:
    """A game's rules as Markdown, a line each with its number; ValueError without such a game."""
    lines = [f"- {row['number']}: {row['rule']}" for row in _ROW.finditer(_read(game, "RULES.md"))]
    return "\n".join([f"# Rules of {game}", "", *lines]) + "\n"


def notation(game: str) -> str:
    """How a game's moves and positions are written, as Markdown; ValueError likewise."""
    return _LINK.sub(r"\1", _REFERENCES.sub("", _read(game, "NOTATION.md")))


def _read(game: str, file: str) -> str:
    return (registry.folder(game) / file).read_text(encoding="utf-8")
