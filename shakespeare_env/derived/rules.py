"""Compiled rules that follow from the fields of a record: observations, draws, faults.

Compiled code cannot loop over functions. Therefore the rule of each field first calls that of the
fields before it (`before`).
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

Number = Callable[[Record, int], int]
"""Returns the number at a place of a flattened field."""
Visit = Callable[[Record, int, int], int]
"""Called with a place, or a seat, and a count; returns the new count."""
Write = Callable[[Record, int, Any], None]
"""The rule `Rules.observe`."""

_MOST_ONE_HOT = 12
"""Ranges of at most this many numbers are one-hot in observations."""
_LOWEST = -128
_HIGHEST = 127


class Check(NamedTuple):
    """A condition that holds for every position of a game.

    Attributes:
        place: The key of the notation at which a position that breaks it is to be corrected.
        says: What holds.
        broken: The rule (game) -> whether it does not hold.
    """

    place: str
    says: str
    broken: Callable[[Record], bool]

    @property
    def name(self) -> str:
        """The name of the fault: that of the rule that finds it."""
        return str(inspect.unwrap(self.broken).__name__).strip("_")


def _number_of(field: StateField) -> Number:
    name = field.name
    alone = field.shape == ()

    @rule
    def number(game: Record, place: int) -> int:
        return int(game[name]) if alone else int(game[name].flat[place])

    return number


def _put_into(field: StateField) -> Callable[[Record, int, int], None]:
    name = field.name
    alone = field.shape == ()

    @rule
    def put(game: Record, place: int, number: int) -> None:
        if alone:
            game[name] = number
        else:
            game[name].flat[place] = number

    return put


def _shown_of(field: StateField) -> Callable[[Record, int, int], bool]:
    """Return the rule (game, seat, owner) -> whether a seat sees the owner's row of a field."""
    if callable(field.visible):
        return field.visible
    to_all = field.visible == "all"
    to_owner = field.visible == "owner"

    @rule
    def shown(game: Record, seat: int, owner: int) -> bool:
        return to_all or (to_owner and seat == owner)

    return shown


def derive_observe(fields: Sequence[StateField], seats: int) -> tuple[ObservationLayout, Write]:
    """Return the layout of an observation, and the rule that writes it.

    It shows what a seat sees of each field, its own row first. Words, seats and small ranges are
    one-hot, other numbers stand as they are, clipped to int8. A number that the seat does not see
    is 0 throughout. Rows that only their owner sees appear once.
    """
    entries: list[LayoutEntry] = []
    write: Write = _nothing
    for field in fields:
        if field.visible != "nobody":
            start = sum(entry.size for entry in entries)
            more, write = _observed(field, seats, start, write)
            entries += more
    return ObservationLayout(entries), write


@rule
def _nothing(game: Record, seat: int, out: Any) -> None:
    """Write nothing, before the first field."""


def _observed(
    field: StateField, seats: int, start: int, before: Write
) -> tuple[list[LayoutEntry], Write]:
    """Return a field's entries of the layout, and the rule that calls `before` and writes them."""
    is_seat = field.seats
    by_seat = field.by_seat
    low = field.low
    width = seats if is_seat else field.high - low + 1  # of a number, in an observation
    if not (is_seat or field.words) and width > _MOST_ONE_HOT:
        width = 1
    rows = seats if by_seat and field.visible != "owner" else 1
    size = field.size // field.rows
    entry = _entry(field, size, width, seats)
    entries = [entry]
    if by_seat:
        entries = [entry._replace(name=f"seat{row}.{field.name}") for row in range(rows)]
    shown = _shown_of(field)
    number = _number_of(field)

    @rule
    def write(game: Record, seat: int, out: Any) -> None:
        before(game, seat, out)
        players = game["players"]
        for row in range(min(rows, players)):
            owner = (seat + row) % players if by_seat else 0
            if shown(game, seat, owner):
                for i in range(size):
                    found = number(game, owner * size + i)
                    at = start + (row * size + i) * width
                    if is_seat:
                        if found >= 0:
                            out[at + (found - seat) % players] = 1
                    elif width > 1:
                        out[at + found - low] = 1
                    else:
                        out[at] = min(max(found, _LOWEST), _HIGHEST)

    return entries, write


def _entry(field: StateField, size: int, width: int, seats: int) -> LayoutEntry:
    """Return the entry of a row of `size` numbers, each of which takes `width` numbers in it."""
    if width == 1:
        low = min(max(field.low, _LOWEST), 0)
        high = min(field.high, _HIGHEST)
        names = field.places if len(field.places) == size else ()
        meaning = "a number" if size == 1 else "numbers"
        return LayoutEntry(field.name, size, low, high, meaning, names)
    if field.seats:
        meaning = "a seat, the observer first and then clockwise"
        names = tuple(f"seat{place}" for place in range(seats))
    else:
        meaning = "a value"
        names = tuple(map(str, field.words or range(field.low, field.high + 1)))
    if size == 1:
        return LayoutEntry(field.name, width, 0, 1, meaning, names, is_one_hot=True)
    meaning = f"{size} times one-hot: {meaning}, of {', '.join(names)}"
    return LayoutEntry(field.name, size * width, 0, 1, meaning)


def scratch_fields(fields: Sequence[StateField], actions: int) -> tuple[StateField, ...]:
    """Return the fields that `derive_determinize` needs, which are 0 except while it draws.

    There are none if nothing is hidden.
    """
    hidden = [field for field in fields if field.visible != "all"]
    if not hidden:
        return ()
    low = min(field.low for field in hidden)
    high = max(field.high for field in hidden)
    cards = sum(field.size for field in hidden if field.pool)
    kind = max((field.kind for field in hidden), key=lambda kind: kind().itemsize)
    return (
        StateField("_drawn", min(low, 0), max(high, 0), max(cards, 1), kind),
        StateField("_choices", 0, 1, actions),
    )


def derive_determinize(
    fields: Sequence[StateField],
    legal: Callable[[Record, Any], int],
    fault: Callable[[Record], int],
) -> Callable[[Record, int], None]:
    """Return the rule `Rules.determinize`, which draws anew what a seat does not see.

    The unseen cards of a pool are shuffled. Other unseen numbers are drawn from their range, counts
    with the sum that they have. That is repeated until the position has no fault and the mover has
    a choice, if it truly has one: everybody knows that forced moves are played automatically. Cards
    are sorted first, so that their true places have no influence.
    """
    hidden = [field for field in fields if field.visible != "all"]
    if not hidden:
        return _nothing_hidden
    pools = dict.fromkeys(field.pool for field in hidden if field.pool)
    redraw: Visit = _end
    for field in hidden:
        redraw = redraw if field.pool else _draw(field, redraw)
    for pool in pools:
        redraw = _shuffle([field for field in hidden if field.pool == pool], redraw)

    @rule
    def choices(game: Record) -> int:
        game["_choices"][:] = 0
        found = legal(game, game["_choices"])
        game["_choices"][:] = 0
        return found

    @rule
    def determinize(game: Record, seat: int) -> None:
        other = game["to_move"] >= 0 and game["to_move"] != seat
        chooses = other and choices(game) > 1
        redraw(game, seat, 0)
        while fault(game) != 0 or (chooses and choices(game) < 2):
            redraw(game, seat, 0)

    return determinize


@rule
def _nothing_hidden(game: Record, seat: int) -> None:
    """Draw nothing, since every seat knows everything."""


@rule
def _end(game: Record, seat: int, count: int) -> int:
    return count


def _unseen(field: StateField, visit: Visit, before: Visit) -> Visit:
    """Return a rule that calls `before` and then visits what a seat does not see of a field."""
    shown = _shown_of(field)
    rows = field.rows
    by_seat = field.by_seat
    a_row = field.size // rows

    @rule
    def each(game: Record, seat: int, count: int) -> int:
        count = before(game, seat, count)
        for row in range(min(rows, game["players"]) if by_seat else rows):
            if not shown(game, seat, row):
                for place in range(row * a_row, (row + 1) * a_row):
                    count = visit(game, place, count)
        return count

    return each


def _draw(field: StateField, before: Visit) -> Visit:
    if field.shows_sum:
        return _deal(field, before)
    put = _put_into(field)
    low = field.low
    values = field.high - field.low + 1

    @rule
    def draw(game: Record, place: int, count: int) -> int:
        put(game, place, low + below(game, values))
        return count

    return _unseen(field, draw, before)


def _deal(field: StateField, before: Visit) -> Visit:
    """Return a rule that draws the kinds of what is counted, one by one.

    Everybody sees the sum of a row, which stays.
    """
    shown = _shown_of(field)
    rows = field.rows
    by_seat = field.by_seat
    number = _number_of(field)
    put = _put_into(field)
    high = field.high
    kinds = len(field.places)

    @rule
    def deal(game: Record, seat: int, count: int) -> int:
        count = before(game, seat, count)
        for row in range(min(rows, game["players"]) if by_seat else rows):
            if not shown(game, seat, row):
                left = 0
                first = row * kinds
                for place in range(first, first + kinds):
                    left += number(game, place)
                    put(game, place, 0)
                while left > 0:
                    place = first + below(game, kinds)
                    if number(game, place) < high:
                        put(game, place, number(game, place) + 1)
                        left -= 1
        return count

    return deal


def _exchange(field: StateField, before: Visit) -> Visit:
    """Return a rule that exchanges cards with those in `_drawn`, at first zeros."""
    number = _number_of(field)
    put = _put_into(field)

    @rule
    def exchange(game: Record, place: int, count: int) -> int:
        card = number(game, place)
        if card < 0:
            return count
        put(game, place, game["_drawn"][count])
        game["_drawn"][count] = card
        return count + 1

    return _unseen(field, exchange, before)


def _shuffle(pool: Sequence[StateField], before: Visit) -> Visit:
    """Return a rule that sorts and then shuffles the cards of a pool that a seat does not see."""
    exchange: Visit = _end
    for field in pool:
        exchange = _exchange(field, exchange)

    @rule
    def shuffle(game: Record, seat: int, count: int) -> int:
        before(game, seat, count)
        cards = game["_drawn"]
        size = exchange(game, seat, 0)  # takes the cards up
        for i in range(1, size):
            card = cards[i]
            j = i
            while j > 0 and cards[j - 1] > card:
                cards[j] = cards[j - 1]
                j -= 1
            cards[j] = card
        shuffle_items(game, cards, size)
        exchange(game, seat, 0)  # lays them down again
        return count

    return shuffle


def derive_checks(fields: Sequence[StateField]) -> list[Check]:
    """Return the checks that follow from the fields alone."""
    checks = [Check("winners", "nobody has won before the end", _is_won_early)]
    for field in fields:
        if field.seats:
            checks.append(Check(field.name, "name a seat at the table", _has_absent_seat(field)))
        if field.follows is not None:
            checks.append(Check(field.name, "follows from other fields", _is_at_odds(field)))
    return checks


def derive_fault(checks: Sequence[Check], number: int = 1) -> Callable[[Record], int]:
    """Return the rule `Rules.fault`: the first broken check, counted from `number`, or 0."""
    if not checks:
        return _no_fault
    # Four at once, since each function takes time to compile.
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
def count(numbers: Any, wanted: int) -> int:
    """Return how often a number is in an array."""
    times = 0
    for place in range(numbers.size):
        times += numbers.flat[place] == wanted
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
    number = _number_of(field)
    size = field.size

    @rule
    def names_absent_seat(game: Record) -> bool:
        found = 0
        for place in range(size):
            found += number(game, place) >= game["players"]
        return found > 0

    return names_absent_seat


def _is_at_odds(field: StateField) -> Callable[[Record], bool]:
    name = field.name
    follows = field.follows
    seats = field.rows
    assert follows is not None

    @rule
    def is_at_odds(game: Record) -> bool:
        found = 0
        for seat in range(seats):
            found += game[name][seat] != follows(game, seat)
        return found > 0

    return is_at_odds
