"""What an agent would do in a person's place, knowing no more than the person; how one failed."""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np

from shakespeare_agents.naming import make
from shakespeare_env import IllegalMove, Position
from shakespeare_env.errors import own_steps
from shakespeare_env.play.agent import Advisor
from shakespeare_table.session import choose

_MOST = 5
_LEAST = 0.001
"""The most moves shown, and their least probability."""


def hint(position: Position, name: str) -> list[str]:
    """The best moves of the agent `name` for the seat to move, in words.

    Its generator is its own, so the game goes on as if it had not been asked.

    Raises:
        ValueError: there is no such agent, or it failed.
    """
    try:
        agent: Any = make(name, position.game)
    except (ValueError, TypeError, ImportError) as fault:
        raise ValueError(str(fault)) from fault
    try:
        if not isinstance(agent, Advisor):
            chosen = _numbered(position, choose(agent, position))
            return [f"{name} would play, and gives no probabilities:", f"  {chosen}"]
        seen = position.observation(position.to_move or 0)
        likely = agent.probabilities(seen[None], position.action_mask()[None])[0]
    except Exception as fault:  # an agent may be anybody's
        raise ValueError("\n".join(fault_lines(name, fault, position))) from fault
    order = [action for action in np.argsort(-likely, kind="stable") if likely[action] >= _LEAST]
    likeliest = [
        f"  {100 * likely[action]:5.1f} %  {_numbered(position, position.move_text(int(action)))}"
        for action in order[:_MOST]
    ]
    return [f"{name} would play, with these probabilities:", *likeliest]


def fault_lines(name: str, fault: Exception, position: Position) -> list[str]:
    """A fault of the agent called `name`, asked for a move in a position.

    The first line says what it is, the others where it is in the agent's own code.
    """
    if isinstance(fault, IllegalMove):
        chosen = fault.move
        if not isinstance(chosen, str) and 0 <= chosen < position.game.actions.size:
            chosen = position.move_text(chosen)
        return [f"{name} chose the illegal move {chosen}"]
    steps = "".join(traceback.format_list(own_steps(fault))).splitlines()
    return [f"{name} failed: {type(fault).__name__}: {fault}", *steps]


def _numbered(position: Position, move: str) -> str:
    return f"{position.moves().index(move) + 1}  {position.describe_move(move)}  ({move})"
