"""The page: one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.position import Position
from shakespeare_env.film.graph import Line, Point, graph
from shakespeare_env.film.judgement import Forecasts, Mistake
from shakespeare_env.film.strip import Film

_FOLDER = Path(__file__).parent
SCRIPT, STYLE = _FOLDER / "film.js", _FOLDER / "film.css"
_PERCENT = 100.0


def film_page(
    positions: Sequence[Position],
    moves: Sequence[str],
    names: Sequence[str] = (),
    forecasts: Forecasts | None = None,
    *,
    mistakes: Sequence[Mistake] = (),
    title: str = "",
    seat: int | None = None,
    ending: str = "",
) -> str:
    """A recorded game as an HTML document with board, log and graphs, stepped through by keys.

    Args:
        positions: The n + 1 positions.
        moves: The n between them.
        names: The players' names by seat, or nothing.
        forecasts: Forecasts to show as graphs. They reveal hands, so they exclude `seat`.
        mistakes: Decisions to mark; they exclude `seat`, too.
        title: The title of the page; by default the game and its players.
        seat: The seat whose view to show, `NO_SEAT` for a spectator's; None shows everything.
        ending: Why the game stopped, if it was not played to its end.

    Raises:
        ValueError: the arguments do not fit each other.
    """
    if seat is not None and (forecasts is not None or mistakes):
        raise ValueError(
            f"seat={seat} with forecasts or mistakes: they tell of other seats' secrets; "
            "leave out one of both"
        )
    film = Film(positions, moves, names, seat=seat, ending=ending)
    return page_of(film, forecasts, mistakes, title)


def page_of(
    film: Film,
    forecasts: Forecasts | None = None,
    mistakes: Sequence[Mistake] = (),
    title: str = "",
) -> str:
    """The document of a film; see `film_page`."""
    packed = base64.b64encode(zlib.compress(film.data().encode(), 9)).decode()
    title = title or default_title(film)
    graphs = score_graph(film)
    if forecasts is not None:
        graphs += forecast_graphs(film, forecasts, mistakes)
    listed = mistakes_list(film, mistakes)
    return _filled(
        "film.html",
        title=escape(title),
        style=STYLE.read_text(encoding="utf-8"),
        script=SCRIPT.read_text(encoding="utf-8"),
        player=player(film, graphs + listed),
        packed=packed,
    )


def _filled(template: str, **parts: str) -> str:
    return Template((_FOLDER / template).read_text(encoding="utf-8")).substitute(parts)


def framed(page: str) -> str:
    """A page framed within another, such as a notebook, where its script can reach nothing else."""
    return (
        f'<iframe srcdoc="{escape(page, quote=True)}" sandbox="allow-scripts" '
        'title="Recorded game" width="100%" height="900" frameborder="0"></iframe>'
    )


def write_film_page(path: Path, page: str) -> None:
    """Write a page; complete or not at all.

    Raises:
        OSError: it cannot be written.
    """
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        unfinished.write_text(page, encoding="utf-8")
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def default_title(film: Film) -> str:
    """The game and who plays it."""
    headline = film.headlines[0]
    who = ", ".join(film.names) or headline.table
    return f"{headline.game}: {who}"


def player(
    film: Film, extras: str, *, source: str = "", link: str = "#", at: int = 0, board: str = ""
) -> str:
    """The controls, board and log that `film.js` drives.

    Args:
        film: The film.
        extras: HTML below the board: graphs and lists.
        source: Where the script fetches `Film.data`; empty if the page holds it.
        link: The start of a position's address.
        at: The position shown first.
        board: That position's board, shown until the script has fetched all.
    """
    return _filled(
        "player.html",
        at=str(at),
        last=str(len(film)),
        source=escape(source),
        link=escape(link),
        progress=escape(film.progress(at)),
        board=board,
        extras=extras,
        log=_log(film, link),
    )


def score_graph(film: Film, link: str = "#") -> str:
    """Every seat's score over the game."""
    scores = np.array(film.scores, float)
    return graph("Score", _lines(film, scores), film.chapters, link=link)


def forecast_graphs(
    film: Film, forecasts: Forecasts, mistakes: Sequence[Mistake] = (), link: str = "#"
) -> str:
    """Every seat's chance to win over the game, or expected solo score, with mistakes marked."""
    points = [
        Point(one.number, one.seat, mistake_title(film, one))
        for one in mistakes
        if one.number <= len(film)
    ]
    alone = film.players == 1
    values = forecasts.scores if alone else forecasts.chances * _PERCENT
    title = "Expected final score" if alone else "Chance to win"
    return graph(
        f"{title}, as {forecasts.by} sees it",
        _lines(film, values),
        film.chapters,
        points,
        unit="" if alone else "%",
        bounds=(0.0,) if alone else (0.0, _PERCENT),
        link=link,
    )


def mistake_title(film: Film, mistake: Mistake) -> str:
    """A mistake in words."""
    alone = film.players == 1
    unit, digits = (1.0, 1) if alone else (_PERCENT, 0)
    within = f" ± {mistake.margin * unit:.{digits}f}" if mistake.margin else ""
    lost = f"{mistake.loss * unit:.{digits}f}{within} {'points' if alone else '% chance to win'}"
    return f"Move {mistake.number} cost {film.label(mistake.seat)} {lost}"


def mistakes_list(film: Film, mistakes: Sequence[Mistake], link: str = "#") -> str:
    """The decisions that lost most, each with what was better; empty if there are none."""
    if not mistakes:
        return ""
    rows = []
    for one in sorted(mistakes, key=lambda mistake: -mistake.loss):
        entry = film.told[one.number - 1]
        better = film.positions[one.number - 1].describe_move(one.better)
        rows.append(
            f'<li><a href="{escape(link)}{one.number}" data-ply="{one.number}">'
            f"{escape(mistake_title(film, one))}</a>: {escape(entry.text)}. Better: "
            f"{escape(better)} <code>{escape(one.better)}</code></li>"
        )
    return (
        '<section class="film-mistakes"><h2>Decisions that lost most</h2>'
        f"<ol>{''.join(rows)}</ol></section>"
    )


def _lines(film: Film, values: NDArray[np.floating[Any]]) -> list[Line]:
    return [
        Line(
            film.label(seat), film.game.presentation.seat_colours[seat][0], values[:, seat].tolist()
        )
        for seat in range(film.players)
    ]


def _log(film: Film, link: str) -> str:
    """All moves in words, each a link; read without scripts, too."""
    rows = []
    for number, entry in enumerate(film.told, 1):
        code = f" <code>{escape(entry.move)}</code>" if entry.move else ""
        effects = "".join(f"<li>{escape(effect)}</li>" for effect in entry.effects)
        rows.append(
            f'<li><a href="{escape(link)}{number}" data-ply="{number}">{escape(entry.mover)}</a> '
            f"{escape(entry.text)}{code}{f'<ul>{effects}</ul>' if effects else ''}</li>"
        )
    return "".join(rows)
