"""What an agent would do in a person's place, knowing no more than the person."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.cli.fault_words import fault_lines
from shakespeare_agents.registry import make
from shakespeare_env import Batch, Position
from shakespeare_env.agent import Advisor, decide
from shakespeare_env.batch_checks import as_actions
from shakespeare_env.generators import GameGenerators

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
        agent = make(name, position.game)
    except (ValueError, TypeError, ImportError) as fault:
        raise ValueError(str(fault)) from fault
    batch = Batch(position.game.name, 1, players=position.players, autoreset=False)
    record = position.record()
    batch.load([0], np.array([record], record.dtype))
    try:
        if isinstance(agent, Advisor):
            lines = _likeliest(position, name, agent.probabilities(batch.obs, batch.mask)[0])
        else:
            generators = GameGenerators.of_games(0, np.zeros(1, np.int64))
            actions = as_actions(decide(agent, batch, np.zeros(1, np.int64), generators), 1)
            batch.step(actions)  # refuses illegal moves
            chosen = _numbered(position, position.move_text(int(actions[0])))
            lines = [f"{name} would play, and gives no probabilities:", f"  {chosen}"]
    except Exception as fault:  # an agent may be anybody's
        raise ValueError("\n".join(fault_lines(name, fault, position))) from fault
    return lines


def _likeliest(position: Position, name: str, likely: NDArray[np.float32]) -> list[str]:
    order = [action for action in np.argsort(-likely, kind="stable") if likely[action] >= _LEAST]
    likeliest = [
        f"  {100 * likely[action]:5.1f} %  {_numbered(position, position.move_text(int(action)))}"
        for action in order[:_MOST]
    ]
    return [f"{name} would play, with these probabilities:", *likeliest]


def _numbered(position: Position, move: str) -> str:
    return f"{position.moves().index(move) + 1}  {position.describe_move(move)}  ({move})"
