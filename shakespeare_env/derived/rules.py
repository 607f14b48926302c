"""Compiled rules that follow from fields: observations, possible positions, faults."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import ObservationLayout, Record
from shakespeare_env.core.records import StateField
from shakespeare_env.core.rng import below
from shakespeare_env.core.rng import shuffle as shuffle_items

Number = Callable[[Record, int], int]
Visit = Callable[[Record, int, int], int]
Write = Callable[[Record, int, Any], None]
Entry = tuple[str, int, int, int, str]

_ONE_HOT = 12
"""Ranges of at most this many numbers are one-hot in observations."""
_LOWEST, _HIGHEST = -128, 127


class Check(NamedTuple):
    """Something that holds for every position of a game.

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
    """(game, place) -> the number at a place of the flattened field."""
    name, alone = field.name, field.shape == ()

    @rule
    def number(game: Record, place: int) -> int:
        return int(game[name]) if alone else int(game[name].flat[place])

    return number


def _put_into(field: StateField) -> Callable[[Record, int, int], None]:
    name, alone = field.name, field.shape == ()

    @rule
    def put(game: Record, place: int, number: int) -> None:
        if alone:
            game[name] = number
        else:
            game[name].flat[place] = number

    return put


def _shown_of(field: StateField) -> Callable[[Record, int, int], bool]:
    """(game, seat, owner) -> whether a seat sees the owner's row of the field."""
    if callable(field.visible):
        return field.visible
    to_all, to_owner = field.visible == "all", field.visible == "owner"

    @rule
    def shown(game: Record, seat: int, owner: int) -> bool:
        return to_all or (to_owner and seat == owner)

    return shown


def observing(fields: Sequence[StateField], seats: int) -> tuple[ObservationLayout, Write]:
    """What a seat sees of each field, its own row first: the layout, and the rule that writes it.

    Words, seats and small ranges are one-hot, other numbers stand as they are, clipped to int8. A
    number that the seat does not see is 0 throughout. Rows that only their owner sees appear once.
    """
    entries: list[Entry] = []
    write: Write = _nothing
    for field in fields:
        if field.visible != "nobody":
            start = sum(size for _, size, *_ in entries)
            more, write = _observed(field, seats, start, write)
            entries += more
    return ObservationLayout(entries), write


@rule
def _nothing(game: Record, seat: int, out: Any) -> None:
    """What is written before the first field."""


def _observed(
    field: StateField, seats: int, start: int, before: Write
) -> tuple[list[Entry], Write]:
    """A field's entries of the layout, and the rule that writes `before` and then them."""
    is_seat, by_seat, low = field.seats, field.by_seat, field.low
    width = seats if is_seat else field.high - low + 1  # of a number, in an observation
    if not (is_seat or field.words) and width > _ONE_HOT:
        width = 1
    rows = seats if by_seat and field.visible != "owner" else 1
    size = field.size // field.rows
    if width > 1:
        range_of, meaning = (0, 1), "seats, one-hot, the observer first" if is_seat else "one-hot"
    else:
        range_of = min(max(low, _LOWEST), 0), min(field.high, _HIGHEST)
        meaning = "a number"
    names = [f"seat{row}.{field.name}" for row in range(rows)] if by_seat else [field.name]
    shown, number = _shown_of(field), _number_of(field)

    @rule
    def write(game: Record, seat: int, out: Any) -> None:
        before(game, seat, out)
        players = game["players"]
        for row in range(min(rows, players)):
            owner = (seat + row) % players if by_seat else 0
            if shown(game, seat, owner):
                for i in range(size):
                    found, at = number(game, owner * size + i), start + (row * size + i) * width
                    if is_seat:
                        if found >= 0:
                            out[at + (found - seat) % players] = 1
                    elif width > 1:
                        out[at + found - low] = 1
                    else:
                        out[at] = min(max(found, _LOWEST), _HIGHEST)

    return [(name, size * width, *range_of, meaning) for name in names], write


def scratch_fields(fields: Sequence[StateField], actions: int) -> tuple[StateField, ...]:
    """The fields that `determinizing` needs, 0 except while it draws; none if nothing is hidden."""
    hidden = [field for field in fields if field.visible != "all"]
    if not hidden:
        return ()
    low, high = min(field.low for field in hidden), max(field.high for field in hidden)
    cards = sum(field.size for field in hidden if field.pool)
    kind = max((field.kind for field in hidden), key=lambda kind: kind().itemsize)
    return (
        StateField("_drawn", min(low, 0), max(high, 0), max(cards, 1), kind),
        StateField("_choices", 0, 1, actions),
    )


def determinizing(
    fields: Sequence[StateField],
    legal: Callable[[Record, Any], int],
    fault: Callable[[Record], int],
) -> Callable[[Record, int], None]:
    """The rule `Rules.determinize`: what a seat does not see, drawn anew.

    The unseen cards of a pool are shuffled, and other unseen numbers drawn from their range, of
    counts with the sum that they have, until
    the position has no fault and the mover has a choice, if it truly has one: everybody knows that
    forced moves are played automatically. Cards are sorted first, so their true places have no
    influence.
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
    """Every seat knows everything."""


@rule
def _end(game: Record, seat: int, count: int) -> int:
    return count


def _unseen(field: StateField, visit: Visit, before: Visit) -> Visit:
    """`before`, then visit what a seat does not see of a field: (game, place, count) -> count."""
    shown, rows, by_seat = _shown_of(field), field.rows, field.by_seat
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
    put, low, values = _put_into(field), field.low, field.high - field.low + 1

    @rule
    def draw(game: Record, place: int, count: int) -> int:
        put(game, place, low + below(game, values))
        return count

    return _unseen(field, draw, before)


def _deal(field: StateField, before: Visit) -> Visit:
    """Draw the kinds of what is counted, one by one; all see the sum of a row, which stays."""
    shown, rows, by_seat = _shown_of(field), field.rows, field.by_seat
    number, put, high, kinds = _number_of(field), _put_into(field), field.high, len(field.places)

    @rule
    def deal(game: Record, seat: int, count: int) -> int:
        count = before(game, seat, count)
        for row in range(min(rows, game["players"]) if by_seat else rows):
            if not shown(game, seat, row):
                left, first = 0, row * kinds
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
    """Exchange cards with those in `_drawn`, at first zeros."""
    number, put = _number_of(field), _put_into(field)

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
    exchange: Visit = _end
    for field in pool:
        exchange = _exchange(field, exchange)

    @rule
    def shuffle(game: Record, seat: int, count: int) -> int:
        before(game, seat, count)
        cards = game["_drawn"]
        size = exchange(game, seat, 0)
        for i in range(1, size):
            card, j = cards[i], i
            while j > 0 and cards[j - 1] > card:
                cards[j] = cards[j - 1]
                j -= 1
            cards[j] = card
        shuffle_items(game, cards, size)
        exchange(game, seat, 0)
        return count

    return shuffle


def checks_of(fields: Sequence[StateField]) -> list[Check]:
    """What holds for fields by themselves."""
    checks = [Check("winners", "nobody has won before the end", _is_won_early)]
    for field in fields:
        if field.seats:
            checks.append(Check(field.name, "name a seat at the table", _has_absent_seat(field)))
        if field.follows is not None:
            checks.append(Check(field.name, "follows from other fields", _is_at_odds(field)))
    return checks


def faulting(checks: Sequence[Check], number: int = 1) -> Callable[[Record], int]:
    """The rule `Rules.fault`: which check is broken first, counted from `number`."""
    if not checks:
        return _no_fault
    # Several at once, since each function takes its time to compile.
    a, b, c, d = [*(check.broken for check in checks[:4]), *[_never] * 3][:4]
    rest = faulting(checks[4:], number + 4)

    @rule
    def fault(game: Record) -> int:
        if a(game):
            return number
        if b(game):
            return number + 1
        if c(game):
            return number + 2
        return number + 3 if d(game) else rest(game)

    return fault


@rule
def count(numbers: Any, wanted: int) -> int:
    """How often a number is in an array."""
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
    number, size = _number_of(field), field.size

    @rule
    def names_absent_seat(game: Record) -> bool:
        found = 0
        for place in range(size):
            found += number(game, place) >= game["players"]
        return found > 0

    return names_absent_seat


def _is_at_odds(field: StateField) -> Callable[[Record], bool]:
    name, follows, seats = field.name, field.follows, field.rows
    assert follows is not None

    @rule
    def is_at_odds(game: Record) -> bool:
        found = 0
        for seat in range(seats):
            found += game[name][seat] != follows(game, seat)
        return found > 0

    return is_at_odds
