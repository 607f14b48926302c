"""One game as a record: shape, range and meaning of every field.

Indices are those of `tables.py`. A batch is an array of records; copying a record copies a game.
"""

from __future__ import annotations

import numpy as np

from shakespeare_env.figaro.tables import MAX_FRONT, N_KINDS, N_PIECES, N_ROUNDS, N_SEATS

NOBODY = -1
NOTHING = -1

STATE = np.dtype(
    [
        ("random", np.uint64),  # the game's generator (rng.py)
        # ---- the table ---------------------------------------------------------------------------
        ("players", np.int8),  # 3 .. 6
        ("round", np.int8),  # 0 .. 2, the first to the third; stays 2 when over
        ("to_move", np.int8),  # the seat that decides; NOBODY when over
        ("king", np.int8),  # the seat that has the King (A4, C1)
        ("dealt", np.int8, N_KINDS),  # cards still to be dealt; none but while cards are dealt
        ("pieces", np.int8, (N_ROUNDS, N_PIECES)),  # lengths, long to short; 0 past the last (A3)
        # ---- the seats ---------------------------------------------------------------------------
        ("hand", np.int8, (N_SEATS, N_KINDS)),  # copies of each kind
        ("hand_size", np.int8, N_SEATS),
        ("front", np.int8, (N_SEATS, MAX_FRONT)),  # kinds as played; NOTHING past the last
        ("front_len", np.int8, N_SEATS),
        ("total", np.int8, N_SEATS),  # of the values before a seat, 0 .. 5 (B6)
        ("colour", np.int8, N_SEATS),  # of the cards before a seat, or NO_COLOUR (B2, B3)
        ("taken", np.int8, (N_SEATS, N_KINDS)),  # copies of each kind taken this round
        ("taken_count", np.int8, N_SEATS),
        ("road", np.int8, (N_SEATS, N_ROUNDS)),  # lengths, long to short; 0 past the last (C2)
        ("winners", np.int8, N_SEATS),  # 1 for the winner, once over (C4)
    ],
    align=True,
)

EMPTY_IS_NOTHING = frozenset(("front", "colour"))
"""Fields that hold NOTHING or NO_COLOUR when empty; the others hold 0."""

HIDDEN_FROM_TEXT = ("random",)
"""Omitted from text: future chance."""
