"""Balanced seating: which agent holds which seat in each game of a deal, and games' keys."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Annotated, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shakespeare_agents.naming import Entrant
from shakespeare_env.core import registry
from shakespeare_env.play.agent import AnyAgent

SeatOrder: TypeAlias = tuple[int, ...]
T = TypeVar("T")

_MOST_TRIED = 1000
"""The most ways tried to share a design's places among copies; six seats have at most 720."""


def seatings(agents: Sequence[Hashable]) -> NDArray[np.int64]:
    """Return who sits where in each game of a deal, int[games, P], as places in `agents`.

    Equal agents are copies. The rotations of the order given come first. One agent against copies
    of another plays these P games and no more, and an agent that holds every seat plays a single
    game: another would repeat it for agents that draw nothing.
    """
    return _balanced_seatings(_numbered(agents))


@dataclass(frozen=True)
class SeatPlan:
    """The seating of all games of a series of deals, for one agent per seat; equal ones are copies.

    Each deal plays the games of `seatings`. The seed and the deal's number draw which agent gets
    which place of the design, so that over many deals nobody gains from sitting two or three seats
    away from somebody, either. If the games are only rotations, the order given is kept.
    """

    agents: tuple[Hashable, ...]
    seed: int

    @cached_property
    def games_per_deal(self) -> int:
        """The number of games of each deal."""
        return len(seatings(self.agents))

    def deals_for(self, games: int) -> int:
        """Return the number of deals that have at least so many games."""
        return -(-games // self.games_per_deal)

    def of(self, deals: range) -> NDArray[np.int8]:
        """Return who sits where, int8[deals, games, P], as places in `agents`."""
        players = len(self.agents)
        if self.games_per_deal <= players:
            rotations = seatings(self.agents).astype(np.int8)
            return np.broadcast_to(rotations, (len(deals), *rotations.shape))
        places = np.empty((len(deals), self.games_per_deal, players), np.int8)
        for row, number in enumerate(deals):
            drawn = np.random.default_rng([self.seed, number]).permutation(players)
            places[row] = drawn[seatings([self.agents[place] for place in drawn])]
        return places

    def seatings(self, deals: range, digests: Sequence[str]) -> list[Seating]:
        """Return all games of some deals, given the agents' digests."""
        # Rotations number the agents' generators, and no key depends on how many there are. The
        # one game of copies draws as the first of P does, so that a folder in which all P were
        # played can be continued.
        rotations = tuple(range(max(self.games_per_deal, len(self.agents))))
        games = []
        for deal, seats_by_game in zip(deals, self.of(deals).tolist(), strict=True):
            match = Match(len(digests), deal, tuple(digests), rotations)
            for rotation, places in enumerate(seats_by_game):
                seated = tuple(digests[place] for place in places)
                games.append(Seating(match, rotation, seated))
        return games


def seat_plan(entrants: Sequence[Entrant], seed: int) -> SeatPlan:
    """Return the seating of entrants, of which copies are the same agent under the same name."""
    objects = list(dict.fromkeys(id(entrant.agent) for entrant in entrants))
    agents = ((entrant.name, objects.index(id(entrant.agent))) for entrant in entrants)
    return SeatPlan(tuple(agents), seed)


def circular_orders(agents: Sequence[Hashable]) -> list[SeatOrder]:
    """Return orders around the table in which every agent follows every other equally often.

    They are for matches of few games: each order is to be played in all rotations, in one match or
    in several. Entries are places in `agents`; equal agents are copies.
    """
    named = _numbered(agents)
    return [_places(row, named) for row in _orders(named)]


@cache
def _orders(named: SeatOrder) -> list[SeatOrder]:
    cycles = _cycles(len(named))
    most = _copies_of_pairs(named) * len(cycles) // max(len(named) - 1, 1)
    # Rotations of an order are equivalent, so each is known by its least one; the order given is
    # known by itself.
    starts = dict.fromkeys(_rotations(named), named)

    def known_by(row: SeatOrder) -> SeatOrder:
        return starts.get(row, min(_rotations(row)))

    return sorted(_without_repeats(cycles, named, most, known_by), key=lambda row: row != named)


def _numbered(agents: Sequence[Hashable]) -> SeatOrder:
    """Number agents from 0 in the order given; equal agents share a number."""
    numbers = {agent: number for number, agent in enumerate(dict.fromkeys(agents))}
    return tuple(numbers[agent] for agent in agents)


def _places(row: SeatOrder, named: SeatOrder) -> SeatOrder:
    """Return the numbers by seat as places in the order given, of copies the first one first."""
    places = {
        number: iter([place for place, other in enumerate(named) if other == number])
        for number in named
    }
    return tuple(next(places[number]) for number in row)


@cache
def _balanced_seatings(named: SeatOrder) -> NDArray[np.int64]:
    n = len(named)
    every = 2 - n % 2
    design = [_rotated(cycle, rotation) for cycle in _cycles(n) for rotation in range(0, n, every)]
    balanced = _without_repeats(design, named, _copies_of_pairs(named))
    if len(set(balanced)) < len(balanced) and math.factorial(n) <= _MOST_TRIED:
        every_row = list(dict.fromkeys(itertools.permutations(named)))
        # All orders, each played once, are balanced, too.
        balanced = min(balanced, every_row, key=len)

    # Of equal rotations the first one counts.
    order = {row: number for number, row in reversed(list(enumerate(_rotations(named))))}
    rows = sorted(balanced, key=lambda row: order.get(row, n))
    places = np.array([_places(row, named) for row in rows], np.int64)
    places.flags.writeable = False
    return places


def _without_repeats(
    design: Sequence[SeatOrder],
    named: SeatOrder,
    most: int,
    known_by: Callable[[SeatOrder], SeatOrder] = lambda row: row,
) -> list[SeatOrder]:
    """Return a design's rows with agents' numbers by seat, without what copies only repeat.

    How often rows repeat depends on which places of the design the copies get. `most` is the most
    that they can.
    """
    best: Counter[SeatOrder] = Counter()
    often = 0
    for numbers in dict.fromkeys(itertools.islice(itertools.permutations(named), _MOST_TRIED)):
        rows = Counter(known_by(tuple(numbers[label] for label in row)) for row in design)
        repeats = math.gcd(*rows.values())
        # Of equally few rows those are best of which most differ.
        if (repeats, len(rows)) > (often, len(best)):
            best = rows
            often = repeats
        if often == most and len(best) * often == len(design):
            break
    return [row for row, times in best.items() for _ in range(times // often)]


def _copies_of_pairs(named: SeatOrder) -> int:
    """Return the greatest common divisor of the counts of ordered pairs of agents."""
    held = Counter(named)
    pairs = [held[a] * (held[b] - (a == b)) for a in held for b in held]
    return math.gcd(*pairs)


def _cycles(n: int) -> list[SeatOrder]:
    """Return the zigzags of n seats, for even n in both directions; the first is 0, 1, ..., n - 1.

    In a zigzag one agent stays in place, and the others alternate between both sides of a circle.
    """
    circle = n - 1
    steps = [(1 + i) // 2 * (1 if i % 2 else -1) for i in range(circle)]
    zigzags = []
    for start in range(max(circle, 1)):
        around = [(start + step) % circle for step in steps]
        zigzags.append((circle, *around))
    label = {number: place for place, number in enumerate(zigzags[0])}
    forward = [tuple(label[number] for number in zigzag) for zigzag in zigzags]
    if n % 2:
        return forward
    return [cycle for order in forward for cycle in (order, order[::-1])]


def _rotations(row: SeatOrder) -> list[SeatOrder]:
    return [_rotated(row, rotation) for rotation in range(len(row))]


def _rotated(row: tuple[T, ...], rotation: int) -> tuple[T, ...]:
    """Return a row turned so that its first entry sits at seat `rotation`."""
    start = -rotation % len(row)
    return row[start:] + row[:start]


@dataclass(frozen=True)
class Match:
    """A deal played by the same agents in several games.

    Attributes:
        players: The number of seats.
        deal: With the seed it decides all chance: the games are game `deal` of `Batch(seed=seed)`.
        lineup: The agents' digests by seat in rotation 0; copies are the same digest twice. In
            rotation r the first agent sits at seat r.
        rotations: The rotations to be played.
    """

    players: int
    deal: Annotated[int, Field(ge=0, lt=2**62)]
    lineup: tuple[str, ...]
    rotations: tuple[int, ...]


@dataclass(frozen=True)
class Seating:
    """A game to be played: a match in one of its rotations.

    `seats` replaces the order of the rotation if it is given.
    """

    match: Match
    rotation: int
    seats: tuple[str, ...] = ()

    @cached_property
    def digests(self) -> tuple[str, ...]:
        """The agents' digests by seat."""
        return self.seats or _rotated(self.match.lineup, self.rotation)


@dataclass(frozen=True)
class RunSettings:
    """The settings that all games of a run share; agents and their names are by digest."""

    game: str
    variants: tuple[str, ...]
    seed: int
    agents: Mapping[str, AnyAgent]
    names: Mapping[str, str]

    def key(self, seating: Seating) -> str:
        """Return the key of a game: a digest of all that decides it."""
        return self._hash(seating.match, seating.digests, f"rotation {seating.rotation}")

    def match_key(self, match: Match) -> str:
        """Return the key of a match: a digest of what its games have in common."""
        return self._hash(match, match.lineup, "all")

    def _hash(self, match: Match, digests: Sequence[str], which: str) -> str:
        game = (self.game, registry.box_digest(self.game), *self.variants, str(self.seed))
        facts = (*game, str(match.players), str(match.deal), *digests, which)
        return hashlib.sha256("\0".join(facts).encode()).hexdigest()[:32]
