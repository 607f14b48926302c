"""Who sits where in which deal: balanced orders, games to be played, and their keys."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.naming import Entrant
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.play.agent import AnyAgent
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.lineup import Lineup

Row: TypeAlias = tuple[int, ...]

_MOST_TRIED = 1000
"""The most ways tried to share the design's places among copies; six seats have at most 720."""


def seatings(agents: Sequence[Hashable]) -> NDArray[np.int64]:
    """Who sits where in each game of a deal, int[games, P], as places in `agents`.

    Rotations of the order named come first. One agent against copies of another, and an agent that
    holds every seat, play these P games and no more. Equal agents are copies, which share their
    places by turns.
    """
    return _seated(_kinds(agents))


@dataclass(frozen=True)
class SeatPlan:
    """Who sits where in all games of a series of deals.

    Each deal plays the games of `seatings`, to agents that were drawn for the design's places by
    the seed and the deal's number: over many deals who sits two or three seats away favours nobody,
    either. Games that only move the agents on stay in the order named.

    Attributes:
        agents: One per seat; equal ones are copies.
        seed: The seed of the deals.
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
        if self.games == players:
            named = seatings(self.agents).astype(np.int8)
            return np.broadcast_to(named, (len(deals), *named.shape))
        found = np.empty((len(deals), self.games, players), np.int8)
        for row, deal in enumerate(deals):
            drawn = np.random.default_rng([self.seed, deal]).permutation(players)
            found[row] = drawn[seatings([self.agents[place] for place in drawn])]
        return found


def seat_plan(entrants: Sequence[Entrant], seed: int) -> SeatPlan:
    """Who sits where; copies are the same agent under the same name."""
    objects = list(dict.fromkeys(id(entrant.agent) for entrant in entrants))
    return SeatPlan(tuple((one.name, objects.index(id(one.agent))) for one in entrants), seed)


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
def _seated(named: Row) -> NDArray[np.int64]:
    rows = _games(named) if max(named) else _rotations(named)
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


_DIGITS = 32
"""The hexadecimal digits of a key."""


@dataclass(frozen=True)
class Match:
    """A deal played by the same agents in some rotations.

    Attributes:
        players: Seats at the table.
        deal: Its number (see `deal`); with the field's seed it decides all chance.
        lineup: The agents' digests by seat in rotation 0; copies are the same digest twice.
        rotations: Those played; in rotation r the line-up's first agent sits at seat r.
    """

    players: int
    deal: int
    lineup: tuple[str, ...]
    rotations: tuple[int, ...]


@dataclass(frozen=True)
class Seating:
    """A game to be played: a match in one of its rotations."""

    match: Match
    rotation: int

    @cached_property
    def digests(self) -> tuple[str, ...]:
        """The agents by seat."""
        lineup = self.match.lineup
        first = -self.rotation % len(lineup)
        return lineup[first:] + lineup[:first]


@dataclass(frozen=True)
class Rules:
    """What all games of an arena's run share.

    Attributes:
        game: Its name.
        variants: Variants by name.
        seed: Decides the deals and the agents' draws.
        agents: Agents by digest.
        names: Names by digest.
        threads: The threads that step the games.
    """

    game: str
    variants: tuple[str, ...]
    seed: int
    agents: Mapping[str, AnyAgent]
    names: Mapping[str, str]
    threads: int = 1

    @cached_property
    def box_digest(self) -> str:
        """The digest of the game's box."""
        return registry.box_digest(self.game)

    def key(self, seating: Seating) -> str:
        """The key of a game: a digest of all that decides it."""
        return self._hash(seating.match, seating.digests, f"rotation {seating.rotation}")

    def match_key(self, match: Match) -> str:
        """The key of a match: a digest of what its games have in common."""
        return self._hash(match, match.lineup, "all")

    def _hash(self, match: Match, digests: Sequence[str], which: str) -> str:
        game = (self.game, self.box_digest, *self.variants, str(self.seed))
        facts = (*game, str(match.players), str(match.deal), *digests, which)
        return hashlib.sha256("\0".join(facts).encode()).hexdigest()[:_DIGITS]


def deal(
    agents: Sequence[AnyAgent],
    game: str,
    deals: range,
    seed: int,
    seating: NDArray[np.integer],
    *,
    options: Mapping[str, bool] | None = None,
    threads: int = 1,
    names: Sequence[str] = (),
) -> tuple[Batch, Lineup]:
    """The games of some deals at their first decision, and their line-up.

    Each deal is played in G games, which `seating`, int[deals, G, P], seats by places in `agents`
    (see `SeatPlan.of`); an object may hold several seats. Deal d is game d of `Batch(seed=seed)`,
    and each game's agents draw from their own generator: a deal depends only on the seed, its
    number and its seating. Errors call the agents by `names`.
    """
    _, games, players = seating.shape
    numbers = np.arange(deals.start * games, deals.stop * games)
    variants: dict[str, Any] = dict(options or {})
    batch = Batch(game, len(numbers), players=players, threads=threads, autoreset=False, **variants)
    batch.reset(seed, numbers // games)
    generators = GameGenerators.of_games(seed, numbers)
    places = seating.reshape(-1, players)
    return batch, Lineup.seated(agents, places, batch.game.max_seats, generators, names)


def parts(deals: range, size: int) -> Iterator[range]:
    """Split deals into ranges of `size`; the last may be shorter."""
    for first in range(deals.start, deals.stop, size):
        yield range(first, min(first + size, deals.stop))
