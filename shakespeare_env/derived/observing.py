"""Observations from fields: what a seat sees of each, the observer's row first.

Words, seats and small ranges are one-hot, other numbers stand as they are, clipped to int8. A
number that the seat does not see is 0 throughout. Rows that only their owner sees appear once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import ObservationLayout, Record
from shakespeare_env.core.records import StateField
from shakespeare_env.derived.cells import in_turn, number_of, shown_of

_ONE_HOT = 12
"""Ranges of at most this many numbers are one-hot."""
_LOWEST, _HIGHEST = -128, 127


def observing(
    fields: Sequence[StateField], seats: int
) -> tuple[ObservationLayout, Callable[[Record, int, Any], None]]:
    """The layout of an observation and the rule that writes it.

    Args:
        fields: The fields of the record.
        seats: The most seats.
    """
    entries: list[tuple[str, int, int, int, str]] = []
    writers = []
    start = 0
    for field in fields:
        if field.visible == "nobody":
            continue
        new = list(_entries(field, seats))
        writers.append(_writer(field, seats, start))
        start += sum(size for _, size, *_ in new)
        entries += new
    return ObservationLayout(entries), in_turn(writers)


def _rows(field: StateField, seats: int) -> int:
    return seats if field.by_seat and field.visible != "owner" else 1


def _width(field: StateField, seats: int) -> int:
    """How many numbers of an observation one number of the field takes."""
    if field.seats:
        return seats
    values = field.high - field.low + 1
    return values if field.words or values <= _ONE_HOT else 1


def _entries(field: StateField, seats: int) -> Iterator[tuple[str, int, int, int, str]]:
    width = _width(field, seats)
    size = field.size // field.rows * width
    low, high = (0, 1) if width > 1 else (max(field.low, _LOWEST), min(field.high, _HIGHEST))
    meaning = "seats, one-hot, the observer first" if field.seats else "one-hot"
    said = meaning if width > 1 else "a number"
    for place in range(_rows(field, seats)):
        name = f"seat{place}.{field.name}" if field.by_seat else field.name
        yield name, size, min(low, 0), high, said


def _writer(field: StateField, seats: int, start: int) -> Callable[[Record, int, Any], None]:
    shown, put = shown_of(field), _put_of(field, seats)
    size, width = field.size // field.rows, _width(field, seats)
    rows, by_seat = _rows(field, seats), field.by_seat

    @rule
    def write(game: Record, seat: int, out: Any) -> None:
        players = game["players"]
        for row in range(min(rows, players)):
            owner = (seat + row) % players if by_seat else 0
            if shown(game, seat, owner):
                for i in range(size):
                    put(game, owner * size + i, seat, out, start + (row * size + i) * width)

    return write


def _put_of(field: StateField, seats: int) -> Callable[[Record, int, int, Any, int], None]:
    number, low = number_of(field), field.low
    if field.seats:

        @rule
        def put_seat(game: Record, place: int, seat: int, out: Any, at: int) -> None:
            found = number(game, place)
            if found >= 0:
                out[at + (found - seat) % game["players"]] = 1

        return put_seat
    if _width(field, seats) > 1:

        @rule
        def put_one_hot(game: Record, place: int, seat: int, out: Any, at: int) -> None:
            out[at + number(game, place) - low] = 1

        return put_one_hot

    @rule
    def put_number(game: Record, place: int, seat: int, out: Any, at: int) -> None:
        out[at] = min(max(number(game, place), -128), 127)

    return put_number
