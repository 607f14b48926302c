"""What others do not see of positions and moves (Rules D3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.core.game import UNKNOWN


def seen_by(position: Mapping[str, Any], seat: int) -> dict[str, Any]:
    """A position as a seat sees it: what `record/observe.py` never reads is `UNKNOWN`.

    So is the whole objective pile: text does not say who put cards back.
    """
    seen = {**position, "objective_deck": _unknown(position["objective_deck"])}
    if position["phase"] == "objective" and position["to_move"] != seat:
        seen["pending"] = {"drawn": _unknown(position["pending"]["drawn"])}
    seen["seats"] = [
        entry if other == seat else _from_outside(entry, position["phase"])
        for other, entry in enumerate(position["seats"])
    ]
    return seen


def _from_outside(entry: Mapping[str, Any], phase: str) -> dict[str, Any]:
    """A seat as others see it: that it has chosen, not what."""
    seen = {**entry, "objectives": _unknown(entry["objectives"])}
    for choice in ("kept", *(["wager"] if phase == "wager" else [])):
        if entry[choice] is not None:
            seen[choice] = UNKNOWN
    return seen


def _unknown(cards: list[str]) -> list[str]:
    return [UNKNOWN] * len(cards)


def is_secret(position: Mapping[str, Any], move: str) -> bool:
    """Whether others cannot see this move: wagers, objectives, secret rest choices."""
    kind = move.partition(":")[0]
    return kind in ("wager", "objective") or (kind == "keep" and not position["strategic_rest"])
