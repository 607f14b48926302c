"""What a dataset's folder says of itself: its settings, and the shards that are finished."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from shakespeare_env.datasets.schema import FORMAT, TABLES
from shakespeare_env.errors import DatasetError

NAME = "manifest.json"


@dataclass(frozen=True)
class Settings:
    """All that decides which rows a dataset has, and in which files they are.

    Attributes:
        game: Name of the game.
        players: Seats at the table.
        variants: Those switched on.
        entrants: The agents by name, the first at seat 0 of a deal's first game.
        weights: SHA-256 of the weights of those that play from a network, by name: a folder of
            checkpoints may hold others by the time a dataset is resumed.
        seed: Of the deals and of what agents draw.
        deals: Each is played once for each seat.
        deals_together: Deals whose games are played together; rounding in a network depends on
            it.
        deals_per_shard: A multiple of `deals_together`.
        package_version: Of shakespeare-env.
        box_digest: SHA-256 of the component file.
    """

    game: str
    players: int
    variants: tuple[str, ...]
    entrants: tuple[str, ...]
    weights: Mapping[str, str]
    seed: int
    deals: int
    deals_together: int
    deals_per_shard: int
    package_version: str
    box_digest: str

    @property
    def games(self) -> int:
        """How many games the whole dataset has."""
        return self.deals * self.players

    @property
    def shards(self) -> int:
        """How many shards the whole dataset has."""
        return -(-self.deals // self.deals_per_shard)

    def deals_of(self, shard: int) -> range:
        """The deals of a shard."""
        first = shard * self.deals_per_shard
        return range(first, min(first + self.deals_per_shard, self.deals))

    def differences(self, other: Settings) -> str:
        """In words, what these settings have and what others have in place of it."""
        # Users give games, not deals.
        names = [{"deals": "games"}.get(field.name, field.name) for field in fields(self)]
        pairs = {name: _both(self, other, name) for name in names}
        return "; ".join(
            f"{name} {_text(own)}, not {_text(theirs)}"
            for name, (own, theirs) in pairs.items()
            if own != theirs
        )


@dataclass(frozen=True)
class StoredFile:
    """A finished file.

    Attributes:
        rows: How many it holds.
        size: In bytes.
        digest: SHA-256 of its content.
    """

    rows: int
    size: int
    digest: str

    @classmethod
    def of(cls, content: bytes, rows: int) -> StoredFile:
        """What is to be kept of a file."""
        return cls(rows, len(content), hashlib.sha256(content).hexdigest())


Shard = Mapping[str, StoredFile]
"""A finished shard: one file for each table, by the table's name."""


@dataclass(frozen=True)
class Manifest:
    """The settings of a dataset, and its shards in order as far as they are finished."""

    settings: Settings
    shards: tuple[Shard, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether all games are there."""
        return len(self.shards) == self.settings.shards

    @property
    def finished_games(self) -> int:
        """How many games are there."""
        return sum(shard["games"].rows for shard in self.shards)

    def to_bytes(self) -> bytes:
        """The file that a dataset's folder holds."""
        data = {
            "format": FORMAT,
            "settings": asdict(self.settings),
            "shards": [
                {table: asdict(file) for table, file in shard.items()} for shard in self.shards
            ],
        }
        return (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode()


def shard_file(table: str, shard: int) -> str:
    """The file that holds a shard's rows of a table."""
    return f"{table}-{shard:05}.parquet"


def read_manifest(folder: Path) -> Manifest:
    """What the folder of a dataset says of itself.

    Raises:
        DatasetError: the folder is no dataset, or its manifest is damaged or of another version.
    """
    path = folder / NAME
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise DatasetError(
            f"{folder} is no dataset: {path} cannot be read ({error.strerror}); "
            "give a folder that `shakespeare dataset` has written"
        ) from error
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"{path} is not JSON ({error}); copy the dataset again") from error
    found = data.get("format") if isinstance(data, dict) else type(data).__name__
    if found != FORMAT:
        raise DatasetError(
            f"{path}: format {found!r}, this version reads {FORMAT}; "
            "use the version of shakespeare-env that wrote it"
        )
    try:
        return _manifest(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DatasetError(
            f"{path} is no manifest of a dataset ({type(error).__name__}: {error}); "
            "copy the dataset again"
        ) from error


def _manifest(data: Mapping[str, Any]) -> Manifest:
    settings = dict(data["settings"])
    for name in ("variants", "entrants"):
        settings[name] = tuple(settings[name])
    read = Manifest(
        Settings(**settings),
        tuple({table: StoredFile(**shard[table]) for table in TABLES} for shard in data["shards"]),
    )
    for number, shard in enumerate(read.shards):
        expected = len(read.settings.deals_of(number)) * read.settings.players
        if shard["games"].rows != expected:
            raise ValueError(f"shard {number} has {shard['games'].rows} games, not {expected}")
    return read


def _both(one: Settings, other: Settings, name: str) -> tuple[Any, Any]:
    return getattr(one, name), getattr(other, name)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
