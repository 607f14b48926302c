"""Agents at one table: every deal is played once for each seat, the table moved on in between."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.agent import AnyAgent
from shakespeare_env.lineup import decide_together
from shakespeare_env.batch import Batch
from shakespeare_agents.arena.result import TableResult, agent_results, mean_interval


@dataclass(frozen=True)
class Seated:
    """An agent at the table, and the name that its figures stand under."""

    name: str
    agent: AnyAgent


class BatchMaker(Protocol):
    """Makes the games: `Batch` with the game's name filled in."""

    def __call__(
        self, *, n: int, players: int, seed: int, autoreset: bool, **options: bool
    ) -> Batch:
        """Make n new games with these variants."""
        ...


OnProgress = Callable[[int, int], None]
"""Is told, after every step, how many decisions were made and how many games are over."""


def _tell_nobody(_decisions: int, _finished: int) -> None:
    pass


def evaluate(
    table: Sequence[Seated],
    make_batch: BatchMaker,
    *,
    games: int,
    seed: int,
    options: Mapping[str, bool] | None = None,
    on_progress: OnProgress = _tell_nobody,
) -> TableResult:
    """Play games in which every agent sits at every seat equally often.

    Each deal is played once for each seat: the games of one deal begin with the same record,
    generator included, and the whole table moves on by one seat from each to the next.  All games
    are stepped together, and an agent decides for all games that wait for it in one call.

    Args:
        table: Who sits there, in order around the table.  The same object may sit at several seats
            (it is asked once for all of them), and seats of the same name share one result.
        make_batch: Makes the games.
        games: How many; a multiple of the number of seats.
        seed: Of the deals and of the agents' draws.
        options: Variants of the game, by name.
        on_progress: Is told how far the games are.

    Returns:
        The figures.

    Raises:
        ValueError: nobody sits at the table, or `games` is not a positive multiple of its seats.
    """
    players = len(table)
    if not players:
        raise ValueError("nobody sits at the table; give at least one agent")
    if games <= 0 or games % players:
        remedy = max(-(-games // players), 1) * players
        raise ValueError(
            f"games={games} with {players} seats: give a multiple of {players}, such as {remedy}"
        )
    variants = dict(options or {})
    batch = make_batch(n=games, players=players, seed=seed, autoreset=False, **variants)
    deal_in_rotation(batch, players)
    deals = games // players
    rotation = np.arange(games) // deals
    agents = [seated.agent for seated in table]
    scores, winners = play_out(batch, agents, rotation, seed, on_progress)
    scores = scores[:, :players].reshape(players, deals, players)
    winners = winners[:, :players].reshape(players, deals, players)
    names = [seated.name for seated in table]
    best, best_low, best_high = mean_interval(scores.max(axis=2).mean(axis=0))
    solo = players == 1
    return TableResult(
        game=batch.game.name,
        options=variants,
        players=players,
        seed=seed,
        games=games,
        deals=deals,
        table=tuple(names),
        agents=agent_results(names, scores, winners),
        mean_winning_score=None if solo else best,
        winning_score_low=None if solo else best_low,
        winning_score_high=None if solo else best_high,
        solo_target=batch.game.solo_target if solo else None,
    )


def deal_in_rotation(batch: Batch, players: int) -> None:
    """Repeat the deals of the batch's first part in its other parts, one part for each seat.

    Args:
        batch: Games that have just begun.
        players: Parts; the batch is a multiple of it.
    """
    deals = batch.n // players
    records = batch.save(np.arange(deals))
    for part in range(1, players):
        batch.load(np.arange(part * deals, (part + 1) * deals), records)


def play_out(
    batch: Batch,
    table: Sequence[AnyAgent],
    rotation: NDArray[Any],
    seed: int,
    on_progress: OnProgress = _tell_nobody,
) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
    """Play all games of a batch to their end.

    Args:
        batch: Made with `autoreset=False`.
        table: One agent a seat.
        rotation: int[n], by how many seats each game's table has moved on: `table[0]` sits at that
            seat.
        seed: Of the agents' draws.
        on_progress: Is told how far the games are.

    Returns:
        int16[n, S] final scores and bool[n, S] winners.
    """
    scores = np.zeros(batch.final_scores.shape, np.int16)
    winners = np.zeros(batch.final_winners.shape, np.bool_)
    # Seats with the same agent are asked together.
    agents = list({id(agent): agent for agent in table}.values())
    place = np.array([next(i for i, a in enumerate(agents) if a is b) for b in table])
    generators = [np.random.default_rng([seed, index]) for index in range(len(agents))]
    decisions = 0
    while len(rows := np.flatnonzero(batch.to_move >= 0)):
        who = place[(batch.to_move[rows] - rotation[rows]) % len(table)]
        actions = decide_together(agents, generators, batch, rows, who)
        _, done = batch.step(actions, rows)
        scores[done] = batch.final_scores[done]
        winners[done] = batch.final_winners[done]
        decisions += len(rows)
        on_progress(decisions, int((batch.to_move < 0).sum()))
    return scores, winners
