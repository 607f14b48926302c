"""The groups of a dataset's games that are played and wait for the others of their file.

A part's name ends with a digest of its content, its group and the dataset's settings, so that a
damaged or foreign file is recognized and its group played again.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from shakespeare_agents.storage import write_atomically
from shakespeare_env.checks.limits import read_regular
from shakespeare_env.datasets.frames import GAMES, faults, load_polars, parquet, polars_schema
from shakespeare_env.datasets.manifest import Manifest
from shakespeare_env.errors import DatasetError

if TYPE_CHECKING:
    import polars as pl


FILES = r"part-\d{8,}-[0-9a-f]{16}\.parquet"
"""Names of parts, as a regular expression."""
_LARGEST = 2**32
"""The most bytes of a part, which is read into memory whole."""


class Part(NamedTuple):
    """The games of a group: a Parquet file of `GAMES`."""

    content: bytes
    games: int
    decisions: int

    @classmethod
    def of(cls, rows: pl.DataFrame) -> Part:
        """The part of these games."""
        return cls(parquet(rows), rows.height, decisions_of(rows))


def decisions_of(rows: pl.DataFrame) -> int:
    """The number of decisions in some games, `GAMES`."""
    return int(rows["actions"].list.len().sum())


class Parts:
    """The parts in a folder, held by this process alone.

    Those that are damaged, or of games that the manifest has, are deleted at once.

    Attributes:
        games: Their number of games.
        decisions: Their number of decisions.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._folder, self._settings = folder, manifest.settings
        self._salt = Manifest(manifest.settings).to_bytes()
        self._paths: dict[int, Path] = {}
        self.games = self.decisions = 0
        finished = manifest.settings.groups_of(len(manifest.shards)).start
        for path in sorted(folder.iterdir()):
            if re.fullmatch(FILES, path.name) and not path.is_dir():
                group = int(path.name.split("-")[1])
                wanted = finished <= group < self._settings.groups
                rows = self._read(group, path) if wanted else None
                if rows is None or group in self._paths:
                    path.unlink()
                else:
                    self._note(group, path, rows.height, decisions_of(rows))

    def __contains__(self, group: int) -> bool:
        return group in self._paths

    def keep(self, group: int, part: Part) -> None:
        """Write a part; once it returns it is kept."""
        path = self._folder / f"part-{group:08}-{self._digest(group, part.content)}.parquet"
        write_atomically(path, part.content)
        self._note(group, path, part.games, part.decisions)

    def together(self, groups: Iterable[int]) -> pl.DataFrame:
        """The games of some groups; DatasetError if a file is not as written."""
        found = []
        for group in groups:
            rows = self._read(group, self._paths[group])
            if rows is None:
                raise DatasetError(
                    f"{self._paths[group]} is not the file that was written; the same command "
                    "plays its games again"
                )
            found.append(rows)
        games: pl.DataFrame = load_polars().concat(found, rechunk=True)
        return games

    def forget(self, groups: Iterable[int]) -> None:
        """Delete parts that a finished file holds."""
        for group in groups:
            self._paths.pop(group).unlink()

    def _note(self, group: int, path: Path, games: int, decisions: int) -> None:
        self._paths[group] = path
        self.games += games
        self.decisions += decisions

    def _digest(self, group: int, content: bytes) -> str:
        return hashlib.sha256(self._salt + b"%d\n" % group + content).hexdigest()[:16]

    def _read(self, group: int, path: Path) -> pl.DataFrame | None:
        """A part's games; None if it is damaged or of others."""
        try:
            content = read_regular(path, _LARGEST)
            if path.stem.rpartition("-")[2] != self._digest(group, content):
                return None
            rows: pl.DataFrame = load_polars().read_parquet(io.BytesIO(content))
        except faults():
            return None
        return rows if dict(rows.schema) == polars_schema(GAMES) else None
