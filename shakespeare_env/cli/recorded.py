"""Recorded games, from a dataset or JSON lines.

They are shown from recorded positions: as text these hold no random state to replay with.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from shakespeare_env import Position
from shakespeare_env.datasets import read_decisions, read_games
from shakespeare_env.datasets.frames import load_polars
from shakespeare_env.errors import DatasetError, PositionError
from shakespeare_env.json_input import parse_object


@dataclass(frozen=True)
class Recorded:
    """A game: n + 1 positions and the n moves between them.

    Attributes:
        agents: By seat, if recorded.
        values: The return that whoever decided expected, if known.
    """

    positions: Sequence[Position]
    moves: Sequence[str]
    agents: Sequence[str] | None = None
    values: Sequence[float | None] = ()

    @property
    def last(self) -> Position:
        """From which the game may continue."""
        return self.positions[-1]

    def is_secret(self, number: int, seat: int | None) -> bool:
        """Whether a move, from 0, is hidden from a seat; None sees all."""
        position = self.positions[number]
        if seat is None or position.to_move == seat:
            return False
        return position.game.is_secret(position.to_dict(), self.moves[number])


def from_json_lines(path: Path) -> Recorded:
    """Read a `position`, then in each line a `move` and the next `position`, maybe from `.gz`.

    Raises:
        DatasetError: something is wrong in a line that it names.
    """
    lines = [_object(path, number, line) for number, line in enumerate(_lines(path), 1)]
    if not lines:
        raise DatasetError(f"{path} is empty; its first line should hold a position")
    moves = [_entry(path, number, line, "move", str) for number, line in enumerate(lines[1:], 2)]
    texts = [_entry(path, number, line, "position", dict) for number, line in enumerate(lines, 1)]
    return _checked(Recorded(_positions(texts, lambda k: f"{path}, line {k + 1}"), moves), path)


def from_dataset(folder: Path, game_id: int) -> Recorded:
    """Read a game; DatasetError if that fails, ModuleNotFoundError without Polars."""
    pl = load_polars()
    games = read_games(folder, unfinished=True).filter(pl.col("game_id") == game_id).collect()
    if games.is_empty():
        count = read_games(folder, unfinished=True).select(pl.len()).collect().item()
        raise DatasetError(f"{folder} has no game {game_id}; its games are 0 to {count - 1}")
    game = games.row(0, named=True)
    decisions = read_decisions(folder, unfinished=True).filter(pl.col("game_id") == game_id)
    columns = decisions.sort("number").select("position", "value").collect()
    texts = [json.loads(text) for text in (*columns["position"], game["last_position"])]
    name = f"{folder}, game {game_id}"
    positions = _positions(texts, lambda number: f"{name}, position {number}")
    values = columns["value"].to_list()
    return _checked(Recorded(positions, game["moves"], game["agents"], values), name)


def games_of(folder: Path) -> Iterable[dict[str, Any]]:
    """The games without positions and moves."""
    columns = ("game_id", "agents", "final_scores", "winners", "decisions")
    return read_games(folder, unfinished=True).select(*columns).collect().iter_rows(named=True)


def _positions(texts: Sequence[Mapping[str, Any]], where: Callable[[int], str]) -> list[Position]:
    read = []
    for number, text in enumerate(texts):
        try:
            read.append(Position.from_dict(text))
        except PositionError as error:
            raise DatasetError(f"{where(number)} is not a position: {error}") from error
    return read


def _checked(game: Recorded, name: Path | str) -> Recorded:
    """The game, once its moves are known to be legal."""
    if len(game.positions) != len(game.moves) + 1:
        raise DatasetError(
            f"{name}: {len(game.positions)} positions and {len(game.moves)} moves; "
            "there should be one position more than moves"
        )
    steps = zip(pairwise(game.positions), game.moves, strict=True)
    for number, ((position, after), move) in enumerate(steps):
        if (after.game, after.players) != (position.game, position.players):
            raise DatasetError(f"{name}: position {number + 1} is of another table")
        if move not in position.moves():
            raise DatasetError(f"{name}: {move!r} is not legal in position {number}")
    return game


def _lines(path: Path) -> list[bytes]:
    try:
        content = path.read_bytes()
        if path.suffix == ".gz":
            content = gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise DatasetError(f"{path} cannot be read: {error}") from error
    return content.splitlines()


def _object(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        return parse_object(line)
    except ValueError as error:
        raise DatasetError(f"{path}, line {number} is {error}") from error


def _entry(path: Path, number: int, line: Mapping[str, Any], key: str, of: type) -> Any:
    if not isinstance(line.get(key), of):
        raise DatasetError(
            f"{path}, line {number} has no {key!r}; the first line holds a "
            "position, every other one a move and the position after it"
        )
    return line[key]
