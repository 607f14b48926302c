"""Faults of a record of any game, and `rewind` for games without secret choices."""

from __future__ import annotations

from collections.abc import Callable

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record

_TO_MOVE, _EARLY = 1001, 1002
"""Beyond the numbers that games give to faults of their own."""


def and_own(own: Callable[[Record], int] | None) -> Callable[[Record], int]:
    """`Rules.fault`: `fault`, and then the faults that a game finds itself."""
    if own is None:
        return fault

    @rule
    def both(game: Record) -> int:
        found = fault(game)
        return found if found != 0 else own(game)

    return both


@rule
def fault(game: Record) -> int:
    """`Rules.fault`: the seat to move is at the table, and nobody has won before the end."""
    if game["to_move"] >= game["players"]:
        return _TO_MOVE
    if game["to_move"] >= 0:
        for seat in range(len(game["winners"])):
            if game["winners"][seat] != 0:
                return _EARLY
    return 0


@rule
def rewind(game: Record) -> bool:
    """`Rules.rewind` of a game in which every choice is seen."""
    return False


Explain = Callable[[Record, int], tuple[str, str, str]]


def explaining(own: Explain | None) -> Explain:
    """`Game.explain`: of these faults, and by `own` of those that a game finds itself."""
    return lambda record, fault: (own if own and fault < _TO_MOVE else explain)(record, fault)


def explain(record: Record, fault: int) -> tuple[str, str, str]:
    """`Game.explain` for these faults and any number that a game gives."""
    if fault == _TO_MOVE:
        return "to_move", f"{record['to_move']} is not at the table", "name a seat that is"
    if fault == _EARLY:
        return "winners", "someone has won, though a seat is to move", "clear one of the two"
    return "position", f"fault {fault} of the rules", "describe a position that can occur"
