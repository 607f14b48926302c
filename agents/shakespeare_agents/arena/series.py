"""Deals of one table, played part by part, each from every seat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.arena.deals import deal
from shakespeare_agents.arena.entrants import Entrant
from shakespeare_agents.arena.result import EvaluationResult, agent_results
from shakespeare_agents.intervals import mean_interval
from shakespeare_env import registry
from shakespeare_env.batch import Batch
from shakespeare_env.lineup import play_out

OnProgress = Callable[[int, int], None]
"""Called after every step with decisions made and games finished so far."""


class Series:
    """Deals in the order of their numbers, each played once per seat (see `deals.deal`).

    Args:
        entrants: One per seat; seats of one name share a result.
        game: Its name.
        seed: Of the deals and the agents' draws.
        options: Variants.
        threads: That step the games; they change no result.
        on_progress: Called after every step.

    Attributes:
        deals: Played so far.
    """

    def __init__(
        self,
        entrants: Sequence[Entrant],
        game: str,
        *,
        seed: int,
        options: Mapping[str, bool] | None = None,
        threads: int = 1,
        on_progress: OnProgress | None = None,
    ) -> None:
        self.deals = 0
        self._agents = [entrant.agent for entrant in entrants]
        self._names = [entrant.name for entrant in entrants]
        self._game, self._seed, self._options = game, seed, dict(options or {})
        self._threads = threads
        self._progress = None if on_progress is None else _Progress(on_progress)
        self._found: list[tuple[NDArray[Any], NDArray[Any]]] = []

    def play(self, deals: int) -> None:
        """Play the next deals, all their games together; if interrupted, none of them counts."""
        batch, lineup = deal(
            self._agents,
            self._game,
            range(self.deals, self.deals + deals),
            self._seed,
            options=self._options,
            threads=self._threads,
            names=self._names,
        )
        count = None if self._progress is None else partial(self._progress.count, batch)
        play_out(batch, lineup, after_step=count)
        self._found.append((batch.final_scores, batch.final_winners))
        self.deals += deals

    def result(self) -> EvaluationResult:
        """Of the deals so far, at least one."""
        players = len(self._names)
        # [deal, rotation, seat]
        scores, winners = (
            np.concatenate(column)[:, :players].reshape(-1, players, players)
            for column in zip(*self._found, strict=True)
        )
        solo = players == 1
        agents, compared = agent_results(self._names, scores, winners)
        best = (None, None, None) if solo else mean_interval(scores.max(axis=2).mean(axis=1))
        return EvaluationResult(
            game=self._game,
            options=self._options,
            players=players,
            seed=self._seed,
            games=self.deals * players,
            deals=self.deals,
            entrants=tuple(self._names),
            agents=agents,
            differences=compared,
            mean_winning_score=best[0],
            winning_score_low=best[1],
            winning_score_high=best[2],
            solo_target=registry.game(self._game).solo_target if solo else None,
        )


@dataclass
class _Progress:
    """Counts decisions and finished games across parts."""

    tell: OnProgress
    decisions: int = 0
    finished: int = 0

    def count(self, batch: Batch, rows: NDArray[Any], _actions: NDArray[Any]) -> None:
        self.decisions += len(rows)
        self.finished += int(batch.done.sum())
        self.tell(self.decisions, self.finished)
