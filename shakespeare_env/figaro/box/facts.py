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
Jesters = Annotated[dict[Literal["1", "2"], Copies], Field(min_length=2)]


class Box(Facts):
    """A box file.

    Attributes:
        of_value: Copies of values 1 to 3 in every colour (Rules A1).
        of_jester: Copies of jesters 1 and 2.
        jesters_left_out: With three seats.
        absent_rings: Left out with three seats.
        lengths: Of the road pieces, all different (Rules A2).
        rounds: In a game (Rules A3).
        full: The total at which a seat takes everything (Rules B6).
    """

    of_value: dict[Literal["1", "2", "3"], Copies] = Field(
        min_length=3, validation_alias=AliasPath("cards", "colours")
    )
    of_jester: Jesters = Field(validation_alias=AliasPath("cards", "jesters"))
    rings: Copies = Field(validation_alias=AliasPath("cards", "rings"))
    jesters_left_out: Jesters = Field(validation_alias=AliasPath("three_seats", "jesters"))
    absent_rings: Copies = Field(validation_alias=AliasPath("three_seats", "rings"))
    lengths: tuple[Annotated[int, Field(ge=1, le=100)], ...] = Field(
        validation_alias=AliasPath("road", "lengths")
    )
    rounds: int = Field(ge=1, le=3, validation_alias=AliasPath("rounds", "number"))
    full: int = Field(ge=4, le=12, validation_alias=AliasPath("pile", "full"))

    @property
    def colours(self) -> tuple[int, ...]:
        """Copies by value."""
        return tuple(self.of_value[value] for value in ("1", "2", "3"))

    @property
    def jesters(self) -> tuple[int, ...]:
        """Copies by jester."""
        return self.of_jester["1"], self.of_jester["2"]

    @property
    def absent_jesters(self) -> tuple[int, ...]:
        """Copies left out with three seats, by jester."""
        return self.jesters_left_out["1"], self.jesters_left_out["2"]

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        kept = [(self.jesters[i], self.absent_jesters[i]) for i in range(len(JESTERS))]
        if any(absent > there for there, absent in [*kept, (self.rings, self.absent_rings)]):
            raise ValueError("three_seats: more is left out than there is (Rules A1)")
        pieces = self.rounds * (SEATS[-1] - 1)
        if len(self.lengths) != pieces or len({*self.lengths}) != pieces:
            raise ValueError(f"road.lengths: give {pieces} different lengths (Rules A2)")
        for seats in SEATS:
            dealt = self._dealt(seats)
            if dealt % seats or not 2 * seats <= dealt <= _LARGEST_HAND * seats:
                raise ValueError(f"cards: {dealt} cannot be dealt to {seats} seats (Rules A1)")
        return self

    def _dealt(self, seats: int) -> int:
        everything = len(COLOURS) * sum(self.colours) + sum(self.jesters) + self.rings
        absent = sum(self.colours) + sum(self.absent_jesters) + self.absent_rings
        return everything - (absent if seats == SEATS[0] else 0)
