"""What it takes to reproduce an arena's results."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from shakespeare_agents.arena.field import LARGEST_FIELD, Field
from shakespeare_agents.arena.games.store import FIELD_NAME
from shakespeare_env.checks.limits import read_regular
from shakespeare_env.errors import ArenaError

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class About:
    """What the results come from; a report shows it and computes nothing from it.

    Attributes:
        title: The report's heading.
        command: The command line that plays these games.
        field: Text of the field's file; empty where none is known, as of merged results.
        seeds: Seeds of the deals and the agents' draws; several where results were merged.
        versions: What played, by name.
        box_digest: The digest of the box played with.
        when: When the last game was kept.
    """

    title: str
    command: str
    field: str
    seeds: tuple[int, ...]
    versions: Mapping[str, str]
    box_digest: str
    when: datetime


def about_results(folder: Path, results: pl.DataFrame) -> About:
    """What an arena's folder and its games say.

    Args:
        folder: The folder of the results, as `arena.games.store` keeps them.
        results: Its games, at least one.

    Raises:
        ArenaError: the field's file cannot be read.
        OSError: the folder cannot be read.
    """
    field = _text(folder / FIELD_NAME)
    last = max(path.stat().st_mtime for path in folder.glob("*.parquet"))
    versions = {"shakespeare-env": ", ".join(results["package_version"].unique().sort())}
    variants = results["variants"].explode().drop_nulls().unique().sort()
    return About(
        title=f"{results['game'][0].capitalize()}: who is strongest",
        command=f"shakespeare arena {FIELD_NAME}{' --trust' if _runs_code(field) else ''}",
        field=field,
        seeds=tuple(results["seed"].unique().sort()),
        versions=versions | ({"Variants": ", ".join(variants)} if len(variants) else {}),
        box_digest=", ".join(results["box_digest"].unique().sort()),
        when=datetime.fromtimestamp(int(last), UTC),
    )


def _runs_code(field: str) -> bool:
    """Whether a field names programs or Python, which the command runs only with `--trust`."""
    try:
        return bool(Field.of(**tomllib.loads(field)).runs())
    except (ArenaError, ValueError):  # no field is known, or it is for another version
        return False


def _text(field: Path) -> str:
    """The text of a field's file, "" if there is none."""
    try:
        return read_regular(field, LARGEST_FIELD).decode(errors="replace")
    except FileNotFoundError:
        return ""
    except OSError as fault:
        raise ArenaError(
            f"{field}: cannot be read ({fault.strerror}); put it back, or delete it: the report "
            "only quotes it"
        ) from fault
