"""Compiled rules that are derived from the fields of a record: `observe`, `determinize`, `fault`.

Compiled code cannot loop over a list of functions. Therefore the function of each field first calls
the one of the field before it, which is named `before`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import LayoutEntry, ObservationLayout, Record
from shakespeare_env.core.records import StateField
from shakespeare_env.core.rng import below
from shakespeare_env.core.rng import shuffle as shuffle_items

Read = Callable[[Record, int], int]
"""Returns the number at an index of a flattened field."""
Visit = Callable[[Record, int, int], int]
"""A rule that is called with a running count and returns the new count.

It acts either on all that is hidden from a seat, (record, seat, count), or on one number of a
field, (record, index, count).
"""
Observe = Callable[[Record, int, Any], None]
"""The rule `Rules.observe`."""

_MOST_ONE_HOT = 12
"""The size of the largest range that is one-hot in observations."""
_LOWEST = -128
_HIGHEST = 127
"""The range of int8, the type of observations."""


class Check(NamedTuple):
    """A condition that holds for every position of a game.

    Attributes:
        place: The key in the notation to correct if a position breaks the condition.
        says: The condition in words.
        broken: A rule (game) -> whether the position breaks the condition.
    """

    place: str
    says: str
    broken: Callable[[Record], bool]

    @property
    def name(self) -> str:
        """The name of the fault, which is the name of the rule that finds it."""
        return str(inspect.unwrap(self.broken).__name__).strip("_")


def _reader_of(field: StateField) -> Read:
    name = field.name
    is_scalar = field.shape == ()

    @rule
    def read(game: Record, place: int) -> int:
        return int(game[name]) if is_scalar else int(game[name].flat[place])

    return read


def _writer_of(field: StateField) -> Callable[[Record, int, int], None]:
    name = field.name
    is_scalar = field.shape == ()

    @rule
    def write(game: Record, place: int, number: int) -> None:
        if is_scalar:
            game[name] = number
        else:
            game[name].flat[place] = number

    return write


def _visibility_of(field: StateField) -> Callable[[Record, int, int], bool]:
    """Return a rule (game, seat, owner) -> whether a seat sees the owner's row of a field."""
    if callable(field.visible):
        return field.visible
    to_all = field.visible == "all"
    to_owner = field.visible == "owner"

    @rule
    def sees(game: Record, seat: int, owner: int) -> bool:
        return to_all or (to_owner and seat == owner)

    return sees


def derive_observe(fields: Sequence[StateField], seats: int) -> tuple[ObservationLayout, Observe]:
    """Return the layout of an observation, and the rule that writes it.

    An observation holds what a seat sees of each field, with the seat's own row first. Words, seats
    and small ranges are one-hot. Other numbers are written as they are, clipped to int8. A hidden
    number is written as zeros. Of a field whose rows only their owners see, the observation has the
    seat's own row alone.
    """
    entries: list[LayoutEntry] = []
    observe: Observe = _observe_nothing
    for field in fields:
        if field.visible != "nobody":
            start = sum(entry.size for entry in entries)
            field_entries, observe = _observe_field(field, seats, start, observe)
            entries += field_entries
    return ObservationLayout(entries), observe


@rule
def _observe_nothing(game: Record, seat: int, out: Any) -> None:
    """Write nothing. This is called before the first field, which has no field before it."""


def _observe_field(
    field: StateField, seats: int, start: int, before: Observe
) -> tuple[list[LayoutEntry], Observe]:
    """Return a field's layout entries, and a rule that calls `before` and then writes the field."""
    holds_seats = field.seats
    by_seat = field.by_seat
    low = field.low
    width = seats if holds_seats else field.high - low + 1  # entries per number
    if not (holds_seats or field.words) and width > _MOST_ONE_HOT:
        width = 1
    rows = seats if by_seat and field.visible != "owner" else 1  # rows in the observation
    size = field.size // field.rows  # numbers per row
    entry = _layout_entry(field, size, width, seats)
    entries = [entry]
    if by_seat:
        entries = [entry._replace(name=f"seat{row}.{field.name}") for row in range(rows)]
    sees = _visibility_of(field)
    read = _reader_of(field)

    @rule
    def observe(game: Record, seat: int, out: Any) -> None:
        before(game, seat, out)
        players = game["players"]
        for row in range(min(rows, players)):
            owner = (seat + row) % players if by_seat else 0
            if sees(game, seat, owner):
                for i in range(size):
                    number = read(game, owner * size + i)
                    place = start + (row * size + i) * width
                    if holds_seats:
                        if number >= 0:
                            out[place + (number - seat) % players] = 1
                    elif width > 1:
                        out[place + number - low] = 1
                    else:
                        out[place] = min(max(number, _LOWEST), _HIGHEST)

    return entries, observe


def _layout_entry(field: StateField, size: int, width: int, seats: int) -> LayoutEntry:
    """Return the layout entry of a row of `size` numbers, each of which takes `width` places."""
    if width == 1:
        low = min(max(field.low, _LOWEST), 0)  # a hidden number is 0
        high = min(field.high, _HIGHEST)
        names = field.places if len(field.places) == size else ()
        meaning = "a number" if size == 1 else "numbers"
        return LayoutEntry(field.name, size, low, high, meaning, names)
    if field.seats:
        meaning = "a seat, the observer first and then clockwise"
        names = tuple(f"seat{seat}" for seat in range(seats))
    else:
        meaning = "a value"
        names = tuple(map(str, field.words or range(field.low, field.high + 1)))
    if size == 1:
        return LayoutEntry(field.name, width, 0, 1, meaning, names, is_one_hot=True)
    meaning = f"{size} times one-hot: {meaning}, of {', '.join(names)}"
    return LayoutEntry(field.name, size * width, 0, 1, meaning)


def scratch_fields(fields: Sequence[StateField], actions: int) -> tuple[StateField, ...]:
    """Return the fields that the rule of `derive_determinize` uses as working memory.

    They are 0 except while the rule runs. There are none if nothing is hidden.
    """
    hidden = [field for field in fields if field.visible != "all"]
    if not hidden:
        return ()
    low = min(field.low for field in hidden)
    high = max(field.high for field in hidden)
    cards = sum(field.size for field in hidden if field.pool)
    kind = max((field.kind for field in hidden), key=lambda kind: kind().itemsize)
    return (
        StateField("_drawn", min(low, 0), max(high, 0), shape=max(cards, 1), kind=kind),
        StateField("_choices", 0, 1, shape=actions),
    )


def derive_determinize(
    fields: Sequence[StateField],
    legal: Callable[[Record, Any], int],
    fault: Callable[[Record], int],
) -> Callable[[Record, int], None]:
    """Return the rule `Rules.determinize`, which draws anew what a seat does not see.

    The hidden cards of a pool are shuffled. They are sorted first, so that their true places have
    no influence. Other hidden numbers are drawn from their range, but counts keep their sum.

    All this is repeated until the position has no fault. If another seat is to move and has a
    choice, it must have one in the drawn position, too, since everybody knows that forced moves are
    played automatically.
    """
    hidden = [field for field in fields if field.visible != "all"]
    if not hidden:
        return _nothing_hidden
    pools = dict.fromkeys(field.pool for field in hidden if field.pool)
    redraw: Visit = _visit_nothing
    for field in hidden:
        if not field.pool:
            redraw = _draw_numbers(field, redraw)
    for pool in pools:
        pool_fields = [field for field in hidden if field.pool == pool]
        redraw = _shuffle_pool(pool_fields, redraw)

    @rule
    def choices(game: Record) -> int:
        """Return the number of legal actions."""
        game["_choices"][:] = 0
        number = legal(game, game["_choices"])
        game["_choices"][:] = 0
        return number

    @rule
    def determinize(game: Record, seat: int) -> None:
        other_seat_moves = game["to_move"] >= 0 and game["to_move"] != seat
        must_have_choice = other_seat_moves and choices(game) > 1
        redraw(game, seat, 0)
        while fault(game) != 0 or (must_have_choice and choices(game) < 2):
            redraw(game, seat, 0)

    return determinize


@rule
def _nothing_hidden(game: Record, seat: int) -> None:
    """Draw nothing, since every seat sees everything."""


@rule
def _visit_nothing(game: Record, seat: int, count: int) -> int:
    return count


def _visit_hidden(field: StateField, visit: Visit, before: Visit) -> Visit:
    """Return a rule that calls `before`, and then `visit` with each number hidden from a seat."""
    sees = _visibility_of(field)
    rows = field.rows
    by_seat = field.by_seat
    row_size = field.size // rows

    @rule
    def visit_hidden(game: Record, seat: int, count: int) -> int:
        count = before(game, seat, count)
        for row in range(min(rows, game["players"]) if by_seat else rows):
            if not sees(game, seat, row):
                for place in range(row * row_size, (row + 1) * row_size):
                    count = visit(game, place, count)
        return count

    return visit_hidden


def _draw_numbers(field: StateField, before: Visit) -> Visit:
    if field.shows_sum:
        return _draw_counts(field, before)
    write = _writer_of(field)
    low = field.low
    n_values = field.high - field.low + 1

    @rule
    def draw(game: Record, place: int, count: int) -> int:
        write(game, place, low + below(game, n_values))
        return count

    return _visit_hidden(field, draw, before)


def _draw_counts(field: StateField, before: Visit) -> Visit:
    """Return a rule that draws the hidden counts of a field anew.

    The sum of a row is public and stays: as many items are drawn one by one, each of a random kind.
    """
    sees = _visibility_of(field)
    rows = field.rows
    by_seat = field.by_seat
    read = _reader_of(field)
    write = _writer_of(field)
    high = field.high
    kinds = len(field.places)

    @rule
    def deal(game: Record, seat: int, count: int) -> int:
        count = before(game, seat, count)
        for row in range(min(rows, game["players"]) if by_seat else rows):
            if not sees(game, seat, row):
                remaining = 0
                first = row * kinds
                for place in range(first, first + kinds):
                    remaining += read(game, place)
                    write(game, place, 0)
                while remaining > 0:
                    place = first + below(game, kinds)
                    if read(game, place) < high:
                        write(game, place, read(game, place) + 1)
                        remaining -= 1
        return count

    return deal


def _exchange_cards(field: StateField, before: Visit) -> Visit:
    """Return a rule that exchanges a field's hidden cards with the entries of `_drawn`."""
    read = _reader_of(field)
    write = _writer_of(field)

    @rule
    def exchange(game: Record, place: int, count: int) -> int:
        card = read(game, place)
        if card < 0:  # no card
            return count
        write(game, place, game["_drawn"][count])
        game["_drawn"][count] = card
        return count + 1

    return _visit_hidden(field, exchange, before)


def _shuffle_pool(pool: Sequence[StateField], before: Visit) -> Visit:
    """Return a rule that sorts and then shuffles the hidden cards of a pool."""
    exchange: Visit = _visit_nothing
    for field in pool:
        exchange = _exchange_cards(field, exchange)

    @rule
    def shuffle(game: Record, seat: int, count: int) -> int:
        before(game, seat, count)
        cards = game["_drawn"]
        size = exchange(game, seat, 0)  # take the cards up
        # Sort them by insertion.
        for i in range(1, size):
            card = cards[i]
            j = i
            while j > 0 and cards[j - 1] > card:
                cards[j] = cards[j - 1]
                j -= 1
            cards[j] = card
        shuffle_items(game, cards, size)
        exchange(game, seat, 0)  # lay them down again
        return count

    return shuffle


def derive_checks(fields: Sequence[StateField]) -> list[Check]:
    """Return the checks that the fields imply."""
    checks = [Check("winners", "nobody has won before the end", _is_won_early)]
    for field in fields:
        if field.seats:
            checks.append(Check(field.name, "name a seat at the table", _has_absent_seat(field)))
        if field.follows is not None:
            checks.append(Check(field.name, "follows from other fields", _is_at_odds(field)))
    return checks


def derive_fault(checks: Sequence[Check], number: int = 1) -> Callable[[Record], int]:
    """Return the rule `Rules.fault`.

    It returns the number of the first broken check, counted from `number`, or 0.
    """
    if not checks:
        return _no_fault
    # A function tries four checks, since each function takes time to compile.
    broken = [check.broken for check in checks[:4]]
    broken += [_never] * (4 - len(broken))
    first, second, third, fourth = broken
    rest = derive_fault(checks[4:], number + 4)

    @rule
    def fault(game: Record) -> int:
        if first(game):
            return number
        if second(game):
            return number + 1
        if third(game):
            return number + 2
        return number + 3 if fourth(game) else rest(game)

    return fault


@rule
def count(numbers: Any, number: int) -> int:
    """Return how often a number is in an array."""
    times = 0
    for place in range(numbers.size):
        times += numbers.flat[place] == number
    return times


@rule
def _no_fault(game: Record) -> int:
    return 0


@rule
def _never(game: Record) -> bool:
    return False


@rule
def _is_won_early(game: Record) -> bool:
    won = 0
    for seat in range(len(game["winners"])):
        won += game["winners"][seat]
    return won > 0 and game["to_move"] >= 0


def _has_absent_seat(field: StateField) -> Callable[[Record], bool]:
    read = _reader_of(field)
    size = field.size

    @rule
    def names_absent_seat(game: Record) -> bool:
        absent = 0
        for place in range(size):
            absent += read(game, place) >= game["players"]
        return absent > 0

    return names_absent_seat


def _is_at_odds(field: StateField) -> Callable[[Record], bool]:
    """Return a rule that finds out whether a field differs from what its rule `follows` says."""
    name = field.name
    follows = field.follows
    seats = field.rows
    assert follows is not None

    @rule
    def is_at_odds(game: Record) -> bool:
        wrong = 0
        for seat in range(seats):
            wrong += game[name][seat] != follows(game, seat)
        return wrong > 0

    return is_at_odds
