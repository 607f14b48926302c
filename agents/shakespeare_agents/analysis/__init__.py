"""Agents' views of positions and whole games, for people who play or review.

A view of a decision uses only what its seat may know.
"""

from shakespeare_agents.analysis.analyst import Analyst
from shakespeare_agents.analysis.forecasting import forecasts_of, of_all_seats
from shakespeare_agents.analysis.judging import Verdict, refined, verdict_on, verdicts
from shakespeare_agents.analysis.lines import Line, best_line
from shakespeare_agents.analysis.thoughts import MoveThought, Thoughts, thoughts

__all__ = [
    "Analyst",
    "Line",
    "MoveThought",
    "Thoughts",
    "Verdict",
    "best_line",
    "forecasts_of",
    "of_all_seats",
    "refined",
    "thoughts",
    "verdict_on",
    "verdicts",
]
