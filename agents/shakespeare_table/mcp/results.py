"""The results of a model's games, which are added to the folder of an arena."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from shakespeare_agents.identity import DIGITS
from shakespeare_arena.games.results import open_results
from shakespeare_arena.games.rows import result_row
from shakespeare_arena.games.seating import Match, RunSettings, Seating
from shakespeare_env.datasets.frames import RESULTS, frame
from shakespeare_env.datasets.reading import has_manifest, read_results
from shakespeare_env.errors import ArenaError
from shakespeare_table.mcp.model_game import GameStart, ModelGame


class ResultsWriter:
    """A writer that adds a model's games to an arena's results, so that the arena ranks the model.

    Args:
        folder: The folder of results.
        game: The name of the game.
        name: The model's name.

    Raises:
        ArenaError: The folder does not hold results of this game.
        DatasetError: The results are damaged, or were played with another box (the file of the
            game's cards and numbers).
        ModuleNotFoundError: The extra `arena` is missing.
        OSError: The results cannot be written.
    """

    def __init__(self, folder: Path, game: str, name: str) -> None:
        self.folder = folder
        self.game = game
        self.name = name
        self.digest = digest_of_name(name)
        self._waiting: list[dict[str, Any]] = []  # rows of games that are not written yet
        with open_results(folder, game):  # raises now if the results cannot be written
            pass

    def next_solo_deal(self, playing: Iterable[GameStart]) -> tuple[int, int]:
        """Return the seed and number of the model's next solo deal.

        All agents of an arena play the same solo deals, so that their scores can be compared. The
        model plays each deal once.

        Args:
            playing: The starts of the model's solo games in progress.
        """
        rows = read_results(self.folder).to_dicts() if has_manifest(self.folder) else []
        solo = [row for row in rows if row["players"] == 1]
        seed = solo[0]["seed"] if solo else 0
        used = {
            row["deal"] for row in solo if row["seed"] == seed and self.digest in row["digests"]
        }
        used |= {start.deal for start in playing if start.seed == seed}
        used |= {row["deal"] for row in self._waiting if row["players"] == 1}
        return seed, next(deal for deal in range(len(used) + 1) if deal not in used)

    def keep(self, game: ModelGame) -> str:
        """Write a game that is over, and return a sentence that says whether it is written."""
        self._waiting.append(self._row(game))
        return self.write()

    def write(self) -> str:
        """Write the games that wait, and return a sentence that says whether they are written.

        Games wait while another process writes the results. The sentence is empty if none waits.
        """
        if not self._waiting:
            return ""
        columns = {name: [row[name] for row in self._waiting] for name in RESULTS}
        try:
            with open_results(self.folder, self.game) as results:
                results.append(frame(RESULTS, columns))
        except (ArenaError, OSError) as fault:
            return f"The result is not written yet, but will be with the next one: {fault}"
        self._waiting.clear()
        return f"The result counts for {self.name} in {self.folder}."

    def _row(self, game: ModelGame) -> dict[str, Any]:
        position = game.position
        players = position.players
        names = {self.digest: self.name}
        digests = [self.digest] * players
        for seat, opponent in game.opponents.items():
            names[opponent.digest] = opponent.name
            digests[seat] = opponent.digest
        start = game.start
        match = Match(players, start.deal, lineup=tuple(digests), rotations=(0,))
        decisions = zip(game.positions[:-1], game.moves, strict=True)
        return result_row(
            Seating(match, rotation=0),
            RunSettings(self.game, start.variants, start.seed, agents={}, names=names),
            scores=position.scores(),
            winners=np.isin(np.arange(players), position.winners or []),
            forfeit=None if game.failed is None else (game.failed, game.fault),
            seconds=game.seconds,
            decisions=game.decisions,
            actions=[before.action_id(move) for before, move in decisions],
            values=None,
        )


def digest_of_name(name: str) -> str:
    """Return a digest made from a player's name, since its code is unknown."""
    return hashlib.sha256(f"mcp {name}".encode()).hexdigest()[:DIGITS]
