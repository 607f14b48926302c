"""Playouts by an agent of any kind that gives probabilities, all of them in step.

Compiled playouts (`playouts.py`) ask a network of ours for one position after another. Any other
agent is asked once for all positions of a step, so that its time goes into few large batches.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.networks.threads import one_thread
from shakespeare_agents.search.halving import Outcomes, Playouts
from shakespeare_agents.search.playouts import TO_THE_END, KeptMoves
from shakespeare_env.compile.decorators import kernel, rule
from shakespeare_env.core.batch import Batch, victory_shares
from shakespeare_env.core.game import Game, Records
from shakespeare_env.core.rng import GOLDEN, mix_array
from shakespeare_env.core.row_rules import forced_moves_of
from shakespeare_env.play.agent import Advisor, Forecaster
from shakespeare_env.play.generators import draw_columns, to_unit

_AT_ONCE = 8192
"""The most playouts in step, to bound memory."""


class BatchPlayouts:
    """Runs playouts of possible games in which an agent's probabilities choose for every seat.

    Args:
        game: The game.
        advisor: The agent. If `horizon` is finite, it is a `Forecaster`, too.
        horizon: The decisions of each seat after which the agent forecasts the outcome.
        temperature: The temperature of its policy; 0 plays the likeliest action.

    Attributes:
        decisions: The number of decisions made and forecast so far.
        valued_chapter: As for `PlayoutRunner`.
    """

    def __init__(self, game: Game, advisor: Advisor, *, horizon: int, temperature: float) -> None:
        self.game = game
        self.advisor = advisor
        self.horizon = horizon
        self.valued_chapter = TO_THE_END
        self.temperature = temperature
        self.decisions = 0
        # A function (records, seed) that returns a batch of these games.
        self._batch_of = Batch(game.name, players=game.max_seats).maker()

    @property
    def may_forecast(self) -> bool:
        """Whether games may be valued before their end."""
        return min(self.horizon, self.valued_chapter) < TO_THE_END

    def play(
        self,
        playouts: Playouts,
        records: Records,
        chance: NDArray[np.uint64],
        kept: KeptMoves | None = None,
    ) -> Outcomes:
        """Play playouts, and return their outcomes.

        Args:
            playouts: For each of k playouts, the possible game to start from and the first action.
            records: The d possible games from which playouts start.
            chance: uint64[d], the random states of policies.
            kept: Receives the moves that explain the results, if given.
        """
        if kept is None:
            kept = KeptMoves.of(self.game, 0, 0)
        size = len(playouts.sources)
        win = np.zeros((size, self.game.max_seats), np.float32)
        score = np.zeros_like(win)
        for first in range(0, size, _AT_ONCE):
            some = slice(first, first + _AT_ONCE)
            sources = playouts.sources[some]
            with one_thread():  # rather than in each of hundreds of steps
                win[some], score[some] = self._play_in_step(
                    records[sources].copy(),
                    playouts.actions[some],
                    chance[sources].copy(),
                    KeptMoves(
                        records=kept.records[some],
                        actions=kept.actions[some],
                        is_turning=kept.is_turning[some],
                        counts=kept.counts[some],
                        ends=kept.ends[some],
                    ),
                )
        return Outcomes.of(playouts, records, win, score)

    def _play_in_step(
        self,
        games: Records,
        actions: NDArray[np.int64],
        states: NDArray[np.uint64],
        kept: KeptMoves,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Play k games on, and return shares of the victory and scores, float64[k, S].

        Scores are divided by `Game.score_scale`.
        """
        movers = games["to_move"].copy()
        last_chapters = np.maximum(_chapters(self.game, games), self.valued_chapter - 1)
        _take_back_secret_choices(self.game)(games)
        batch = self._batch_of(games, 0)

        # The seats whose secret choices were taken back choose again, each action with the agent's
        # own probability (temperature 1), until the mover is to move.
        while (rows := np.flatnonzero(batch.to_move != movers)).size:
            batch.step(self._choose(batch, rows, states, temperature=1.0), rows)
        _step(batch, np.arange(batch.n), actions, movers, kept)

        # Play on until a game is over, or has used up the decisions or the chapters it may take.
        left = self.horizon * batch.players.astype(np.int64)
        while True:
            rows = np.flatnonzero((batch.to_move >= 0) & (left > 0))
            rows = rows[_chapters(self.game, batch.save(rows)) <= last_chapters[rows]]
            if not rows.size:
                break
            chosen = self._choose(batch, rows, states, self.temperature)
            _step(batch, rows, chosen, movers, kept)
            left[rows] -= 1

        if len(kept.counts):
            kept.ends[:] = batch.save(np.arange(batch.n))
        win = victory_shares(batch.final_winners)
        score = batch.scores() / self.game.score_scale
        # In games that are not over, forecasts replace the shares and are added to the scores.
        rows = np.flatnonzero(batch.to_move >= 0)
        if rows.size:
            self._forecast(batch, rows, win, score)
        return win, score

    def _choose(
        self, batch: Batch, rows: NDArray[np.int64], states: NDArray[np.uint64], temperature: float
    ) -> NDArray[np.int64]:
        """Return an action of the advisor in each of the games `rows`, int64[m]."""
        probabilities = self.advisor.probabilities(batch.obs[rows], batch.mask[rows])
        states[rows] += GOLDEN  # the next state of each random stream
        self.decisions += rows.size
        if temperature <= 0.0:
            likeliest: NDArray[np.int64] = probabilities.argmax(axis=1)
            return likeliest
        weights = probabilities
        if temperature != 1.0:
            weights = probabilities ** (1.0 / temperature)
        return draw_columns(weights, to_unit(mix_array(states[rows])))

    def _forecast(
        self,
        batch: Batch,
        rows: NDArray[np.int64],
        win: NDArray[np.float64],
        score: NDArray[np.float64],
    ) -> None:
        """Write the advisor's forecasts of the games `rows`, int64[m], which are not over.

        The forecasts of scores are changes until the end, so they are added to `score`.
        """
        assert isinstance(self.advisor, Forecaster)
        players = batch.players[rows].astype(np.int64)
        shares, changes = self.advisor.forecasts(batch.obs[rows], players)
        add_forecasts(rows, batch.to_move[rows], players, shares, changes, win, score)
        self.decisions += rows.size


def _step(
    batch: Batch,
    rows: NDArray[np.int64],
    actions: NDArray[np.int64],
    seats: NDArray[np.int8],
    kept: KeptMoves,
) -> None:
    """Play an action in each of the games `rows`, and keep those that may explain the results.

    Args:
        batch: The games.
        rows: int64[m], the games.
        actions: int64[m].
        seats: int8[n], the searching seat of each game.
        kept: Receives the moves, if it has room.
    """
    if not len(kept.counts):
        batch.step(actions, rows)
        return
    before = batch.save(rows)
    searching = seats[rows]
    is_own = before["to_move"] == searching
    scores = batch.scores()[rows, searching].copy()
    batch.step(actions, rows)
    turns = batch.scores()[rows, searching] != scores
    turns |= _chapters(batch.game, batch.save(rows)) != _chapters(batch.game, before)
    most = kept.actions.shape[1]
    for place in np.flatnonzero(is_own | turns | (kept.counts[rows] < 2)).tolist():
        row = rows[place]
        number = kept.counts[row]
        if number < most:
            kept.records[row, number] = before[place]
            kept.actions[row, number] = actions[place]
            kept.is_turning[row, number] = turns[place]
        kept.counts[row] = min(number + 1, most + 1)


def _chapters(game: Game, records: Records) -> NDArray[np.int64]:
    """Return the chapters of games, int64[n], all 0 in games with only one."""
    key = game.chapter_field
    if key is None:
        return np.zeros(len(records), np.int64)
    chapters: NDArray[np.int64] = records[key].astype(np.int64)
    return chapters


def add_forecasts(
    rows: NDArray[np.int64],
    to_move: NDArray[np.int8],
    players: NDArray[np.int64],
    shares: NDArray[np.float32],
    changes: NDArray[np.float32],
    win: NDArray[np.float64],
    score: NDArray[np.float64],
) -> None:
    """Write forecast shares of m games into `win`, and add forecast changes to `score`.

    Args:
        rows: int64[m], the games' rows in `win` and `score`.
        to_move: int8[m], the seats to move.
        players: int64[m], seats at the tables.
        shares: float32[m, S], clockwise from the seat to move.
        changes: float32[m, S], as `shares`.
        win: float64[k, S], by seat.
        score: float64[k, S], by seat, in units of `Game.score_scale`.
    """
    for place in range(win.shape[1]):
        is_present = place < players
        present = rows[is_present]
        seats = (to_move[is_present] + place) % players[is_present]
        win[present, seats] = shares[is_present, place]
        score[present, seats] += changes[is_present, place]


@cache
def taking_back_of(game: Game) -> Callable[[Any, Any], None]:
    """Return the rule (record, mask) that takes back the secret choices made before the mover's.

    The seats that made them choose anew, since the mover does not know their choices. The rule may
    overwrite `mask`, bool[A].
    """
    rules_rewind = game.rules.rewind
    play_forced_moves = forced_moves_of(game)

    @rule
    def take_back(record: Any, mask: Any) -> None:
        if rules_rewind(record):
            play_forced_moves(record, mask)

    return take_back


@cache
def _take_back_secret_choices(game: Game) -> Any:
    """Compile a kernel that takes back secret choices in each record (see `taking_back_of`)."""
    take_back = taking_back_of(game)

    @kernel(game.name, f"{game.name.capitalize()}'s rules (choices taken back)")
    def take_all_back(games: Any, mask: Any) -> None:
        for i in range(len(games)):
            take_back(games[i], mask)

    return lambda games: take_all_back(games, np.zeros(game.actions.size, np.bool_))
