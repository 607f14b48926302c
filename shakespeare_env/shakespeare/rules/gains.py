"""Prestige and pounds, which stop at `MOST` so that they stay numbers of the record."""

from __future__ import annotations

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.shakespeare.state import MOST


@rule
def gain_prestige(game: Record, seat: int, points: int) -> None:
    """Score prestige, or lose it (Rules F4)."""
    game["prestige"][seat] = min(max(game["prestige"][seat] + points, -MOST), MOST)


@rule
def gain_pounds(game: Record, seat: int, pounds: int) -> None:
    """Take pounds from the supply."""
    game["pounds"][seat] = min(game["pounds"][seat] + pounds, MOST)
