"""What a move and all that follows it by itself does, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.game import Event


def events(before: Mapping[str, Any], move: str | None, after: Mapping[str, Any]) -> list[Event]:
    """Every change of a road."""
    told = []
    for seat, (old, new) in enumerate(zip(before["roads"], after["roads"], strict=True)):
        if longer := sum(new) - sum(old):
            told.append(Event(seat, f"road {longer:+d}", "road", -longer))
    return told
