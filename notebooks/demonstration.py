"""A game played by an agent, step by step, to look at and to point at."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shakespeare_env.agent import Agent
from shakespeare_agents.registry import Player, make
from shakespeare_env.position import Position


class Step(NamedTuple):
    """A decision of a game.

    Attributes:
        position: Before it.
        move: What was decided.
        after: The position after it, and after all that was forced.
    """

    position: Position
    move: str
    after: Position


def demonstration(
    name: str, *, players: int, seed: int, player: Player = "network"
) -> tuple[Step, ...]:
    """Play a game, one agent at all seats.

    Args:
        name: The game.
        players: Seats.
        seed: Of the deal and of the agent's draws.
        player: Who plays, as `shakespeare_agents.registry.make` takes it; one that needs no search.

    Raises:
        TypeError: the agent searches.
    """
    position = Position.new(name, players=players, seed=seed)
    agent = make(player, position.game)
    if not isinstance(agent, Agent):
        raise TypeError(f"{player!r} searches; give an agent that plays from what it sees")
    rng = np.random.default_rng(seed)
    steps = []
    while (seat := position.to_move) is not None:
        chosen = agent.act(position.observation(seat)[None], position.action_mask()[None], rng)
        before, move = position.copy(), position.move_text(int(chosen[0]))
        position.push(move)
        steps.append(Step(before, move, position.copy()))
    return tuple(steps)


def find(steps: tuple[Step, ...], beginning: str, *, after: int = 0, count: int = 1) -> Step:
    """A step whose move begins with a text.

    Args:
        steps: Of a demonstration.
        beginning: Of the move's text.
        after: How many steps to pass over.
        count: Which of those that fit, counted from 1.

    Raises:
        ValueError: there are not so many.
    """
    fitting = [step for step in steps[after:] if step.move.startswith(beginning)]
    if not 1 <= count <= len(fitting):
        raise ValueError(f"{len(fitting)} moves begin with {beginning!r}, not {count}")
    return fitting[count - 1]
