"""The leaderboards' pages."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import matplotlib

from shakespeare_agents.storage import write_atomically
from shakespeare_arena.reports import printable_name
from shakespeare_arena.sheets import RANKS, VERDICTS, Sheet, fit_sheets, in_order, matrix_sheets
from shakespeare_arena.standings import Standings, standings_of
from shakespeare_env.core import registry
from shakespeare_env.datasets.reading import read_results
from shakespeare_research.plot_style import COLOURS, GREY, INK, MARKERS, prepare
from shakespeare_research.plot_style import picture as empty_picture

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "leaderboards.md"
_PANEL, _HEIGHT = 420, 380  # pixels
_FAR_BELOW = 900.0  # Elo points below the strongest; weaker agents would press the others together


def arenas_of(game: str) -> list[Path]:
    """Return the files of a game's arenas, in the order in which they are played."""
    return sorted(HERE.glob(f"{game}*.toml"), key=lambda path: path.stem)


def standings_by_game() -> dict[str, Standings]:
    """The standings by the games that are kept."""
    return {name: standings_of(read_results(HERE / name)) for name in registry.names()}


def write_pages() -> Iterator[Path]:
    """Write the page and its pictures; what was written."""
    standings = standings_by_game()
    for name, found in standings.items():
        path = ROOT / "docs" / name / "strength.svg"
        write_atomically(path, strength_svg(found).encode())
        yield path
    write_atomically(PAGE, page(standings).encode())
    yield PAGE


def page(standings: dict[str, Standings]) -> str:
    """docs/leaderboards.md."""
    introduction = (HERE / "introduction.md").read_text(encoding="utf-8")
    return "\n".join([introduction, *(_section(name, found) for name, found in standings.items())])


def _section(name: str, found: Standings) -> str:
    pairs, ladder = [*map(markdown, matrix_sheets(found))], [ladder_markdown(found)]
    parts = [
        f"## {name.capitalize()}",
        f"{found.games:,} games of {found.matches:,} matches.",
        *(pairs + ladder if found.misfit else ladder + pairs),
        f"![Strength against time a decision, {name}]({name}/strength.svg)",
    ]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def ladder_markdown(standings: Standings) -> str:
    """The ladders and how well they fit as Markdown tables."""
    sheets = in_order(standings, [*fit_sheets(standings)])
    return "\n".join([*map(markdown, sheets), f"{RANKS} {VERDICTS}\n"])


def markdown(sheet: Sheet) -> str:
    """A sheet as a Markdown table under its title."""
    rule = ["---" if sheet.is_text(column) else "---:" for column in range(len(sheet.headings))]
    rows = [
        [
            _code(cell) if sheet.is_text(column) else cell.replace("*", r"\*")
            for column, cell in enumerate(row)
        ]
        for row in sheet.rows
    ]
    lines = "\n".join(f"| {' | '.join(line)} |" for line in (sheet.headings, rule, *rows))
    note = sheet.note.replace("*", r"\*")
    return f"{sheet.title}:\n\n{lines}\n" + (f"\n{note}\n" if note else "")


def _code(agent: str) -> str:
    name = printable_name(agent).replace("|", "\\|")
    longest = max((len(run) for run in re.findall("`+", name)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {name} {fence}" if longest else f"{fence}{name}{fence}"


@matplotlib.rc_context(
    # Text as text, and no formulas in names; with fixed ids the same standings give the same bytes.
    {"svg.fonttype": "none", "svg.hashsalt": "arena", "text.parse_math": False}
)
def strength_svg(standings: Standings) -> str:
    """Strength against thinking time as an SVG picture, a panel for each table.

    These are the ladders' ratings over milliseconds a decision, weak agents left out. Numbers are
    rounded, since their last digits depend on how many threads added them up.
    """
    ladders = standings.ladders()
    figure = empty_picture(_PANEL * len(ladders), _HEIGHT, layout="constrained")
    panels = figure.subplots(1, len(ladders), squeeze=False)[0]
    styles: dict[str, dict[str, str]] = {}
    for axes, (players, rows) in zip(panels, ladders.items(), strict=True):
        taken = {agent: float(f"{ms:.4g}") for agent, ms in standings.milliseconds(players).items()}
        least = max(rows["rating"]) - _FAR_BELOW
        shown = [row for row in rows.to_dicts() if taken.get(row["agent"])]
        shown = [row for row in shown if row["rating"] > least]
        for row in shown:
            # Colours and markers differ together.
            turn, place = divmod(len(styles), len(COLOURS))
            style = {"color": COLOURS[place], "marker": MARKERS[(place + turn) % len(MARKERS)]}
            style = styles.setdefault(row["agent"], style)
            y, ends = round(row["rating"], 1), None
            if row["low"] is not None and row["high"] is not None:
                ends = [[y - round(row["low"], 1)], [round(row["high"], 1) - y]]
            axes.errorbar(taken[row["agent"]], y, ends, **style, markersize=6, capsize=2)
        searches = [row for row in shown if row["agent"].startswith("search, ")]
        searches.sort(key=lambda row: taken[row["agent"]])
        for pair in pairwise(searches):
            times = [taken[row["agent"]] for row in pair]
            heights = [round(row["rating"], 1) for row in pair]
            axes.plot(times, heights, color=GREY, linewidth=1, zorder=0)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.minorticks_off()
        prepare(axes, f"{players} seats", "milliseconds a decision", "Elo points")
    handles = [
        panels[0].plot([], [], **style, linestyle="", label=printable_name(agent, 40))[0]
        for agent, style in styles.items()
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
