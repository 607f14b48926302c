"""The printed facts of a box file, checked, as arrays indexed by small integers.

They are read at import and compiled in as constants. Index spaces:

    kind    of card, 0 .. N_KINDS-1: coloured, `colour * N_VALUES + value - 1`, then jester 1,
            jester 2 and the ring
    colour  0 red, 1 orange, 2 green, 3 blue, 4 purple
    place   a seat by clockwise distance from another, itself 0
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import AliasPath, Field, model_validator

from shakespeare_env.checks.box_files import (
    Facts,
    box_in_force,
    checked_box,
    complete_facts,
    parsed_facts_digest,
)

COLOURS = ("red", "orange", "green", "blue", "purple")
VALUES = (1, 2, 3)
JESTERS = (1, 2)
SEATS = range(3, 7)
_LARGEST_HAND = 30

Copies = Annotated[int, Field(ge=0, le=8)]
ColourCopies = Annotated[dict[Literal["1", "2", "3"], Copies], Field(min_length=3)]
JesterCopies = Annotated[dict[Literal["1", "2"], Copies], Field(min_length=2)]
Length = Annotated[int, Field(ge=1, le=100)]


class Box(Facts):
    """The facts of a box file.

    Attributes:
        colours: Copies of values 1 to 3 in every colour (Rules A1).
        jesters: Copies of jesters 1 and 2.
        rings: Copies of the ring.
        absent_jesters: Copies of jesters 1 and 2 left out with three seats.
        absent_rings: Rings left out with three seats.
        lengths: Lengths of the road pieces, all different (Rules A2).
        rounds: Rounds in a game (Rules A3).
        full: The total at which a seat takes everything (Rules B6).
    """

    colours: ColourCopies = Field(validation_alias=AliasPath("cards", "colours"))
    jesters: JesterCopies = Field(validation_alias=AliasPath("cards", "jesters"))
    rings: Copies = Field(validation_alias=AliasPath("cards", "rings"))
    absent_jesters: JesterCopies = Field(validation_alias=AliasPath("three_seats", "jesters"))
    absent_rings: Copies = Field(validation_alias=AliasPath("three_seats", "rings"))
    lengths: tuple[Length, ...] = Field(validation_alias=AliasPath("road", "lengths"))
    rounds: int = Field(ge=1, le=3, validation_alias=AliasPath("rounds", "number"))
    full: int = Field(ge=4, le=12, validation_alias=AliasPath("pile", "full"))

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        lacks_jesters = any(
            self.absent_jesters[value] > self.jesters[value] for value in self.jesters
        )
        if lacks_jesters or self.absent_rings > self.rings:
            raise ValueError("three_seats: more cards than there are; leave out fewer (Rules A1)")
        pieces = self.rounds * (SEATS[-1] - 1)
        different = len(set(self.lengths))
        if len(self.lengths) != pieces or different != pieces:
            raise ValueError(f"road.lengths: {different} different ones; give {pieces} (Rules A2)")
        of_a_colour = sum(self.colours.values())
        jesters = sum(self.jesters.values())
        for seats in SEATS:
            dealt = len(COLOURS) * of_a_colour + jesters + self.rings
            if seats == SEATS[0]:
                dealt -= of_a_colour + sum(self.absent_jesters.values()) + self.absent_rings
            if dealt % seats or not 2 * seats <= dealt <= _LARGEST_HAND * seats:
                raise ValueError(
                    f"cards: {dealt} for {seats} seats; let each seat get the same number, from 2 "
                    f"to {_LARGEST_HAND} (Rules A1)"
                )
        return self


_PACKAGE = Path(__file__).parents[1]
BOX_FILE = box_in_force(_PACKAGE, "FIGARO_BOX")
_FACTS = complete_facts(_PACKAGE, BOX_FILE)
BOX = checked_box(Box, _FACTS, BOX_FILE)
BOX_DIGEST = parsed_facts_digest(_FACTS)

N_SEATS = SEATS[-1]
MIN_SEATS = SEATS[0]
N_ROUNDS = BOX.rounds
N_PIECES = N_SEATS - 1
"""The most road pieces in a round (Rules A3)."""
FULL = BOX.full
"""The total at which a seat takes everything (Rules B6)."""

N_COLOURS = len(COLOURS)
N_VALUES = len(VALUES)
N_COLOURED = N_COLOURS * N_VALUES
JESTER = N_COLOURED
"""The first jester."""
RING = JESTER + len(JESTERS)
N_KINDS = RING + 1
NO_COLOUR = -1

_COLOURED_IDS = tuple(f"{colour}-{value}" for colour in COLOURS for value in VALUES)
_JESTER_IDS = tuple(f"jester-{value}" for value in JESTERS)
KIND_IDS = (*_COLOURED_IDS, *_JESTER_IDS, "ring")
COLOUR = np.full(N_KINDS, NO_COLOUR, np.int8)
COLOUR[:N_COLOURED] = np.arange(N_COLOURED) // N_VALUES
"""By kind; NO_COLOUR for jesters and rings (Rules B3, B4)."""
VALUE = np.array([*(VALUES * N_COLOURS), *JESTERS, 0], np.int8)

_colour_copies = [BOX.colours[value] for value in ("1", "2", "3")]
_jester_copies = [BOX.jesters[value] for value in ("1", "2")]
COPIES = np.zeros((N_SEATS + 1, N_KINDS), np.int8)
"""int8[seats, kind]: cards dealt; three seats leave some out (Rules A1)."""
COPIES[MIN_SEATS:] = [*(_colour_copies * N_COLOURS), *_jester_copies, BOX.rings]
COPIES[MIN_SEATS, N_COLOURED - N_VALUES : N_COLOURED] = 0
COPIES[MIN_SEATS, JESTER:RING] -= [BOX.absent_jesters[value] for value in ("1", "2")]
COPIES[MIN_SEATS, RING] -= BOX.absent_rings
HAND = np.array([COPIES[seats].sum() // max(seats, 1) for seats in range(N_SEATS + 1)], np.int8)
"""int8[seats]: cards in a fresh hand."""
MAX_DEALT = int(COPIES.sum(axis=1, dtype=np.int64).max())
"""The most cards in play."""
MAX_FRONT = FULL - 1 + int(BOX.rings)
"""The most cards that can lie before a seat: values up to a total below FULL, and rings."""

LENGTHS = np.array(sorted(BOX.lengths, reverse=True), np.int8)
"""int8[15]: road pieces, long to short (Rules A2)."""
