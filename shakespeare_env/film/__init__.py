"""Recorded games as pages that need no server, with a board to step through, a log and graphs."""

from __future__ import annotations

import base64
import json
import zlib
from html import escape
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from shakespeare_env.core.position import Position
from shakespeare_env.core.presentation import Panel, Piece
from shakespeare_env.core.seat_names import YOU
from shakespeare_env.drawing.board import is_wide, piece_svg
from shakespeare_env.film.graphs import FOLDER, score_graph, template
from shakespeare_env.film.standings import standings_bar
from shakespeare_env.play.history import GameHistory, GameLog, ToldMove
from shakespeare_env.play.named import capitalised, distinct_names, named_move

SCRIPTS = (FOLDER / "film.js", FOLDER / "judged.js")
STYLES = (FOLDER / "theme.css", FOLDER / "standings.css", FOLDER / "film.css")


class _FilmPanel(NamedTuple):
    """A panel of a position, as `film.js` reads it."""

    name: str
    title: str
    seat: int | None
    aside: bool
    pieces: tuple[int, ...]  # the numbers of its pictures
    summary: int | None  # the number of the picture of its summary


class Film:
    """A recorded game as one seat saw it, or with everything shown.

    Args:
        history: The game, with n moves so far.
        seat: The seat whose view to show, or `SPECTATOR`. None shows everything.

    Attributes:
        game: The game played.
        players: The number of seats, P.
        names: The players' names by seat, all different, `YOU` for the reader, or () if they are
            unknown.
        positions: The n + 1 positions of the history.
        told: Every move as a sentence, as far as the seat may know it.
        scores: The scores in every position, int[n + 1, P] as lists.
        chapters: The index of the position where each day or round begins, and a name such as
            "day 2".

    Raises:
        ValueError: The numbers of positions, moves and names do not fit each other.
    """

    def __init__(self, history: GameHistory, *, seat: int | None = None) -> None:
        positions = history.positions
        moves = history.moves
        names = history.names or ()
        if len(positions) != len(moves) + 1:
            raise ValueError(
                f"there are {len(positions)} positions and {len(moves)} moves; "
                "give one position more than moves"
            )
        self.game = positions[0].game
        self.players = positions[0].players
        if names and len(names) != self.players:
            raise ValueError(
                f"there are {len(names)} names for {self.players} seats; give one for each"
            )
        self.names = tuple(distinct_names(names))
        self.seat = seat
        self.positions = positions
        self._forfeit = history.forfeit
        log = GameLog(seat=seat)
        labels = self.names or tuple(f"seat {number}" for number in range(self.players))
        self.told: list[ToldMove] = []
        for (before, after), move in zip(pairwise(positions), moves, strict=True):
            self.told.append(named_move(log.record(before, move, after), labels))
        self.scores = [position.scores() for position in positions]
        self._seen = [_seen(position, seat) for position in positions]
        # The presentation names the key that changes with each chapter, such as "day".
        key = self.game.presentation.chapter
        chapters = groupby(range(len(positions)), lambda number: self._seen[number][key])
        self.chapters = [(next(numbers), f"{key} {chapter}") for chapter, numbers in chapters]

    def __len__(self) -> int:
        """Return the number of moves."""
        return len(self.told)

    def label(self, seat: int) -> str:
        """Return the name of a seat's player, or the seat if the name is unknown."""
        if not self.names:
            return f"Seat {seat}"
        name = self.names[seat]
        return capitalised(name) if name == YOU else name

    @property
    def labels(self) -> list[str]:
        """The labels of all seats for use within a sentence, `YOU` for the reader."""
        return list(self.names) or [self.label(seat) for seat in range(self.players)]

    @property
    def _board_names(self) -> list[str]:
        """The names on the board, none if they are unknown."""
        return [self.label(seat) for seat in range(self.players)] if self.names else []

    def turns(self) -> list[tuple[str, list[tuple[int, ToldMove]]]]:
        """Return who has moved, and the numbers and words of the moves that follow each other."""
        numbers = range(1, len(self) + 1)
        by_mover = groupby(numbers, lambda number: self.positions[number - 1].to_move)
        groups = [list(group) for _, group in by_mover]
        return [
            (self.told[group[0] - 1].mover, [(number, self.told[number - 1]) for number in group])
            for group in groups
        ]

    def title(self) -> str:
        """Return a title with the game and its players."""
        headline = self.game.presentation.headline(self._seen[0])
        return f"{headline.game}: {', '.join(self._board_names) or headline.table}"

    def describe_move(self, number: int, move: str) -> str:
        """Return what a legal move in a position does, in words."""
        return self.positions[number].describe_move(move, self.names)

    def progress(self, number: int) -> str:
        """Return the state of the game in a position as a line of text."""
        headline = self.game.presentation.headline(self._seen[number], self.names)
        parts = [headline.progress, headline.phase, capitalised(headline.sentence)]
        if number == len(self) and self._forfeit:
            parts[-1] = self._forfeit
        return " · ".join(filter(None, parts))

    def standings(self, number: int) -> str:
        """Return the HTML of the bar of standings in a position."""
        labels = [self.label(seat) for seat in range(self.players)]
        return standings_bar(self.game.presentation, self._seen[number], labels)

    def data(self) -> str:
        """Return the JSON that `film.js` plays.

        It holds every picture of a piece and every panel once. A frame lists the panels of a
        position by their numbers, and a panel lists its pictures by their numbers.
        """
        # Boards are drawn one by one, since all boards of a game take hundreds of megabytes.
        pictures: dict[tuple[str, str], int] = {}  # numbers by the piece's name and its drawing
        boards: list[list[_FilmPanel]] = []
        for number in range(len(self) + 1):
            board = []
            for panel in self._board(number):
                numbers = []
                for piece in [*panel.pieces, *_summaries(panel)]:
                    picture = (piece.name, _picture(piece))
                    numbers.append(pictures.setdefault(picture, len(pictures)))
                summary = numbers.pop() if _summaries(panel) else None
                board.append(
                    _FilmPanel(
                        panel.name, panel.title, panel.seat, panel.aside, tuple(numbers), summary
                    )
                )
            boards.append(board)

        # Pictures of the same piece come one after the other, so that the data compresses well.
        ordered = sorted(pictures, key=lambda picture: picture[0])
        new_number = {pictures[picture]: number for number, picture in enumerate(ordered)}
        panels: dict[_FilmPanel, int] = {}
        frames = []
        for board in boards:
            frame = []
            for film_panel in board:
                numbers = [new_number[old] for old in film_panel.pieces]
                summary = None if film_panel.summary is None else new_number[film_panel.summary]
                film_panel = film_panel._replace(pieces=tuple(numbers), summary=summary)
                frame.append(panels.setdefault(film_panel, len(panels)))
            frames.append(frame)
        film = {
            "pieces": [picture for _, picture in ordered],
            "panels": [panel._asdict() for panel in panels],
            "frames": frames,
            "progress": [self.progress(number) for number in range(len(self) + 1)],
            "standings": [self.standings(number) for number in range(len(self) + 1)],
            "movers": [position.to_move for position in self.positions],
            "told": [
                {"who": told.mover, "text": told.text, "move": told.move, "effects": told.effects}
                for told in self.told
            ],
        }
        return json.dumps(film, separators=(",", ":"), ensure_ascii=False)

    def board(self, number: int, seat: int | None = None) -> str:
        """Return the HTML of one position's board, as `film.js` would show it.

        Args:
            number: The number of the position.
            seat: The seat to show in full, by default the one that moved last. Panels of other
                seats with a summary show only that.
        """
        if seat is None:
            seat = self.positions[max(number - 1, 0)].to_move
        panels = []
        for panel in self._board(number):
            is_folded = bool(panel.summary) and panel.seat not in (seat, None)
            shown = _summaries(panel) if is_folded else panel.pieces
            pieces = [(_picture(piece), is_wide(piece)) for piece in shown]
            # Where there is little room, the page shows only the summaries of the table's panels.
            briefs = [] if is_folded or panel.seat is not None else _summaries(panel)
            panels.append((panel, pieces, is_folded, "".join(map(_picture, briefs))))
        return str(template("player.html").module.board(panels))

    def picture(self, number: int) -> str:
        """Return one position as an SVG document."""
        return self.game.presentation.picture(self._seen[number], self._board_names)

    def _board(self, number: int) -> list[Panel]:
        return self.game.presentation.board(self._seen[number], self._board_names)


def film_page(film: Film, *, title: str = "", extras: str | None = None) -> str:
    """Return an HTML document that steps through a game, with its board, log and graphs.

    Args:
        film: The game.
        title: The title of the page, by default the game and its players.
        extras: HTML to show beside the board, by default a graph of the scores.
    """
    if extras is None:
        extras = f"<details data-wide><summary>Score</summary>{score_graph(film)}</details>"
    document: str = template("film.html").render(
        title=title or film.title(),
        style="".join(style.read_text(encoding="utf-8") for style in STYLES),
        script="".join(script.read_text(encoding="utf-8") for script in SCRIPTS),
        player=film_player(film, extras),
        packed=base64.b64encode(zlib.compress(film.data().encode(), 9)).decode(),
    )
    return document


def film_player(
    film: Film,
    extras: str,
    *,
    source: str = "",
    link: str = "#",
    at: int = 0,
    board: str = "",
    seat: int | None = None,
) -> str:
    """Return the HTML of the controls, the board and the log that `film.js` drives.

    Args:
        film: The game.
        extras: HTML to show beside the board, such as graphs and lists.
        source: The address of `Film.data`, empty if the page holds the data.
        link: The start of the address of every position, which ends with the position's number.
        at: The number of the position to show first.
        board: The board of that position, which is shown until the script has the data.
        seat: The seat to show in full, by default the one that moved last.
    """
    if seat is None and film.seat in range(film.players):
        seat = film.seat
    colours = film.game.presentation.seat_colours
    seats = [[film.label(seat), *colours[seat]] for seat in range(film.players)]
    html: str = template("player.html").render(
        film=film,
        seats=seats,
        extras=extras,
        source=source,
        link=link,
        at=at,
        first=board,
        seat=seat,
    )
    return html


def iframe(page: str) -> str:
    """Return an iframe with a page, for a notebook. The page's script is confined to the frame."""
    return (
        f'<iframe srcdoc="{escape(page, quote=True)}" sandbox="allow-scripts" '
        'title="Recorded game" width="100%" height="900" frameborder="0"></iframe>'
    )


def _summaries(panel: Panel) -> list[Piece]:
    """Return the summary of a panel, if it has one."""
    return [panel.summary] if panel.summary else []


def _picture(piece: Piece) -> str:
    return piece_svg(piece, f"piece-{piece.name}")


def _seen(position: Position, seat: int | None) -> dict[str, Any]:
    """Return a position as a seat sees it. Once the game is over, every seat sees everything."""
    if seat is None or position.to_move is None:
        return position.to_dict()
    return position.game.seen_by(position.to_dict(), seat)
