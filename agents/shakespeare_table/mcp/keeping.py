"""Finished games of an MCP server as rows of an arena's results."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from shakespeare_agents.identity import DIGITS
from shakespeare_arena.playing import places_of
from shakespeare_arena.results import opened
from shakespeare_arena.seating import Match, Rules, Seating
from shakespeare_env.core import registry
from shakespeare_env.datasets.frames import RESULTS, frame
from shakespeare_env.datasets.reading import is_arena, read_results
from shakespeare_env.errors import ArenaError
from shakespeare_env.version import version
from shakespeare_table.mcp.table import Start, Table


def digest_of_name(name: str) -> str:
    """The digest of an outside player, of whom only the name is known."""
    return hashlib.sha256(f"mcp {name}".encode()).hexdigest()[:DIGITS]


class Keeper:
    """Appends games to an arena's results, where a model stands on the ladder beside agents.

    Args:
        folder: The folder of the results; made if missing.
        game: The game that they are of.
        name: The model's name.

    Raises:
        ArenaError: the folder is not for results of this game.
        DatasetError: they are damaged, or of another box.
        ModuleNotFoundError: the extra `arena` is missing.
        OSError: it cannot be written.
    """

    def __init__(self, folder: Path, game: str, name: str) -> None:
        self.folder, self.game, self.name = folder, game, name
        self.digest = digest_of_name(name)
        self._waiting: list[dict[str, Any]] = []
        with opened(folder, game):
            pass

    def next_solo_deal(self, taken: Iterable[Start]) -> tuple[int, int]:
        """Seed and number of the next deal of the solo game that is not `taken`.

        All agents of an arena play the same solo deals, so that their scores can be compared.
        """
        solo = self._solo_games()
        seed = solo[0]["seed"] if solo else 0
        numbers = {
            row["deal"] for row in solo if row["seed"] == seed and self.digest in row["digests"]
        }
        numbers |= {start.deal for start in taken if start.seed == seed}
        numbers |= {row["deal"] for row in self._waiting if row["players"] == 1}
        return seed, next(deal for deal in range(len(numbers) + 1) if deal not in numbers)

    def keep(self, table: Table) -> str:
        """Write a table's game, which is over, and say so."""
        self._waiting.append(self._row(table))
        return self.write()

    def write(self) -> str:
        """Write what is waiting; games wait while somebody else writes the results."""
        if not self._waiting:
            return ""
        columns = {name: [row[name] for row in self._waiting] for name in RESULTS}
        try:
            with opened(self.folder, self.game) as store:
                store.append(frame(RESULTS, columns))
        except (ArenaError, OSError) as fault:
            return f"The result is not written yet, but with the next one: {fault}"
        self._waiting.clear()
        return f"The result counts for {self.name} in {self.folder}."

    def _solo_games(self) -> list[dict[str, Any]]:
        import polars as pl

        if not is_arena(self.folder):
            return []
        games = read_results(self.folder).filter(pl.col("players") == 1)
        return games.select("seed", "deal", "digests").to_dicts()

    def _row(self, table: Table) -> dict[str, Any]:
        position, players = table.position, table.position.players
        digests = [self.digest] * players
        names = [self.name] * players
        for seat, one in table.opponents.items():
            digests[seat], names[seat] = one.digest, one.name
        match = Match(players, table.start.deal, tuple(digests), (0,))
        rules = Rules(self.game, table.start.variants, table.start.seed, {}, {})
        scores = position.scores()
        if table.failed is None:
            winners = np.isin(np.arange(players), position.winners or [])
            places = places_of(np.array([scores]), winners[None])[0].tolist()
        else:
            places = [players if seat == table.failed else 1 for seat in range(players)]
        steps = zip(table.session.positions, table.session.moves, strict=False)
        return {
            "key": rules.key(Seating(match, 0)),
            "match": rules.match_key(match),
            "game": self.game,
            "box_digest": registry.box_digest(self.game),
            "package_version": version(),
            "variants": list(table.start.variants),
            "players": players,
            "seed": table.start.seed,
            "deal": table.start.deal,
            "rotation": 0,
            "agents": names,
            "digests": digests,
            "scores": scores,
            "places": places,
            "forfeited_by": table.failed,
            "fault": None if table.fault is None else table.fault.kind,
            "fault_details": None if table.fault is None else table.fault.details,
            "seconds": table.session.seconds,
            "decisions": table.session.decisions,
            "actions": [before.action_id(move) for before, move in steps],
            "values": None,
        }
