"""Games to be played: who sits where in which deal, and a key for each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.play.agent import AnyAgent
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.lineup import Lineup

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
