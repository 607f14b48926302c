"""Strength against thinking time, as a picture: one panel a table."""

from __future__ import annotations

import io
from collections.abc import Mapping
from itertools import pairwise

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from shakespeare_agents.arena.standings import Standings
from shakespeare_agents.plot_style import COLOURS, GREY, INK, MARKERS, picture, prepare

_PANEL, _HEIGHT = 420, 380
"""Pixels."""
_FAR_BELOW = 900.0
"""Elo points below the strongest; weaker agents would press the others together."""


def strength_svg(standings: Standings) -> bytes:
    """The ladders' ratings over milliseconds a decision, weak agents left out.

    Numbers are rounded, since their last digits depend on how many threads added them up.
    """
    ladders = standings.ladders()
    figure = picture(_PANEL * len(ladders), _HEIGHT, layout="constrained")
    panels = figure.subplots(1, len(ladders), squeeze=False)[0]
    styles: dict[str, tuple[str, str]] = {}
    for axes, (players, rows) in zip(panels, ladders.items(), strict=True):
        taken = {agent: float(f"{ms:.4g}") for agent, ms in standings.milliseconds(players).items()}
        best = max(rows["rating"])
        shown = [
            row
            for row in rows.to_dicts()
            if taken.get(row["agent"]) and row["rating"] > best - _FAR_BELOW
        ]
        for row in shown:
            styles.setdefault(row["agent"], _style(len(styles)))
            _point(axes, row, taken[row["agent"]], *styles[row["agent"]])
        searches = [row for row in shown if row["agent"].startswith("search, ")]
        searches.sort(key=lambda row: taken[row["agent"]])
        for one, other in pairwise(searches):
            ends = [taken[row["agent"]] for row in (one, other)]
            heights = [round(row["rating"], 1) for row in (one, other)]
            axes.plot(ends, heights, color=GREY, linewidth=1, zorder=0)
        axes.set_xscale("log")
        prepare(axes, f"{players} seats", "milliseconds a decision", "Elo points")
    _legend(figure, panels[0], styles)
    return _svg(figure)


def _style(number: int) -> tuple[str, str]:
    """A colour and a marker that differ together."""
    turn, place = divmod(number, len(COLOURS))
    return COLOURS[place], MARKERS[(place + turn) % len(MARKERS)]


def _point(axes: Axes, row: Mapping[str, float], x: float, colour: str, marker: str) -> None:
    rating, low, high = (round(row[name], 1) for name in ("rating", "low", "high"))
    ends = [[rating - low], [high - rating]]
    axes.errorbar(x, rating, ends, color=colour, marker=marker, markersize=7, capsize=2)


def _legend(figure: Figure, axes: Axes, styles: Mapping[str, tuple[str, str]]) -> None:
    handles = [
        axes.plot([], [], color=colour, marker=marker, linestyle="", label=agent)[0]
        for agent, (colour, marker) in styles.items()
    ]
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=min(len(handles), 4),
        fontsize=9,
        frameon=False,
        labelcolor=INK,
    )


def _svg(figure: Figure) -> bytes:
    content = io.BytesIO()
    # Text as text; without a date and with fixed ids the same standings give the same bytes.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "strength"}):
        figure.savefig(content, format="svg", metadata={"Date": None})
    return content.getvalue()
