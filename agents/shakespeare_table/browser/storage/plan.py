"""The setup of a table: the game, its variants and seed, and who sits where."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from shakespeare_env.checks.values import player_name
from shakespeare_env.core.rng import FIRST_FRESH
from shakespeare_env.core.seat_names import YOU
from shakespeare_env.errors import ShakespeareEnvError
from shakespeare_env.play.named import distinct_names


class TableError(ShakespeareEnvError, ValueError):
    """A request that a table cannot fulfil. The message says why, and what is possible instead."""


@dataclass(frozen=True)
class Occupant:
    """The occupant of a seat: a person or an agent.

    Attributes:
        name: The name that everybody reads.
        agent: The agent's name, as `make` takes it; None for a person.
    """

    name: Annotated[str, AfterValidator(player_name)]
    agent: str | None = None


@dataclass(frozen=True)
class TablePlan:
    """The setup of a table. It changes only if another agent takes the place of a failed one.

    Attributes:
        game: The name of the game.
        players: The number of seats.
        variants: The names of the rule variants that are on.
        seed: The seed of the deal, of chance and of the agents' draws.
        seats: The occupants by seat.
        start: The position that the game begins with, in notation; None for the first position of
            the deal.
    """

    game: str
    players: int
    variants: tuple[str, ...]
    seed: Annotated[int, Field(ge=0, lt=2**64)]
    seats: tuple[Occupant, ...]
    start: Mapping[str, Any] | None = None

    @property
    def names(self) -> list[str]:
        """The players' names by seat. Players of the same name are numbered."""
        return distinct_names([occupant.name for occupant in self.seats])

    @property
    def agents_seed(self) -> int:
        """The seed of the agents' draws. The table's seed cannot be computed from it."""
        digest = hashlib.blake2b(str(self.seed).encode(), digest_size=8, person=b"agents")
        return int.from_bytes(digest.digest(), "big")

    @property
    def people(self) -> list[int]:
        """The seats that people hold."""
        return [seat for seat, occupant in enumerate(self.seats) if occupant.agent is None]

    @property
    def has_known_seed(self) -> bool:
        """Whether one of several people may know the seed and so compute every hidden card.

        Seeds below `FIRST_FRESH` have been typed by a person. The others are drawn.
        """
        return self.seed < FIRST_FRESH and len(self.people) > 1


def default_name(seat: int) -> str:
    """Return the name of a person who has given none."""
    return f"Player {seat}"


def person(name: str, seat: int) -> Occupant:
    """Return a person as the occupant of a seat.

    Raises:
        TableError: Nobody can be called by this name.
    """
    try:
        given = player_name(name.strip() or default_name(seat))
    except ValueError as fault:
        raise TableError(f"seat {seat}: {fault}") from fault
    if given.casefold() == YOU:
        raise TableError(f"seat {seat}: the others would not know who {given!r} is; give a name")
    return Occupant(given)
