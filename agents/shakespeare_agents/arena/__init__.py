"""Evaluating agents and recording their games."""

from shakespeare_agents.arena.entrants import Entrant
from shakespeare_agents.arena.evaluation.result import EvaluationResult
from shakespeare_agents.arena.evaluation.series import evaluate

__all__ = ["Entrant", "EvaluationResult", "evaluate"]
