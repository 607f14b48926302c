"""What a card, a move or a thing on the board does, by its name or by where it lies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from shakespeare_agents.table.live_table import Snapshot
from shakespeare_agents.table.seeing import known

_MOST = 4
_SEAT = re.compile(r"seat(\d+)")


def explained(now: Snapshot, knows: int | None, words: str) -> list[tuple[str, str]]:
    """Names and what they do, as one knows it (`Viewer.knows`); the best first, few at most.

    Args:
        now: The table.
        knows: The viewer's knowledge (see `Viewer.knows`).
        words: A name or a part of one, or a place of the board.
    """
    position = known(now.position, knows)
    topics = now.position.game.presentation.topics(position)
    found = [name for name in _names(position, words) if name in topics]
    if not found:
        plain = re.sub(r"[\s_-]+", "_", words.strip().lower())
        found = [name for name in topics if plain and plain in name.replace("-", "_")]
    return [(name, topics[name]) for name in dict.fromkeys(found)][:_MOST]


def _names(position: Mapping[str, Any], words: str) -> list[str]:
    """What a place or a name may be called: what lies there, then each of its parts."""
    parts = words.strip().lower().replace(" ", "_").split(".")
    inner: Any = position
    seat = _SEAT.fullmatch(parts[0])
    steps = ["seats", seat[1], *parts[1:]] if seat else parts
    for step in steps:
        if isinstance(inner, Mapping) and step in inner:
            inner = inner[step]
        elif isinstance(inner, list) and step.isdigit() and int(step) < len(inner):
            inner = inner[int(step)]
        else:
            inner = None
            break
    lies = inner.get("card") if isinstance(inner, Mapping) else inner
    names = [lies] if isinstance(lies, str) else []
    return [*names, *reversed(parts), "_".join(["act", *parts[1:2]]), *_kinds(parts)]


def _kinds(parts: list[str]) -> list[str]:
    """Names of kinds of things: `costume` for `costumes`, `road` for `road2`."""
    return [re.sub(r"(s|\d+)$", "", part) for part in reversed(parts)]
