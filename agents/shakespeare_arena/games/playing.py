"""Games of matches, played together; each becomes a row of results as it ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_arena.games.referee import RefereedLineup
from shakespeare_arena.games.seating import Rules, Seating
from shakespeare_env.core.batch import Batch
from shakespeare_env.datasets.frames import RESULTS, by_seat, frame, load_polars
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.lineup import NOBODY, play_out
from shakespeare_env.version import version

if TYPE_CHECKING:
    import polars as pl

_FIRST_ROOM = 256
"""Initial room for actions, per game."""


def play(
    seatings: Sequence[Seating], rules: Rules, on_step: Callable[[int], None] | None = None
) -> pl.DataFrame:
    """Play some games together; their rows, `RESULTS`.

    A game depends on its seating and the rules alone. `on_step` gets the number of decisions.
    """
    table = _Table(seatings, rules)

    def after(rows: NDArray[np.int64], _actions: NDArray[np.int64]) -> None:
        if on_step is not None:
            on_step(len(rows))

    try:
        play_out(table.batch, table.referee, before_step=table.note_actions, after_step=after)
    finally:
        table.referee.end()
    return table.rows()


class _Table:
    """Some games in a batch, and what their rows are made from."""

    def __init__(self, seatings: Sequence[Seating], rules: Rules) -> None:
        self.rules, self.seatings = rules, seatings
        players = np.array([one.match.players for one in seatings])
        deals = np.array([one.match.deal for one in seatings])
        rotations = np.array([one.rotation for one in seatings])
        variants: dict[str, Any] = dict.fromkeys(rules.variants, True)
        how: dict[str, Any] = {"threads": rules.threads, "autoreset": False, **variants}
        self.batch = Batch(rules.game, len(seatings), players=players, **how)
        self.batch.reset(rules.seed, deals)
        generators = GameGenerators.of_games(rules.seed, deals * players + rotations)
        digests = list(dict.fromkeys(digest for one in seatings for digest in one.match.lineup))
        index = {digest: number for number, digest in enumerate(digests)}
        seats = np.full((len(seatings), self.batch.game.max_seats), NOBODY, np.int32)
        for row, one in enumerate(seatings):
            seats[row, : one.match.players] = [index[digest] for digest in one.digests]
        self.referee = RefereedLineup(
            [rules.agents[digest] for digest in digests],
            seats,
            generators,
            [rules.names[digest] for digest in digests],
        )
        self._counts = np.zeros(len(seatings), np.int64)
        self._actions = np.zeros((len(seatings), _FIRST_ROOM), np.int16)

    def note_actions(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Note the actions of games that go on; call it before a step."""
        goes_on = ~self.referee.forfeited[rows]
        rows, actions = rows[goes_on], actions[goes_on]
        counts = self._counts[rows]
        if len(rows) and counts.max() == self._actions.shape[1]:
            self._actions = np.hstack([self._actions, np.zeros_like(self._actions)])
        self._actions[rows, counts] = actions
        self._counts[rows] = counts + 1

    def rows(self) -> pl.DataFrame:
        """The rows of all games."""
        players = self.batch.players
        of_each = [
            self._rows(np.flatnonzero(players == seats), int(seats)) for seats in np.unique(players)
        ]
        rows: pl.DataFrame = load_polars().concat(of_each)
        return rows

    def _rows(self, rows: NDArray[np.int64], players: int) -> pl.DataFrame:
        """The rows of games of `players` seats."""
        rules, n = self.rules, len(rows)
        seconds, decisions = self.referee.thinking()
        played = [self.seatings[row] for row in rows]
        digests = [digest for one in played for digest in one.digests]
        scores = self.batch.final_scores[rows, :players]
        places = places_of(scores, self.batch.final_winners[rows, :players])
        forfeits = [self.referee.forfeits.get(row) for row in rows.tolist()]
        for place, forfeit in enumerate(forfeits):
            if forfeit is not None:
                scores[place] = forfeit.scores
                places[place] = [players if s == forfeit.seat else 1 for s in range(players)]
        columns: dict[str, Any] = {
            "key": [rules.key(one) for one in played],
            "match": [rules.match_key(one.match) for one in played],
            "game": [rules.game] * n,
            "box_digest": [rules.box_digest] * n,
            "package_version": [version()] * n,
            "variants": [list(rules.variants)] * n,
            "players": [players] * n,
            "seed": [rules.seed] * n,
            "deal": [one.match.deal for one in played],
            "rotation": [one.rotation for one in played],
            "agents": by_seat([rules.names[digest] for digest in digests], players),
            "digests": by_seat(digests, players),
            "scores": by_seat(scores.reshape(-1), players),
            "places": by_seat(places.reshape(-1), players),
            "forfeited_by": [one and one.seat for one in forfeits],
            "fault": [one and one.fault.kind for one in forfeits],
            "fault_details": [one and one.fault.details for one in forfeits],
            "seconds": by_seat(seconds[rows, :players].reshape(-1), players),
            "decisions": by_seat(decisions[rows, :players].reshape(-1), players),
            "actions": [self._actions[row, : self._counts[row]] for row in rows],
        }
        return frame(RESULTS, columns)


def places_of(scores: NDArray[Any], winners: NDArray[np.bool_]) -> NDArray[np.int64]:
    """int[m, P]: the finishing orders by seat: winners share place 1, the others go by score.

    Equal scores share the best of their places; the game's tie-breaks decide only who wins.

    Args:
        scores: int[m, P].
        winners: bool[m, P].
    """
    worth = np.where(winners, np.iinfo(np.int64).max, scores.astype(np.int64))
    better: NDArray[np.int64] = (worth[:, None, :] > worth[:, :, None]).sum(axis=2)
    return better + 1
