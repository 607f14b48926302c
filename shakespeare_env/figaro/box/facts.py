"""The printed facts: what a box file must hold, within what the engine's int8 state can hold."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AliasPath, Field, model_validator

from shakespeare_env.checks.box_files import Facts

COLOURS = ("red", "orange", "green", "blue", "purple")
VALUES = (1, 2, 3)
JESTERS = (1, 2)
SEATS = range(3, 7)
_LARGEST_HAND = 30

Copies = Annotated[int, Field(ge=0, le=8)]
Colour = Annotated[dict[Literal["1", "2", "3"], Copies], Field(min_length=3)]
Jesters = Annotated[dict[Literal["1", "2"], Copies], Field(min_length=2)]
Length = Annotated[int, Field(ge=1, le=100)]


class Box(Facts):
    """A box file.

    Attributes:
        colours: Copies of values 1 to 3 in every colour (Rules A1).
        jesters: Copies of jesters 1 and 2.
        absent_jesters: Left out with three seats, as `absent_rings` are.
        lengths: Of the road pieces, all different (Rules A2).
        rounds: In a game (Rules A3).
        full: The total at which a seat takes everything (Rules B6).
    """

    colours: Colour = Field(validation_alias=AliasPath("cards", "colours"))
    jesters: Jesters = Field(validation_alias=AliasPath("cards", "jesters"))
    rings: Copies = Field(validation_alias=AliasPath("cards", "rings"))
    absent_jesters: Jesters = Field(validation_alias=AliasPath("three_seats", "jesters"))
    absent_rings: Copies = Field(validation_alias=AliasPath("three_seats", "rings"))
    lengths: tuple[Length, ...] = Field(validation_alias=AliasPath("road", "lengths"))
    rounds: int = Field(ge=1, le=3, validation_alias=AliasPath("rounds", "number"))
    full: int = Field(ge=4, le=12, validation_alias=AliasPath("pile", "full"))

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        absent = [self.absent_jesters[jester] > self.jesters[jester] for jester in self.jesters]
        if any(absent) or self.absent_rings > self.rings:
            raise ValueError("three_seats: more is left out than there is (Rules A1)")
        pieces = self.rounds * (SEATS[-1] - 1)
        if len(self.lengths) != pieces or len({*self.lengths}) != pieces:
            raise ValueError(f"road.lengths: give {pieces} different lengths (Rules A2)")
        a_colour, jesters = sum(self.colours.values()), sum(self.jesters.values())
        for seats in SEATS:
            dealt = len(COLOURS) * a_colour + jesters + self.rings
            if seats == SEATS[0]:
                dealt -= a_colour + sum(self.absent_jesters.values()) + self.absent_rings
            if dealt % seats or not 2 * seats <= dealt <= _LARGEST_HAND * seats:
                raise ValueError(f"cards: {dealt} cannot be dealt to {seats} seats (Rules A1)")
        return self
