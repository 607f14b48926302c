"""A recorded game as one page without a server: the board move by move, the log, graphs."""

from __future__ import annotations

import base64
import json
import zlib
from html import escape
from itertools import groupby, pairwise
from typing import Any

from shakespeare_env.core.position import Position
from shakespeare_env.core.presentation import Panel, Piece
from shakespeare_env.drawing.board import is_wide, piece_svg
from shakespeare_env.film.graphs import FOLDER, score_graph, template
from shakespeare_env.play.history import GameHistory, GameLog, ToldMove
from shakespeare_env.play.named import distinct_names, named_move

SCRIPTS = (FOLDER / "film.js", FOLDER / "judged.js")
STYLES = (FOLDER / "theme.css", FOLDER / "film.css")


class Film:
    """A game as one seat saw it, or all of it.

    Args:
        history: The game, n moves so far.
        seat: The seat whose view to show, `SPECTATOR` for a spectator's; None shows everything.

    Attributes:
        game: The game played.
        players: The number of seats.
        names: The players' names by seat, each of its own; or nothing.
        positions: Those of the history, n + 1.
        told: Every move as a sentence, as far as it may be known.
        scores: int[n + 1, P] as lists, the current ones.
        chapters: (position, such as "day 2") where each day or round begins.

    Raises:
        ValueError: the numbers of positions, moves and names do not fit each other.
    """

    def __init__(self, history: GameHistory, *, seat: int | None = None) -> None:
        positions = history.positions
        moves = history.moves
        names = history.names or ()
        if len(positions) != len(moves) + 1:
            raise ValueError(
                f"{len(positions)} positions and {len(moves)} moves: "
                "give one position more than moves"
            )
        self.game = positions[0].game
        self.players = positions[0].players
        if names and len(names) != self.players:
            raise ValueError(f"{len(names)} names for {self.players} seats: give one for each")
        self.names = tuple(distinct_names(names))
        self.seat = seat
        self.positions = positions
        self._forfeit = history.forfeit
        log = GameLog(None, seat)
        who = self.names or tuple(f"seat {number}" for number in range(self.players))
        self.told: list[ToldMove] = []
        for (before, after), move in zip(pairwise(positions), moves, strict=True):
            self.told.append(named_move(log.record(before, move, after), who))
        self.scores = [position.scores() for position in positions]
        self._seen = [_seen(position, seat) for position in positions]
        key = self.game.presentation.chapter
        days = groupby(range(len(positions)), lambda number: self._seen[number][key])
        self.chapters = [(next(numbers), f"{key} {day}") for day, numbers in days]

    def __len__(self) -> int:
        """Return the number of moves."""
        return len(self.told)

    def label(self, seat: int) -> str:
        """Return the name of a seat."""
        return self.names[seat] if self.names else f"Seat {seat}"

    def title(self) -> str:
        """Return the game and who plays it."""
        headline = self.game.presentation.headline(self._seen[0])
        return f"{headline.game}: {', '.join(self.names) or headline.table}"

    def describe_move(self, number: int, move: str) -> str:
        """Return what a move that is legal in a position does."""
        return self.positions[number].describe_move(move, self.names)

    def progress(self, number: int) -> str:
        """Return the state of the game in a position, in a line."""
        headline = self.game.presentation.headline(self._seen[number], self.names)
        parts = [headline.progress, headline.phase, headline.sentence]
        if number == len(self) and self._forfeit:
            parts[-1] = self._forfeit
        return " · ".join(filter(None, parts))

    def data(self) -> str:
        """Return the JSON that `film.js` plays: every picture once, and those of each position."""
        # Of one board at a time, since the boards of a whole game take hundreds of megabytes.
        found: dict[tuple[str, str], int] = {}
        boards = []
        for number in range(len(self) + 1):
            shown = []
            for panel in self._board(number):
                drawn = ((piece.name, _picture(piece)) for piece in panel.pieces)
                numbers = [found.setdefault(picture, len(found)) for picture in drawn]
                shown.append((panel.name, panel.title, panel.seat, numbers))
            boards.append(shown)
        # Those of one piece stand together, since similar data packs well only when close.
        order = sorted(found, key=lambda picture: picture[0])
        place = {found[picture]: number for number, picture in enumerate(order)}
        panels: dict[tuple[Any, ...], int] = {}
        frames = []
        for shown in boards:
            placed = [(*about, tuple(place[it] for it in numbers)) for *about, numbers in shown]
            frames.append([panels.setdefault(panel, len(panels)) for panel in placed])
        keys = ("name", "title", "seat", "pieces")
        film = {
            "pieces": [picture for _, picture in order],
            "panels": [dict(zip(keys, panel, strict=True)) for panel in panels],
            "frames": frames,
            "progress": [self.progress(number) for number in range(len(self) + 1)],
            "told": [
                {"who": told.mover, "text": told.text, "move": told.move, "effects": told.effects}
                for told in self.told
            ],
        }
        return json.dumps(film, separators=(",", ":"), ensure_ascii=False)

    def board(self, number: int) -> str:
        """Return one position's board, as `film.js` would show it."""
        panels = [
            (panel, [(_picture(it), is_wide(it)) for it in panel.pieces])
            for panel in self._board(number)
        ]
        mover = self.positions[number].to_move
        return str(template("player.html").module.board(panels, mover))

    def picture(self, number: int) -> str:
        """Return one position as an SVG document."""
        return self.game.presentation.picture(self._seen[number], self.names)

    def _board(self, number: int) -> list[Panel]:
        return self.game.presentation.board(self._seen[number], self.names)


def film_page(film: Film, *, title: str = "", extras: str | None = None) -> str:
    """Return a game as an HTML document with board, log and graphs, stepped through by keys.

    Args:
        film: The game.
        title: The title of the page; by default the game and its players.
        extras: HTML beside the board; by default a graph of the scores.
    """
    document: str = template("film.html").render(
        title=title or film.title(),
        style="".join(style.read_text(encoding="utf-8") for style in STYLES),
        script="".join(script.read_text(encoding="utf-8") for script in SCRIPTS),
        player=film_player(film, score_graph(film) if extras is None else extras),
        packed=base64.b64encode(zlib.compress(film.data().encode(), 9)).decode(),
    )
    return document


def film_player(
    film: Film, extras: str, *, source: str = "", link: str = "#", at: int = 0, board: str = ""
) -> str:
    """Return the controls, board and log that `film.js` drives.

    Args:
        film: The film.
        extras: HTML beside the board: graphs and lists.
        source: Where the script fetches `Film.data`; empty if the page holds it.
        link: The start of a position's address.
        at: The position shown first.
        board: That position's board, shown until the script has fetched all.
    """
    colours = film.game.presentation.seat_colours
    shown = {"extras": extras, "source": source, "link": link, "at": at, "first": board}
    seats = [[film.label(seat), *colours[seat]] for seat in range(film.players)]
    html: str = template("player.html").render(film=film, seats=seats, **shown)
    return html


def iframe(page: str) -> str:
    """Frame a page within another, such as a notebook, where its script reaches nothing else."""
    return (
        f'<iframe srcdoc="{escape(page, quote=True)}" sandbox="allow-scripts" '
        'title="Recorded game" width="100%" height="900" frameborder="0"></iframe>'
    )


def _picture(piece: Piece) -> str:
    return piece_svg(piece, f"piece-{piece.name}")


def _seen(position: Position, seat: int | None) -> dict[str, Any]:
    """Return a position as it is shown: once the game is over, nothing is secret."""
    if seat is None or position.to_move is None:
        return position.to_dict()
    return position.game.seen_by(position.to_dict(), seat)
