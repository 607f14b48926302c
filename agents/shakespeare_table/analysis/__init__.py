"""Agents' views of positions and whole games, for people who play or review.

A view of a decision uses only what its seat may know.
"""

from shakespeare_table.analysis.analyst import Analyst
from shakespeare_table.analysis.judging import (
    Line,
    Verdict,
    best_line,
    forecasts_of,
    of_all_seats,
    refined,
    verdict_on,
    verdicts,
)
from shakespeare_table.analysis.thoughts import reasons, thoughts

__all__ = [
    "Analyst",
    "Line",
    "Verdict",
    "best_line",
    "forecasts_of",
    "of_all_seats",
    "reasons",
    "refined",
    "thoughts",
    "verdict_on",
    "verdicts",
]
