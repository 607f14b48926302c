"""How playouts go on: policies and values as compiled rules."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.networks.inference import (
    first_sums,
    normalised,
    update_sums,
    write_heads,
    write_logits,
)
from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Game, Records


class Room(NamedTuple):
    """Room for one playout.

    Attributes:
        games: One record.
        mask: bool[A].
        seen: int8[D], by the seat to move.
        change: int16[D].
        begun: bool[2, S], the seats that have seen a position: at the root, and in this playout.
        seen_by: int8[2, S, D], what they saw last.
        sums: int32[2, S, W], the first layer of that.
        scores: int16[S].
    """

    games: Records
    mask: NDArray[np.bool_]
    seen: NDArray[np.int8]
    change: NDArray[np.int16]
    begun: NDArray[np.bool_]
    seen_by: NDArray[np.int8]
    sums: NDArray[np.int32]
    scores: NDArray[np.int16]

    @classmethod
    def of(cls, game: Game, width: int) -> Room:
        """Room for a game and a network's width."""
        seats, numbers = game.max_seats, game.layout.size
        return cls(
            np.zeros(1, game.state),
            np.zeros(game.actions.size, np.bool_),
            np.zeros(numbers, np.int8),
            np.zeros(numbers, np.int16),
            np.zeros((2, seats), np.bool_),
            np.zeros((2, seats, numbers), np.int8),
            np.zeros((2, seats, width), np.int32),
            np.zeros(seats, np.int16),
        )


Choose = Callable[[Any, Any, Any, Any, float, float], int]
"""Compiled (record, weights, scratch, room, temperature, number): a legal action.

The room's `mask` and `seen` are those of the seat to move; the number is random, from 0 up to 1.
"""


@rule
def copied(source: Any, out: Any) -> None:
    """Copy one array into another; assigning slices would allocate."""
    for i in range(len(out)):
        out[i] = source[i]


@rule
def look(game: Any, weights: Any, scratch: Any, room: Any) -> None:
    """Compute features of what the seat to move sees, updating those of its last view."""
    seat = game["to_move"]
    if not room.begun[1, seat]:
        if not room.begun[0, seat]:
            first_sums(room.seen, weights, scratch.inputs, room.sums[0, seat])
            copied(room.seen, room.seen_by[0, seat])
            room.begun[0, seat] = True
        copied(room.seen_by[0, seat], room.seen_by[1, seat])
        copied(room.sums[0, seat], room.sums[1, seat])
        room.begun[1, seat] = True
    before, sums = room.seen_by[1, seat], room.sums[1, seat]
    update_sums(room.seen, before, room.change, weights, scratch.inputs, sums)
    normalised(sums, weights, scratch)


@rule
def drawn(mask: Any, logits: Any, temperature: float, number: float) -> int:
    """A legal action drawn from the softmax of logits; the likeliest at temperature 0."""
    best = -1
    for action in range(len(mask)):
        if mask[action] and (best < 0 or logits[action] > logits[best]):
            best = action
    if temperature <= 0.0:
        return best
    total = 0.0
    for action in range(len(mask)):
        if mask[action]:
            total += np.exp((logits[action] - logits[best]) / temperature)
    left = number * total
    for action in range(len(mask)):
        if mask[action]:
            left -= np.exp((logits[action] - logits[best]) / temperature)
            if left < 0.0:
                return action
    return best


@rule
def by_network(
    game: Any, weights: Any, scratch: Any, room: Any, temperature: float, number: float
) -> int:
    """An action drawn from the network's policy."""
    look(game, weights, scratch, room)
    write_logits(room.mask, weights, scratch)
    return drawn(room.mask, scratch.logits, temperature, number)


@rule
def at_random(
    game: Any, weights: Any, scratch: Any, room: Any, temperature: float, number: float
) -> int:
    """Any legal action."""
    count = 0
    for action in range(len(room.mask)):
        count += room.mask[action]
    left = int(number * count)
    last = -1
    for action in range(len(room.mask)):
        if room.mask[action]:
            last = action
            if left == 0:
                return action
            left -= 1
    return last


@cache
def by_rules_of_thumb(score: Callable[[Any, int], float]) -> Choose:
    """The action of the highest score, compiled (observation, action) -> float."""

    @rule
    def choose(
        game: Any, weights: Any, scratch: Any, room: Any, temperature: float, number: float
    ) -> int:
        best, highest, equals = -1, 0.0, 0
        for action in range(len(room.mask)):
            if room.mask[action]:
                worth = score(room.seen, action)
                if best < 0 or worth > highest:
                    best, highest, equals = action, worth, 1
                elif worth == highest:
                    # The number is used up step by step, so that ties are equally likely.
                    equals += 1
                    number *= equals
                    if number < 1.0:
                        best = action
                    else:
                        number = (number - 1.0) / (equals - 1)
        return best

    return choose


@rule
def write_forecast(
    game: Any, weights: Any, scratch: Any, room: Any, unit: float, win: Any, score: Any
) -> None:
    """Write float32[S] shares of the victory, and add expected changes of the scores.

    The forecast is the mover's.
    """
    look(game, weights, scratch, room)
    write_heads(weights, scratch)
    heads, mover, players = scratch.heads, game["to_move"], game["players"]
    most = heads[1]
    for place in range(1, players):
        most = max(most, heads[1 + place])
    total = 0.0
    for place in range(players):
        total += np.exp(heads[1 + place] - most)
    for place in range(players):
        seat = (mover + place) % players
        win[seat] = np.exp(heads[1 + place] - most) / total
        score[seat] += heads[1 + len(score) + place] * unit
