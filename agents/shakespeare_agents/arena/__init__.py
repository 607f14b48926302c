"""Agents playing each other: evaluation, and recording games as datasets."""

from shakespeare_agents.arena.evaluate import Entrant, evaluate
from shakespeare_agents.arena.result import EvaluationResult

__all__ = ["Entrant", "EvaluationResult", "evaluate"]
