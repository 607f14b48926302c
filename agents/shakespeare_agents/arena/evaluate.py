"""Agents against each other, in deals whose games seat them in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shakespeare_agents.arena.entrants import Entrant, entrants_of, filled
from shakespeare_agents.arena.result import EvaluationResult
from shakespeare_agents.arena.seat_orders import Order
from shakespeare_agents.arena.series import OnProgress, Series
from shakespeare_agents.workers import Workers
from shakespeare_env import registry
from shakespeare_env.agent import Player
from shakespeare_env.batch_checks import checked_count
from shakespeare_env.datasets.manifest import MOST_GAMES
from shakespeare_env.memory import require_memory
from shakespeare_env.values import shown

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
    players = len(entrants)
    checked_count("games", games, MOST_GAMES)
    named = entrants_of(entrants, registry.game(game))
    series = Series(
        named,
        game,
        seed=seed,
        order=order,
        options=options,
        threads=threads,
        on_progress=on_progress,
        workers=workers,
    )
    deals = -(-games // series.games_a_deal)
    games = deals * series.games_a_deal
    require_memory(f"games={games}", games * players * _BYTES_A_RESULT, "play fewer games")
    series.play(deals)
    return series.result()
