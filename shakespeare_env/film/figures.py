"""Figures beside a film: graphs along the game, mistakes, and how well everybody decided."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.drawing.shapes import INK, MUTED
from shakespeare_env.film.judgement import KINDS, Forecasts, Judged, Kind, kind_of
from shakespeare_env.film.page import Film

_PERCENT = 100.0
_WIDTH, _HEIGHT = 420, 226
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 8, 8, 26
_LOW, _HIGH = _HEIGHT - _BOTTOM, _HEIGHT - _TOP - _BOTTOM
_SAMPLE = 'path d="M0,5 H28"'
_LETTER = 7
"""The width of a letter."""
_DASHES = ("none", "7 3", "2 2.5", "10 3 2 3", "4 4", "1 4")
"""Dashes by seat, which distinguish the lines without colour."""


def score_graph(film: Film, link: str = "#") -> str:
    """Every seat's score over the game."""
    return _graph(film, "Score", np.array(film.scores, float), link=link)


def chances_graph(
    film: Film, forecasts: Forecasts, judged: Sequence[Judged] = (), link: str = "#"
) -> str:
    """Every seat's chance to win over the game, or expected solo score, with mistakes marked.

    `film.js` shows its values as a bar beside the board, too.
    """
    alone = film.players == 1
    values = forecasts.scores if alone else forecasts.chances * _PERCENT
    title = "Expected final score" if alone else "Chance to win"
    drawn = _graph(
        film,
        f"{title}, as {forecasts.by} sees it",
        values,
        mistakes(film, judged),
        unit="" if alone else "%",
        highest=0.0 if alone else _PERCENT,
        link=link,
    )
    return f'<div class="film-chances">{drawn}</div>'


def mistake_title(film: Film, one: Judged, kind: Kind) -> str:
    """A mistake in words."""
    within = f" ± {amount(film, one.margin)}" if one.margin else ""
    lost = f"{amount(film, one.loss)}{within} {_what(film)}"
    return f"Move {one.number}, {kind.name}: cost {film.label(one.seat)} {lost}"


def mistakes_list(film: Film, judged: Sequence[Judged], link: str = "#") -> str:
    """The mistakes, the worst first, each with what was better."""
    rows = []
    for one, kind in sorted(mistakes(film, judged), key=lambda found: -found[0].loss):
        played, better = (
            film.in_words(one.number - 1, move)
            for move in (film.told[one.number - 1].move, one.best)
        )
        rows.append(
            f'<li data-sign="{kind.sign}" data-kind="{kind.name}">{_sign(kind)} '
            f'<a href="{escape(link)}{one.number}" data-ply="{one.number}">'
            f"{escape(mistake_title(film, one, kind))}</a>"
            f'<span class="film-played">: {escape(played)}</span>. Better: '
            f'<span class="film-better" title="{escape(one.best)}">{escape(better)}</span></li>'
        )
    listed = f"<ol>{''.join(rows)}</ol>" if rows else "<p>None is certain.</p>"
    return f'<section class="film-mistakes"><h2>Mistakes</h2>{listed}</section>'


def summary(film: Film, judged: Sequence[Judged]) -> str:
    """For each seat what a decision lost on average, and its mistakes by kind."""
    heads = "".join(f'<th scope="col" class="number">{_sign(kind)}</th>' for kind in KINDS)
    rows = []
    for seat in range(film.players):
        own = [one for one in judged if one.seat == seat]
        found = [kind for _, kind in mistakes(film, own)]
        kinds = "".join(f'<td class="number">{found.count(kind)}</td>' for kind in KINDS)
        lost = "–"
        if own:
            mean = max(sum(one.loss for one in own) / len(own), 0.0)
            margin = math.hypot(*(one.margin for one in own)) / len(own)
            lost = f"{_mean(film, mean)} <small>± {_mean(film, margin)}</small>"
        rows.append(
            f'<tr><th scope="row">{escape(film.label(seat))}</th>'
            f'<td class="number">{lost}</td>{kinds}</tr>'
        )
    title = f"Average {'points' if film.players == 1 else '% chance to win'} lost"
    least = [
        f"{_sign(kind)} {kind.name}, from {amount(film, kind.least * _unit(film))}"
        for kind in KINDS
    ]
    return (
        f'<section class="film-summary"><h2>{title} a decision</h2><div class="film-wide"><table>'
        f'<thead><tr><td></td><th scope="col" class="number">lost</th>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
        f'<p class="film-key">{", ".join(least)} {_what(film)}, if that is certain (95 %).</p>'
        "</section>"
    )


def mistakes(film: Film, judged: Iterable[Judged]) -> list[tuple[Judged, Kind]]:
    """Those decisions that certainly were mistakes, each with its kind."""
    kinds = ((one, kind_of(one, _unit(film))) for one in judged)
    return [(one, kind) for one, kind in kinds if kind is not None]


def amount(film: Film, loss: float) -> str:
    """A loss as pages write it: in percent or, alone, in points."""
    return f"{loss:.1f}" if film.players == 1 else f"{loss * _PERCENT:.0f}"


def _unit(film: Film) -> float:
    return float(film.game.score_scale) if film.players == 1 else 1.0


def _what(film: Film) -> str:
    return "points" if film.players == 1 else "% chance to win"


def _mean(film: Film, loss: float) -> str:
    return f"{loss if film.players == 1 else loss * _PERCENT:.1f}"


def _sign(kind: Kind) -> str:
    return f'<b class="film-sign" data-kind="{kind.name}" title="{kind.name}">{kind.sign}</b>'


def _graph(
    film: Film,
    title: str,
    values: NDArray[np.floating[Any]],
    found: Sequence[tuple[Judged, Kind]] = (),
    *,
    unit: str = "",
    highest: float = 0.0,
    link: str = "#",
) -> str:
    """A line for each seat over the positions, with a cursor that `film.js` moves."""
    lowest = min(0.0, np.nanmin(values, initial=0.0))
    half = max(1, math.ceil((np.nanmax(values, initial=highest) - lowest) / 2))
    step = (_WIDTH - _LEFT - _RIGHT) / max(len(film), 1)

    def at(number: int, value: float) -> str:
        height = _LOW if math.isnan(value) else _LOW - (value - lowest) / (2 * half) * _HIGH
        return f"{_LEFT + number * step:.1f},{height:.1f}"

    drawn = [f'<rect x="{_LEFT}" y="{_TOP}" width="{_WIDTH - _LEFT - _RIGHT}" height="{_HIGH}"/>']
    for tick in range(3):
        y = _LOW - tick / 2 * _HIGH
        drawn.append(
            f'<path d="M{_LEFT},{y} H{_WIDTH - _RIGHT}" stroke="{MUTED}" stroke-width=".3"/>'
            f'<text x="{_LEFT - 4}" y="{y + 4}" text-anchor="end">'
            f"{lowest + tick * half:.0f}{unit}</text>"
        )
    ends = [*(number for number, _ in film.chapters[1:]), len(film)]
    for (number, name), end in zip(film.chapters, ends, strict=True):
        left, room = _LEFT + number * step, (end - number) * step
        text = name if room > _LETTER * len(name) else name.rpartition(" ")[2]
        if number:
            upright = f'<path d="M{left:.1f},{_TOP} V{_LOW}" stroke="{MUTED}"'
            drawn.append(f'{upright} stroke-dasharray="1 3"/>')
        if room > _LETTER * len(text):
            x = left + room / 2
            drawn.append(f'<text x="{x:.1f}" y="{_LOW + 16}" text-anchor="middle">{text}</text>')
    for seat in range(film.players):
        known = [number for number, value in enumerate(values[:, seat]) if not math.isnan(value)]
        points = " ".join(at(number, values[number, seat]) for number in known)
        drawn.append(_stroke(film, seat, f'polyline points="{points}" fill="none"'))
    for one, kind in found:
        across, down = at(one.number, values[one.number, one.seat]).split(",")
        said = escape(mistake_title(film, one, kind))
        drawn.append(
            f'<a href="{escape(link)}{one.number}" data-ply="{one.number}" aria-label="{said}">'
            f"<title>{said}</title>"
            f'<circle cx="{across}" cy="{down}" r="6" fill="{kind.colour}"/></a>'
        )
    drawn.append(
        f'<path d="M{_LEFT},{_TOP} V{_LOW}" stroke="{INK}" stroke-width="1.5" data-cursor="yes"/>'
    )
    # JSON has no NaN.
    lines = [[None if math.isnan(v) else round(float(v), 1) for v in line] for line in values.T]
    legend = "".join(
        '<li><svg viewBox="0 0 28 10" width="28" height="10" aria-hidden="true">'
        f"{_stroke(film, seat, _SAMPLE)}</svg> "
        f'{escape(film.label(seat))} <b data-line="{seat}"></b></li>'
        for seat in range(film.players)
    )
    return (
        f'<figure class="film-graph" data-graph="{escape(json.dumps(lines), quote=True)}" '
        f'data-unit="{unit}"><figcaption>{escape(title)}</figcaption>'
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" role="group" '
        f'font-size="11" data-left="{_LEFT}" data-step="{step:.5f}">{"".join(drawn)}</svg>'
        f'<ul class="film-legend">{legend}</ul></figure>'
    )


def _stroke(film: Film, seat: int, shape: str) -> str:
    """A seat's line; a dark edge makes light colours stand out from the ground."""
    colour = film.game.presentation.seat_colours[seat][0]
    dashes = _DASHES[seat % len(_DASHES)]
    return "".join(
        f'<{shape} stroke="{stroke}" stroke-width="{width}" stroke-dasharray="{dashes}"/>'
        for stroke, width in ((INK, 3.2), (colour, 2))
    )
