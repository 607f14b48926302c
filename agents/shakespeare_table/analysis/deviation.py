"""The cost of playing another move than a suggested one."""

from __future__ import annotations

from dataclasses import dataclass

from shakespeare_env.core.position import Position
from shakespeare_table.analysis.analyst import Analyst
from shakespeare_table.analysis.evaluation import Difference
from shakespeare_table.analysis.playouts import FORECAST_ROW, PositionPlayouts


@dataclass(frozen=True)
class Deviation:
    """The difference between a suggested move and the one that was played.

    Attributes:
        gain: How much better the suggested move is; negative if it is worse.
        row: The row of the score sheet that differs most in the same direction, and when its points
            come; empty without one.
        stored: The playouts in a compact form, from which later analyses go on.
    """

    gain: Difference
    row: str
    stored: bytes = b""


def judge_deviation(
    position: Position, suggested: str, played: str, analyst: Analyst, *, stored: bytes = b""
) -> Deviation:
    """Compare the move that was played with the suggested one.

    Args:
        position: The position.
        suggested: The suggested move.
        played: The move that was played.
        analyst: The agent that judges.
        stored: The playouts of earlier analyses of the position by this analyst.

    Raises:
        ValueError: A move is not legal, or the game is over.
    """
    known = PositionPlayouts(analyst, position, stored)
    gain = known.compare(suggested, played)
    better, worse = (suggested, played) if gain.amount > 0 else (played, suggested)
    # A forecast explains nothing.
    rows = [
        reason.row
        for reason in known.reasons(better, worse)
        if reason.gain > 0 and reason.row != FORECAST_ROW
    ]
    return Deviation(gain, rows[0] if rows else "", known.to_bytes())
