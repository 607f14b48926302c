"""The parts of scores by the events of a whole game, which say more than its last position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shakespeare_env.core.presentation import Event

START = "at the start"
"""The row of the scores with which the events begin."""


def from_events(scores: Sequence[int], events: Iterable[Event]) -> list[tuple[str, list[int]]]:
    """The score sheet of `Presentation.score_sheet`, with a row per source of the events.

    Args:
        scores: Scores by seat before the first event.
        events: The events of `Presentation.events`, move after move.

    Returns:
        (source, points by seat), `START` first and then by name, in every game alike; columns add
        up to the scores after the last event.
    """
    start = [(START, list(scores))] if any(scores) else []
    rows: dict[str, list[int]] = {}
    for event in events:
        if event.seat is not None and event.points:
            rows.setdefault(event.source, [0] * len(scores))[event.seat] += event.points
    return start + sorted(rows.items())
