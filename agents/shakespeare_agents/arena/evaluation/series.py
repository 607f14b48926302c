"""Agents against each other: deals of one table, whose games seat them in turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.arena.entrants import Entrant, agent_set, entrants_of, filled, seat_plan
from shakespeare_agents.arena.evaluation.result import EvaluationResult, agent_results
from shakespeare_agents.arena.games.seat_orders import Order, SeatPlan
from shakespeare_agents.arena.games.seating import deal, parts
from shakespeare_agents.intervals import mean_interval
from shakespeare_agents.portable import AgentSet
from shakespeare_agents.workers import Tell, ThisProcess, Workers, in_order, tell_nobody
from shakespeare_env.checks.limits import require_memory
from shakespeare_env.checks.values import shown
from shakespeare_env.core import registry
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.datasets.manifest import MOST_GAMES
from shakespeare_env.play.agent import Player
from shakespeare_env.play.lineup import play_out

OnProgress = Callable[[int, int], None]
"""Called with decisions made and games finished so far; in this process after every step."""
Ends = tuple[NDArray[np.int16], NDArray[np.bool_]]
"""Final scores, int16[n, S], and winners, bool[n, S], of n games in the order of `deal`."""
_GAMES_AT_ONCE = 16_384
"""The most games played together, to bound memory; it changes no figure."""
_SHARDS_A_WORKER = 8
"""The fewest shards a worker, so that all end at about the same time."""
_BYTES_A_RESULT = 26
"""Memory a seat and game: holder, score and victory, stored, joined and averaged."""


def evaluate(
    entrants: Sequence[Entrant | Player],
    game: str = registry.DEFAULT,
    *,
    games: int,
    players: int | None = None,
    seed: int = 0,
    order: Order = "balanced",
    options: Mapping[str, bool] | None = None,
    threads: int = 1,
    on_progress: OnProgress | None = None,
    workers: Workers | None = None,
) -> EvaluationResult:
    """Play games in which every agent holds every seat equally often.

    An agent may hold several seats, and seats of one name share a result.

    Args:
        entrants: Whatever plays (see `registry.make`), or `Entrant` with a name of your own.
        game: Its name.
        games: Up to `MOST_GAMES`; rounded up to whole deals, whose games follow from the order.
        players: Seats, by default one for each of several entrants and as many as the game needs,
            else as many as it has. The last of several entrants fills the remaining ones; a single
            one plays against the default agent.
        seed: Decides the deals and the agents' draws.
        order: `balanced`: at every seat each agent also follows every other equally often (see
            `seat_orders`), which takes P games a deal if one plays copies of another, P (P - 1) if
            all P differ. `fixed`: entrants sit around the table as named and only move on together,
            so what they win depends on who their neighbours are.
        options: Variants.
        threads: The threads that step the games; they change no result.
        on_progress: See `OnProgress`.
        workers: They play the games (see `open_workers`), by default this process; they change no
            result.

    Raises:
        ValueError: there are too many entrants, an order is unknown, a number is out of range, or
            as of `make`.
        TypeError: a number is not whole, `entrants` is no sequence, or as of `make`.
        MemoryLimitError: the results would not fit this machine.
        WorkerError: workers are lost, or an agent is another one there.
    """
    if isinstance(entrants, str) or not isinstance(entrants, Sequence):
        raise TypeError(f"entrants={shown(entrants)}: give a list of agents, [{shown(entrants)}]")
    entrants = filled(entrants, players, registry.game(game))
    checked_count("games", games, MOST_GAMES)
    series = Series(
        entrants_of(entrants, registry.game(game)),
        game,
        seed=seed,
        order=order,
        options=options,
        threads=threads,
        on_progress=on_progress,
        workers=workers,
    )
    deals = -(-games // series.games_a_deal)
    needed = deals * series.games_a_deal * len(entrants) * _BYTES_A_RESULT
    require_memory(f"games={deals * series.games_a_deal}", needed, "play fewer games")
    series.play(deals)
    return series.result()


class Series:
    """Deals in the order of their numbers, each played as `seat_orders.seatings` says.

    Arguments are those of `evaluate`, with one entrant per seat.

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
        self._workers: Workers = workers or ThisProcess()
        seats = seat_plan(entrants, order, seed)
        self.games_a_deal = seats.games
        agents = agent_set(entrants, registry.game(game), self._workers)
        names = [entrant.name for entrant in entrants]
        self._job = _Deals(agents, names, seed, seats, dict(options or {}), threads)
        self._tell = on_progress or tell_nobody
        self._decisions = self._finished = 0
        self._found: list[Ends] = []

    def play(self, deals: int) -> None:
        """Play the next deals, all their games together; if interrupted, none of them counts."""
        several = -(-deals // (_SHARDS_A_WORKER * self._workers.size))
        together = max(_GAMES_AT_ONCE // self.games_a_deal, 1)
        size = together if self._workers.size == 1 else min(several, together)
        shards = parts(range(self.deals, self.deals + deals), size)
        self._found += list(in_order(self._workers.run(self._job, shards, self._count)))
        self.deals += deals

    def result(self) -> EvaluationResult:
        """The result of the deals so far; there must be one."""
        job, games, players = self._job, self.games_a_deal, len(self._job.names)
        # [deal, game, seat]
        scores, winners = (
            np.concatenate(column)[:, :players].reshape(-1, games, players)
            for column in zip(*self._found, strict=True)
        )
        seating = job.seats.of(range(self.deals))
        agents, compared = agent_results(job.names, seating, scores, winners)
        solo = players == 1
        best = (None, None, None) if solo else mean_interval(scores.max(axis=2).mean(axis=1))
        return EvaluationResult(
            game=job.agents.game.name,
            options=job.options,
            players=players,
            seed=job.seed,
            games=self.deals * games,
            deals=self.deals,
            order=job.seats.order,
            entrants=tuple(job.names),
            agents=agents,
            differences=compared,
            mean_winning_score=best[0],
            winning_score_low=best[1],
            winning_score_high=best[2],
            solo_target=job.agents.game.solo_target if solo else None,
        )

    def _count(self, decisions: int, games: int) -> None:
        self._decisions += decisions
        self._finished += games
        self._tell(self._decisions, self._finished)


@dataclass(frozen=True)
class _Deals:
    """The job of playing deals; its shards are ranges of them."""

    agents: AgentSet
    names: Sequence[str]
    seed: int
    seats: SeatPlan
    options: dict[str, bool]
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
