"""Agents against each other, every deal played once from each seat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.arena.deals import deal, parts
from shakespeare_agents.arena.entrants import Entrant, entrants_of, filled
from shakespeare_agents.arena.result import EvaluationResult, agent_results
from shakespeare_agents.intervals import mean_interval
from shakespeare_env import registry
from shakespeare_env.agent import Player
from shakespeare_env.batch import Batch
from shakespeare_env.batch_checks import checked_count
from shakespeare_env.datasets.manifest import MOST_GAMES
from shakespeare_env.lineup import play_out
from shakespeare_env.memory import require_memory
from shakespeare_env.values import shown

_GAMES_AT_ONCE = 16_384
"""Played together to bound memory; changes no figure."""

_BYTES_A_RESULT = 24
"""A seat's score and victory as played, put together and as means are taken."""


OnProgress = Callable[[int, int], None]
"""Called after every step with decisions made and games finished so far."""


def evaluate(
    entrants: Sequence[Entrant | Player],
    game: str = registry.DEFAULT,
    *,
    games: int,
    players: int | None = None,
    seed: int = 0,
    options: Mapping[str, bool] | None = None,
    threads: int = 1,
    on_progress: OnProgress | None = None,
) -> EvaluationResult:
    """Play games in which every agent holds every seat equally often (see `deals.deal`).

    Entrants sit in order around the table; an agent may hold several seats, and seats of one name
    share a result.

    Args:
        entrants: Whatever plays (see `registry.make`), or `Entrant` with a name of your own.
        game: Its name.
        games: Up to `MOST_GAMES`; rounded up to a multiple of the seats.
        players: Seats, by default one for each of several entrants and as many as the game needs,
            else as many as it has. The last of several entrants fills the remaining ones; a single
            one plays against the default agent.
        seed: Of the deals and the agents' draws.
        options: Variants.
        threads: That step the games; they change no result.
        on_progress: Called after every step.

    Raises:
        ValueError: there are too many entrants, a number is out of range, or as of `make`.
        TypeError: a number is not whole, `entrants` is no sequence, or as of `make`.
        MemoryLimitError: the results would not fit this machine.
    """
    if isinstance(entrants, str) or not isinstance(entrants, Sequence):
        raise TypeError(f"entrants={shown(entrants)}: give a list of agents, [{shown(entrants)}]")
    entrants = filled(entrants, players, registry.game(game))
    players = len(entrants)
    checked_count("games", games, MOST_GAMES)
    games = -(-games // players) * players
    require_memory(f"games={games}", games * players * _BYTES_A_RESULT, "play fewer games")
    named = entrants_of(entrants, registry.game(game))
    agents = [entrant.agent for entrant in named]
    names = [entrant.name for entrant in named]
    progress = None if on_progress is None else _Progress(on_progress)
    found = []
    for some in parts(range(games // players), max(_GAMES_AT_ONCE // players, 1)):
        batch, lineup = deal(
            agents, game, some, seed, options=options, threads=threads, names=names
        )
        play_out(batch, lineup, after_step=partial(progress.count, batch) if progress else None)
        found.append((batch.final_scores, batch.final_winners))
    # [deal, rotation, seat]
    scores, winners = (
        np.concatenate(column)[:, :players].reshape(-1, players, players)
        for column in zip(*found, strict=True)
    )
    solo = players == 1
    best = (None, None, None) if solo else mean_interval(scores.max(axis=2).mean(axis=1))
    return EvaluationResult(
        game=game,
        options=dict(options or {}),
        players=players,
        seed=seed,
        games=games,
        deals=games // players,
        entrants=tuple(names),
        agents=agent_results(names, scores, winners),
        mean_winning_score=best[0],
        winning_score_low=best[1],
        winning_score_high=best[2],
        solo_target=registry.game(game).solo_target if solo else None,
    )


@dataclass
class _Progress:
    """Counts decisions and finished games across batches."""

    tell: OnProgress
    decisions: int = 0
    finished: int = 0

    def count(self, batch: Batch, rows: NDArray[Any], _actions: NDArray[Any]) -> None:
        self.decisions += len(rows)
        self.finished += int(batch.done.sum())
        self.tell(self.decisions, self.finished)
