"""What can be said of any game: moves and scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from shakespeare_env.compile.decorators import kernel
from shakespeare_env.core.game import ActionTable, Record
from shakespeare_env.core.presentation import Event

Scores = Callable[[Mapping[str, Any]], list[int]]


def scores_of(
    name: str,
    state: np.dtype[np.void],
    seats: int,
    scores: Callable[[Record, Any], None],
    read: Callable[[Mapping[str, Any], Record], None],
) -> Scores:
    """(dict) -> scores by seat, which depend on nothing that is hidden.

    Args:
        name: The game's name.
        state: The record's dtype.
        seats: The most seats.
        scores: As of `Rules`.
        read: (dict, record); it must also read a dict with `UNKNOWN`.
    """

    @cache
    def compiled() -> Callable[[Any, Any], None]:
        @kernel(name, scores, purpose=f"{name.capitalize()}'s rules (scores in text)")
        def write(games: Any, out: Any) -> None:
            scores(games[0], out)

        return write

    def found(position: Mapping[str, Any]) -> list[int]:
        record, out = np.zeros(1, state), np.zeros(seats, np.int16)
        read(position, record[0])
        compiled()(record, out)
        return [int(score) for score in out[: position["players"]]]

    return found


def topics(actions: ActionTable) -> Callable[[Mapping[str, Any]], Mapping[str, str]]:
    """`Presentation.topics`: what each move does, in the words of the action table."""
    said = dict(zip(actions.texts, actions.descriptions, strict=True))
    return lambda position: {} if actions.is_relative else said


def events(
    scores: Scores,
    actions: ActionTable,
    to_dict: Callable[[Record], dict[str, Any]],
    is_secret: Callable[[Mapping[str, Any], str], bool],
) -> Callable[[Record, int, Record, int | None], list[Event]]:
    """`Presentation.events`: the move, and every change of a score."""

    def happened(record: Record, action: int, after: Record, viewer: int | None) -> list[Event]:
        before, mover = to_dict(record), int(record["to_move"])
        move = actions.text(action, mover, int(record["players"]))
        hidden = viewer not in (None, mover) and is_secret(before, move)
        found = [Event(mover, "a secret move" if hidden else move)]
        changed = zip(scores(before), scores(to_dict(after)), strict=True)
        for seat, (old, new) in enumerate(changed):
            if new != old:
                change = new - old
                found.append(Event(seat, f"{change:+d} points", "points", change))
        return found

    return happened
