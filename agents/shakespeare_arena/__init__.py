"""Who is stronger: agents evaluated against each other, and fields of them ranked."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shakespeare_agents.naming import Entrant
    from shakespeare_arena.evaluation import EvaluationResult, evaluate

__all__ = ["Entrant", "EvaluationResult", "evaluate"]
_HOMES = {
    "Entrant": "shakespeare_agents.naming",
    "EvaluationResult": "shakespeare_arena.evaluation",
    "evaluate": "shakespeare_arena.evaluation",
}
"""The modules of public names, imported on first use because the compiler takes a while."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
