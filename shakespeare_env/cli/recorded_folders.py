"""The recorded games of a dataset's or an arena's folder, played again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from shakespeare_env.cli.recorded import Recorded, check_agents
from shakespeare_env.datasets.recorded_columns import NOBODY, chunks
from shakespeare_env.datasets.results_reading import read_results
from shakespeare_env.errors import DatasetError

_NONE = "it has none yet: go on with what began it"


class Listed(NamedTuple):
    """A game of a folder, without positions and moves.

    Attributes:
        game_id: Its number.
        decisions: The number of its decisions.
        agents: The agents' names by seat.
        scores: The final scores by seat.
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
    from shakespeare_env.datasets import recorded_games  # the engine, not needed for completion

    games = recorded_games(folder, unfinished=True)
    if game_id >= len(games):
        known = f"its games are 0 to {len(games) - 1}" if len(games) else _NONE
        raise DatasetError(f"{folder} has no game {game_id}; {known}")
    game = games[game_id]
    check_agents(game.agents, len(game.agents), f"{folder}, game {game_id}")
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


def games_of(folder: Path) -> Iterator[Listed]:
    """The games of a dataset or an arena; errors as of `from_folder`."""
    from shakespeare_env.datasets import read_recorded  # as above

    faults: Sequence[str] = ()
    number = 0
    for games in chunks(read_recorded(folder, unfinished=True), str(folder)):
        if not faults and (games.forfeited_by != NOBODY).any():
            faults = read_results(folder)["fault"].to_list()
        for row, players in enumerate(games.players.tolist()):
            game_id = int(games.game_ids[row])
            names = [games.names[agent] for agent in games.agents[row, :players]]
            check_agents(names, players, f"{folder}, game {game_id}")
            places = games.places[row, :players].tolist()
            winners = [seat for seat, place in enumerate(places) if place == 1]
            ending = " ".join(map(str, winners if players > 1 else []))
            by = int(games.forfeited_by[row])
            if by != NOBODY:
                ending = f"seat {by} forfeited: {_printable(faults[number])}"
            scores = games.scores[row, :players].tolist()
            yield Listed(game_id, int(games.lengths[row]), names, scores, ending)
            number += 1
