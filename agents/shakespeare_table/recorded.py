"""Recorded games, which are read from JSON lines or from the folder of a dataset or an arena.

JSON lines hold positions in notation, without their random state. Such games can be shown, but
not played again with the same chance.
"""

from __future__ import annotations

import gzip
import io
import json
import zlib
from codecs import BOM_UTF8
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shakespeare_agents.json_input import dump_line, parse_object
from shakespeare_agents.naming import public_name
from shakespeare_arena.reports import printable_name
from shakespeare_env.checks.limits import read_regular
from shakespeare_env.checks.values import short_name
from shakespeare_env.core import registry
from shakespeare_env.core.registry import box_mismatch
from shakespeare_env.datasets.reading import read_results
from shakespeare_env.errors import DatasetError, PositionError
from shakespeare_env.play.history import GameHistory

if TYPE_CHECKING:
    from shakespeare_env import Position

_GZIP = b"\x1f\x8b"
"""The bytes with which every gzipped file begins."""
_SQLITE = b"SQLite format 3\0"
"""The bytes with which the file of a table server begins."""
_MOST_BYTES = 2**26
"""The most bytes that a game's lines may have when they are unpacked."""


def to_json_lines(game: GameHistory, packed: bool = False) -> bytes:
    """Return a game and its players' names as JSON lines, gzipped if `packed`."""
    start = game.positions[0]
    digest = registry.box_digest(start.game.name)
    first_line: dict[str, Any] = {"position": start.to_dict(), "box_digest": digest}
    if game.names is not None:
        first_line["agents"] = list(game.names)
    lines = [first_line]
    for move, position in zip(game.moves, game.positions[1:], strict=True):
        lines.append({"move": move, "position": position.to_dict()})
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()
    return gzip.compress(text) if packed else text


def read_json_lines(path: Path) -> GameHistory:
    """Read a game from a file of JSON lines, gzipped or not.

    The first line holds a `position`. It may also hold the names of `agents` by seat and the
    `box_digest`. Every further line holds a `move` and the next `position`. A position alone is a
    game without moves.

    Raises:
        DatasetError: A line is wrong, or the game was played with another box (the file of the
            game's cards and numbers). The message says which line or box.
    """
    try:
        lines = read_regular(path, _MOST_BYTES)
    except (OSError, ValueError) as error:  # ValueError: no file can have this name
        # The text of an OSError repeats the name, which may be long. `strerror` does not.
        reason = getattr(error, "strerror", None) or error
        raise DatasetError(f"{short_name(str(path))!r} cannot be read: {reason}") from error
    return parse_json_lines(lines, str(path))


def parse_json_lines(lines: bytes, name: str) -> GameHistory:
    """Parse a game from JSON lines, gzipped or not. `read_json_lines` says what they hold.

    Args:
        lines: The lines.
        name: The name of the lines in errors.

    Raises:
        DatasetError: As in `read_json_lines`.
    """
    if lines.startswith(_SQLITE):
        raise DatasetError(
            f"{name} holds the games of a table server; open it with `shakespeare table --games`"
        )
    try:
        if lines.startswith(_GZIP):
            with gzip.open(io.BytesIO(lines)) as packed:
                lines = packed.read(_MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DatasetError(f"{name} cannot be unpacked: {error}") from error
    if len(lines) > _MOST_BYTES:
        raise DatasetError(
            f"{name} has more than {_MOST_BYTES >> 20} MiB; give a file with a single game"
        )
    with suppress(ValueError):  # several lines are not one JSON object
        single = parse_object(lines)
        if "position" not in single:  # it is a position alone
            lines = dump_line({"position": single}).encode()
    # Editors and clipboards may add a byte order mark, blank lines and other line ends.
    lines = lines.removeprefix(BOM_UTF8)
    numbered = [(number, line) for number, line in enumerate(lines.splitlines(), 1) if line.strip()]
    if not numbered:
        raise DatasetError(f"{name} is empty; give a game that `play --save` has written")

    number, line = numbered[0]
    where = f"{name}, line {number}"
    entries, start = _read_line(line, where)
    if "box_digest" in entries:
        fault = box_mismatch(start.game.name, entries["box_digest"])
        if fault:
            raise DatasetError(f"{name}: {fault}")
    agents = entries.get("agents")
    if agents is not None:
        _check_agents(agents, start.players, where)

    positions = [start]
    moves = []
    for number, line in numbered[1:]:
        where = f"{name}, line {number}"
        entries, after = _read_line(line, where)
        move = entries.get("move")
        before = positions[-1]
        if move not in before.moves():
            raise DatasetError(f"{where}: the move {move!r} is not legal")
        if (after.game, after.players) != (before.game, before.players):
            raise DatasetError(f"{where}: the position is of another game or number of players")
        positions.append(after)
        moves.append(move)
    return GameHistory(positions, moves, agents)


def _read_line(line: bytes, where: str) -> tuple[dict[str, Any], Position]:
    """Return the entries of a line, and its position; DatasetError if it has none."""
    from shakespeare_env import Position  # slow, and not needed for shell completion

    try:
        entries = parse_object(line)
        return entries, Position.from_dict(entries["position"])
    except PositionError as error:
        raise DatasetError(f"{where} is not a position: {error}") from error
    except KeyError as error:
        raise DatasetError(f"{where} has no 'position'") from error
    except ValueError as error:
        raise DatasetError(
            f"{where} is {error}; give a game that `play --save` has written"
        ) from error


def _check_agents(names: Any, players: int, where: str) -> None:
    """Check that there is a printable name for each seat; DatasetError if not."""
    if not isinstance(names, list) or len(names) != players:
        raise DatasetError(f"{where}: `agents` does not have a name for each seat")
    if not all(isinstance(name, str) and name and name.isprintable() for name in names):
        raise DatasetError(f"{where}: `agents` has a name that cannot be printed")


def with_public_names(game: GameHistory) -> GameHistory:
    """Return a game in which agents have their public names, without folders of this machine."""
    return replace(game, names=game.names and [public_name(name) for name in game.names])


def read_game_of_folder(folder: Path, game_id: int) -> GameHistory:
    """Read a game from a folder of results, in which games are numbered as they were written.

    Raises:
        DatasetError: The folder holds no results, or the game is missing or damaged.
        ModuleNotFoundError: Polars is not installed.
    """
    from shakespeare_env.datasets import recorded_games  # slow, and not needed for shell completion

    games = recorded_games(folder)
    if game_id >= len(games):
        raise DatasetError(
            f"{folder} has no game {game_id}; it has {len(games)} games, numbered from 0"
        )
    game = games[game_id]
    _check_agents(game.agents, len(game.agents), f"{folder}, game {game_id}")
    if not game.forfeit:
        return game
    # Add the fault by which an agent forfeited the game.
    row = read_results(folder).row(game_id, named=True)
    fault = " ".join(f"{row['fault']}: {row['fault_details']}".split())
    return replace(game, forfeit=f"{game.forfeit}: {printable_name(fault, 200)}")
