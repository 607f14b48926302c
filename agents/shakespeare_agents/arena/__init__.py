"""Evaluating agents and recording their games."""

from shakespeare_agents.arena.entrants import Entrant
from shakespeare_agents.arena.evaluate import evaluate
from shakespeare_agents.arena.result import EvaluationResult

__all__ = ["Entrant", "EvaluationResult", "evaluate"]
