"""An arena's results as one HTML file that needs no network and no script."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from shakespeare_agents.storage import write_atomically
from shakespeare_arena import sheets, wording
from shakespeare_arena.field import Field
from shakespeare_arena.games.store import FIELD_NAME
from shakespeare_arena.pictures import strength_svg
from shakespeare_arena.sheets import Sheet
from shakespeare_env.errors import ArenaError
from shakespeare_env.extras import needing
from shakespeare_env.version import version

if TYPE_CHECKING:
    from shakespeare_arena.standings import Standings


def write_report(standings: Standings, folder: Path, path: Path) -> None:
    """Write the report atomically; ModuleNotFoundError without the extra `arena`, or OSError."""
    write_atomically(path, report_html(standings, folder).encode())


def report_html(standings: Standings, folder: Path) -> str:
    """The report of an arena's folder, whose field it quotes; errors as of `write_report`."""
    file = folder / FIELD_NAME
    field = file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""
    digests = {
        row["agent"]: row["digest"]
        for frame in (standings.ladder, standings.solo)
        for row in frame.to_dicts()
    }
    with needing("arena", "the arena's report needs"):
        import jinja2
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "counted": wording.counted,
        "printable": partial(wording.shown_name, room=400),
        "lines": wording.printable_lines,
    }
    return environment.get_template("report.html").render(
        title=f"{standings.game.capitalize()}: who is strongest",
        field=field,
        command=f"shakespeare arena {FIELD_NAME}{' --trust' if _runs_code(field) else ''}",
        version=version(),
        standings=standings,
        digests=digests,
        sections=[*_sections(standings)],
    )


def _runs_code(field: str) -> bool:
    """Whether a field names programs or Python, which the command runs only with `--trust`."""
    try:
        return bool(Field.of(**tomllib.loads(field)).runs())
    except (ArenaError, ValueError):  # no field is known, or it is for another version
        return False


@dataclass(frozen=True)
class _Section:
    """A part with a heading: a paragraph, a picture and tables."""

    name: str
    title: str
    text: str
    sheets: list[Sheet]
    picture: str = ""


def _sections(standings: Standings) -> Iterator[_Section]:
    """The parts with data."""
    ladders = [*sheets.ladder_sheets(standings), *sheets.combined_sheets(standings)]
    found = [
        _Section(
            "ladder",
            "Ladders",
            "Ratings are in Elo points; the mean of the middle half of a table's field is 0. An "
            "agent 100 points above another finishes ahead of it in 64 of 100 games. "
            f"{sheets.RANKS} {sheets.VERDICTS} Agents do not change, and one number tells how "
            "each finishes, against whomever (Plackett-Luce); matches are independent.",
            [*ladders, *sheets.fit_sheets(standings)],
        ),
        _Section(
            "speed",
            "Strength and thinking time",
            "Time is by the clock, on the machines that played, in games as they came.",
            [],
            strength_svg(standings) if standings.ladder.height and standings.times.height else "",
        ),
        _Section(
            "tables",
            "By number of seats",
            "Opponents differ: who is matched with strong ones wins less, so compare agents by "
            "ratings and pairs.",
            [*sheets.table_sheets(standings)],
        ),
        _Section(
            "pairs",
            "Who finishes ahead of whom",
            "Games weigh alike whoever else sat there; a forfeit is a defeat by everyone. Score "
            "differences are of the same deals.",
            [*sheets.matrix_sheets(standings), *sheets.pair_sheets(standings)],
        ),
        _Section("faults", "Faults", "", [*sheets.fault_sheets(standings)]),
    ]
    if standings.misfit:
        found.sort(key=lambda section: section.name != "pairs")
    return (section for section in found if section.sheets or section.picture)
