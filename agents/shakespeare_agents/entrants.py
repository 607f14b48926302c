"""Who plays in the arena: an agent with a name at every seat."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import TypeVar

from shakespeare_agents.identity import AgentSet
from shakespeare_agents.naming import default, make
from shakespeare_env.core.game import Game
from shakespeare_env.play.agent import AnyAgent, Player, name_of


@dataclass(frozen=True)
class Entrant:
    """An agent at one seat, and the name its figures go under.

    Attributes:
        given: What the agent was made from; None if it was given itself.
    """

    name: str
    agent: AnyAgent
    given: Player | None = None

    @property
    def origin(self) -> Player:
        """What the agent was made from, itself if it was given."""
        return self.agent if self.given is None else self.given


def agent_set(entrants: Sequence[Entrant], game: Game) -> AgentSet:
    """The agents of entrants, ready to travel to workers."""
    return AgentSet(game, [one.agent for one in entrants], [one.origin for one in entrants])


T = TypeVar("T")


def filled(named: Sequence[T], players: int | None, game: Game) -> list[T | str]:
    """Names for all seats: the last of several fills the rest, the default agent if it is one name.

    By default several names get a seat each, as far as the game allows; otherwise all seats play.

    Raises:
        ValueError: more are named than there are seats, or the game does not allow `players` seats.
        TypeError: `players` is not whole.
    """
    if players is None:
        wanted = max(len(named), game.min_seats) if len(named) > 1 else game.max_seats
        players = min(wanted, game.max_seats)
    seats = game.check_players(players)
    if len(named) > seats:
        raise ValueError(
            f"{len(named)} players for {seats} seats; name fewer agents, or give more seats"
        )
    filler: list[T | str] = [named[-1] if len(named) > 1 else default(game)]
    return [*named, *filler * (seats - len(named))]


def entrants_of(players: Sequence[Entrant | Player], game: Game) -> list[Entrant]:
    """Make agents and name them; one that is given several times is made once.

    Text and folders are named by themselves, functions and classes by their names, agents by their
    classes; others of the same name get a number. Errors as of `registry.make`.
    """
    made: dict[object, Entrant] = {}
    entrants = []
    for player in players:
        key = player if isinstance(player, str | os.PathLike) else id(player)
        if isinstance(player, Entrant):
            made[key] = player
        elif key not in made:
            name, taken = name_of(player), {entrant.name for entrant in made.values()}
            names = (name if number == 1 else f"{name} {number}" for number in count(1))
            free = next(one for one in names if one not in taken)
            made[key] = Entrant(free, make(player, game), player)
        entrants.append(made[key])
    return entrants
