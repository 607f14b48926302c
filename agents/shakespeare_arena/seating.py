"""Who sits where in which deal: balanced orders, games to be played, and their keys."""

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
"""The most ways tried to share the design's places among copies; six seats have at most 720."""


def seatings(agents: Sequence[Hashable]) -> NDArray[np.int64]:
    """Return who sits where in each game of a deal, int[games, P], as places in `agents`.

    Rotations of the order named come first. One agent against copies of another plays these P games
    and no more, and an agent that holds every seat a single one: another would be the same game to
    agents that draw nothing. Equal agents are copies.
    """
    return _seated(_kinds(agents))


@dataclass(frozen=True)
class SeatPlan:
    """Who sits where in all games of a series of deals: one agent per seat, equal ones are copies.

    Each deal plays the games of `seatings`, with the design's places drawn by the seed and the
    deal's number, so that over many deals sitting two or three seats away favours nobody, either.
    Games that only move the agents on stay in the order named.
    """

    agents: tuple[Hashable, ...]
    seed: int

    @cached_property
    def games(self) -> int:
        """The number of games of a deal."""
        return len(seatings(self.agents))

    def of(self, deals: range) -> NDArray[np.int8]:
        """int8[deals, games, P], who sits where, as places in `agents`."""
        players = len(self.agents)
        if self.games <= players:
            named = seatings(self.agents).astype(np.int8)
            return np.broadcast_to(named, (len(deals), *named.shape))
        places = np.empty((len(deals), self.games, players), np.int8)
        for row, number in enumerate(deals):
            drawn = np.random.default_rng([self.seed, number]).permutation(players)
            places[row] = drawn[seatings([self.agents[place] for place in drawn])]
        return places

    def seatings(self, deals: range, digests: Sequence[str]) -> list[Seating]:
        """All games of some deals, given the agents' digests."""
        # They number the agents' generators, which no key tells: the one game of copies draws as
        # the first of P does, so that folders in which all P were played go on.
        rotations = tuple(range(max(self.games, len(self.agents))))
        return [
            Seating(match, rotation, tuple(digests[place] for place in places))
            for deal, games in zip(deals, self.of(deals).tolist(), strict=True)
            for match in [Match(len(digests), deal, tuple(digests), rotations)]
            for rotation, places in enumerate(games)
        ]


def seat_plan(entrants: Sequence[Entrant], seed: int) -> SeatPlan:
    """Who sits where; copies are the same agent under the same name."""
    objects = list(dict.fromkeys(id(entrant.agent) for entrant in entrants))
    agents = ((entrant.name, objects.index(id(entrant.agent))) for entrant in entrants)
    return SeatPlan(tuple(agents), seed)


def circular_orders(agents: Sequence[Hashable]) -> list[SeatOrder]:
    """Orders around the table in which every agent follows every other equally often.

    For matches of few games: each order is to be played in all rotations, in one match or in
    several. Entries are places in `agents`.
    """
    named = _kinds(agents)
    return [_places(row, named) for row in _orders(named)]


@cache
def _orders(named: SeatOrder) -> list[SeatOrder]:
    cycles = _cycles(len(named))
    most = _copies_of_pairs(named) * len(cycles) // max(len(named) - 1, 1)
    # Rotations of an order are equivalent, so each begins at its least; the one named at its first.
    starts = dict.fromkeys(_rotations(named), named)

    def least(row: SeatOrder) -> SeatOrder:
        return starts.get(row, min(_rotations(row)))

    return sorted(_without_repeats(cycles, named, most, least), key=lambda row: row != named)


def _kinds(agents: Sequence[Hashable]) -> SeatOrder:
    """Equal agents by equal numbers, from 0 in the order named."""
    numbers = {agent: number for number, agent in enumerate(dict.fromkeys(agents))}
    return tuple(numbers[agent] for agent in agents)


def _places(row: SeatOrder, named: SeatOrder) -> SeatOrder:
    """Kinds by seat as places in the order named: its first copy first."""
    places = {kind: iter([i for i, other in enumerate(named) if other == kind]) for kind in named}
    return tuple(next(places[kind]) for kind in row)


@cache
def _seated(named: SeatOrder) -> NDArray[np.int64]:
    n = len(named)
    every = 2 - n % 2
    design = [_turned(cycle, turn) for cycle in _cycles(n) for turn in range(0, n, every)]
    balanced = _without_repeats(design, named, _copies_of_pairs(named))
    if len(set(balanced)) < len(balanced) and math.factorial(n) <= _MOST_TRIED:
        every_row = [*dict.fromkeys(itertools.permutations(named))]
        # Each once, they are balanced, too.
        balanced = min(balanced, every_row, key=len)
    order = {row: number for number, row in reversed([*enumerate(_rotations(named))])}
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
    """The kinds by seat of a design's rows, without what its copies only repeat.

    Copies decide how often rows repeat; `most` is the most that they can.
    """
    best: Counter[SeatOrder] = Counter()
    often = 0
    for kinds in dict.fromkeys(itertools.islice(itertools.permutations(named), _MOST_TRIED)):
        rows = Counter(known_by(tuple(kinds[label] for label in row)) for row in design)
        repeats = math.gcd(*rows.values())
        # Of equally few rows those are best of which most differ.
        if (repeats, len(rows)) > (often, len(best)):
            best, often = rows, repeats
        if often == most and len(best) * often == len(design):
            break
    return [row for row, times in best.items() for _ in range(times // often)]


def _copies_of_pairs(named: SeatOrder) -> int:
    """The greatest common divisor of the counts of ordered pairs of kinds."""
    held = Counter(named)
    return math.gcd(*[held[a] * (held[b] - (a == b)) for a in held for b in held])


def _cycles(n: int) -> list[SeatOrder]:
    """The zigzags, for even n in both directions; the first is 0, 1, ..., n - 1."""
    circle = n - 1
    steps = [(1 + i) // 2 * (1 if i % 2 else -1) for i in range(circle)]
    zigzags = [(circle, *[(j + step) % circle for step in steps]) for j in range(max(circle, 1))]
    label = {number: place for place, number in enumerate(zigzags[0])}
    forward = [tuple(label[number] for number in zigzag) for zigzag in zigzags]
    if n % 2:
        return forward
    return [cycle for order in forward for cycle in (order, order[::-1])]


def _rotations(row: SeatOrder) -> list[SeatOrder]:
    return [_turned(row, rotation) for rotation in range(len(row))]


def _turned(row: tuple[T, ...], rotation: int) -> tuple[T, ...]:
    """A row whose first entry sits at seat `rotation`."""
    start = -rotation % len(row)
    return row[start:] + row[:start]


@dataclass(frozen=True)
class Match:
    """A deal played by the same agents in several games.

    Its number decides all chance, with the seed: it is game `deal` of `Batch(seed=seed)`. The
    line-up is the agents' digests by seat in rotation 0, copies being the same digest twice; in
    rotation r its first agent sits at seat r.
    """

    players: int
    deal: Annotated[int, Field(ge=0, lt=2**62)]
    lineup: tuple[str, ...]
    rotations: tuple[int, ...]


@dataclass(frozen=True)
class Seating:
    """A game to be played: a match in one of its rotations, or with other `seats` than that has."""

    match: Match
    rotation: int
    seats: tuple[str, ...] = ()

    @cached_property
    def digests(self) -> tuple[str, ...]:
        """The agents by seat."""
        return self.seats or _turned(self.match.lineup, self.rotation)


@dataclass(frozen=True)
class RunSettings:
    """What all games of a run share: agents and their names are by digest."""

    game: str
    variants: tuple[str, ...]
    seed: int
    agents: Mapping[str, AnyAgent]
    names: Mapping[str, str]

    def key(self, seating: Seating) -> str:
        """The key of a game: a digest of all that decides it."""
        return self._hash(seating.match, seating.digests, f"rotation {seating.rotation}")

    def match_key(self, match: Match) -> str:
        """The key of a match: a digest of what its games have in common."""
        return self._hash(match, match.lineup, "all")

    def _hash(self, match: Match, digests: Sequence[str], which: str) -> str:
        game = (self.game, registry.box_digest(self.game), *self.variants, str(self.seed))
        facts = (*game, str(match.players), str(match.deal), *digests, which)
        return hashlib.sha256("\0".join(facts).encode()).hexdigest()[:32]
