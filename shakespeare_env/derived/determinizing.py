"""Possible positions from fields: what a seat does not see, drawn anew.

The unseen cards of a pool are shuffled and other unseen numbers drawn from their range until the
position has no fault and the mover has a choice, if it truly has one: everybody knows that forced
moves are played automatically. Cards are sorted first, so their true places have no influence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.core.records import StateField
from shakespeare_env.core.rng import below
from shakespeare_env.derived.cells import number_of, put_into, shown_of

_Visit = Callable[[Record, int, int], int]
DRAWN, CHOICES = "_drawn", "_choices"
"""Scratch fields, 0 except while positions are drawn."""


def scratch(fields: Sequence[StateField], actions: int) -> tuple[StateField, ...]:
    """The fields that drawing needs besides a game's own, none if nothing is hidden."""
    hidden = [field for field in fields if field.visible != "all"]
    if not hidden:
        return ()
    low, high = min(field.low for field in hidden), max(field.high for field in hidden)
    cards = sum(field.size for field in hidden if field.pool)
    kind = max((field.kind for field in hidden), key=lambda kind: kind().itemsize)
    return (
        StateField(DRAWN, min(low, 0), max(high, 0), max(cards, 1), kind),
        StateField(CHOICES, 0, 1, actions),
    )


def determinizing(
    fields: Sequence[StateField],
    legal: Callable[[Record, Any], int],
    fault: Callable[[Record], int],
) -> Callable[[Record, int], None]:
    """The rule `Rules.determinize`.

    Args:
        fields: The fields of the record, without `scratch`.
        legal: As of `Rules`.
        fault: As of `Rules`.
    """
    hidden = [field for field in fields if field.visible != "all"]
    if not hidden:
        return _nothing_hidden
    pools = dict.fromkeys(field.pool for field in hidden if field.pool)
    draws = [_draw(field) for field in hidden if not field.pool]
    shuffles = [_shuffle([field for field in hidden if field.pool == pool]) for pool in pools]
    redraw = _in_turn([*draws, *shuffles])

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


def _shuffle(pool: Sequence[StateField]) -> _Visit:
    gather = _in_turn([_gather(field) for field in pool])
    scatter = _in_turn([_scatter(field) for field in pool])

    @rule
    def shuffle(game: Record, seat: int, count: int) -> int:
        cards = game["_drawn"]
        found = gather(game, seat, 0)
        for i in range(1, found):
            card, j = cards[i], i
            while j > 0 and cards[j - 1] > card:
                cards[j] = cards[j - 1]
                j -= 1
            cards[j] = card
        for left in range(found, 1, -1):
            j = below(game, left)
            card = cards[j]
            cards[j] = cards[left - 1]
            cards[left - 1] = card
        scatter(game, seat, 0)
        cards[:] = 0
        return count

    return shuffle


def _in_turn(visits: Sequence[_Visit]) -> _Visit:
    """Visit field after field, each with the number of cards so far."""
    if not visits:
        return _end
    first, rest = visits[0], _in_turn(visits[1:])

    @rule
    def both(game: Record, seat: int, count: int) -> int:
        return rest(game, seat, first(game, seat, count))

    return both


@rule
def _end(game: Record, seat: int, count: int) -> int:
    return count


def _gather(field: StateField) -> _Visit:
    shown, number = shown_of(field), number_of(field)
    rows, size, by_seat = field.rows, field.size // field.rows, field.by_seat

    @rule
    def gather(game: Record, seat: int, count: int) -> int:
        for row in range(min(rows, game["players"]) if by_seat else rows):
            if not shown(game, seat, row):
                for place in range(row * size, (row + 1) * size):
                    card = number(game, place)
                    if card >= 0:
                        game["_drawn"][count] = card
                        count += 1
        return count

    return gather


def _scatter(field: StateField) -> _Visit:
    shown, number, put = shown_of(field), number_of(field), put_into(field)
    rows, size, by_seat = field.rows, field.size // field.rows, field.by_seat

    @rule
    def scatter(game: Record, seat: int, count: int) -> int:
        for row in range(min(rows, game["players"]) if by_seat else rows):
            if not shown(game, seat, row):
                for place in range(row * size, (row + 1) * size):
                    if number(game, place) >= 0:
                        put(game, place, game["_drawn"][count])
                        count += 1
        return count

    return scatter


def _draw(field: StateField) -> _Visit:
    shown, put = shown_of(field), put_into(field)
    rows, size, by_seat = field.rows, field.size // field.rows, field.by_seat
    low, values = field.low, field.high - field.low + 1

    @rule
    def draw(game: Record, seat: int, count: int) -> int:
        for row in range(min(rows, game["players"]) if by_seat else rows):
            if not shown(game, seat, row):
                for place in range(row * size, (row + 1) * size):
                    put(game, place, low + below(game, values))
        return count

    return draw
