"""Evaluating agents and recording their games."""

from shakespeare_agents.arena.entrants import Entrant
from shakespeare_agents.arena.evaluation import EvaluationResult, evaluate

__all__ = ["Entrant", "EvaluationResult", "evaluate"]
