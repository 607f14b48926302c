"""A manifest from outside, checked whole before anything is used.

It is checked by hand, as a few kinds of plain values need no library; readers of datasets then need
Polars alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from shakespeare_env.datasets.manifest import (
    MOST_GAMES,
    MOST_IN_A_SHARD,
    MOST_SHARDS,
    NAME,
    Manifest,
    Settings,
    Shard,
)
from shakespeare_env.datasets.schema import FORMAT
from shakespeare_env.errors import DatasetError
from shakespeare_env.json_input import kind, parse_json
from shakespeare_env.regular_files import read_regular
from shakespeare_env.values import shown

_MOST_BYTES = 2**26
"""A manifest of `MOST_SHARDS` has fewer."""
_LONGEST_TEXT = 10_000
_LARGEST_FILE = 2**40
_MOST_SEATS = 127


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
    except ValueError as error:
        raise DatasetError(f"{path} is {error}; copy the dataset again") from error
    found = data.get("format") if isinstance(data, dict) else kind(data)
    if type(found) is not int or found != FORMAT:
        raise DatasetError(
            f"{path}: format {shown(found)}, this version reads {FORMAT}; "
            "use the version of shakespeare-env that wrote it"
        )
    try:
        return _manifest(data)
    except ValueError as error:
        raise DatasetError(
            f"{path} is not the manifest of a dataset: {error}; copy the dataset again"
        ) from error


def _manifest(data: Mapping[str, Any]) -> Manifest:
    _table(data, "the manifest", ("format", "settings", "shards"))
    settings = _settings(data["settings"])
    shards = _list(data["shards"], "shards", settings.shards)
    read = [_shard(shard, f"shards[{number}]") for number, shard in enumerate(shards)]
    for number, shard in enumerate(read):
        expected = len(settings.deals_of(number)) * settings.games_per_deal
        if shard.games != expected:
            raise ValueError(f"shard {number} has {shard.games} games, not {expected}")
    return Manifest(settings, tuple(read))


def _settings(data: object) -> Settings:
    given = _table(data, "settings", [field.name for field in fields(Settings)])
    players = _number(given["players"], "players", 1, _MOST_SEATS)
    weights = given["weights"]
    if not isinstance(weights, dict):
        raise ValueError(f"weights is {kind(weights)}, not an object")
    settings = Settings(
        game=_text(given["game"], "game"),
        players=players,
        variants=_texts(given["variants"], "variants"),
        entrants=_texts(given["entrants"], "entrants"),
        weights={_text(name, "weights"): _digest(of, "weights") for name, of in weights.items()},
        seed=_number(given["seed"], "seed", 0, 2**64 - 1),
        deals=_number(given["deals"], "deals", 1, MOST_GAMES),
        games_per_deal=_number(given["games_per_deal"], "games_per_deal", 1, MOST_IN_A_SHARD),
        deals_together=_number(given["deals_together"], "deals_together", 1, MOST_GAMES),
        deals_per_shard=_number(given["deals_per_shard"], "deals_per_shard", 1, 2 * MOST_GAMES),
        package_version=_text(given["package_version"], "package_version"),
        box_digest=_text(given["box_digest"], "box_digest"),
    )
    if len(settings.entrants) != players:
        raise ValueError(f"entrants has {len(settings.entrants)} names for {players} seats")
    if settings.deals_per_shard % settings.deals_together:
        raise ValueError("deals_per_shard must be a multiple of deals_together")
    if settings.shards > MOST_SHARDS:
        raise ValueError(f"{settings.shards} shards, and {MOST_SHARDS} at most can be")
    return settings


def _shard(data: object, where: str) -> Shard:
    given = _table(data, where, [field.name for field in fields(Shard)])
    return Shard(
        games=_number(given["games"], f"{where}.games", 1, 2 * MOST_GAMES),
        decisions=_number(given["decisions"], f"{where}.decisions", 0, 2**40),
        size=_number(given["size"], f"{where}.size", 1, _LARGEST_FILE),
        digest=_digest(given["digest"], f"{where}.digest"),
    )


def _table(data: object, where: str, keys: list[str] | tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise ValueError(f"{where} is {kind(data)}, not an object")
    odd = sorted(set(keys) ^ set(data))
    if odd:
        raise ValueError(f"{where} {'lacks' if odd[0] in keys else 'has a key'} {odd[0][:80]!r}")
    return data


def _list(data: object, where: str, most: int) -> list[Any]:
    if not isinstance(data, list):
        raise ValueError(f"{where} is {kind(data)}, not an array")
    if len(data) > most:
        raise ValueError(f"{where} has {len(data)} entries, and {most} at most can be")
    return data


def _number(data: object, where: str, low: int, high: int) -> int:
    if type(data) is not int or not low <= data <= high:
        raise ValueError(f"{where} must be an integer from {low} to {high}")
    return data


def _text(data: object, where: str) -> str:
    # Texts are printed, and signs that do not print could control a terminal.
    if not isinstance(data, str) or not data.isprintable() or not 0 < len(data) <= _LONGEST_TEXT:
        raise ValueError(f"{where} must be a printable text")
    return data


def _texts(data: object, where: str) -> tuple[str, ...]:
    return tuple(_text(text, where) for text in _list(data, where, _MOST_SEATS))


def _digest(data: object, where: str) -> str:
    if not isinstance(data, str) or not re.fullmatch("[0-9a-f]{64}", data):
        raise ValueError(f"{where} must be a SHA-256 in hexadecimal digits")
    return data
