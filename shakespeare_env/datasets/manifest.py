"""A dataset's manifest: its settings and finished shards, and reading it, checked whole.

It is checked by hand, so that readers of datasets need Polars alone.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

from shakespeare_env.checks.json_input import kind, parse_json
from shakespeare_env.checks.limits import read_regular
from shakespeare_env.checks.values import shown
from shakespeare_env.datasets.frames import FORMAT
from shakespeare_env.errors import DatasetError

NAME = "manifest.json"
BOX_NAME = "box.toml"
"""Copy of the box, unless it is the package's own."""
BOXES_NAME = "boxes"
"""The folder of copies where several were in force."""
MOST_GAMES = 100_000_000
MOST_IN_A_SHARD = 1_000_000
"""The most games in a shard, which is in memory whole when its file is written."""
GAMES_IN_A_SHARD = 32_768
"""The default number of games in a shard."""
MOST_SHARDS = 100_000
"""The most shards for which their files' names have room."""
_MOST_BYTES = 2**26
"""A manifest of `MOST_SHARDS` has fewer."""
_LONGEST_TEXT = 10_000
_MOST_SEATS = 127
_SHOWN = 12
"""Digits of a digest that messages show."""
_NUMBERS = {
    "players": (1, _MOST_SEATS),
    "seed": (0, 2**64 - 1),
    "deals": (1, MOST_GAMES),
    "games_per_deal": (1, MOST_IN_A_SHARD),
    "deals_together": (1, MOST_GAMES),
    "deals_per_shard": (1, 2 * MOST_GAMES),
    "games": (1, 2 * MOST_GAMES),
    "decisions": (0, 2**40),
    "size": (1, 2**40),
}
"""The least and the most that a manifest's numbers can be."""


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
        """How these settings differ from others, in users' words."""
        own, theirs = self._as_given(), other._as_given()
        show = partial(json.dumps, ensure_ascii=False)
        return "; ".join(
            f"{name} {show(value)}, not {show(theirs[name])}"
            for name, value in own.items()
            if name in theirs and value != theirs[name]
        )

    def _as_given(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "players": self.players,
            "variants": self.variants,
            "agents": self.entrants,
            "seed": self.seed,
            "games": self.games,
            "games per file": self.deals_per_shard * self.games_per_deal,
            "deals_together": self.deals_together,
            "package_version": self.package_version,
            "box": self.box_digest[:_SHOWN],
            **{f"weights or source of {name}": of[:_SHOWN] for name, of in self.weights.items()},
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


def read_manifest(folder: Path) -> Manifest:
    """A dataset's manifest; DatasetError if missing, damaged or of another version."""
    path = folder / NAME
    try:
        content = read_regular(path, _MOST_BYTES)
    except (OSError, ValueError) as error:  # ValueError: not a path
        raise DatasetError(
            f"{str(folder)!r} is not a dataset: {NAME} in it cannot be read "
            f"({getattr(error, 'strerror', error)}); "
            "give a folder that `shakespeare dataset` has written"
        ) from error
    try:
        data = parse_json(content)
        found = data.get("format") if isinstance(data, dict) else kind(data)
        if type(found) is int and found == FORMAT:
            return _manifest(data)
    except ValueError as error:
        raise DatasetError(
            f"{path} is not the manifest of a dataset: {error}; copy the dataset again"
        ) from error
    raise DatasetError(
        f"{path}: format {shown(found)}, this version reads {FORMAT}; "
        "use the version of shakespeare-env that wrote it"
    )


def _manifest(data: Mapping[str, Any]) -> Manifest:
    _check_keys(data, "the manifest", ["format", "settings", "shards"])
    settings = Settings(**_values(data["settings"], "settings", Settings))
    if len(settings.entrants) != settings.players:
        raise ValueError(
            f"entrants has {len(settings.entrants)} names for {settings.players} seats"
        )
    if settings.deals_per_shard % settings.deals_together:
        raise ValueError("deals_per_shard must be a multiple of deals_together")
    if settings.shards > MOST_SHARDS:
        raise ValueError(f"{settings.shards} shards, and {MOST_SHARDS} at most can be")
    shards = []
    for number, data_of in enumerate(_list(data["shards"], "shards", settings.shards)):
        shard = Shard(**_values(data_of, f"shards[{number}]", Shard))
        expected = len(settings.deals_of(number)) * settings.games_per_deal
        if shard.games != expected:
            raise ValueError(f"shard {number} has {shard.games} games, not {expected}")
        shards.append(shard)
    return Manifest(settings, tuple(shards))


def _values(data: object, where: str, of: type[Settings | Shard]) -> dict[str, Any]:
    """An object's values, each checked."""
    given = _check_keys(data, where, [field.name for field in fields(of)])
    return {name: _value(value, name, f"{where}.{name}") for name, value in given.items()}


def _value(data: object, name: str, where: str) -> Any:
    if name in _NUMBERS:
        low, high = _NUMBERS[name]
        if type(data) is not int or not low <= data <= high:
            raise ValueError(f"{where} must be an integer from {low} to {high}")
        return data
    if name in ("variants", "entrants"):
        return tuple(_value(text, "text", where) for text in _list(data, where, _MOST_SEATS))
    if name == "weights":
        if not isinstance(data, dict):
            raise ValueError(f"{where} is {kind(data)}, not an object")
        return {_value(of, "text", where): _value(data[of], "digest", where) for of in data}
    if name == "digest":
        if not isinstance(data, str) or not re.fullmatch("[0-9a-f]{64}", data):
            raise ValueError(f"{where} must be a SHA-256 in hexadecimal digits")
        return data
    # Texts are printed, and signs that do not print could control a terminal.
    if not isinstance(data, str) or not data.isprintable() or not 0 < len(data) <= _LONGEST_TEXT:
        raise ValueError(f"{where} must be a printable text")
    return data


def _check_keys(data: object, where: str, keys: list[str]) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise ValueError(f"{where} is {kind(data)}, not an object")
    if odd := sorted(set(keys) ^ set(data)):
        raise ValueError(f"{where} {'lacks' if odd[0] in keys else 'has a key'} {odd[0][:80]!r}")
    return data


def _list(data: object, where: str, most: int) -> list[Any]:
    if not isinstance(data, list):
        raise ValueError(f"{where} is {kind(data)}, not an array")
    if len(data) > most:
        raise ValueError(f"{where} has {len(data)} entries, and {most} at most can be")
    return data
