"""The best response to a policy in a small game of cards, computed over the whole tree.

Chance is enumerated by text: every deal, and every card that a move turns up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from shakespeare_env import Position

Policy = Callable[[Position], dict[str, float]]
"""Chances of the legal moves, from what the seat to move sees."""
Weighted = tuple[Position, float]
Outcomes = Callable[[Position, Position], Iterable[tuple[dict[str, Any], float]]]
"""(before, after a move) -> what else chance could have turned up, in text, with its chances."""


def best_response(deals: Iterable[Weighted], seat: int, policy: Policy, chance: Outcomes) -> float:
    """What a seat can expect at most while all others follow a policy.

    Args:
        deals: The first positions, with their chances.
        seat: Who responds.
        policy: Of the others.
        chance: See `Outcomes`.
    """
    by_sight: dict[Any, list[Weighted]] = defaultdict(list)
    value = 0.0
    for position, weight in deals:
        if position.to_move is None:
            value += weight * position.scores()[seat]
        elif position.to_move == seat:
            by_sight[position.observation(seat).tobytes()].append((position, weight))
        else:
            # All that the others may do looks different to the seat, so it can be taken apart.
            for move, share in policy(position).items():
                by_sight[None, position.to_move, move].append((position, weight * share))
    for sight, held in by_sight.items():
        moves = held[0][0].moves() if isinstance(sight, bytes) else [sight[2]]
        value += max(
            best_response(_after(held, move, chance), seat, policy, chance) for move in moves
        )
    return value


def _after(held: Iterable[Weighted], move: str, chance: Outcomes) -> list[Weighted]:
    found = []
    for before, weight in held:
        after = before.copy()
        after.push(move)
        for text, share in chance(before, after):
            found.append((Position.from_dict(text), weight * share))
    return found


def uniform(position: Position) -> dict[str, float]:
    """Every legal move alike."""
    moves = position.moves()
    return dict.fromkeys(moves, 1 / len(moves))
