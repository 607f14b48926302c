"""Positions as dicts after some moves, for the rule tests of every game.

Every move that these tests play is also checked for events that explain it.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from shakespeare_env import Position
from shakespeare_env.core.presentation import Event
from tests.contract import knowledge

Dict = dict[str, Any]
GONE = "(gone)"  # a name of its own in the ids of tests
"""The value that stands for an entry to be removed."""


def play(d: Dict, *moves: str, seed: int = 0) -> Dict:
    """Return the position after some moves, each with the forced moves after it."""
    return _after(d, moves, seed).to_dict()


def legal(d: Dict, *moves: str) -> set[str]:
    """Return the legal moves after some moves."""
    return set(_after(d, moves, 0).moves())


def _after(d: Dict, moves: tuple[str, ...], seed: int) -> Position:
    game = Position.from_dict(d, seed=seed)
    for move in moves:
        before = game.copy()
        game.push(move)
        check_events(before, move, game)
    return game


def changed(d: Dict, changes: Mapping[str, Any]) -> Dict:
    """Return a copy with entries replaced, added or, with the value `GONE`, removed.

    Args:
        d: The position.
        changes: The new values by path, such as "seats.0.pounds".
    """
    d = copy.deepcopy(d)
    for path, value in changes.items():
        entry: Any = d
        *parents, last = path.split(".")
        for key in parents:
            entry = entry[int(key) if isinstance(entry, list) else key]
        place = int(last) if isinstance(entry, list) else last
        if value is GONE:
            del entry[place]
        else:
            entry[place] = copy.deepcopy(value)
    return d


def check_events(
    before: Position, move: str, after: Position, seat: int | None = None
) -> list[Event]:
    """Return the events of a move as a seat may know them; assert that they explain all changes."""
    counters = knowledge.of(before.game.name, "facts").counters
    totals = counters(before.to_dict())
    events = before.events(move, after=after, seat=seat)
    for event in events:
        assert bool(event.source) == bool(event.points), event
        assert event.text, move
        assert "?" not in event.text, event
        if event.seat is None:
            assert not event.points, event
            assert not event.counters, event
        else:
            for name, change in {"points": event.points, **event.counters}.items():
                totals[event.seat][name] += change
    assert totals == counters(after.to_dict()), (move, events)
    return events
