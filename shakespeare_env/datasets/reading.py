"""Datasets and arenas in folders: what they hold, and their games as frames."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from shakespeare_env.checks.limits import read_regular, regular_size
from shakespeare_env.core.registry import box_fault
from shakespeare_env.datasets.frames import (
    GAMES,
    RESULTS,
    faults,
    first_line,
    frame,
    load_polars,
    named_faults,
    polars_schema,
)
from shakespeare_env.datasets.parquet import check_parquet, read_parquet
from shakespeare_env.errors import DatasetError

if TYPE_CHECKING:
    import polars

Folder = str | os.PathLike[str]
NAME = "manifest.json"
BOX_NAME = "box.toml"
"""Copy of the box, unless it is the package's own."""
MOST_GAMES = 100_000_000
MOST_IN_A_SHARD = 1_000_000
"""The most games in a shard, which is in memory whole when its file is written."""
GAMES_IN_A_SHARD = 32_768
"""The default number of games in a shard."""
ARENA = "arena.json"
"""The file of an arena's folder: an object with `format`, `game` and `box_digest`."""
ARENA_FORMAT = 1
FILES = r"games-\d{6,}\.parquet"
"""Names of an arena's files, as a regular expression."""
_LARGEST = 2**26
"""The most bytes of a manifest."""
_STRICT = ConfigDict(extra="forbid", strict=True)
_Text = Annotated[str, Field(min_length=1)]
_Count = Annotated[int, Field(ge=1)]


@dataclass(frozen=True, config=_STRICT)
class Settings:
    """Everything that decides a dataset's rows and files.

    Attributes:
        entrants: Agents' names, one per seat.
        weights: A digest by entrant of its network's weights, its Python source and files, or its
            state, which may change before the dataset is resumed.
        seed: Decides the deals and the agents' draws.
        deals: The number of deals; each is played in `games_per_deal` games.
        games_per_deal: The number that evens out seats and neighbours.
        deals_together: Deals played in one batch, fixed because agents may round differently in
            other batches.
        deals_per_shard: A multiple of `deals_together`.
    """

    game: _Text
    players: _Count
    variants: tuple[_Text, ...]
    entrants: tuple[_Text, ...]
    weights: Mapping[str, str]
    seed: Annotated[int, Field(ge=0, lt=2**64)]
    deals: _Count
    games_per_deal: _Count
    deals_together: _Count
    deals_per_shard: _Count
    package_version: _Text
    box_digest: _Text

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
        theirs = asdict(other)
        return "; ".join(
            f"{name} {json.dumps(value, ensure_ascii=False)}, not {json.dumps(theirs[name])}"
            for name, value in asdict(self).items()
            if value != theirs[name]
        )


@dataclass(frozen=True, config=_STRICT)
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


@dataclass(frozen=True, config=_STRICT)
class Manifest:
    """Settings and finished shards, in order."""

    settings: Settings
    shards: tuple[Shard, ...] = ()
    format: Literal[4] = 4

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
        data = {"format": self.format, **asdict(self)}
        return (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode()


def shard_file(shard: int) -> str:
    """The name of a shard's file."""
    return f"games-{shard:05}.parquet"


def read_manifest(folder: Path) -> Manifest:
    """A dataset's manifest; DatasetError if missing, damaged or of another version."""
    path = folder / NAME
    try:
        return TypeAdapter(Manifest).validate_json(read_regular(path, _LARGEST))
    except (OSError, ValueError) as error:
        wrong = error
        if isinstance(error, ValidationError):
            first = error.errors()[0]
            wrong = ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}")
        raise DatasetError(
            f"{str(folder)!r} is not a dataset of this version: {NAME} cannot be read ({wrong}); "
            "give a folder that `shakespeare dataset` has written, or copy it again"
        ) from error


# -------------------------------------------------------------------------------------- their games


def read_recorded(folder: Folder, *, unfinished: bool = False) -> polars.LazyFrame:
    """All games of a dataset or an arena, with what is needed to play them again.

    These are `game_id` and `RECORDED`. An arena's games are numbered in the order of its results
    and have `forfeited_by`; a dataset's have `values`, and some may be missing if `unfinished`.

    Raises:
        DatasetError: the folder is neither, is damaged, lacks games, or was recorded with another
            box than the one in force.
        ModuleNotFoundError: Polars is not installed.
    """
    if not is_arena(Path(folder)):
        return read_games(folder, unfinished=unfinished)
    pl = load_polars()
    games: polars.LazyFrame = read_results(folder).lazy().with_row_index("game_id")
    return games.with_columns(pl.col("game_id").cast(pl.Int64))


def read_games(folder: Folder, *, unfinished: bool = False) -> polars.LazyFrame:
    """The games of a dataset, `GAMES`; it may lack games if `unfinished`.

    Raises as `read_recorded` does.
    """
    pl = load_polars()
    place = Path(folder)
    manifest = read_manifest(place)
    check_box(place, manifest.settings)
    if not (manifest.is_complete or unfinished):
        raise DatasetError(
            f"{place} holds {manifest.finished_games} of {manifest.settings.games} games; repeat "
            "the command that began it, or read it with unfinished=True"
        )
    check_digests(place, manifest)
    schema = polars_schema(GAMES)
    paths = [place / shard_file(number) for number in range(len(manifest.shards))]
    for path in paths:
        with named_faults(str(path)):
            check_parquet(path)
    found = (
        pl.scan_parquet(paths, glob=False, schema=schema) if paths else pl.LazyFrame(None, schema)
    )
    return found  # type: ignore[no-any-return]


def collected(frame: polars.LazyFrame, folder: Path) -> polars.DataFrame:
    """The rows of a frame read from a dataset; DatasetError if its files hold something else."""
    with named_faults(str(folder)):
        return frame.collect()


def check_box(folder: Path, settings: Settings) -> None:
    """DatasetError if a dataset's box is not in force: its games would be misread."""
    copy = folder / BOX_NAME
    _check_made(folder, settings.game, settings.box_digest, copy if copy.exists() else None)


def _check_made(folder: Path, game: str, digest: str, copy: Path | None = None) -> None:
    try:
        fault = box_fault(game, digest, copy)
    except ValueError as error:
        raise DatasetError(f"{folder}: {error}") from error
    if fault:
        raise DatasetError(f"{folder}: {fault}")


def check_digests(folder: Path, manifest: Manifest) -> None:
    """DatasetError unless all finished files are as written; Polars reads some damage silently."""
    for number, shard in enumerate(manifest.shards):
        path = folder / shard_file(number)
        try:
            regular_size(path)
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise DatasetError(f"{path} cannot be read ({error.strerror}); put it back") from error
        if digest != shard.digest:
            raise DatasetError(
                f"{path} is not the file that was written; copy the dataset again, or record it "
                "again into another folder"
            )


# ------------------------------------------------------------------------------ an arena's results


def is_arena(folder: Path) -> bool:
    """Whether a folder holds an arena's manifest, or anything of that name."""
    return (folder / ARENA).exists()


def results_files(folder: Path) -> list[Path]:
    """The files of games, oldest first."""
    found = [path for path in folder.iterdir() if re.fullmatch(FILES, path.name)]
    return sorted(found, key=lambda path: (len(path.name), path.name))


def read_results(folder: Folder) -> polars.DataFrame:
    """All finished games, `RESULTS`, in the order they were written; of a key the first row counts.

    Raises:
        DatasetError: the folder is no arena's, is damaged, or is of another box than the one in
            force.
        ModuleNotFoundError: Polars is not installed.
    """
    place = Path(folder)
    arena_game(place)
    frames = [_results(path) for path in results_files(place)]
    if not frames:
        return frame(RESULTS, {name: [] for name in RESULTS})
    games: polars.DataFrame = load_polars().concat(frames)
    return games.unique("key", keep="first", maintain_order=True)


def arena_game(folder: Path) -> str:
    """The game that a folder's results are of; errors as of `read_results`."""
    try:
        facts = json.loads(read_regular(folder / ARENA, _LARGEST))
        written, game, digest = facts["format"], str(facts["game"]), str(facts["box_digest"])
    except (OSError, ValueError, LookupError, TypeError) as fault:
        raise DatasetError(
            f"{folder} holds no results of an arena: {ARENA} cannot be read ({fault})"
        ) from fault
    if written != ARENA_FORMAT:
        raise DatasetError(f"{folder}: format {written!r}; this version reads {ARENA_FORMAT}")
    _check_made(folder, game, digest)
    return game


def _results(path: Path) -> polars.DataFrame:
    remedy = "copy the file again, or delete it: its games can be played again"
    try:
        read = read_parquet(path)
    except faults() as error:
        raise DatasetError(f"{path}: cannot be read ({first_line(error)}); {remedy}") from error
    if dict(read.schema) != polars_schema(RESULTS):
        raise DatasetError(f"{path}: holds other columns than an arena's results; {remedy}")
    return read
