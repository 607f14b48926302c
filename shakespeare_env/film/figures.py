"""Figures beside a film: graphs along the game, mistakes, and how well everybody decided."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.film.graph import Line, Point, graph
from shakespeare_env.film.judgement import KINDS, Forecasts, Judged, Kind, kind_of, tally
from shakespeare_env.film.strip import Film

_PERCENT = 100.0


def score_graph(film: Film, link: str = "#") -> str:
    """Every seat's score over the game."""
    scores = np.array(film.scores, float)
    return graph("Score", _lines(film, scores), film.chapters, link=link)


def chances_graph(
    film: Film, forecasts: Forecasts, judged: Sequence[Judged] = (), link: str = "#"
) -> str:
    """Every seat's chance to win over the game, or expected solo score, with mistakes marked.

    `film.js` shows its values as a bar beside the board, too.
    """
    points = [
        Point(one.number, one.seat, mistake_title(film, one, kind), kind.colour)
        for one, kind in mistakes(film, judged)
        if one.number <= len(film)
    ]
    alone = film.players == 1
    values = forecasts.scores if alone else forecasts.chances * _PERCENT
    title = "Expected final score" if alone else "Chance to win"
    drawn = graph(
        f"{title}, as {forecasts.by} sees it",
        _lines(film, values),
        film.chapters,
        points,
        unit="" if alone else "%",
        bounds=(0.0,) if alone else (0.0, _PERCENT),
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
    """For each seat what a decision lost on average, its mistakes by kind, and the same by part."""
    unit, seats = _unit(film), range(film.players)
    heads = "".join(f'<th scope="col" class="number">{_sign(kind)}</th>' for kind in KINDS)
    rows = []
    for seat in seats:
        found = tally((one for one in judged if one.seat == seat), unit)
        kinds = "".join(f'<td class="number">{count}</td>' for count in found.kinds)
        rows.append(
            f'<tr><th scope="row">{escape(film.label(seat))}</th>'
            f'<td class="number">{_mean(film, found.loss)}'
            f" <small>± {_mean(film, found.margin)}</small></td>{kinds}</tr>"
        )
    title = f"Average {'points' if film.players == 1 else '% chance to win'} lost"
    return (
        f'<section class="film-summary"><h2>{title} a decision</h2><div class="film-wide"><table>'
        f'<thead><tr><td></td><th scope="col" class="number">lost</th>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>{_by_chapter(film, judged)}"
        f'<p class="film-key">{_key(film)}</p></section>'
    )


def _by_chapter(film: Film, judged: Sequence[Judged]) -> str:
    starts = [number for number, _ in film.chapters]
    if len(starts) < 2:
        return ""
    word = film.chapters[0][1].rpartition(" ")[0]
    heads = "".join(
        f'<th scope="col" class="number">{escape(title.rpartition(" ")[2])}</th>'
        for _, title in film.chapters
    )
    rows = []
    for seat in range(film.players):
        cells = ""
        for start, end in zip(starts, [*starts[1:], math.inf], strict=True):
            within = (one for one in judged if one.seat == seat and start < one.number <= end)
            cells += f'<td class="number">{_mean(film, tally(within).loss)}</td>'
        rows.append(f'<tr><th scope="row">{escape(film.label(seat))}</th>{cells}</tr>')
    return (
        f'<div class="film-wide"><table><thead><tr><th scope="col">By {escape(word)}</th>{heads}'
        f"</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _key(film: Film) -> str:
    """What the kinds of mistakes are."""
    least = [
        f"{_sign(kind)} {kind.name}, from {amount(film, kind.least * _unit(film))}"
        for kind in KINDS
    ]
    return f"{', '.join(least)} {_what(film)}, if that is certain (95 %)."


def mistakes(film: Film, judged: Sequence[Judged]) -> list[tuple[Judged, Kind]]:
    """Those decisions that certainly were mistakes, each with its kind."""
    kinds = ((one, kind_of(one, _unit(film))) for one in judged)
    return [(one, kind) for one, kind in kinds if kind is not None]


def _unit(film: Film) -> float:
    return float(film.game.score_scale) if film.players == 1 else 1.0


def _what(film: Film) -> str:
    return "points" if film.players == 1 else "% chance to win"


def amount(film: Film, loss: float) -> str:
    """A loss as pages write it: in percent or, alone, in points."""
    return f"{loss:.1f}" if film.players == 1 else f"{loss * _PERCENT:.0f}"


def _mean(film: Film, loss: float) -> str:
    if math.isnan(loss):
        return "–"
    return f"{loss if film.players == 1 else loss * _PERCENT:.1f}"


def _sign(kind: Kind) -> str:
    return f'<b class="film-sign" data-kind="{kind.name}" title="{kind.name}">{kind.sign}</b>'


def _lines(film: Film, values: NDArray[np.floating[Any]]) -> list[Line]:
    return [
        Line(
            film.label(seat), film.game.presentation.seat_colours[seat][0], values[:, seat].tolist()
        )
        for seat in range(film.players)
    ]
