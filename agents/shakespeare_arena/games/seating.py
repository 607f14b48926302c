"""Balanced seatings, which say who holds which seat in each game of a deal, and games' keys."""

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

from shakespeare_agents.making import Entrant
from shakespeare_env.core import registry
from shakespeare_env.play.agent import AnyAgent

SeatOrder: TypeAlias = tuple[int, ...]
T = TypeVar("T")

_MOST_TRIED = 1000
"""The most assignments of agents to a design's places that are tried; six seats have up to 720.

A design is a balanced list of seatings, whose places stand for agents yet to be assigned.
"""


def seatings(agents: Sequence[Hashable]) -> NDArray[np.int64]:
    """Return who sits where in each game of a deal, int[games, P], as indices of `agents`.

    Equal agents are copies. The rotations of the given order come first. If one agent plays against
    copies of another, these P rotations are all games. If one agent holds every seat, there is a
    single game, since further games would only repeat it unless the agent plays at random.
    """
    return _balanced_seatings(_numbered(agents))


@dataclass(frozen=True)
class SeatPlan:
    """The seating of all games in a series of deals, given one agent per seat.

    Equal agents are copies. Each deal plays the games of `seatings`, which balance who sits next to
    whom. The seed and the deal's number decide which agent takes which place in these games. So
    over many deals nobody gains from sitting two or three seats away from somebody, either. If the
    games are only rotations, the given order is kept.
    """

    agents: tuple[Hashable, ...]
    seed: int

    @cached_property
    def games_per_deal(self) -> int:
        """The number of games of each deal."""
        return len(seatings(self.agents))

    def deals_for(self, games: int) -> int:
        """Return the fewest deals that have at least this number of games."""
        return -(-games // self.games_per_deal)

    def places(self, deals: range) -> NDArray[np.int8]:
        """Return who sits where, int8[deals, games, P], as indices of `agents`."""
        players = len(self.agents)
        if self.games_per_deal <= players:  # the games are only rotations of the given order
            rotations = seatings(self.agents).astype(np.int8)
            return np.broadcast_to(rotations, (len(deals), *rotations.shape))
        places = np.empty((len(deals), self.games_per_deal, players), np.int8)
        for row, deal in enumerate(deals):
            shuffled = np.random.default_rng([self.seed, deal]).permutation(players)
            places[row] = shuffled[seatings([self.agents[place] for place in shuffled])]
        return places

    def seatings(self, deals: range, digests: Sequence[str]) -> list[Seating]:
        """Return all games of some deals, given the agents' digests."""
        # A game's generator is numbered by deal and rotation, with at least P rotations a deal, so
        # the single game of P copies draws like the first of P rotations.
        rotations = tuple(range(max(self.games_per_deal, len(self.agents))))
        games = []
        for deal, games_of_deal in zip(deals, self.places(deals).tolist(), strict=True):
            match = Match(len(digests), deal, tuple(digests), rotations)
            for rotation, places in enumerate(games_of_deal):
                seated = tuple(digests[place] for place in places)
                games.append(Seating(match, rotation, seated))
        return games


def seat_plan(entrants: Sequence[Entrant], seed: int) -> SeatPlan:
    """Return the seat plan of entrants. Copies are the same object under the same name."""
    numbers = _numbered([id(entrant.agent) for entrant in entrants])
    agents = zip((entrant.name for entrant in entrants), numbers, strict=True)
    return SeatPlan(tuple(agents), seed)


def circular_orders(agents: Sequence[Hashable]) -> list[SeatOrder]:
    """Return orders around the table in which every agent follows every other equally often.

    They are for matches of few games: play each order in all its rotations, in one match or in
    several. Entries are indices of `agents`. Equal agents are copies.
    """
    lineup = _numbered(agents)
    return [_places(row, lineup) for row in _orders(lineup)]


@cache
def _orders(lineup: SeatOrder) -> list[SeatOrder]:
    """Return the circular orders of a numbered line-up, the given order first."""
    cycles = _cycles(len(lineup))
    # In the cycles each ordered pair of places is adjacent len(cycles) / (n - 1) times. So this is
    # the largest number by which the counts of all pairs of agents can be divided.
    most = _copies_of_pairs(lineup) * len(cycles) // max(len(lineup) - 1, 1)
    rotations_of_lineup = set(_rotations(lineup))

    def representative(row: SeatOrder) -> SeatOrder:
        # All rotations of an order count as one order.
        return lineup if row in rotations_of_lineup else min(_rotations(row))

    orders = _without_repeats(cycles, lineup, most, representative)
    return sorted(orders, key=lambda row: row != lineup)


def _numbered(agents: Sequence[Hashable]) -> SeatOrder:
    """Return each agent's number, from 0 in order of appearance. Equal agents share a number."""
    numbers = {agent: number for number, agent in enumerate(dict.fromkeys(agents))}
    return tuple(numbers[agent] for agent in agents)


def _places(row: SeatOrder, lineup: SeatOrder) -> SeatOrder:
    """Replace agents' numbers by their places in the line-up, taking copies in order."""
    places = {
        number: iter([place for place, other in enumerate(lineup) if other == number])
        for number in lineup
    }
    return tuple(next(places[number]) for number in row)


@cache
def _balanced_seatings(lineup: SeatOrder) -> NDArray[np.int64]:
    n = len(lineup)
    # With an even number of seats there are twice as many cycles, so half the rotations suffice.
    step = 1 if n % 2 else 2
    design = [_rotated(cycle, rotation) for cycle in _cycles(n) for rotation in range(0, n, step)]
    balanced = _without_repeats(design, lineup, _copies_of_pairs(lineup))
    if len(set(balanced)) < len(balanced) and math.factorial(n) <= _MOST_TRIED:
        # Playing every possible order once is balanced, too.
        every_order = list(dict.fromkeys(itertools.permutations(lineup)))
        balanced = min(balanced, every_order, key=len)

    # Rotations of the line-up come first. If copies make several rotations equal, the rank is that
    # of the first.
    rank: dict[SeatOrder, int] = {}
    for number, row in enumerate(_rotations(lineup)):
        rank.setdefault(row, number)
    rows = sorted(balanced, key=lambda row: rank.get(row, n))
    places = np.array([_places(row, lineup) for row in rows], np.int64)
    places.flags.writeable = False
    return places


def _without_repeats(
    design: Sequence[SeatOrder],
    lineup: SeatOrder,
    most: int,
    representative: Callable[[SeatOrder], SeatOrder] = lambda row: row,
) -> list[SeatOrder]:
    """Return a design's rows as agents' numbers by seat, without those that only repeat others.

    If each row occurs a multiple of k times, a k-th of its occurrences is as balanced. The largest
    k depends on which places of the design the copies get, so several assignments are tried.

    Args:
        design: Rows of places by seat.
        lineup: The agents' numbers.
        most: The largest k that is possible.
        representative: Maps equivalent rows to one of them.
    """
    best: Counter[SeatOrder] = Counter()
    best_repeats = 0
    assignments = itertools.islice(itertools.permutations(lineup), _MOST_TRIED)
    for assigned in dict.fromkeys(assignments):
        rows = Counter(representative(tuple(assigned[place] for place in row)) for row in design)
        repeats = math.gcd(*rows.values())
        # The largest k is best, and for the same k the most distinct rows.
        if (repeats, len(rows)) > (best_repeats, len(best)):
            best = rows
            best_repeats = repeats
        # Nothing is better than the largest possible k with all remaining rows distinct.
        if best_repeats == most and len(best) * best_repeats == len(design):
            break
    return [row for row, times in best.items() for _ in range(times // best_repeats)]


def _copies_of_pairs(lineup: SeatOrder) -> int:
    """Return the greatest common divisor of the counts of ordered pairs of agents."""
    copies = Counter(lineup)
    pairs = []
    for first, second in itertools.product(copies, repeat=2):
        others = copies[second] - 1 if first == second else copies[second]
        pairs.append(copies[first] * others)
    return math.gcd(*pairs)


def _cycles(n: int) -> list[SeatOrder]:
    """Return the zigzags of n seats, for even n in both directions. The first is 0, 1, ..., n - 1.

    In a zigzag one agent stays in place, and the others alternate between both sides of a circle.
    """
    circle = n - 1
    steps = [(1 + i) // 2 * (1 if i % 2 else -1) for i in range(circle)]  # 0, 1, -1, 2, -2, ...
    zigzags = []
    for start in range(max(circle, 1)):
        around = [(start + step) % circle for step in steps]
        zigzags.append((circle, *around))
    # Number the agents so that the first zigzag reads 0, 1, ..., n - 1.
    renumbered = {agent: place for place, agent in enumerate(zigzags[0])}
    forward = [tuple(renumbered[agent] for agent in zigzag) for zigzag in zigzags]
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
        lineup: The agents' digests by seat in rotation 0. Copies of an agent have its digest. In
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

    If `seats` is given, it replaces the order of the rotation.
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
