"""Measurement of agents' strength: against each other, on a fixed scale, and in arenas."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shakespeare_agents.making import Entrant
    from shakespeare_arena.evaluation import Evaluation, EvaluationResult, evaluate

__all__ = ["Entrant", "Evaluation", "EvaluationResult", "evaluate"]


def __getattr__(name: str) -> Any:
    # Imported on first use because the compiler takes a while.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.evaluation"), name)
