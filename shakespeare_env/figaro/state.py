"""One game as a record: shape, range and meaning of every field.

Indices are those of `box/tables.py`. A batch is an array of records; copying a record copies a
game.
"""

from __future__ import annotations

from shakespeare_env.core.records import Ranges, StateField, state_type
from shakespeare_env.figaro.box.tables import (
    COPIES,
    FULL,
    HAND,
    LENGTHS,
    MAX_DEALT,
    MAX_FRONT,
    MIN_SEATS,
    N_COLOURS,
    N_KINDS,
    N_PIECES,
    N_ROUNDS,
    N_SEATS,
    NO_COLOUR,
)

NOBODY = -1
NOTHING = -1

_MOST_COPIES = int(COPIES.max())

# fmt: off
FIELDS = (
    # ---- the table -------------------------------------------------------------------------------
    StateField("players", MIN_SEATS, N_SEATS),
    StateField("round", 0, N_ROUNDS - 1),  # the first is 0; stays at the last when over
    StateField("to_move", NOBODY, N_SEATS - 1),  # the seat that decides; NOBODY when over
    StateField("king", 0, N_SEATS - 1),  # the seat that has the King (A4, C1)
    StateField("dealt", 0, 0, N_KINDS),  # cards still to be dealt; none but while cards are dealt
    # lengths, long to short; 0 past the last (A3)
    StateField("pieces", 0, int(LENGTHS[0]), (N_ROUNDS, N_PIECES)),
    # ---- the seats -------------------------------------------------------------------------------
    StateField("hand", 0, _MOST_COPIES, (N_SEATS, N_KINDS)),  # copies of each kind
    StateField("hand_size", 0, int(HAND.max()), N_SEATS),
    # kinds as played; NOTHING past the last
    StateField("front", NOTHING, N_KINDS - 1, (N_SEATS, MAX_FRONT)),
    StateField("front_len", 0, MAX_FRONT, N_SEATS),
    StateField("total", 0, FULL - 1, N_SEATS),  # of the values before a seat (B6)
    # of the cards before a seat, or NO_COLOUR (B2, B3)
    StateField("colour", NO_COLOUR, N_COLOURS - 1, N_SEATS),
    StateField("taken", 0, _MOST_COPIES, (N_SEATS, N_KINDS)),  # copies of each kind, this round
    StateField("taken_count", 0, MAX_DEALT, N_SEATS),
    StateField("road", 0, int(LENGTHS[0]), (N_SEATS, N_ROUNDS)),  # long to short, 0 past the last
    StateField("winners", 0, 1, N_SEATS),  # 1 for the winner, once over (C4)
)
# fmt: on
STATE = state_type(FIELDS)
RANGES = Ranges(STATE, FIELDS)

EMPTY_IS_NOTHING = frozenset(("front", "colour"))
"""Fields that hold NOTHING or NO_COLOUR when empty; the others hold 0."""

HIDDEN_FROM_TEXT = ("random",)
"""Omitted from text: future chance."""
