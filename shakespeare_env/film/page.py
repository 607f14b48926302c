"""A recorded game as one HTML file that needs nothing else: all it shows, position by position."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from itertools import pairwise
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

from shakespeare_env.core.game import Game
from shakespeare_env.core.position import Position
from shakespeare_env.core.presentation import Panel, Piece
from shakespeare_env.drawing.board import piece_svg
from shakespeare_env.play.course import GameLog, ToldMove
from shakespeare_env.play.named import named_board, named_move, numbered, with_names

_FOLDER = Path(__file__).parent
SCRIPTS = (_FOLDER / "film.js", _FOLDER / "judged.js")
STYLES = (_FOLDER / "theme.css", _FOLDER / "film.css")
_BETWEEN = " · "
_WIDEST_CARD = 220
"""The greatest width of pictures that stand in rows, as in `film.js`."""


class _Panel(NamedTuple):
    """A panel of some position; `pieces` are numbers of pictures."""

    name: str
    title: str
    seat: int | None
    pieces: tuple[int, ...]


class Film:
    """A game as one seat saw it, or all of it; for arguments see `film_page`.

    Attributes:
        game: The game played.
        players: The number of seats.
        names: The players' names by seat, each of its own; or nothing.
        positions: As given.
        told: Every move as a sentence, as far as it may be known.
        scores: int[n + 1, P] as lists, the current ones.
        chapters: (position, such as "day 2") where each day or round begins.

    Raises:
        ValueError: the numbers of positions, moves and names do not fit each other.
    """

    def __init__(
        self,
        positions: Sequence[Position],
        moves: Sequence[str],
        names: Sequence[str] = (),
        *,
        seat: int | None = None,
        ending: str = "",
    ) -> None:
        if len(positions) != len(moves) + 1:
            raise ValueError(
                f"{len(positions)} positions and {len(moves)} moves: "
                "give one position more than moves"
            )
        first = positions[0]
        if names and len(names) != first.players:
            raise ValueError(f"{len(names)} names for {first.players} seats: give one for each")
        self.game: Game = first.game
        self.players = first.players
        self.names = tuple(numbered(names))
        self.ending = ending
        log = GameLog(None, seat)
        who = self.names or tuple(f"seat {number}" for number in range(self.players))
        steps = zip(pairwise(positions), moves, strict=True)
        self.told: list[ToldMove] = []
        for (before, after), move in steps:
            mover = before.to_move
            assert mover is not None
            self.told.append(named_move(log.told(before, move, after), mover, who))
        self.scores = [position.scores() for position in positions]
        seen = [_seen(position, seat) for position in positions]
        self.chapters = self._chapters(seen)
        self.headlines = [self.game.presentation.headline(position) for position in seen]
        self.positions = positions
        self._seen = seen

    def __len__(self) -> int:
        """The number of moves."""
        return len(self.told)

    def label(self, seat: int) -> str:
        """The name of a seat."""
        return self.names[seat] if self.names else f"Seat {seat}"

    def in_words(self, number: int, move: str) -> str:
        """A move that is legal in a position, in words."""
        return self._named(self.positions[number].describe_move(move))

    def progress(self, number: int) -> str:
        """The state of the game in a position, in a line."""
        headline = self.headlines[number]
        parts = [headline.progress, *map(self._named, (headline.phase, headline.sentence))]
        if number == len(self) and self.ending:
            parts[-1] = self.ending
        return _BETWEEN.join(filter(None, parts))

    def data(self) -> str:
        """JSON that `film.js` plays: every picture once, and which of them a position shows."""
        moves = [
            {"who": one.mover, "text": one.text, "move": one.move, "effects": one.effects}
            for one in self.told
        ]
        film = {
            **self._drawn(),
            "progress": [self.progress(number) for number in range(len(self) + 1)],
            "told": moves,
        }
        return json.dumps(film, separators=(",", ":"), ensure_ascii=False)

    def _chapters(self, seen: Sequence[dict[str, Any]]) -> list[tuple[int, str]]:
        key = self.game.presentation.chapter
        begins = [(0, seen[0][key])]
        for number, position in enumerate(seen):
            if position[key] != begins[-1][1]:
                begins.append((number, position[key]))
        return [(number, f"{key} {value}") for number, value in begins]

    def board(self, number: int) -> str:
        """One position's board, as `film.js` would show it."""
        panels, mover = self._board(self._seen[number]), self.positions[number].to_move
        return "".join(_section(panel, panel.seat in (mover, None)) for panel in panels)

    def picture(self, number: int) -> str:
        """One position as an SVG document."""
        return self.game.presentation.picture(self._seen[number], self.names)

    def _named(self, text: str) -> str:
        return with_names(text, self.names) if self.names else text

    def _board(self, seen: dict[str, Any]) -> list[Panel]:
        panels = self.game.presentation.board(seen, self.names)
        return named_board(panels, self.names) if self.names else panels

    def _drawn(self) -> dict[str, Any]:
        drawn: dict[tuple[str, str], int] = {}
        panels: dict[_Panel, int] = {}
        frames: list[list[int]] = []
        for position in self._seen:
            frame = []
            for panel in self._board(position):
                pictures = ((piece.name, _picture(piece)) for piece in panel.pieces)
                pieces = tuple(drawn.setdefault(one, len(drawn)) for one in pictures)
                own = _Panel(panel.name, panel.title, panel.seat, pieces)
                frame.append(panels.setdefault(own, len(panels)))
            frames.append(frame)
        # Pictures of one piece stand together, since similar data packs well only when close.
        order = sorted(drawn, key=lambda one: (one[0], drawn[one]))
        place = {drawn[one]: number for number, one in enumerate(order)}
        packed = [
            one._replace(pieces=tuple(place[piece] for piece in one.pieces)) for one in panels
        ]
        return {
            "pieces": [picture for _, picture in order],
            "panels": [one._asdict() for one in packed],
            "frames": frames,
        }


def _section(panel: Panel, decides: bool) -> str:
    """Wide pictures stand in columns, cards in rows."""
    rows = ""
    for kind, wide in (("large", True), ("small", False)):
        own = [one for one in panel.pieces if (one.block.width > _WIDEST_CARD) == wide]
        if own:
            rows += f'<div class="film-{kind}">{"".join(map(_picture, own))}</div>'
    seat = "" if panel.seat is None else " film-seat film-decides" if decides else " film-seat"
    return f'<section class="film-panel{seat}"><h2>{escape(panel.title)}</h2>{rows}</section>'


def _picture(piece: Piece) -> str:
    return piece_svg(piece, f"piece-{piece.name}")


def _seen(position: Position, seat: int | None) -> dict[str, Any]:
    """A position as it is shown: once the game is over, nothing is secret."""
    if seat is None or position.to_move is None:
        return position.to_dict()
    return position.game.seen_by(position.to_dict(), seat)


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
    return filled(
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


def filled(template: str, **parts: str) -> str:
    """A template of this folder with its parts."""
    return Template((_FOLDER / template).read_text(encoding="utf-8")).substitute(parts)
