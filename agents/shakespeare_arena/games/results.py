"""A folder of results: finished games in Parquet files, and the plans of an arena's rounds.

Games are only added at the end, so a game never changes its place. The last file is replaced by
one with more games until it is full, and no file is ever deleted. Files are written atomically, so
a killed process loses only what it has not written. Every game has a key, and if several rows have
the same key, the first one counts. So no game counts twice, whatever was interrupted, and folders
are merged by copying rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, TypeAdapter

from shakespeare_agents.storage import hold_folder, is_leftover, write_atomically
from shakespeare_arena.games.seating import Match
from shakespeare_env.checks.limits import read_regular
from shakespeare_env.checks.values import error_text
from shakespeare_env.core import registry
from shakespeare_env.datasets.frames import load_polars, parquet_bytes
from shakespeare_env.datasets.parquet import read_parquet
from shakespeare_env.datasets.reading import (
    BOX_NAME,
    FULL_FILE_BYTES,
    GAME_FILE_PATTERN,
    MANIFEST_NAME,
    RESULTS_FORMAT,
    game_of_results,
    read_results,
    results_files,
)
from shakespeare_env.errors import ArenaError

if TYPE_CHECKING:
    import polars as pl


_PLANS = r"round-\d{4,}\.json"
CONFIG_NAME = "arena.toml"
"""The file with the text of the configuration that was played last."""
_NAMES = "|".join(
    [GAME_FILE_PATTERN, _PLANS, *map(re.escape, (MANIFEST_NAME, CONFIG_NAME, BOX_NAME))]
)
"""The names of all files that are written atomically, as a regular expression."""
_MOST_ROUNDS = 1000
_LARGEST_PLAN = 2**28  # the most bytes of a plan; half a million matches of six seats fit


@dataclass(frozen=True)
class RoundPlan:
    """The matches of a round, under the seed that decides their deals."""

    number: Annotated[int, Field(ge=0, le=_MOST_ROUNDS)]
    seed: Annotated[int, Field(ge=0, lt=2**64)]
    matches: tuple[Match, ...]


_PLAN = TypeAdapter(RoundPlan)


class ResultsFolder:
    """A folder of results that this process alone writes to; `open_results` makes one.

    Attributes:
        folder: The path of the folder.
        results: All finished games, `RESULTS`, each once, in the order they were written.
        keys: The keys of these games.
        last_plan: The plan of the last round, if any.
    """

    def __init__(self, folder: Path, game: str) -> None:
        self.folder = folder
        self.results = read_results(folder)
        self.keys = set(self.results["key"])
        self.last_plan = _read_last_plan(folder, game)
        self._number = 1  # the number of the file that gets the next games
        self._begun = self.results.clear()  # the games that this file has so far
        files = results_files(folder)
        if files:
            last = files[-1]
            self._number = int(last.stem.rpartition("-")[2])
            if last.stat().st_size < FULL_FILE_BYTES:
                self._begun = read_parquet(last)
            else:
                self._number += 1

    def append(self, rows: pl.DataFrame) -> None:
        """Write finished games, `RESULTS`, after the others. They are on disk when this returns."""
        rows = rows.unique("key", keep="first", maintain_order=True)
        rows = rows.filter([key not in self.keys for key in rows["key"]])
        if not rows.height:
            return
        begun = self._begun.vstack(rows)
        content = parquet_bytes(begun)
        write_atomically(self.folder / f"games-{self._number:06d}.parquet", content)
        self._begun = begun
        if len(content) >= FULL_FILE_BYTES:
            self._number += 1
            self._begun = rows.clear()
        self.results = self.results.vstack(rows)
        self.keys.update(rows["key"])

    def begin_round(self, plan: RoundPlan) -> None:
        """Write the plan of a round, before any of its games is played."""
        text = json.dumps(asdict(plan), separators=(",", ":"))
        write_atomically(self.folder / _plan_name(plan.number), text.encode())
        self.last_plan = plan


@contextmanager
def open_results(folder: Path, game: str) -> Iterator[ResultsFolder]:
    """Open the folder of a game's results for writing; it is created if it is missing.

    Raises:
        ArenaError: the folder holds other files or another game, or is open for writing already.
        DatasetError: the folder's files are damaged, or were played with another box, which is the
            file of a game's printed facts.
        ModuleNotFoundError: Polars or filelock is not installed.
        OSError: the folder cannot be written.
    """
    load_polars()
    remedy = "give a new folder or one of results"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as fault:
        raise ArenaError(f"{str(folder)!r} is not a folder; {remedy}") from fault
    names = {path.name for path in folder.iterdir()}
    # An interrupted start may have left a lock or drafts, but no manifest.
    if MANIFEST_NAME not in names and not all(is_leftover(name, _NAMES) for name in names):
        raise ArenaError(f"{folder} holds other things; {remedy}")
    wait = f"wait until it ends, or {remedy}"
    taken = ArenaError(f"{folder}: another process plays in it; {wait}")
    taken_here = ArenaError(f"{folder}: this process already plays in it; {wait}")
    with hold_folder(folder, _NAMES, taken=taken, taken_here=taken_here):
        if not (folder / MANIFEST_NAME).exists():
            box = registry.game(game).box
            if box != registry.own_box(game):
                write_atomically(folder / BOX_NAME, box.read_bytes())
            facts = {
                "format": RESULTS_FORMAT,
                "game": game,
                "box_digest": registry.box_digest(game),
            }
            write_atomically(folder / MANIFEST_NAME, json.dumps(facts).encode())
        other = game_of_results(folder)
        if other != game:
            raise ArenaError(f"{folder} holds games of {other}, not of {game}; give another folder")
        yield ResultsFolder(folder, game)


def merge(folders: Sequence[Path], into: Path) -> int:
    """Copy the games of some folders into one, old or new, and return the number of games added.

    Raises:
        ArenaError: the folders hold different games.
        ArenaError, DatasetError, ModuleNotFoundError, OSError: a folder cannot be read or opened
            (see `open_results`).
    """
    games = {game_of_results(folder): folder for folder in folders}
    if len(games) != 1:
        given = ", ".join(f"{folder} of {game}" for game, folder in games.items())
        raise ArenaError(f"only results of one game can be merged: {given}")
    with open_results(into, next(iter(games))) as merged:
        before = len(merged.keys)
        for folder in folders:
            merged.append(read_results(folder))
        return len(merged.keys) - before


def _read_last_plan(folder: Path, game: str) -> RoundPlan | None:
    plans = [path for path in folder.iterdir() if re.fullmatch(_PLANS, path.name)]
    if not plans:
        return None
    # The shortest names come first, so that round 10000 comes after round 9999.
    path = max(plans, key=lambda path: (len(path.name), path.name))
    try:
        plan = _PLAN.validate_json(read_regular(path, _LARGEST_PLAN), strict=True)
        if path.name != _plan_name(plan.number):
            raise ValueError(f"it is the plan of round {plan.number}")
        loaded = registry.game(game)
        for match in plan.matches:
            if len(match.lineup) != loaded.check_players(match.players):
                raise ValueError(f"{len(match.lineup)} agents for {match.players} seats")
            if not set(match.rotations) <= set(range(match.players)):
                raise ValueError(f"a table of {match.players} seats has no such rotations")
    except (OSError, ValueError) as fault:
        raise ArenaError(
            f"{path}: cannot be read ({error_text(fault)}); delete it, and the round is planned "
            "anew"
        ) from fault
    return plan


def _plan_name(number: int) -> str:
    return f"round-{number:04d}.json"
