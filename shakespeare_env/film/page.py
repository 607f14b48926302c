"""The page: one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template

from shakespeare_env.core.position import Position
from shakespeare_env.film.figures import chances_graph, mistakes_list, score_graph, summary
from shakespeare_env.film.judgement import Forecasts, Judged
from shakespeare_env.film.strip import Film

_FOLDER = Path(__file__).parent
SCRIPTS = (_FOLDER / "film.js", _FOLDER / "judged.js")
STYLES = (_FOLDER / "theme.css", _FOLDER / "film.css")


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
    return _filled(
        "film.html",
        title=escape(title),
        style="".join(style.read_text(encoding="utf-8") for style in STYLES),
        script="".join(script.read_text(encoding="utf-8") for script in SCRIPTS),
        player=player(film, extras),
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
        extras: HTML beside the board: graphs and lists.
        source: Where the script fetches `Film.data`; empty if the page holds it.
        link: The start of a position's address.
        at: The position shown first.
        board: That position's board, shown until the script has fetched all.
    """
    colours = film.game.presentation.seat_colours
    seats = [[film.label(seat), *colours[seat]] for seat in range(film.players)]
    return _filled(
        "player.html",
        at=str(at),
        last=str(len(film)),
        source=escape(source),
        link=escape(link),
        seats=escape(json.dumps(seats), quote=True),
        progress=escape(film.progress(at)),
        board=board,
        extras=extras,
        log=_log(film, link),
    )


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
