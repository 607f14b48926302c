"""Who sits where in the games of a deal: orders in which luck and neighbours favour no agent.

The balanced design for n agents has n (n - 1) games: every ordered pair of agents sits at every
pair of adjacent seats once. So each agent has every seat equally often, and at every seat it
follows each other one equally often. It is made of zigzags through n - 1 numbers on a circle and
one beside it (Walecki; see B. Alspach, "The wonderful Walecki construction", 2008):

- For odd n the zigzags that start from the n - 1 numbers are directed Hamiltonian cycles that
  share no step; each is played in all n rotations.
- For even n each zigzag is the union of two neighbouring one-factors of the complete graph, so
  its even steps, and its odd steps, cover every edge once over all zigzags. Each is played in both
  directions, in every other rotation.

Copies of one agent are interchangeable, which makes many of these games the same.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.checks.values import shown

Order: TypeAlias = Literal["balanced", "fixed"]
"""`balanced` changes the neighbours between the games of a deal, `fixed` keeps them as named."""
ORDERS: tuple[str, ...] = get_args(Order)
Row: TypeAlias = tuple[int, ...]

_MOST_TRIED = 1000
"""The most ways tried to share the design's places among copies; six seats have at most 720."""


def seatings(agents: Sequence[Hashable], order: Order = "balanced") -> NDArray[np.int64]:
    """Who sits where in each game of a deal, int[games, P], as places in `agents`.

    Rotations of the order named come first. One agent against copies of another, and an agent that
    holds every seat, play these P games and no more.

    Args:
        agents: One per seat; equal ones are copies, who share their places by turns.
        order: `fixed` gives the P rotations, whoever sits there.

    Raises:
        ValueError: an unknown order.
    """
    if order not in ORDERS:
        raise ValueError(f"order={shown(order)}: give one of {', '.join(map(repr, ORDERS))}")
    return _seated(_kinds(agents), order == "balanced")


@dataclass(frozen=True)
class SeatPlan:
    """Who sits where in all games of a series of deals.

    Each deal plays the games of `seatings`, to agents that were drawn for the design's places by
    the seed and the deal's number: over many deals who sits two or three seats away favours nobody,
    either. Games that only move the agents on stay in the order named.

    Attributes:
        agents: One per seat; equal ones are copies.
        order: As of `seatings`.
        seed: The seed of the deals.
    """

    agents: tuple[Hashable, ...]
    order: Order
    seed: int

    @cached_property
    def games(self) -> int:
        """The number of games of a deal."""
        return len(seatings(self.agents, self.order))

    def of(self, deals: range) -> NDArray[np.int8]:
        """int8[deals, games, P], who sits where, as places in `agents`."""
        players = len(self.agents)
        if self.games == players:
            named = seatings(self.agents, self.order).astype(np.int8)
            return np.broadcast_to(named, (len(deals), *named.shape))
        found = np.empty((len(deals), self.games, players), np.int8)
        for row, deal in enumerate(deals):
            drawn = np.random.default_rng([self.seed, deal]).permutation(players)
            found[row] = drawn[seatings([self.agents[place] for place in drawn])]
        return found


def circular_orders(agents: Sequence[Hashable]) -> list[Row]:
    """Orders around the table in which every agent follows every other equally often.

    For matches of few games: each order is to be played in all rotations, in one match or in
    several. Entries are places in `agents`.
    """
    named = _kinds(agents)
    return [_places(row, named) for row in _orders(named)]


def _kinds(agents: Sequence[Hashable]) -> Row:
    """Equal agents by equal numbers, from 0 in the order named."""
    numbers = {agent: number for number, agent in enumerate(dict.fromkeys(agents))}
    return tuple(numbers[agent] for agent in agents)


def _places(row: Row, named: Row) -> Row:
    """Kinds by seat as places in the order named: its first copy first."""
    places = {kind: iter([i for i, one in enumerate(named) if one == kind]) for kind in named}
    return tuple(next(places[kind]) for kind in row)


@cache
def _seated(named: Row, balanced: bool) -> NDArray[np.int64]:
    rows = _games(named) if balanced and max(named) else _rotations(named)
    found = np.array([_places(row, named) for row in rows], np.int64)
    found.flags.writeable = False
    return found


def _games(named: Row) -> tuple[Row, ...]:
    """The kinds by seat of a deal's games."""
    n = len(named)
    every = 2 - n % 2
    design = [_turned(order, rotation) for order in _cycles(n) for rotation in range(0, n, every)]
    found = _without_repeats(design, named, _copies_of_pairs(named))
    first = {row: number for number, row in reversed([*enumerate(_rotations(named))])}
    return tuple(sorted(found, key=lambda row: first.get(row, n)))


@cache
def _orders(named: Row) -> tuple[Row, ...]:
    """The kinds around the table."""
    cycles = _cycles(len(named))
    most = _copies_of_pairs(named) * len(cycles) // max(len(named) - 1, 1)
    # Rotations of an order are equivalent, so each begins at its least; the one named at its first.
    starts = dict.fromkeys(_rotations(named), named)
    found = _without_repeats(cycles, named, most, lambda row: starts.get(row, min(_rotations(row))))
    return tuple(sorted(found, key=lambda row: row != named))


def _without_repeats(
    design: Sequence[Row], named: Row, most: int, known_by: Callable[[Row], Row] = lambda row: row
) -> list[Row]:
    """The kinds by seat of a design's rows, without what its copies only repeat.

    Copies decide how often rows repeat; `most` is the most that they can.
    """
    best: Counter[Row] = Counter()
    often = 0
    for kinds in dict.fromkeys(itertools.islice(itertools.permutations(named), _MOST_TRIED)):
        rows = Counter(known_by(tuple(kinds[label] for label in row)) for row in design)
        repeats = math.gcd(*rows.values())
        if repeats > often:
            best, often = rows, repeats
        if often == most:
            break
    return [row for row, times in best.items() for _ in range(times // often)]


def _copies_of_pairs(named: Row) -> int:
    """The greatest common divisor of the counts of ordered pairs of kinds."""
    held = Counter(named)
    return math.gcd(*[held[one] * (held[other] - (one == other)) for one in held for other in held])


def _cycles(n: int) -> list[Row]:
    """The zigzags, for even n in both directions; the first is 0, 1, ..., n - 1."""
    circle = n - 1
    steps = [(1 + i) // 2 * (1 if i % 2 else -1) for i in range(circle)]
    zigzags = [(circle, *[(j + step) % circle for step in steps]) for j in range(max(circle, 1))]
    label = {number: place for place, number in enumerate(zigzags[0])}
    forward = [tuple(label[number] for number in zigzag) for zigzag in zigzags]
    if n % 2:
        return forward
    return [one for order in forward for one in (order, order[::-1])]


def _rotations(row: Row) -> list[Row]:
    return [_turned(row, rotation) for rotation in range(len(row))]


def _turned(row: Row, rotation: int) -> Row:
    """A row whose first entry sits at seat `rotation`."""
    start = -rotation % len(row)
    return row[start:] + row[:start]
