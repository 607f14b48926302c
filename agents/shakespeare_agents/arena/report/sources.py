"""Where an arena's results come from, read from its folder."""

from __future__ import annotations

import platform
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from shakespeare_agents.arena.report.about import About
from shakespeare_agents.arena.store import FIELD_NAME
from shakespeare_env.datasets.results_reading import results_files

if TYPE_CHECKING:
    import polars as pl


def about_results(folder: Path, results: pl.DataFrame) -> About:
    """What reproduces the results in a folder, at least one game."""
    field = folder / FIELD_NAME
    has_field = field.is_file()
    words = ["shakespeare", "arena", str(field) if has_field else "FIELD.toml"]
    versions = results["package_version"].unique().sort().to_list()
    last = max(path.stat().st_mtime for path in results_files(folder))
    return About(
        title=f"{results['game'][0].capitalize()}: the arena's standings",
        command=shlex.join([*words, "--results", str(folder)]),
        field=field.read_text(encoding="utf-8") if has_field else "",
        seeds=tuple(results["seed"].unique().sort().to_list()),
        versions={"shakespeare-env": ", ".join(versions), "Python": platform.python_version()},
        box_digest=results["box_digest"][0],
        when=datetime.fromtimestamp(last, UTC),
    )
