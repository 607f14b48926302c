"""Positions in text after some moves, for the rule tests of every game.

Each move's events must explain it, in whatever corner of the rules a test plays it.
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
"""Stands for an entry to be removed."""


def play(d: Dict, *moves: str, seed: int = 0) -> Dict:
    """The position after these moves (and what is forced after each)."""
    return _after(d, moves, seed).to_dict()


def legal(d: Dict, *moves: str) -> set[str]:
    """The legal moves, after `moves`."""
    return set(_after(d, moves, 0).moves())


def _after(d: Dict, moves: tuple[str, ...], seed: int) -> Position:
    game = Position.from_dict(d, seed=seed)
    for move in moves:
        before = game.copy()
        game.push(move)
        check_events(before, move, game)
    return game


def changed(d: Dict, changes: Mapping[str, Any]) -> Dict:
    """A copy with entries replaced, added or removed (`GONE`), each by its path with dots."""
    d = copy.deepcopy(d)
    for path, value in changes.items():
        entry: Any = d
        *way, last = path.split(".")
        for key in way:
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
    """The events of a move as a seat may know them; AssertionError if they do not add up."""
    counters = knowledge.of(before.game.name, "facts").counters
    added = counters(before.to_dict())
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
                added[event.seat][name] += change
    assert added == counters(after.to_dict()), (move, events)
    return events
