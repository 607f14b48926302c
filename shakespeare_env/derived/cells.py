"""The numbers of a field in compiled code: which of them a seat sees, and where they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.core.records import StateField

Number = Callable[[Record, int], int]
Shown = Callable[[Record, int, int], bool]


def number_of(field: StateField) -> Number:
    """(game, place) -> the number at a place of the flattened field."""
    name = field.name
    if field.shape == ():

        @rule
        def only(game: Record, place: int) -> int:
            return int(game[name])

        return only

    @rule
    def at(game: Record, place: int) -> int:
        return int(game[name].flat[place])

    return at


def put_into(field: StateField) -> Callable[[Record, int, int], None]:
    """(game, place, number): write a number to a place of the flattened field."""
    name = field.name
    if field.shape == ():

        @rule
        def only(game: Record, place: int, number: int) -> None:
            game[name] = number

        return only

    @rule
    def at(game: Record, place: int, number: int) -> None:
        game[name].flat[place] = number

    return at


def shown_of(field: StateField) -> Shown:
    """(game, seat, owner) -> whether a seat sees the owner's row of the field."""
    if callable(field.visible):
        return field.visible
    return {"all": _to_all, "owner": _to_owner, "nobody": _to_nobody}[field.visible]


@rule
def _to_all(game: Record, seat: int, owner: int) -> bool:
    return True


@rule
def _to_owner(game: Record, seat: int, owner: int) -> bool:
    return seat == owner


@rule
def _to_nobody(game: Record, seat: int, owner: int) -> bool:
    return False


def in_turn(
    functions: list[Callable[[Record, int, Any], None]],
) -> Callable[[Record, int, Any], None]:
    """One rule that calls some others in order."""
    if not functions:
        return _nothing
    first, rest = functions[0], in_turn(functions[1:])

    @rule
    def both(game: Record, seat: int, out: Any) -> None:
        first(game, seat, out)
        rest(game, seat, out)

    return both


@rule
def _nothing(game: Record, seat: int, out: Any) -> None:
    """The end of `in_turn`."""
