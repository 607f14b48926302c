"""A dataset's settings and finished shards."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from shakespeare_env.datasets.schema import FORMAT

NAME = "manifest.json"
BOX_NAME = "box.toml"
"""Copy of the box, unless it is the package's own."""
MOST_GAMES = 100_000_000
MOST_IN_A_SHARD = 1_000_000
"""The most games in a shard, which is in memory whole when its file is written."""
GAMES_IN_A_SHARD = 32_768
"""The default number of games in a shard."""
MOST_SHARDS = 100_000
"""The most shards for which their files' names have room."""


@dataclass(frozen=True)
class Settings:
    """Everything that decides a dataset's rows and files.

    Attributes:
        entrants: Agents' names, one per seat.
        weights: SHA-256 by entrant of its network's weights or its Python source, which may change
            before the dataset is resumed.
        seed: Decides the deals and the agents' draws.
        deals: The number of deals; each is played in `games_per_deal` games.
        games_per_deal: The number that evens out seats and neighbours.
        deals_together: Deals played in one batch, fixed because agents may round differently in
            other batches.
        deals_per_shard: A multiple of `deals_together`.
    """

    game: str
    players: int
    variants: tuple[str, ...]
    entrants: tuple[str, ...]
    weights: Mapping[str, str]
    seed: int
    deals: int
    games_per_deal: int
    deals_together: int
    deals_per_shard: int
    package_version: str
    box_digest: str

    @property
    def games(self) -> int:
        """The number of games."""
        return self.deals * self.games_per_deal

    @property
    def shards(self) -> int:
        """The number of shards."""
        return -(-self.deals // self.deals_per_shard)

    @property
    def groups(self) -> int:
        """The number of groups of deals played together."""
        return -(-self.deals // self.deals_together)

    def deals_of(self, shard: int) -> range:
        """The deals of a shard."""
        first = shard * self.deals_per_shard
        return range(first, min(first + self.deals_per_shard, self.deals))

    def groups_of(self, shard: int) -> range:
        """The groups of a shard."""
        together = self.deals_per_shard // self.deals_together
        return range(shard * together, min((shard + 1) * together, self.groups))

    def deals_in(self, group: int) -> range:
        """The deals of a group."""
        first = group * self.deals_together
        return range(first, min(first + self.deals_together, self.deals))

    def differences(self, other: Settings) -> str:
        """How these settings differ from others, in words."""
        own, theirs = self._as_given(), other._as_given()
        show = partial(json.dumps, ensure_ascii=False)
        found = [
            f"{name} {show(value)}, not {show(theirs[name])}"
            for name, value in own.items()
            if value != theirs[name]
        ]
        # Where only digests are known, the words only say that something has changed.
        changed = sorted({name for name, _ in self.weights.items() ^ other.weights.items()})
        if changed and self.entrants == other.entrants:
            found.append(f"other weights or another source of {', '.join(map(show, changed))}")
        if self.box_digest != other.box_digest:
            found.append("another box")
        if not found:
            found.append(f"deals_together {self.deals_together}, not {other.deals_together}")
        return "; ".join(found)

    def _as_given(self) -> dict[str, Any]:
        """The settings in users' words, without those that follow from others."""
        return {
            "game": self.game,
            "players": self.players,
            "variants": self.variants,
            "agents": self.entrants,
            "seed": self.seed,
            "games": self.games,
            "games per file": self.deals_per_shard * self.games_per_deal,
            "package_version": self.package_version,
        }


@dataclass(frozen=True)
class Shard:
    """A finished file: its games and all their decisions, its bytes and SHA-256."""

    games: int
    decisions: int
    size: int
    digest: str

    @classmethod
    def of(cls, content: bytes, games: int, decisions: int) -> Shard:
        """A file with this content."""
        return cls(games, decisions, len(content), hashlib.sha256(content).hexdigest())


@dataclass(frozen=True)
class Manifest:
    """Settings and finished shards, in order."""

    settings: Settings
    shards: tuple[Shard, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether no game is missing."""
        return len(self.shards) == self.settings.shards

    @property
    def finished_games(self) -> int:
        """Games in finished shards."""
        return sum(shard.games for shard in self.shards)

    @property
    def finished_decisions(self) -> int:
        """Decisions in finished shards."""
        return sum(shard.decisions for shard in self.shards)

    def to_bytes(self) -> bytes:
        """The content of the manifest file."""
        shards = [asdict(shard) for shard in self.shards]
        data = {"format": FORMAT, "settings": asdict(self.settings), "shards": shards}
        return (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode()


def shard_file(shard: int) -> str:
    """The name of a shard's file."""
    return f"games-{shard:05}.parquet"
