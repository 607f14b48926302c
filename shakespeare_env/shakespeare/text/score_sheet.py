"""The parts of a score, as far as a position shows them.

Prestige on the track does not say where it came from; the events of a game do
(`score_sheet.from_events`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.shakespeare.box.tables import UNPAID
from shakespeare_env.shakespeare.rules.objective_values import yellow_elements


def score_sheet(position: Mapping[str, Any]) -> list[tuple[str, list[int]]]:
    """Prestige by source, a column per seat: so far, or once over what the end added (Rules F).

    Objectives stay with what came before: what was given up for one cannot be seen any more.
    """
    seats = position["seats"]
    prestige = [seat["prestige"] for seat in seats]
    if position["phase"] != "over":
        return [("so far", prestige)]
    yellow = [yellow_elements(seat) for seat in seats]
    unpaid = [UNPAID * seat["unpaid"] for seat in seats]
    before = [total - won - lost for total, won, lost in zip(prestige, yellow, unpaid, strict=True)]
    return [
        ("in play, and objectives", before),
        ("yellow elements", yellow),
        ("unpaid wages", unpaid),
    ]
