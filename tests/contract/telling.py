"""Whether events say all that has changed, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from shakespeare_env import Position
from shakespeare_env.core.game import Game
from shakespeare_env.core.presentation import Event
from tests.contract import knowledge

Dict = Mapping[str, Any]


def changes_told(events: Iterable[Event], players: int) -> list[Counter[str]]:
    """By seat, what the events add up to; points are counted as `points`."""
    told: list[Counter[str]] = [Counter() for _ in range(players)]
    for event in events:
        if event.seat is not None:
            told[event.seat].update({"points": event.points, **event.counters})
        else:
            assert not event.points, event
            assert not event.counters, event
    return [_without_zeros(one) for one in told]


def changes(game: Game, before: Dict, after: Dict) -> list[Counter[str]]:
    """By seat, what has changed between two positions."""
    counters = knowledge.of(game.name, "facts").counters
    differences = []
    for old, new in zip(counters(before), counters(after), strict=True):
        assert old.keys() == new.keys()
        differences.append(_without_zeros(Counter({name: new[name] - old[name] for name in new})))
    return differences


def check_told(
    before: Position, move: str, after: Position, seat: int | None = None
) -> list[Event]:
    """The events of a move as a seat may know them; AssertionError if they do not add up."""
    events, now, then = (
        before.events(move, after=after, seat=seat),
        before.to_dict(),
        after.to_dict(),
    )
    assert changes_told(events, before.players) == changes(before.game, now, then), (move, events)
    for event in events:
        assert bool(event.source) == bool(event.points), event
        assert event.text, move
        assert "?" not in event.text, event
    return events


def _without_zeros(counts: Counter[str]) -> Counter[str]:
    return Counter({name: count for name, count in counts.items() if count})
