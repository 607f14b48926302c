"""An agent's fault in a few lines: a traceback is cut to the steps through its own file."""

from __future__ import annotations

import traceback

from shakespeare_env import IllegalMove, Position
from shakespeare_env.agent_faults import own_steps


def fault_lines(name: str, fault: Exception, position: Position) -> list[str]:
    """A fault of the agent called `name`, asked for a move in a position.

    The first line says what it is, the others where it is in the agent's own code.
    """
    if isinstance(fault, IllegalMove):
        return [f"{name} chose {_chosen(fault, position)}"]
    where = traceback.format_list(own_steps(fault))
    steps = [line for step in where for line in step.rstrip("\n").splitlines()]
    return [f"{name} failed: {type(fault).__name__}: {fault}", *steps]


def _chosen(fault: IllegalMove, position: Position) -> str:
    action = fault.move
    if isinstance(action, str):
        return f"the illegal move {action}"
    if not 0 <= action < position.game.actions.size:
        return f"action {action}; there are actions 0 to {position.game.actions.size - 1}"
    return f"the illegal move {position.move_text(action)}"
