"""A recorded game as a page: the board move by move, the log, graphs; no server, no network."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from html import escape

from shakespeare_env.core.position import Position
from shakespeare_env.film.figures import chances_graph, mistakes_list, score_graph, summary
from shakespeare_env.film.judgement import Forecasts, Judged
from shakespeare_env.film.page import (
    SCRIPTS,
    STYLES,
    Film,
    default_title,
    filled,
    framed,
    player,
    write_film_page,
)

__all__ = [
    "Film",
    "Forecasts",
    "Judged",
    "default_title",
    "film_page",
    "framed",
    "page_of",
    "write_film_page",
]


def film_page(
    positions: Sequence[Position],
    moves: Sequence[str],
    names: Sequence[str] = (),
    forecasts: Forecasts | None = None,
    *,
    judged: Sequence[Judged] = (),
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
        judged: What decisions were worth; mistakes are marked. They exclude `seat`, too.
        title: The title of the page; by default the game and its players.
        seat: The seat whose view to show, `NO_SEAT` for a spectator's; None shows everything.
        ending: Why the game stopped, if it was not played to its end.

    Raises:
        ValueError: the arguments do not fit each other.
    """
    if seat is not None and (forecasts is not None or judged):
        raise ValueError(
            f"seat={seat} with forecasts or judged: they tell of other seats' secrets; "
            "leave out one of both"
        )
    film = Film(positions, moves, names, seat=seat, ending=ending)
    return page_of(film, forecasts, judged, title)


def page_of(
    film: Film, forecasts: Forecasts | None = None, judged: Sequence[Judged] = (), title: str = ""
) -> str:
    """The document of a film; see `film_page`."""
    packed = base64.b64encode(zlib.compress(film.data().encode(), 9)).decode()
    title = title or default_title(film)
    extras = score_graph(film)
    if forecasts is not None:
        extras = chances_graph(film, forecasts, judged) + extras
    if judged:
        extras += mistakes_list(film, judged) + summary(film, judged)
    return filled(
        "film.html",
        title=escape(title),
        style="".join(style.read_text(encoding="utf-8") for style in STYLES),
        script="".join(script.read_text(encoding="utf-8") for script in SCRIPTS),
        player=player(film, extras),
        packed=packed,
    )
