"""The courses of several runs as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from shakespeare_agents import plot_style as style
from shakespeare_training.compare.series import Figure, Followed, course
from shakespeare_training.runs.history import ITSELF, SOLO, Measurement, seats_text, short_count

SIZE = (1300, 620)
"""The picture's width and height in pixels."""


def compared(
    groups: Mapping[str, Sequence[Followed]], players: int, opponent: str
) -> style.Picture:
    """Win rates against an opponent, and winning scores against themselves, a line for each group.

    Args:
        groups: Runs that differ in their seed alone, by their label.
        players: The seat count.
        opponent: Whom they were measured against; of no matter with one seat.
    """
    figure = style.picture(*SIZE, layout="constrained")
    rates, scores = figure.subplots(1, 2)
    against = f"Games won at {seats_text(players)} against {opponent}, %"
    _draw(rates, groups, players, opponent, _percents, against)
    alone = SOLO if players == 1 else ITSELF
    _draw(scores, groups, players, alone, _winning_score, f"Winning score at {seats_text(players)}")
    figure.legend(
        *(scores if scores.lines else rates).get_legend_handles_labels(),
        loc="outside lower center",
        fontsize=9.5,
        frameon=False,
        labelcolor=style.INK,
        ncols=1 + (len(groups) > 3),
        title="bands: from the lowest seed to the highest; of a single seed its 95 % interval",
        title_fontsize=9,
    )
    return figure


def _draw(
    axes: Axes,
    groups: Mapping[str, Sequence[Followed]],
    players: int,
    opponent: str,
    figure: Figure,
    title: str,
) -> None:
    style.prepare(axes, title, "decisions learned from")
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.xaxis.set_major_formatter(lambda count, _: short_count(count))
    for place, (label, runs) in enumerate(groups.items()):
        found = course(runs, players, opponent, figure)
        if found is None:
            continue
        colour = style.COLOURS[place % len(style.COLOURS)]
        marker = style.MARKERS[place % len(style.MARKERS)]
        axes.fill_between(
            found.decisions, found.low, found.high, color=colour, alpha=0.16, linewidth=0
        )
        axes.plot(
            found.decisions, found.mean, color=colour, marker=marker, markersize=4, label=label
        )
    if not axes.lines:
        style.say_nothing(axes, "nothing was measured")


def _percents(one: Measurement) -> tuple[float | None, float | None, float | None]:
    return one.percents or (None, None, None)


def _winning_score(one: Measurement) -> tuple[float | None, float | None, float | None]:
    return one.mean_winning_score, one.winning_low, one.winning_high
