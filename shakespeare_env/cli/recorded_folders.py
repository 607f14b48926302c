"""Recorded games of a folder: a dataset's, or those of an arena, which are played again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from shakespeare_env.cli.lines import check_length
from shakespeare_env.cli.recorded import MOST_MOVES, Recorded, check_agents, checked, position_of
from shakespeare_env.datasets import collected, read_decisions, read_games
from shakespeare_env.datasets.frames import load_polars
from shakespeare_env.datasets.results_reading import is_arena, read_results
from shakespeare_env.errors import DatasetError
from shakespeare_env.json_input import parse_object

if TYPE_CHECKING:
    from shakespeare_env import Position


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
    read = checked(Recorded(positions, game["moves"] or [], game["agents"], values), name)
    check_agents(game["agents"], read.last.players, name)
    return read


def _no_game(folder: Path, game_id: int, count: int) -> DatasetError:
    known = f"its games are 0 to {count - 1}" if count else "it has none yet"
    return DatasetError(f"{folder} has no game {game_id}; {known}")


def _from_arena(folder: Path, game_id: int) -> Recorded:
    from shakespeare_env.datasets.replaying import replayed  # as of Position

    games = read_results(folder)
    if game_id >= games.height:
        raise _no_game(folder, game_id, games.height)
    game = games.row(game_id, named=True)
    name = f"{folder}, game {game_id}"
    check_agents(game["agents"], game["players"], name)
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
        check_agents(game["agents"], game["players"], name)
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
        check_agents(game["agents"], game["players"], f"{folder}, game {number}")
        winners = [seat for seat, place in enumerate(game["places"]) if place == 1]
        ending = " ".join(map(str, winners if game["players"] > 1 else []))
        if game["forfeited_by"] is not None:
            ending = f"seat {game['forfeited_by']} forfeited: {_printable(game['fault'])}"
        yield Listed(number, len(game["actions"]), game["agents"], game["scores"], ending)


def _written(text: str | None, where: str) -> Position:
    """A position from its text in a dataset."""
    try:
        read = parse_object(check_length((text or "").encode()))
    except ValueError as error:
        raise DatasetError(f"{where} is {error}") from error
    return position_of(read, where)
