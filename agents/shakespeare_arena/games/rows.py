"""Games that are played to rows of results, with the decisions and times of every seat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.programs import Fault
from shakespeare_agents.workers import Progress
from shakespeare_arena.games.playing import GameStream
from shakespeare_arena.games.referee import RefereedLineup
from shakespeare_arena.games.seating import RunSettings, Seating
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.datasets.frames import RESULTS, frame, load_polars
from shakespeare_env.errors import AgentNote
from shakespeare_env.play.agent import Estimator
from shakespeare_env.play.lineup import Lineup
from shakespeare_env.version import version

if TYPE_CHECKING:
    import polars as pl

Row = dict[str, Any]
"""A finished game, as a row of `RESULTS`."""


def play_recorded(
    seatings: Sequence[Seating],
    settings: RunSettings,
    *,
    lineup_class: type[Lineup] = RefereedLineup,
    estimates: bool = False,
) -> Iterator[Progress[list[Row]]]:
    """Play games, and yield the rows of those that a step has ended.

    Args:
        seatings: The games.
        settings: What the games of the run share.
        lineup_class: `RefereedLineup`, under which an agent that fails loses its game, or `Lineup`,
            under which its error ends the run.
        estimates: Whether to record the estimates of agents that make some (see `Estimator`).
    """
    games = GameStream(seatings, settings, lineup_class)
    batch = games.batch
    lineup = games.lineup
    referee = lineup if isinstance(lineup, RefereedLineup) else None
    is_estimator = [estimates and isinstance(agent, Estimator) for agent in lineup.agents]
    estimators = np.flatnonzero(is_estimator).tolist()
    log = _DecisionLog(batch)

    def before_step(rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        for call in lineup.calls:
            log.seconds[call.rows, batch.to_move[call.rows]] += call.seconds
        if referee is not None:
            # No agent chose the action of a game that has just been forfeited.
            is_chosen = ~referee.forfeited[rows]
            rows = rows[is_chosen]
            actions = actions[is_chosen]
        movers = lineup.to_move(batch, rows)
        values = np.full(len(rows), np.nan, np.float32)
        for index in estimators:
            is_mover = movers == index
            if is_mover.any():
                values[is_mover] = _estimate(lineup, index, batch.obs[rows[is_mover]])
        log.add(rows, actions, values)

    try:
        for decisions, ended in games.steps(before_step):
            over = []
            for row, seating in zip(ended.tolist(), games.seatings(ended), strict=True):
                seats = slice(seating.match.players)
                scores = batch.final_scores[row, seats].tolist()
                forfeit = None
                if referee is not None and row in referee.forfeits:
                    lost = referee.forfeits[row]
                    scores = lost.scores
                    forfeit = (lost.seat, lost.fault)
                made = slice(int(log.made[row]))
                over.append(
                    result_row(
                        seating,
                        settings,
                        scores=scores,
                        winners=batch.final_winners[row, seats],
                        forfeit=forfeit,
                        seconds=log.seconds[row, seats].tolist(),
                        decisions=log.decisions[row, seats].tolist(),
                        actions=log.actions[row, made].copy(),
                        values=log.values[row, made].copy() if estimates else None,
                    )
                )
            log.clear(ended)
            if referee is not None and len(ended):
                referee.end(ended)
            yield Progress(decisions, len(ended), over or None)
    finally:
        if referee is not None:
            referee.end(np.arange(batch.n))


class _DecisionLog:
    """The thinking times, decisions and estimates so far in n games in progress."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        by_seat = (batch.n, batch.game.max_seats)
        self.seconds = np.zeros(by_seat)  # of thinking
        self.decisions = np.zeros(by_seat, np.int32)
        self.made = np.zeros(batch.n, np.int64)  # decisions of all seats
        self.actions = np.zeros((batch.n, 64), np.int32)  # in the order in which they were made
        self.values = np.zeros((batch.n, 64), np.float32)  # the agents' estimates of them

    def add(
        self, rows: NDArray[np.int64], actions: NDArray[np.int64], values: NDArray[np.float32]
    ) -> None:
        """Add a decision of each of m games."""
        made = self.made[rows]
        if len(made) and made.max() == self.actions.shape[1]:  # full, so double the room
            self.actions = np.concatenate([self.actions, np.zeros_like(self.actions)], axis=1)
            self.values = np.concatenate([self.values, np.zeros_like(self.values)], axis=1)
        self.actions[rows, made] = actions
        self.values[rows, made] = values
        self.made[rows] += 1
        self.decisions[rows, self._batch.to_move[rows]] += 1

    def clear(self, rows: NDArray[np.int64]) -> None:
        """Forget games that are over."""
        self.made[rows] = 0
        self.seconds[rows] = 0.0
        self.decisions[rows] = 0


def results_frame(rows: Sequence[Row]) -> pl.DataFrame:
    """Return finished games as a frame, `RESULTS`."""
    results = frame(RESULTS, {name: [row[name] for row in rows] for name in RESULTS})
    nan_to_null = load_polars().element().fill_nan(None)
    return results.with_columns(load_polars().col("values").list.eval(nan_to_null))


def _estimate(lineup: Lineup, index: int, observations: NDArray[np.int8]) -> NDArray[np.float32]:
    """Ask an agent for its estimates of m decisions, float32[m]. If it fails, a note names it."""
    agent: Any = lineup.agents[index]
    try:
        values = np.asarray(agent.values(observations), np.float32)
        if values.shape != (len(observations),):
            raise ValueError(f"values of shape {values.shape}, not ({len(observations)},)")
    except Exception as fault:
        games = "1 game" if len(observations) == 1 else f"{len(observations)} games"
        note = f"The agent {lineup.name(index)} failed to estimate {games}."
        fault.add_note(AgentNote(note))
        raise
    return values


def result_row(
    seating: Seating,
    settings: RunSettings,
    scores: Sequence[int],
    winners: NDArray[np.bool_],
    forfeit: tuple[int, Fault | None] | None,
    **decision_columns: Any,
) -> Row:
    """Return a finished game as a row of `RESULTS`.

    Args:
        seating: The game.
        settings: The run's settings.
        scores: Scores by seat at the end, or when the game was forfeited.
        winners: bool[P], whether the seat won.
        forfeit: The seat that lost the game by a fault, if one did, and the fault, if it is known.
        decision_columns: The columns `seconds`, `decisions`, `actions` and `values`.
    """
    match = seating.match
    seat, fault = forfeit or (None, None)
    if seat is None:
        places = places_of(np.array([scores]), winners[None])[0].tolist()
    else:  # the seat at fault comes last, and the others share place 1
        places = [match.players if other == seat else 1 for other in range(match.players)]
    return {
        "key": settings.key(seating),
        "match": settings.match_key(match),
        "game": settings.game,
        "box_digest": registry.box_digest(settings.game),
        "package_version": version(),
        "variants": list(settings.variants),
        "players": match.players,
        "seed": settings.seed,
        "deal": match.deal,
        "rotation": seating.rotation,
        "agents": [settings.names[digest] for digest in seating.digests],
        "digests": seating.digests,
        "scores": scores,
        "places": places,
        "forfeited_by": seat,
        "fault": None if fault is None else fault.kind,
        "fault_details": None if fault is None else fault.details,
        **decision_columns,
    }


def places_of(scores: NDArray[Any], winners: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return finishing places by seat, int[m, P]: winners share place 1, others go by score.

    Equal scores share the best of their places, since the game's tie-breaks decide only who wins.

    Args:
        scores: int[m, P].
        winners: bool[m, P].
    """
    worth = np.where(winners, np.iinfo(np.int64).max, scores.astype(np.int64))
    # [m, P, P], whether the seat of the last axis is better than that of the middle axis.
    is_better = worth[:, None, :] > worth[:, :, None]
    better: NDArray[np.int64] = is_better.sum(axis=2)
    return better + 1
