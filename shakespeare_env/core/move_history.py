"""The last decisions of each game of a batch, as each seat knows them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.compile.decorators import kernel, rule
from shakespeare_env.core.game import Game, Records

HISTORY_COLUMNS = ("seat", "action")
"""The columns of a history; `Batch.history` says what they hold."""
DECISION = np.dtype([("seat", np.int8), ("action", np.int16), ("hidden", np.bool_)])
"""A decision: the seat that decided, its action, and whether that is hidden from other seats."""
Decisions = NDArray[np.void]
"""Decisions of games, `DECISION`[m, k], the latest first."""
_NOBODY = -1
"""Stands for the seat of a decision that has not been made."""
_UNKNOWN = -1
"""Stands for an action that the history does not hold (see `without_hidden`)."""
_NO_DECISION = np.array((_NOBODY, _UNKNOWN, False), DECISION)


class MoveHistory:
    """The last decisions of n games, the latest first. Forced moves do not count.

    A decision is hidden from the other seats as long as `GameRules.is_hidden` says so. A game
    without this rule says by `Game.is_secret` which decisions are hidden, and these stay hidden.

    Args:
        game: The game.
        n: The number of games.
        length: The number of decisions to keep of each game.

    Attributes:
        length: The number of decisions kept of each game.
        decisions: `DECISION`[n, length].
    """

    def __init__(self, game: Game, n: int, length: int) -> None:
        self.length = length
        self.decisions: Decisions = np.full((n, length), _NO_DECISION)
        self._game = game
        self._record = _recorder_of(game)

    def load(self, rows: NDArray[np.int64], decisions: Decisions | None) -> None:
        """Replace the decisions of some games, `DECISION`[m, k]. None stands for no decisions."""
        self.decisions[rows] = _NO_DECISION if decisions is None else padded(decisions, self.length)

    def are_hidden(
        self, games: Records, rows: NDArray[np.int64], actions: NDArray[np.int32]
    ) -> NDArray[np.bool_]:
        """Return whether actions, int32[m], will be hidden from the others at first, bool[m]."""
        hidden = np.ones(len(rows), np.bool_)
        game = self._game
        if game.rules.is_hidden is None:
            for k, (row, action) in enumerate(zip(rows, actions.tolist(), strict=True)):
                seat = int(games[row]["to_move"])
                if seat >= 0:
                    text = game.actions.text(action, seat, int(games[row]["players"]))
                    hidden[k] = game.is_secret(game.to_dict(games[row]), text)
        return hidden

    def record(
        self,
        games: Records,
        rows: NDArray[np.int64],
        seats: NDArray[np.int8],
        actions: NDArray[np.int32],
        hidden: NDArray[np.bool_],
    ) -> None:
        """Add a decision, which has just been played, to each of some games.

        Args:
            games: All n games.
            rows: The games of the decisions, int64[m].
            seats: The seats that decided, int8[m]; -1 adds no decision.
            actions: Their actions, int32[m].
            hidden: What `are_hidden` returned before the actions were played, bool[m].
        """
        self._record(games, rows, seats, actions, hidden, self.decisions)

    def observe(
        self, rows: NDArray[np.int64], observers: NDArray[np.int8], players: NDArray[np.int8]
    ) -> NDArray[np.int16]:
        """Return the histories of some games, int16[m, length, 2], as `Batch.history` does.

        Args:
            rows: The games, int64[m].
            observers: The seat that observes each of them, int8[m]; -1 sees nothing.
            players: The number of seats of each of them, int8[m].
        """
        history = np.zeros((len(rows), self.length, len(HISTORY_COLUMNS)), np.int16)
        _observe(rows, observers, players, self.decisions, history)
        return history

    def longer(self, length: int) -> MoveHistory:
        """Return a longer history, with the decisions that this one holds."""
        twin = MoveHistory(self._game, len(self.decisions), length)
        twin.decisions = padded(self.decisions, length)
        return twin


def padded(decisions: Decisions, length: int) -> Decisions:
    """Return the last `length` decisions of m games. Where there are fewer, the rest is empty."""
    known = decisions[:, :length]
    result = np.full((len(known), length), _NO_DECISION)
    result[:, : known.shape[1]] = known
    return result


def without_hidden(decisions: Decisions, observers: NDArray[Any]) -> Decisions:
    """Return m histories, `DECISION`[m, k], as one seat of each knows them, int[m]."""
    known = decisions.copy()
    is_unknown = known["hidden"] & (known["seat"] != observers[:, None])
    known["action"][is_unknown] = _UNKNOWN
    return known


@kernel("play", purpose="histories")
def _observe(rows: Any, observers: Any, players: Any, decisions: Any, history: Any) -> None:
    for k in range(len(rows)):
        for place in range(decisions.shape[1]):
            decision = decisions[rows[k], place]
            seat = decision["seat"]
            if seat == _NOBODY or observers[k] < 0:
                break
            history[k, place, 0] = 1 + (seat - observers[k]) % players[k]
            if seat == observers[k] or not decision["hidden"]:
                history[k, place, 1] = 1 + decision["action"]


@rule
def _stays_hidden(game: Any, seat: int, action: int) -> bool:
    """Return that a hidden decision stays hidden, for games that do not say when it is revealed."""
    return True


@cache
def _recorder_of(game: Game) -> Callable[..., None]:
    """Return a game's compiled function that adds decisions to histories."""
    is_hidden = game.rules.is_hidden or _stays_hidden

    @kernel(game.name, purpose=f"{game.name.capitalize()}'s rules (what has been revealed)")
    def record(
        games: Any, rows: Any, movers: Any, chosen: Any, at_first: Any, decisions: Any
    ) -> None:
        for k in range(len(rows)):
            if movers[k] < 0:
                continue
            i = rows[k]
            for place in range(decisions.shape[1] - 1, 0, -1):
                decisions[i, place] = decisions[i, place - 1]
            latest = decisions[i, 0]
            latest["seat"] = movers[k]
            latest["action"] = chosen[k]
            latest["hidden"] = at_first[k]
            for place in range(decisions.shape[1]):
                decision = decisions[i, place]
                # An action that has been revealed stays known.
                if decision["hidden"] and decision["action"] != _UNKNOWN:
                    decision["hidden"] = is_hidden(games[i], decision["seat"], decision["action"])

    return record
