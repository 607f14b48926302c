"""The cost of playing another move than a suggested one."""

from __future__ import annotations

from dataclasses import dataclass

from shakespeare_env.core.position import Position
from shakespeare_table.analysis.analyst import Analyst
from shakespeare_table.analysis.evaluation import Difference
from shakespeare_table.analysis.playouts import PositionPlayouts
from shakespeare_table.analysis.reasons import Reasons


@dataclass(frozen=True)
class Deviation:
    """The difference between a suggested move and the one that was played.

    Attributes:
        gain: How much better the suggested move is; negative if it is worse.
        reasons: Why the better one of the two moves is better.
        stored: The playouts in a compact form, from which later analyses go on.
    """

    gain: Difference
    reasons: Reasons
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
    return Deviation(gain, known.reasons(better, worse), known.to_bytes())
