"""An agent's games with itself: results, and named facts of what seats see."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shakespeare_agents.naming import make
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.game import ObservationLayout
from shakespeare_env.play.agent import Player
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.lineup import Lineup, play_out


def self_play(
    game: str,
    *,
    players: int,
    games: int,
    seed: int = 0,
    player: Player = "network",
    start: Mapping[str, str] | None = None,
    end: Mapping[str, str] | None = None,
) -> pl.DataFrame:
    """Play games, each its own deal, with one agent at all seats; one row per seat and game.

    The columns: `deal`, `players`, those of `outcomes`, and facts at the `start` and `end` of games
    (column -> `field` name), as each seat sees them. `seed` covers the deals and the agent's draws,
    `player` is as in `shakespeare_agents.make`.
    """
    batch = Batch(game, games, players=players, seed=seed, autoreset=False)
    facts = _seat_facts(batch, players, start or {})
    generators = GameGenerators.of_games(seed, np.arange(games))
    play_out(batch, at_all_seats(player, batch, generators))
    facts |= _seat_facts(batch, players, end or {})
    deals = pl.DataFrame({"deal": np.repeat(np.arange(games), players)})
    deals = deals.with_columns(players=pl.lit(players, pl.Int64))
    return deals.hstack(outcomes(batch)).with_columns(**facts)


def at_all_seats(player: Player, batch: Batch, generators: GameGenerators) -> Lineup:
    """One agent at all seats of games with equally many, one generator per game."""
    agent, players = make(player, batch.game), int(batch.players[0])
    everywhere = np.zeros((batch.n, players), np.int64)
    return Lineup.seated([agent], everywhere, batch.game.max_seats, generators)


def outcomes(batch: Batch) -> pl.DataFrame:
    """How finished games of equally many seats ended, one row per seat and game.

    The columns: `seat`, `score`, `lead` over the best other seat (null with one seat) and `won` (1,
    a share of a shared victory, or 0).
    """
    players = int(batch.players[0])
    scores, winners = batch.final_scores[:, :players], batch.final_winners[:, :players]
    frame = pl.DataFrame(
        {
            "seat": np.tile(np.arange(players), batch.n),
            "score": scores.astype(np.float64).reshape(-1),
            "won": (winners / winners.sum(axis=1, keepdims=True).clip(1)).reshape(-1),
        }
    )
    if players == 1:
        return frame.insert_column(2, pl.lit(None, pl.Float64).alias("lead"))
    best = np.sort(scores, axis=1)
    # Two seats that share the best score each lead by 0.
    others = np.where(scores == best[:, -1:], best[:, -2:-1], best[:, -1:])
    return frame.insert_column(2, pl.Series("lead", (scores - others).reshape(-1), pl.Float64))


def _seat_facts(
    batch: Batch, players: int, facts: Mapping[str, str]
) -> dict[str, NDArray[np.int16]]:
    seen = [batch.observe(np.full(batch.n, seat, np.int8)) for seat in range(players)]
    return {
        column: np.stack([field(batch.game.layout, name, of_seat) for of_seat in seen], 1).ravel()
        for column, name in facts.items()
    }


def field(
    layout: ObservationLayout, name: str, observations: NDArray[np.int8]
) -> NDArray[np.int16]:
    """int16[n]: a fact as a number, from int8[n, D] observations.

    Args:
        layout: The layout of the observations.
        name: A field, `seat0.pounds`, or one of its named numbers, `seat0.metrics.stage_spaces`. A
            one-hot field gives its 1's place, from 1, or 0.
        observations: int8[n, D].

    Raises:
        KeyError: no such field or number.
        ValueError: the field has several numbers.
    """
    if name in layout.fields:
        found = layout[name]
        numbers = observations[:, found.slice].astype(np.int16)
        if found.size == 1:
            return numbers[:, 0]
        if found.description.startswith("one-hot:"):
            return np.where(numbers.any(axis=1), numbers.argmax(axis=1) + 1, 0).astype(np.int16)
        listed = ", ".join(_listed(found.description, found.size)) or "without names"
        raise ValueError(f"{name!r} has {found.size} numbers: {listed}")
    whole, _, part = name.rpartition(".")
    found = layout[whole]
    names = _listed(found.description, found.size)
    if part not in names:
        raise KeyError(f"{whole!r} has no number {part!r}; there are {', '.join(names) or 'none'}")
    return observations[:, found.start + names.index(part)].astype(np.int16)


def _listed(description: str, size: int) -> list[str]:
    """The names at the end of a description; empty unless there is one per number."""
    names = description.rpartition(": ")[2].split(", ")
    return names if len(names) == size else []
