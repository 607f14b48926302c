"""Recorded games: one as JSON lines, and those in the folder of a dataset or an arena.

Positions in lines are text without random state, so they are shown rather than replayed.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BufferedIOBase, BytesIO
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shakespeare_env.checks.json_input import parse_object
from shakespeare_env.cli.lines import check_length, lines_of
from shakespeare_env.core import registry
from shakespeare_env.core.registry import box_fault
from shakespeare_env.datasets.results_reading import read_results
from shakespeare_env.errors import DatasetError, PositionError
from shakespeare_env.play.course import Course

if TYPE_CHECKING:
    from shakespeare_env import Position

MOST_MOVES = 4000
"""The most moves of a game; those of the bundled boxes have some hundreds."""
_NONE = "it has none yet: go on with what began it"
_NO_RECORD = "; give a game that play --save wrote, or the folder of a dataset"
_GZIP = b"\x1f\x8b"
"""The bytes with which every gzipped file begins."""
_MOST_IN_ALL = 2**26
"""The most bytes of a game's lines, unpacked."""


@dataclass(frozen=True)
class Recorded(Course):
    """The course of a recorded game.

    Attributes:
        values: The return that the deciding agent expected, if known.
        forfeit: The loser by a fault, and why; empty in games played to the end.
    """

    values: Sequence[float | None] = ()
    forfeit: str = ""


def write_json_lines(path: Path, game: Course) -> None:
    """Write a game as `from_json_lines` reads it, its players too; complete or not at all.

    Raises:
        OSError: it cannot be written.
    """
    start = game.positions[0]
    digest = registry.box_digest(start.game.name)
    first: dict[str, Any] = {"position": start.to_dict(), "box_digest": digest}
    if game.names is not None:
        first["agents"] = list(game.names)
    lines = [first]
    for move, position in zip(game.moves, game.positions[1:], strict=True):
        lines.append({"move": move, "position": position.to_dict()})
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        unfinished.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def from_json_lines(path: Path) -> Recorded:
    """Read a `position`, then in each line a `move` and the next `position`, maybe from `.gz`.

    The first line may name `agents`, by seat, and hold the `box_digest` that the protocol gives.

    Raises:
        DatasetError: something is wrong in a line that it names, or another box is in force.
    """
    return _read(lambda: gzip.open(path) if path.suffix == ".gz" else path.open("rb"), str(path))


def from_bytes(lines: bytes, name: str) -> Recorded:
    """The same from lines, gzipped or not; errors call them `name`."""
    packed = lines.startswith(_GZIP)
    return _read(lambda: gzip.open(BytesIO(lines)) if packed else BytesIO(lines), name)


def _read(opened: Callable[[], BufferedIOBase], path: str) -> Recorded:
    moves: list[str] = []
    positions: list[Position] = []
    agents = None
    for number, line in enumerate(_lines(opened, path), 1):
        entries = _object(path, number, line)
        if number == 1 and "agents" in entries:
            agents = _entry(path, number, entries, "agents", list)
        if number > 1:
            moves.append(_entry(path, number, entries, "move", str))
        text = _entry(path, number, entries, "position", dict)
        if number == 1:
            _check_box(path, entries, text)
        positions.append(_position(text, f"{path}, line {number}"))
    if not positions:
        raise DatasetError(f"{path} is empty; its first line should hold a position")
    if agents is not None:
        _check_agents(agents, positions[0].players, f"{path}, line 1")
    game = Recorded(positions, moves, agents)
    _check_moves(game, path)
    return game


def _check_box(path: str, line: Mapping[str, Any], position: Mapping[str, Any]) -> None:
    name = position.get("game")
    if "box_digest" in line and name in registry.names():
        fault = box_fault(name, _entry(path, 1, line, "box_digest", str))
        if fault:
            raise DatasetError(f"{path}: {fault}")


def _check_agents(names: Sequence[Any], players: int, where: str) -> None:
    """DatasetError unless there is a printable name for each seat."""
    known = all(isinstance(name, str) and name and name.isprintable() for name in names)
    if not known or len(names) != players:
        raise DatasetError(f"{where}: its agents are not a name for each seat")


def _position(text: Mapping[str, Any], where: str) -> Position:
    """A position from its notation; DatasetError if it cannot occur."""
    from shakespeare_env import Position  # slow, and not needed for completion

    try:
        return Position.from_dict(text)
    except PositionError as error:
        raise DatasetError(f"{where} is not a position: {error}") from error


def _check_moves(game: Recorded, path: str) -> None:
    """DatasetError unless every move is legal where it was played."""
    steps = zip(pairwise(game.positions), game.moves, strict=True)
    for number, ((position, after), move) in enumerate(steps):
        if (after.game, after.players) != (position.game, position.players):
            raise DatasetError(f"{path}: position {number + 1} is of another table")
        if move not in position.moves():
            raise DatasetError(f"{path}: {move!r} is not legal in position {number}")


def _lines(opened: Callable[[], BufferedIOBase], path: str) -> Iterator[bytes]:
    """The lines of a file that is at most as long as a game may be."""
    left = _MOST_IN_ALL
    try:
        with opened() as file:
            for number, line in enumerate(lines_of(file)):
                left -= len(line)
                if number > MOST_MOVES or left < 0:
                    raise DatasetError(
                        f"{path} is longer than a game of {MOST_MOVES} moves and "
                        f"{_MOST_IN_ALL >> 20} MiB; write one game to a file"
                    )
                yield line
    except (OSError, EOFError, zlib.error, ValueError) as error:
        if isinstance(error, DatasetError):  # a ValueError, too
            raise
        if isinstance(error, FileNotFoundError):
            raise DatasetError(f"there is no file or folder {path!r}") from error
        why = getattr(error, "strerror", None) or error
        raise DatasetError(f"{path!r} cannot be read: {why}") from error


def _object(path: str, number: int, line: bytes) -> dict[str, Any]:
    try:
        return parse_object(check_length(line))
    except ValueError as error:
        remedy = _NO_RECORD if number == 1 else ""
        raise DatasetError(f"{path}, line {number} is {error}{remedy}") from error


def _entry(path: str, number: int, line: Mapping[str, Any], key: str, of: type) -> Any:
    if not isinstance(line.get(key), of):
        raise DatasetError(
            f"{path}, line {number} has no {key!r}; the first line holds a "
            "position, every other one a move and the position after it"
        )
    return line[key]


def from_folder(folder: Path, game_id: int) -> Recorded:
    """Read a game of a dataset or of an arena, numbered in the order of its results.

    Raises:
        DatasetError: the folder is neither, or the game is missing or damaged.
        ModuleNotFoundError: Polars is not installed.
    """
    from shakespeare_env.datasets import recorded_games  # slow, not needed for completion

    games = recorded_games(folder, unfinished=True)
    if game_id >= len(games):
        known = f"its games are 0 to {len(games) - 1}" if len(games) else _NONE
        raise DatasetError(f"{folder} has no game {game_id}; {known}")
    game = games[game_id]
    _check_agents(game.agents, len(game.agents), f"{folder}, game {game_id}")
    forfeit = ""
    if game.forfeited_by is not None:
        forfeit = _forfeit(read_results(folder).row(game_id, named=True))
    return Recorded(game.positions, game.moves, game.agents, game.values, forfeit)


def _forfeit(row: Mapping[str, Any]) -> str:
    """How a game was lost by a fault, in words."""
    seat = row["forfeited_by"]
    fault = f"{_printable(row['fault'])}: {_printable(row['fault_details'])}"
    return f"Seat {seat} ({row['agents'][seat]}) forfeited the game: {fault}"


def _printable(text: str | None) -> str:
    """A program's text in one line, without signs that could control a terminal."""
    words = " ".join((text or "").split())
    return "".join(sign for sign in words if sign.isprintable())
