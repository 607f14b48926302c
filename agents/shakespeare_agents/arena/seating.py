"""Games to be played: who sits where in which deal, and a key for each."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from shakespeare_agents.arena.matches import Match
from shakespeare_env import registry
from shakespeare_env.agent import AnyAgent
from shakespeare_env.version import version

_DIGITS = 32
"""The hexadecimal digits of a key."""


@dataclass(frozen=True)
class Seating:
    """A game to be played: a match in one of its rotations."""

    match: Match
    rotation: int

    @cached_property
    def digests(self) -> tuple[str, ...]:
        """The agents by seat."""
        turned = self.rotation % self.match.players
        return (
            self.match.lineup[-turned:] + self.match.lineup[:-turned]
            if turned
            else self.match.lineup
        )


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
    box_digest: str = field(init=False)
    package_version: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "box_digest", registry.box_digest(self.game))
        object.__setattr__(self, "package_version", version())

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
