"""Who looks at a table, what they know of it, and what they can have explained."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from shakespeare_agents.table.live_table import Snapshot
from shakespeare_env import Position
from shakespeare_env.core.game import NO_SEAT
from shakespeare_env.play.course import Course
from shakespeare_env.play.named import YOU, with_names

_MOST = 4
"""The most names explained at once."""
_SEAT = re.compile(r"seat(\d+)")


@dataclass(frozen=True)
class Viewer:
    """Who looks at a table.

    Attributes:
        seats: The seats that the viewer holds; none for a spectator.
        revealed: Which of several seats on one screen has said that it looks.
    """

    seats: tuple[int, ...] = ()
    revealed: int | None = None

    def knows(self, now: Snapshot) -> int | None:
        """The knowledge to show: a seat's, a spectator's (`NO_SEAT`) or, in the end, all (None)."""
        if now.is_over:
            return None
        if len(self.seats) == 1:
            return self.seats[0]
        if self.revealed in self.seats and self.hidden_seat(now) is None:
            return self.revealed
        return NO_SEAT

    def hidden_seat(self, now: Snapshot) -> int | None:
        """The seat of this screen that must first say that it looks; None if none must."""
        to_move = now.position.to_move
        if len(self.seats) > 1 and to_move in self.seats and to_move != self.revealed:
            return to_move
        return None

    def decides(self, now: Snapshot) -> bool:
        """Whether the viewer chooses the next move and may see its cards."""
        return not now.is_over and self.knows(now) == now.position.to_move


def known(position: Position, knows: int | None) -> dict[str, Any]:
    """A position in notation, as one knows it (`Viewer.knows`)."""
    whole = position.to_dict()
    return whole if knows is None else position.game.seen_by(whole, knows)


def explained(now: Course, knows: int | None, words: str) -> list[tuple[str, str]]:
    """Names and what they do, as one knows it (`Viewer.knows`); the best first, few at most.

    Args:
        now: The game so far.
        knows: The viewer's knowledge.
        words: A name or a part of one, or a place of the board.
    """
    position = known(now.position, knows)
    topics = now.position.game.presentation.topics(position)
    found = [name for name in _names(position, words) if name in topics]
    if not found:
        plain = re.sub(r"\W+", "_", words.lower()).strip("_")
        found = (
            [name for name in topics if plain and plain in name.replace("-", "_")]
            or [name for name in topics if name in plain.split("_")]
            or get_close_matches(plain, topics, _MOST)
        )
    names = [YOU if seat == knows else name for seat, name in enumerate(now.names or ())]
    return [(name, with_names(topics[name], names)) for name in dict.fromkeys(found)][:_MOST]


def titled(name: str) -> str:
    """The name of a topic as a title, such as "Act II" or "Extra 1"."""
    words = re.sub(r"([a-z]{2,})(?=\d)", r"\1 ", re.sub(r"[\s_-]+", " ", name))
    words = re.sub(r"(?<=^act )i+$", lambda act: act[0].upper(), words)
    return words[:1].upper() + words[1:]


def _names(position: Mapping[str, Any], words: str) -> list[str]:
    """What a place or a name may be called: what lies there, then each of its parts."""
    parts = words.strip().lower().replace(" ", "_").split(".")
    inner: Any = position
    seat = _SEAT.fullmatch(parts[0])
    for step in ["seats", seat[1], *parts[1:]] if seat else parts:
        if isinstance(inner, Mapping):
            inner = inner.get(step)
        elif isinstance(inner, list) and step.isdigit() and int(step) < len(inner):
            inner = inner[int(step)]
        else:
            inner = None
    lies = inner.get("card") if isinstance(inner, Mapping) else inner
    names = [lies] if isinstance(lies, str) else []
    # Kinds of things, too: `costume` for `costumes`, `road` for `road2`.
    kinds = [re.sub(r"(s|\d+)$", "", part) for part in reversed(parts)]
    return [*names, *reversed(parts), "_".join(["act", *parts[1:2]]), *kinds]
