"""The check of records from outside: text, saved records, pickles.

Compiled rules trust the record they are given, so nothing reaches them unchecked.  A record that
passes can be played to the end: no index leaves its array, and the seat to move can move.
"""

from __future__ import annotations

import numpy as np

from shakespeare_env.errors import PositionError
from shakespeare_env.game import Game, Records
from shakespeare_env.kernels import NO_MOVE, Kernels

_REMEDY = "use records that `save` or `record` gave"


def check_kind(game: Game, records: object) -> None:
    """TypeError unless records are of a game's record type."""
    kind = getattr(records, "dtype", None)
    # Comparing types field by field takes longer than all else.
    of_game = kind is game.state or kind == game.state
    if not isinstance(records, np.ndarray | np.void) or not of_game:
        raise TypeError(f"this is of {kind or type(records).__name__}, not of {game.name}")


def check_records(game: Game, kernels: Kernels, records: Records) -> None:
    """Refuse records[n] that cannot occur.

    Raises:
        PositionError: names the record, and what is wrong where.
    """
    if found := first_fault(game, kernels, records):
        raise PositionError(f"records[{found[0]}]: {found[1]}")


def first_fault(game: Game, kernels: Kernels, records: Records) -> tuple[int, str] | None:
    """The first of records[n] that cannot occur, and place, fault and remedy."""
    if misfit := game.ranges.misfit(records):
        index, field = misfit
        held = np.asarray(records[index][field.name]).tolist()
        return index, f"{field.name}: {held} is not within {field.low} to {field.high}; {_REMEDY}"
    faults = np.zeros(1, np.int64)
    index = int(kernels.first_fault(records, np.zeros(game.actions.size, np.bool_), faults))
    if index < 0:
        return None
    record, fault = records[index], int(faults[0])
    if fault == NO_MOVE:
        return index, (
            f"position: seat {record['to_move']} has no legal move in phase "
            f"{game.phase(record)!r}; describe a decision that can be made"
        )
    return index, "{}: {}; {}".format(*game.explain(record, fault))
