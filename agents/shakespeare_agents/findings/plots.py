"""Findings as pictures: every box a dot, their mean, and the package's own box."""

from __future__ import annotations

import numpy as np
import polars as pl

from shakespeare_agents import plot_style as style
from shakespeare_agents.findings.report import Report
from shakespeare_agents.findings.verdicts import Finding

_WIDTH, _MARGIN, _ROW = 820, 150, 34
_APART = 0.26
"""Between the players of a row."""


def plot_question(report: Report, question: str, players: int) -> style.Picture:
    """All findings of a question at a table, a row each, in the colours of the players.

    Raises:
        ValueError: there are none.
    """
    found = [
        one for one in report.findings if (one.question.name, one.players) == (question, players)
    ]
    if not found:
        raise ValueError(f"no finding about {question!r} at {players} seats")
    found.sort(key=lambda one: -max(seen.over.mean for seen in one.by_player.values()))
    who = list(dict.fromkeys(player for one in found for player in one.by_player))
    figure = style.picture(
        _WIDTH, _MARGIN + _ROW * len(found) * (1 + len(who)) // 2, layout="constrained"
    )
    axes = figure.add_subplot()
    title = f"{question.replace('_', ' ').capitalize()}, {players} seats"
    style.prepare(axes, title, found[0].question.unit)
    axes.axvline(0, color=style.GREY, linestyle="--", linewidth=1.1, zorder=1)
    for number, player in enumerate(who):
        shift = _APART * (number - (len(who) - 1) / 2)
        rows = [(row, one) for row, one in enumerate(found) if player in one.by_player]
        for row, one in rows:
            dots = _drawn(report, one, player)
            colour = style.bars(number)["color"]
            heights = np.full(len(dots), row + shift)
            axes.scatter(dots, heights, s=16, color=colour, alpha=0.35, linewidths=0, zorder=2)
        seen = [(row + shift, one.by_player[player]) for row, one in rows]
        axes.errorbar(
            [one.over.mean for _, one in seen],
            [height for height, _ in seen],
            xerr=np.array([[o.over.mean - o.low, o.high - o.over.mean] for _, o in seen]).T,
            linestyle="none",
            label=player,
            zorder=3,
            **style.bars(number),
        )
        own = [(one.bundled[0], height) for height, one in seen if one.bundled]
        axes.scatter(
            [value for value, _ in own],
            [height for _, height in own],
            marker="*",
            s=95,
            color=style.INK,
            zorder=4,
            label="bundled box" if number == len(who) - 1 else None,
        )
    labels = [f"{one.item}\n{one.verdict}" for one in found]
    axes.set_yticks(range(len(found)), labels, fontsize=9)
    axes.set_ylim(len(found) - 0.4, -0.6)
    figure.legend(loc="outside right upper", frameon=False, fontsize=9, labelcolor=style.INK)
    notes = "dots: boxes; bars: simultaneous 95 % intervals of the mean over boxes"
    figure.supxlabel(notes, x=0.99, ha="right", fontsize=8, color=style.GREY)
    return figure


def _drawn(report: Report, finding: Finding, player: str) -> pl.Series:
    """The estimates in boxes in which all was drawn."""
    meant = {"question": finding.question.name, "item": finding.item, "player": player}
    every = [name for name, kind in report.kinds.items() if kind == "all"]
    return report.answers.filter(
        *(pl.col(name) == value for name, value in meant.items()),
        pl.col("players") == finding.players,
        pl.col("box").is_in(every),
    )["estimate"]
