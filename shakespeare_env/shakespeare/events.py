"""What a move and all that follows it by itself does, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.game import Event


def events(before: Mapping[str, Any], move: str | None, after: Mapping[str, Any]) -> list[Event]:
    """Every change of prestige and pounds."""
    told = []
    for seat, (old, new) in enumerate(zip(before["seats"], after["seats"], strict=True)):
        points, pounds = new["prestige"] - old["prestige"], new["pounds"] - old["pounds"]
        if points:
            told.append(Event(seat, f"{points:+d} prestige", "prestige", points))
        if pounds:
            told.append(Event(seat, f"{pounds:+d} £", counters={"pounds": pounds}))
    return told
