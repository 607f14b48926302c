"""The bar of standings above a board, as HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shakespeare_env.core.presentation import Presentation
from shakespeare_env.film.graphs import template
from shakespeare_env.play.standings import Standing, ordinal, standings


def standings_bar(
    presentation: Presentation, seen: Mapping[str, Any], labels: Sequence[str]
) -> str:
    """Return a list of the seats with place, points, gap to the leader, and the next scoring.

    Args:
        presentation: The presentation of the game.
        seen: The position in notation, as the reader sees it.
        labels: The players' names by seat.
    """
    found, coming = standings(presentation, seen)
    condition = coming.condition if coming else ""
    rows = []
    for it in found:
        next_points = "" if it.next_points is None else _signed(it.next_points)
        words = _in_words(it, len(found), labels[it.seat], condition, next_points)
        rows.append((it, words, next_points))
    html: str = template("standings.html").render(
        rows=rows, labels=labels, colours=presentation.seat_colours, condition=condition
    )
    return html


def _in_words(it: Standing, players: int, label: str, condition: str, next_points: str) -> str:
    words = f"{label}: {it.points}".replace("-", "−")
    if players > 1:
        words += f", {ordinal(it.place)} of {players}"
    if it.gap:
        words += f", {it.gap} behind the leader"
    if not condition:
        return words
    more = f" and {it.next_more}" if it.next_more else ""
    return f"{words}; {condition}: {next_points}{more}"


def _signed(points: int) -> str:
    """Return a change of points with its sign, and with the typographic minus."""
    return f"{points:+d}".replace("-", "−") if points else "±0"
