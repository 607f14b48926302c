"""Recorded games, from a dataset, an arena's results or JSON lines.

Those of an arena are played again from their deals. The others are shown from recorded positions:
as text these hold no random state to replay with.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from shakespeare_env import registry
from shakespeare_env.cli.lines import check_length, lines_of
from shakespeare_env.datasets import collected, read_decisions, read_games
from shakespeare_env.datasets.frames import load_polars
from shakespeare_env.datasets.replaying import replayed
from shakespeare_env.datasets.results_reading import is_arena, read_results
from shakespeare_env.errors import DatasetError, PositionError
from shakespeare_env.json_input import parse_object

if TYPE_CHECKING:
    from shakespeare_env import Position

MOST_MOVES = 4000
"""In a game; those of the bundled boxes have some hundreds."""
_NO_RECORD = "; give a game that play --save wrote, or the folder of a dataset"
_MOST_IN_ALL = 2**26
"""Bytes of a game's lines, unpacked."""


@dataclass(frozen=True)
class Recorded:
    """A game: n + 1 positions and the n moves between them.

    Attributes:
        agents: By seat, if recorded.
        values: The return that whoever decided expected, if known.
        forfeit: Who lost the game by a fault, and why; empty in games played to the end.
    """

    positions: Sequence[Position]
    moves: Sequence[str]
    agents: Sequence[str] | None = None
    values: Sequence[float | None] = ()
    forfeit: str = ""

    @property
    def last(self) -> Position:
        """From which the game may continue."""
        return self.positions[-1]


class Listed(NamedTuple):
    """A game of a folder, without positions and moves.

    Attributes:
        game_id: Its number.
        decisions: How many it has.
        agents: By seat.
        scores: By seat, at the end.
        ending: The seats that won, or who forfeited it.
    """

    game_id: int
    decisions: int
    agents: Sequence[str]
    scores: Sequence[int]
    ending: str


def write_json_lines(path: Path, game: Recorded) -> None:
    """Write a game as `from_json_lines` reads it, its agents too; complete or not at all.

    Raises:
        OSError: it cannot be written.
    """
    start = game.positions[0]
    digest = registry.box_digest(start.game.name)
    first: dict[str, Any] = {"position": start.to_dict(), "box_digest": digest}
    if game.agents is not None:
        first["agents"] = list(game.agents)
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
    moves: list[str] = []
    positions: list[Position] = []
    agents = None
    for number, line in enumerate(_lines(path), 1):
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
    return _checked(Recorded(positions, moves, agents), path)


def from_folder(folder: Path, game_id: int) -> Recorded:
    """Read a game of a dataset or of an arena, numbered in the order of its results.

    Raises:
        DatasetError: the folder is neither, or the game is missing or damaged.
        ModuleNotFoundError: Polars is not installed.
    """
    return (_from_arena if is_arena(folder) else from_dataset)(folder, game_id)


def from_dataset(folder: Path, game_id: int) -> Recorded:
    """Read a game; DatasetError if that fails, ModuleNotFoundError without Polars."""
    pl = load_polars()
    games = read_games(folder, unfinished=True)
    of_game = pl.col("game_id") == pl.lit(game_id, pl.Int64)
    found = collected(games.filter(of_game).head(1), folder)
    if found.is_empty():
        raise _no_game(folder, game_id, collected(games.select(pl.len()), folder).item())
    game = found.row(0, named=True)
    decisions = read_decisions(folder, unfinished=True).filter(of_game)
    columns = collected(
        decisions.select("number", "position", "value").head(MOST_MOVES + 1).sort("number"), folder
    )
    name = f"{folder}, game {game_id}"
    texts = [*columns["position"], game["last_position"]]
    positions = [_written(text, f"{name}, position {at}") for at, text in enumerate(texts)]
    values = columns["value"].to_list()
    read = _checked(Recorded(positions, game["moves"] or [], game["agents"], values), name)
    _check_agents(game["agents"], read.last.players, name)
    return read


def _no_game(folder: Path, game_id: int, count: int) -> DatasetError:
    known = f"its games are 0 to {count - 1}" if count else "it has none yet"
    return DatasetError(f"{folder} has no game {game_id}; {known}")


def _from_arena(folder: Path, game_id: int) -> Recorded:
    games = read_results(folder)
    if game_id >= games.height:
        raise _no_game(folder, game_id, games.height)
    game = games.row(game_id, named=True)
    name = f"{folder}, game {game_id}"
    _check_agents(game["agents"], game["players"], name)
    try:
        positions = replayed(game)
    except DatasetError as fault:
        raise DatasetError(f"{name}: {fault}") from fault
    moves = [
        before.move_text(action) for before, action in zip(positions, game["actions"], strict=False)
    ]
    return Recorded(positions, moves, game["agents"], forfeit=_forfeit(game))


def _forfeit(game: Mapping[str, Any]) -> str:
    """How a game was lost by a fault, in words; empty if it was not."""
    seat = game["forfeited_by"]
    if seat is None:
        return ""
    told = f"{_printable(game['fault'])}: {_printable(game['fault_details'])}"
    return f"Seat {seat} ({game['agents'][seat]}) forfeited the game: {told}"


def _printable(text: str | None) -> str:
    """One line of what a program may have written: signs that could drive a terminal go."""
    words = " ".join((text or "").split())
    return "".join(sign for sign in words if sign.isprintable())


def games_of(folder: Path) -> Iterable[Listed]:
    """The games of a dataset or an arena; errors as of `from_folder`."""
    return _games_of_arena(folder) if is_arena(folder) else _games_of_dataset(folder)


def _games_of_dataset(folder: Path) -> Iterator[Listed]:
    columns = ("game_id", "players", "agents", "final_scores", "winners", "decisions")
    found = collected(read_games(folder, unfinished=True).select(*columns), folder)
    for game in found.iter_rows(named=True):
        name = f"{folder}, game {game['game_id']}"
        _check_agents(game["agents"], game["players"], name)
        if game["final_scores"] is None or game["winners"] is None:
            raise DatasetError(f"{name} has no result; copy the dataset again")
        yield Listed(
            game["game_id"],
            game["decisions"],
            game["agents"],
            game["final_scores"],
            " ".join(map(str, game["winners"])),
        )


def _games_of_arena(folder: Path) -> Iterator[Listed]:
    for number, game in enumerate(read_results(folder).iter_rows(named=True)):
        _check_agents(game["agents"], game["players"], f"{folder}, game {number}")
        winners = [seat for seat, place in enumerate(game["places"]) if place == 1]
        ending = " ".join(map(str, winners if game["players"] > 1 else []))
        if game["forfeited_by"] is not None:
            ending = f"seat {game['forfeited_by']} forfeited: {_printable(game['fault'])}"
        yield Listed(number, len(game["actions"]), game["agents"], game["scores"], ending)


def _check_box(path: Path, line: Mapping[str, Any], position: Mapping[str, Any]) -> None:
    name = position.get("game")
    if "box_digest" in line and name in registry.names():
        fault = registry.box_fault(name, _entry(path, 1, line, "box_digest", str))
        if fault:
            raise DatasetError(f"{path}: {fault}")


def _check_agents(names: Sequence[Any] | None, players: int, where: str) -> None:
    """Names are printed: what is no text could drive a terminal."""
    known = names is not None and all(
        isinstance(name, str) and name and name.isprintable() for name in names
    )
    if not known or len(names or ()) != players:
        raise DatasetError(f"{where}: its agents are not a name for each seat")


def _written(text: str | None, where: str) -> Position:
    """A position from its text in a dataset."""
    try:
        read = parse_object(check_length((text or "").encode()))
    except ValueError as error:
        raise DatasetError(f"{where} is {error}") from error
    return _position(read, where)


def _position(text: Mapping[str, Any], where: str) -> Position:
    from shakespeare_env import Position  # it takes a while, and completing needs none

    try:
        return Position.from_dict(text)
    except PositionError as error:
        raise DatasetError(f"{where} is not a position: {error}") from error


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


def _lines(path: Path) -> Iterator[bytes]:
    """The lines of a file, as long as one game may be."""
    left = _MOST_IN_ALL
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
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
            raise DatasetError(f"there is no file or folder {str(path)!r}") from error
        why = getattr(error, "strerror", None) or error
        raise DatasetError(f"{str(path)!r} cannot be read: {why}") from error


def _object(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        return parse_object(check_length(line))
    except ValueError as error:
        remedy = _NO_RECORD if number == 1 else ""
        raise DatasetError(f"{path}, line {number} is {error}{remedy}") from error


def _entry(path: Path, number: int, line: Mapping[str, Any], key: str, of: type) -> Any:
    if not isinstance(line.get(key), of):
        raise DatasetError(
            f"{path}, line {number} has no {key!r}; the first line holds a "
            "position, every other one a move and the position after it"
        )
    return line[key]
