"""Deals of one table, played part by part, their games seated by an order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.arena.deals import deal, parts
from shakespeare_agents.arena.entrants import Entrant, agent_set, seat_plan
from shakespeare_agents.arena.result import EvaluationResult, agent_results
from shakespeare_agents.arena.seat_orders import Order, SeatPlan
from shakespeare_agents.intervals import mean_interval
from shakespeare_agents.parcels import AgentSet
from shakespeare_agents.workers import Tell, ThisProcess, Workers, in_order, tell_nobody
from shakespeare_env import registry
from shakespeare_env.lineup import play_out

OnProgress = Callable[[int, int], None]
"""Called with decisions made and games finished so far; in this process after every step."""
Ends = tuple[NDArray[np.int16], NDArray[np.bool_]]
"""Final scores, int16[n, S], and winners, bool[n, S], of n games in the order of `deals.deal`."""
_GAMES_AT_ONCE = 16_384
"""The most games played together, to bound memory; it changes no figure."""
_SHARDS_A_WORKER = 8
"""The fewest shards a worker, so that all end at about the same time."""


class Series:
    """Deals in the order of their numbers, each played as `seat_orders.seatings` says.

    Args:
        entrants: One per seat; seats of one name share a result.
        game: Its name.
        seed: Decides the deals and the agents' draws.
        order: Whether neighbours change between the games of a deal.
        options: Variants.
        threads: The threads that step the games; they change no result.
        on_progress: See `OnProgress`.
        workers: They play the games, by default this process; they change no result.

    Attributes:
        deals: The number of deals played so far.
        games_a_deal: The number of games that the order needs.

    Raises:
        ValueError: an unknown order.
    """

    def __init__(
        self,
        entrants: Sequence[Entrant],
        game: str,
        *,
        seed: int,
        order: Order = "balanced",
        options: Mapping[str, bool] | None = None,
        threads: int = 1,
        on_progress: OnProgress | None = None,
        workers: Workers | None = None,
    ) -> None:
        self.deals = 0
        self._seats = seat_plan(entrants, order, seed)
        self.games_a_deal = self._seats.games
        self._workers: Workers = workers or ThisProcess()
        rules = registry.game(game)
        self._names = [entrant.name for entrant in entrants]
        self._game, self._seed, self._options = game, seed, dict(options or {})
        agents = agent_set(entrants, rules, self._workers)
        self._job = _Deals(agents, self._names, seed, self._seats, self._options, threads)
        self._progress = _Progress(on_progress or tell_nobody)
        self._found: list[Ends] = []

    def play(self, deals: int) -> None:
        """Play the next deals, all their games together; if interrupted, none of them counts."""
        several = -(-deals // (_SHARDS_A_WORKER * self._workers.size))
        together = max(_GAMES_AT_ONCE // self.games_a_deal, 1)
        size = together if self._workers.size == 1 else min(several, together)
        shards = parts(range(self.deals, self.deals + deals), size)
        found = list(in_order(self._workers.run(self._job, shards, self._progress.count)))
        self._found += found
        self.deals += deals

    def result(self) -> EvaluationResult:
        """The result of the deals so far; there must be one."""
        games, players = self.games_a_deal, len(self._names)
        # [deal, game, seat]
        scores, winners = (
            np.concatenate(column)[:, :players].reshape(-1, games, players)
            for column in zip(*self._found, strict=True)
        )
        solo = players == 1
        agents, compared = agent_results(
            self._names, self._seats.of(range(self.deals)), scores, winners
        )
        best = (None, None, None) if solo else mean_interval(scores.max(axis=2).mean(axis=1))
        return EvaluationResult(
            game=self._game,
            options=self._options,
            players=players,
            seed=self._seed,
            games=self.deals * games,
            deals=self.deals,
            order=self._seats.order,
            entrants=tuple(self._names),
            agents=agents,
            differences=compared,
            mean_winning_score=best[0],
            winning_score_low=best[1],
            winning_score_high=best[2],
            solo_target=registry.game(self._game).solo_target if solo else None,
        )


@dataclass(frozen=True)
class _Deals:
    """The job of playing deals; its shards are ranges of them."""

    agents: AgentSet
    names: Sequence[str]
    seed: int
    seats: SeatPlan
    options: Mapping[str, bool]
    threads: int

    def start(self) -> Callable[[range, Tell], Ends]:
        return self._play

    def _play(self, deals: range, tell: Tell) -> Ends:
        batch, lineup = deal(
            self.agents.agents,
            self.agents.game.name,
            deals,
            self.seed,
            self.seats.of(deals),
            options=self.options,
            threads=self.threads,
            names=self.names,
        )

        def after_step(rows: NDArray[Any], _actions: NDArray[Any]) -> None:
            tell(len(rows), int(batch.done.sum()))

        play_out(batch, lineup, after_step=after_step)
        return batch.final_scores, batch.final_winners


@dataclass
class _Progress:
    """Adds up decisions and finished games."""

    tell: OnProgress
    decisions: int = 0
    finished: int = 0

    def count(self, decisions: int, games: int) -> None:
        self.decisions += decisions
        self.finished += games
        self.tell(self.decisions, self.finished)
