"""An arena's results as one HTML file that needs no network and no script, and as a picture."""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from shakespeare_agents.storage import write_atomically
from shakespeare_arena.results import FIELD_NAME
from shakespeare_arena.sheets import Sheet, counted, shown_name, standings_tables, table_sheets
from shakespeare_env.extras import needing
from shakespeare_env.version import version

with needing("arena", "an arena's report needs"):
    import matplotlib

    from shakespeare_arena.plot_style import COLOURS, GREY, INK, MARKERS, prepare
    from shakespeare_arena.plot_style import picture as empty_picture

if TYPE_CHECKING:
    from shakespeare_arena.standings import Standings

_PAGE = Path(__file__).parent / "templates" / "report.html"
_PICTURE = "<!-- the picture -->"  # where it stands in the page
_COLUMNS = 100
_PANEL, _HEIGHT = 420, 380  # pixels
_FAR_BELOW = 900.0  # Elo points below the strongest; weaker agents would press the others together


def write_report(standings: Standings, folder: Path, path: Path) -> None:
    """Write the page of a folder of results, whose field it quotes, atomically; or OSError.

    It shows what the terminal does, win rates by table, and what it takes to play the same again.
    """
    file = folder / FIELD_NAME
    field = file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""
    digests = {
        row["agent"]: row["digest"]
        for frame in (standings.ladder, standings.solo)
        for row in frame.to_dicts()
    }
    agents = Sheet("What agents are made from", ("Agent", "Digest"), [*digests.items()])
    games = counted(standings.games, "game")
    matches = counted(standings.matches, "match", "matches")
    console = Console(file=io.StringIO(), record=True, width=_COLUMNS)
    console.print(Text(f"{standings.game.capitalize()}, {games} of {matches}\n"))
    console.print(standings_tables(standings, [*table_sheets(standings), agents]))
    console.print(Text(f"shakespeare-env {version()}, the field:\n"))
    for line in field.splitlines():
        console.print(Text(shown_name(line.expandtabs(4), len(line) * 4)), soft_wrap=True)
    picture = strength_svg(standings) if standings.times.height and standings.ladder.height else ""
    page = console.export_html(code_format=_PAGE.read_text(encoding="utf-8"))
    page = page.replace(_PICTURE, picture[picture.find("<svg") :])
    write_atomically(path, page.encode())


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
        panels[0].plot([], [], **style, linestyle="", label=shown_name(agent, 40))[0]
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
