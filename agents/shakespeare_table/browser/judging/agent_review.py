"""An agent's review of a game, which goes on while somebody asks for more verdicts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from shakespeare_env.play.history import GameHistory
from shakespeare_table.analysis import judging
from shakespeare_table.analysis.evaluation import MoveWorth
from shakespeare_table.analysis.judging import MoveVerdict
from shakespeare_table.analysis.mistakes import Forecasts
from shakespeare_table.browser.capacity import PageThreads, SharedResults
from shakespeare_table.browser.judging.background import BackgroundJudge, Decision
from shakespeare_table.browser.processes import AsyncPool, analyse

_LINES_KEPT = 32  # best lines
_COMPARISONS_KEPT = 64
_PROGRESS_EVERY_S = 0.3
_AT_ONCE = 2  # decisions
_FORECAST_PLAYOUTS = 8  # of each position for the first graph, if no network forecasts


class AgentReview:
    """An agent's review of a game.

    Args:
        game: The game.
        name: The agent's name, as pages show it.
        agent: The agent's name, as `make` takes it.
        judge: The judge that has judged decisions while the game went on.
        pool: The processes in which the agent thinks.
        threads: The threads that make pages.

    Attributes:
        name: The agent's name, as pages show it.
        verdicts: The verdicts so far, by the numbers of the moves from 1.
        figures: The graph and lists of the latest verdicts.
    """

    def __init__(
        self,
        game: GameHistory,
        name: str,
        agent: str,
        judge: BackgroundJudge,
        pool: AsyncPool,
        threads: PageThreads,
    ) -> None:
        self._positions = game.positions
        self._moves = game.moves
        self._agent = agent
        self._judge = judge
        self._pool = pool
        self._threads = threads
        self._lock = asyncio.Lock()
        self._lines = SharedResults(_LINES_KEPT)
        self._comparisons = SharedResults(_COMPARISONS_KEPT)
        self._judging = SharedResults(_AT_ONCE)
        self._early_forecasts: Forecasts | None = None
        self.name = name
        self.verdicts: dict[int, MoveVerdict] = {}
        self.figures = SharedResults(2)

    async def begin(self, viewer: str) -> None:
        """Forecast the results in every position, unless that has been done."""
        async with self._lock:
            if self._early_forecasts is None:
                analysis = partial(
                    judging.forecasts_of, self._positions, playouts=_FORECAST_PLAYOUTS
                )
                self._early_forecasts = await self._analyse(analysis, viewer)
                await self._threads.run(viewer, self._take_known)

    def decisions_of(self, seat: int) -> list[int]:
        """Return the numbers, from 1, of a seat's moves."""
        numbers = range(1, len(self._moves) + 1)
        return [number for number in numbers if self._positions[number - 1].to_move == seat]

    def waiting(self, seat: int) -> list[int]:
        """Return the numbers of the moves without a verdict, those of a seat first."""
        own = self.decisions_of(seat)
        others = set(range(1, len(self._moves) + 1)).difference(own)
        return [number for number in [*own, *sorted(others)] if number not in self.verdicts]

    async def judge_more(self, seat: int, viewer: str) -> None:
        """Judge decisions for a moment, those of a seat first.

        Args:
            seat: The seat.
            viewer: The viewer whose share of the processes it takes.
        """
        began = time.monotonic()
        while waiting := self.waiting(seat):
            judged = [self.verdict(number, viewer) for number in waiting[:_AT_ONCE]]
            await asyncio.gather(*judged)
            if time.monotonic() - began > _PROGRESS_EVERY_S:
                return

    async def verdict(self, number: int, viewer: str) -> MoveVerdict:
        """Return the verdict on a move, from 1."""
        if number not in self.verdicts:
            make = partial(self._new_verdict, number, viewer)
            self.verdicts[number] = await self._judging.get(number, make)
        return self.verdicts[number]

    async def compare(self, number: int, move: str, viewer: str) -> MoveVerdict:
        """Compare the move that was played with the best one, and with another one."""
        verdict = await self.verdict(number, viewer)
        analysis = partial(
            judging.compare,
            self._positions[number - 1],
            self._moves[number - 1],
            move,
            stored=verdict.stored,
        )
        make = partial(self._analyse, analysis, viewer)
        found: MoveVerdict = await self._comparisons.get((number, move), make)
        return found

    def forecasts(self, reader: int) -> Forecasts:
        """Return the forecasts of every position, which the verdicts so far have improved.

        Args:
            reader: The seat of the reader, as `as_seats_see_themselves` takes it.
        """
        by_movers = self._forecasts_by_movers()
        played = self._played_worths()
        return judging.as_seats_see_themselves(by_movers, self._positions, reader, played)

    async def best_line(
        self, number: int, reader: int, viewer: str
    ) -> tuple[GameHistory, Forecasts]:
        """Return the best line after `number` moves, with forecasts that continue the game's."""
        await self.begin(viewer)
        verdict = self.verdicts.get(number + 1)
        stored = verdict.stored if verdict else b""
        analysis = partial(judging.best_line, self._positions[number], stored=stored)
        make = partial(self._analyse, analysis, viewer)
        line, by_movers = await self._lines.get(number, make)
        make_forecasts = partial(self._line_forecasts, number, reader, line, by_movers)
        return line, await self._threads.run(viewer, make_forecasts)

    def _take_known(self) -> None:
        """Take the verdicts that were found while the game went on."""
        for number in range(1, len(self._moves) + 1):
            verdict = self._judge.verdict(self._decision(number))
            if verdict is not None:
                self.verdicts[number] = verdict

    def _decision(self, number: int) -> Decision:
        before = number - 1
        return Decision(self._positions[before], self._moves[before], before, self._agent)

    async def _new_verdict(self, number: int, viewer: str) -> MoveVerdict:
        decision = self._decision(number)
        verdict: MoveVerdict = await self._analyse(self._judge.analysis(decision), viewer)
        await self._threads.run(viewer, self._judge.keep, decision, verdict)
        return verdict

    async def _analyse(self, analysis: Callable[..., Any], viewer: str) -> Any:
        job = partial(analyse, analysis, self._positions[0].game.name, self._agent)
        return await self._pool.result(job, viewer)

    def _line_forecasts(
        self, number: int, reader: int, line: GameHistory, by_movers: Forecasts
    ) -> Forecasts:
        """Return the forecasts of a line's positions, by what each seat expects for itself.

        A seat's latest decision may be one of the game before the line.

        Args:
            number: The number of moves of the game before the line.
            reader: The seat of the reader.
            line: The line.
            by_movers: The forecasts of the line's positions by the seats to move.
        """
        of_game = self._forecasts_by_movers()
        joined = Forecasts(
            np.concatenate([of_game.chances[:number], by_movers.chances]),
            np.concatenate([of_game.scores[:number], by_movers.scores]),
            self.name,
        )
        positions = [*self._positions[:number], *line.positions]
        played = {at: worth for at, worth in self._played_worths().items() if at < number}
        joined = judging.as_seats_see_themselves(joined, positions, reader, played)
        return Forecasts(joined.chances[number:], joined.scores[number:], self.name)

    def _played_worths(self) -> dict[int, MoveWorth]:
        """Return the worth of the moves that were judged, by the indices of their positions."""
        worths = {
            number - 1: verdict.evaluation.worth(verdict.played)
            for number, verdict in list(self.verdicts.items())
        }
        return {number: worth for number, worth in worths.items() if worth is not None}

    def _forecasts_by_movers(self) -> Forecasts:
        """Return the forecast of each position as the seat to move there sees it."""
        assert self._early_forecasts is not None
        chances = self._early_forecasts.chances.copy()
        scores = self._early_forecasts.scores.copy()
        for number, verdict in list(self.verdicts.items()):
            chances[number - 1] = verdict.evaluation.chances
            scores[number - 1] = verdict.evaluation.scores
        return Forecasts(chances, scores, self.name)
