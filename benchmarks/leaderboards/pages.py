"""The page of both leaderboards, and the pictures of their ladders."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import matplotlib
import polars as pl
from matplotlib.axes import Axes

from benchmarks.leaderboards.arenas import HERE
from shakespeare_agents.storage import write_atomically
from shakespeare_arena.ladders.sheets import (
    RANKS_EXPLAINED,
    VERDICTS_EXPLAINED,
    Sheet,
    fit_sheets,
    ladders_and_pairs,
    matrix_sheets,
)
from shakespeare_arena.ladders.standings import Standings, standings_of
from shakespeare_arena.reports import printable_name
from shakespeare_env.core import registry
from shakespeare_env.datasets.reading import read_results
from shakespeare_research.plot_style import COLOURS, INK, MARKERS, prepare
from shakespeare_research.plot_style import picture as empty_picture

ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "leaderboards.md"
_MOST_OPPONENTS = 30  # the most columns of a table of pairs
_WIDTH = 900  # pixels of a picture, the width of a page
_ROW_HEIGHT = 320
_GAP = 300.0  # Elo points; agents below such a gap would press the others together


def standings_by_game() -> dict[str, Standings]:
    """Compute the standings of each game from the results that are kept."""
    return {name: standings_of(read_results(HERE / name)) for name in registry.names()}


def write_pages() -> Iterator[Path]:
    """Write the page and its pictures, and yield their paths."""
    by_game = standings_by_game()
    for name, standings in by_game.items():
        path = ROOT / "docs" / name / "strength.svg"
        write_atomically(path, strength_svg(standings).encode())
        yield path
    write_atomically(PAGE, page(by_game).encode())
    yield PAGE


def page(by_game: dict[str, Standings]) -> str:
    """Return the text of docs/leaderboards.md."""
    parts = [(HERE / "introduction.md").read_text(encoding="utf-8")]
    parts += [_section(name, standings) for name, standings in by_game.items()]
    return "\n".join(parts)


def _section(name: str, standings: Standings) -> str:
    sheets = [*matrix_sheets(standings, columns=_MOST_OPPONENTS)]
    # All these sheets have the same note, which stands below the last one.
    sheets[:-1] = [replace(sheet, note="") for sheet in sheets[:-1]]
    pairs = [markdown(sheet) for sheet in sheets]
    ladder = [ladder_markdown(standings)]
    # Where one rating per agent does not fit the games, the results of pairs come first.
    results = pairs + ladder if standings.misfit else ladder + pairs
    picture = f"{name}/strength.svg"
    parts = [
        f"## {name.capitalize()}",
        f"{standings.games:,} games of {standings.matches:,} matches. The numbers in the picture "
        "are playouts a move. Weak agents are left out.",
        f"[![Strength against time a decision, {name}]({picture})]({picture})",
        *results,
    ]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def ladder_markdown(standings: Standings) -> str:
    """Return the ladders, and how well they fit, as Markdown tables."""
    sheets = ladders_and_pairs(standings, list(fit_sheets(standings)))
    parts = [markdown(sheet) for sheet in sheets]
    parts.append(f"{RANKS_EXPLAINED} {VERDICTS_EXPLAINED}\n")
    return "\n".join(parts)


def markdown(sheet: Sheet) -> str:
    """Return a sheet as a Markdown table under its title."""
    rule = ["---" if sheet.is_text(column) else "---:" for column in range(len(sheet.headings))]
    rows = [_cells(sheet, row) for row in sheet.rows]
    lines = "\n".join(f"| {' | '.join(line)} |" for line in [sheet.headings, rule, *rows])
    text = f"{sheet.title}:\n\n{lines}\n"
    if sheet.note:
        note = sheet.note.replace("*", r"\*")
        text += f"\n{note}\n"
    return text


def _cells(sheet: Sheet, row: Sequence[str]) -> list[str]:
    return [
        _code(cell) if sheet.is_text(column) else cell.replace("*", r"\*")
        for column, cell in enumerate(row)
    ]


def _code(agent: str) -> str:
    name = printable_name(agent).replace("|", "\\|")
    # A fence is longer than any run of backticks in the name.
    longest = max((len(run) for run in re.findall("`+", name)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {name} {fence}" if longest else f"{fence}{name}{fence}"


@matplotlib.rc_context(
    # Text is not turned into paths, and a $ in a name does not begin a formula. The fixed salt
    # makes the ids, and so the file, the same whenever the standings are the same.
    {"svg.fonttype": "none", "svg.hashsalt": "arena", "text.parse_math": False}
)
def strength_svg(standings: Standings) -> str:
    """Draw strength against thinking time as an SVG picture, with a panel for each number of seats.

    Each panel shows ratings over milliseconds a decision, and leaves weak agents out. A line joins
    a network and the searches over it, which are marked with their playouts. Numbers are rounded,
    since their last digits depend on how many threads added them up.
    """
    ladders = standings.ladders()
    columns = len(ladders) if len(ladders) <= 3 else 2
    rows = math.ceil(len(ladders) / columns)
    figure = empty_picture(_WIDTH, rows * _ROW_HEIGHT, layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).flatten()
    for empty in panels[len(ladders) :]:
        empty.remove()
    styles: dict[str, dict[str, str]] = {}  # by player, see `_player_and_budget`
    for axes, (players, ladder) in zip(panels, ladders.items(), strict=False):
        points = list(_points(ladder, standings.milliseconds(players)))
        for player in dict.fromkeys(point.player for point in points):
            style = styles.setdefault(player, _style(len(styles)))
            _draw_player(axes, [point for point in points if point.player == player], style)
        axes.set_xscale("log")
        axes.margins(x=0.1)  # room for the label beside the slowest agent
        axes.xaxis.set_major_formatter("{x:g}")
        axes.minorticks_off()
        prepare(axes, f"{players} seats", "milliseconds a decision", "Elo points")
    handles = [
        panels[0].plot([], [], **style, linestyle="", label=printable_name(player, 40))[0]
        for player, style in styles.items()
    ]
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=max(min(len(handles), 4), 1),
        fontsize=9,
        frameon=False,
        labelcolor=INK,
    )
    content = io.StringIO()
    figure.savefig(content, format="svg", metadata={"Date": None})
    return content.getvalue()


class _Point(NamedTuple):
    """An agent in a panel: its rating and the interval's ends over milliseconds a decision."""

    player: str
    budget: str
    milliseconds: float
    rating: float
    low: float
    high: float


def _points(ladder: pl.DataFrame, milliseconds: Mapping[str, float]) -> Iterator[_Point]:
    """Yield the points of the agents above the first gap of a ladder, strongest first."""
    last_rating = max(ladder["rating"])
    for row in ladder.to_dicts():
        if last_rating - row["rating"] > _GAP:
            return
        last_rating = row["rating"]
        time = milliseconds.get(row["agent"])
        if time:  # agents without a time cannot stand on an axis of times
            rating = round(row["rating"], 1)
            low = rating if row["low"] is None else round(row["low"], 1)
            high = rating if row["high"] is None else round(row["high"], 1)
            player, budget = _player_and_budget(row["agent"])
            yield _Point(player, budget, float(f"{time:.4g}"), rating, low, high)


def _player_and_budget(agent: str) -> tuple[str, str]:
    """Split `network 12, 64 playouts` into `network 12` and `64`. Most names have no comma."""
    player, _, budget = agent.partition(", ")
    return player, budget.removesuffix(" playouts")


def _style(number: int) -> dict[str, str]:
    # Agents of one colour differ in their markers.
    cycle, place = divmod(number, len(COLOURS))
    return {"color": COLOURS[place], "marker": MARKERS[(place + cycle) % len(MARKERS)]}


def _draw_player(axes: Axes, points: Sequence[_Point], style: dict[str, str]) -> None:
    """Draw an agent, or a network and the searches over it with a line from fast to slow."""
    points = sorted(points, key=lambda point: point.milliseconds)
    times = [point.milliseconds for point in points]
    ratings = [point.rating for point in points]
    below = [point.rating - point.low for point in points]
    above = [point.high - point.rating for point in points]
    axes.errorbar(
        times,
        ratings,
        [below, above],
        **style,  # type: ignore[arg-type]
        markersize=6,
        capsize=2,
        linewidth=1,
    )
    for point in points:
        # Labels are to the right of their points. There, the label of a budget in seconds, such as
        # `1 s`, could overlap that of the next slower agent, so it is to the left.
        is_left = point.budget.endswith(" s") and point is not points[-1]
        axes.annotate(
            printable_name(point.budget, 12),
            (point.milliseconds, point.rating),
            xytext=(-5, 5) if is_left else (5, -11),
            textcoords="offset points",
            horizontalalignment="right" if is_left else "left",
            fontsize=8,
            color=style["color"],
        )
