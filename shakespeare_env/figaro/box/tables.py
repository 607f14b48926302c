"""The box as arrays indexed by small integers.

Read at import and compiled in as constants.

Index spaces:

    kind    of card, 0 .. N_KINDS-1: coloured, `colour * N_VALUES + value - 1`, then jester 1,
            jester 2 and the ring
    colour  0 red, 1 orange, 2 green, 3 blue, 4 purple
    place   a seat by clockwise distance from another, itself 0
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from shakespeare_env.checks.box_files import box_in_force, read_box
from shakespeare_env.figaro.box import facts as printed
from shakespeare_env.figaro.box.facts import COLOURS, JESTERS

_PACKAGE = Path(__file__).parents[1]
BOX_FILE = box_in_force(_PACKAGE, "FIGARO_BOX")
BOX = read_box(printed.Box, _PACKAGE, BOX_FILE)

N_SEATS = printed.SEATS[-1]
MIN_SEATS = printed.SEATS[0]
N_ROUNDS = BOX.rounds
N_PIECES = N_SEATS - 1
"""Most road pieces of a round (Rules A3)."""
FULL = BOX.full
"""The total at which a seat takes everything (Rules B6)."""

N_COLOURS = len(COLOURS)
N_VALUES = len(printed.VALUES)
N_COLOURED = N_COLOURS * N_VALUES
JESTER = N_COLOURED
"""The first jester."""
RING = JESTER + len(JESTERS)
N_KINDS = RING + 1
NO_COLOUR = -1

KIND_IDS = (
    *(f"{colour}-{value}" for colour in COLOURS for value in printed.VALUES),
    *(f"jester-{value}" for value in JESTERS),
    "ring",
)
COLOUR = np.array([*(k // N_VALUES for k in range(N_COLOURED)), *[NO_COLOUR] * 3], np.int8)
"""By kind; NO_COLOUR for jesters and rings (Rules B3, B4)."""
VALUE = np.array([*(printed.VALUES * N_COLOURS), *JESTERS, 0], np.int8)

_a_colour = [BOX.colours[value] for value in ("1", "2", "3")]
_jesters = [BOX.jesters[value] for value in ("1", "2")]
COPIES = np.zeros((N_SEATS + 1, N_KINDS), np.int8)
"""int8[seats, kind]: cards dealt; three seats leave some out (Rules A1)."""
COPIES[MIN_SEATS:] = [*(_a_colour * N_COLOURS), *_jesters, BOX.rings]
COPIES[MIN_SEATS, N_COLOURED - N_VALUES : N_COLOURED] = 0
COPIES[MIN_SEATS, JESTER:RING] -= [BOX.absent_jesters[value] for value in ("1", "2")]
COPIES[MIN_SEATS, RING] -= BOX.absent_rings
HAND = np.array([COPIES[seats].sum() // max(seats, 1) for seats in range(N_SEATS + 1)], np.int8)
"""int8[seats]: cards in a fresh hand."""
MAX_DEALT = int(COPIES.sum(axis=1, dtype=np.int64).max())
"""Most cards in play."""
MAX_FRONT = FULL - 1 + int(BOX.rings)
"""Most cards that stay before a seat: values below FULL, and rings."""

LENGTHS = np.array(sorted(BOX.lengths, reverse=True), np.int8)
"""int8[15]: road pieces, long to short (Rules A2)."""
