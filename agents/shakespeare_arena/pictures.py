"""Strength against thinking time as an SVG picture, a panel for each table."""

from __future__ import annotations

import io
from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from shakespeare_arena.wording import shown_name
from shakespeare_env.extras import needing

with needing("arena", "an arena's pictures need"):
    import matplotlib
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from shakespeare_arena.plot_style import COLOURS, GREY, INK, MARKERS, picture, prepare

if TYPE_CHECKING:
    from shakespeare_arena.standings import Standings

_PANEL, _HEIGHT = 420, 380
"""Pixels."""
_FAR_BELOW = 900.0
"""Elo points below the strongest; weaker agents would press the others together."""


@matplotlib.rc_context(
    # Text as text, and no formulas in names; with fixed ids the same standings give the same bytes.
    {"svg.fonttype": "none", "svg.hashsalt": "arena", "text.parse_math": False}
)
def strength_svg(standings: Standings) -> str:
    """The ladders' ratings over milliseconds a decision, weak agents left out.

    Numbers are rounded, since their last digits depend on how many threads added them up.
    """
    ladders = standings.ladders()
    figure = picture(_PANEL * len(ladders), _HEIGHT, layout="constrained")
    panels = figure.subplots(1, len(ladders), squeeze=False)[0]
    styles: dict[str, tuple[str, str]] = {}
    for axes, (players, rows) in zip(panels, ladders.items(), strict=True):
        taken = {agent: float(f"{ms:.4g}") for agent, ms in standings.milliseconds(players).items()}
        least = max(rows["rating"]) - _FAR_BELOW
        shown = [row for row in rows.to_dicts() if taken.get(row["agent"])]
        shown = [row for row in shown if row["rating"] > least]
        for row in shown:
            style = styles.setdefault(row["agent"], _style(len(styles)))
            _point(axes, row, taken[row["agent"]], *style)
        searches = [row for row in shown if row["agent"].startswith("search, ")]
        searches.sort(key=lambda row: taken[row["agent"]])
        for one, other in pairwise(searches):
            ends = [taken[row["agent"]] for row in (one, other)]
            heights = [round(row["rating"], 1) for row in (one, other)]
            axes.plot(ends, heights, color=GREY, linewidth=1, zorder=0)
        axes.set_xscale("log")
        axes.minorticks_off()
        prepare(axes, f"{players} seats", "milliseconds a decision", "Elo points")
    _legend(figure, panels[0], styles)
    return _svg(figure)


def _style(number: int) -> tuple[str, str]:
    """A colour and a marker that differ together."""
    turn, place = divmod(number, len(COLOURS))
    return COLOURS[place], MARKERS[(place + turn) % len(MARKERS)]


def _point(axes: Axes, row: Mapping[str, Any], x: float, colour: str, marker: str) -> None:
    """A rating with its interval, if it has one."""
    y, ends = round(row["rating"], 1), None
    if row["low"] is not None and row["high"] is not None:
        ends = [[y - round(row["low"], 1)], [round(row["high"], 1) - y]]
    axes.errorbar(x, y, ends, color=colour, marker=marker, markersize=6, capsize=2)


def _legend(figure: Figure, axes: Axes, styles: Mapping[str, tuple[str, str]]) -> None:
    handles = [
        axes.plot([], [], color=colour, marker=marker, linestyle="", label=shown_name(agent, 40))[0]
        for agent, (colour, marker) in styles.items()
    ]
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=max(min(len(handles), 4), 1),
        fontsize=9,
        frameon=False,
        labelcolor=INK,
    )


def _svg(figure: Figure) -> str:
    content = io.StringIO()
    figure.savefig(content, format="svg", metadata={"Date": None})
    return content.getvalue()
