"""Games of agents with themselves: in every game one agent holds all seats.

What a move is worth depends on who plays, so games of different agents are kept apart by a column
`agent`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from shakespeare_agents.heuristics import best_untrained_agent
from shakespeare_agents.making import entrants_of
from shakespeare_agents.naming import default
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch, victory_shares
from shakespeare_env.core.game import Game
from shakespeare_env.datasets.fields import field_column
from shakespeare_env.play.agent import AgentLike, AnyAgent
from shakespeare_env.play.generators import GameGenerators
from shakespeare_research.counterfactual import play_to_end


def default_agents(game: Game) -> list[str]:
    """Return the names of the agents whose play is studied if none is named.

    They are the best agent without a network and the strongest built-in one, which is the newest
    network if there is one. Two agents show what holds for only one of them.
    """
    return list(dict.fromkeys([best_untrained_agent(game), default(game)]))


def self_play(
    game: str,
    *,
    players: int,
    games: int,
    seed: int = 0,
    agents: Sequence[AgentLike] = (),
    start: Sequence[str] = (),
    end: Sequence[str] = (),
) -> pl.DataFrame:
    """Play games, each a deal of its own, with one agent at all seats.

    Args:
        game: The game's name.
        players: The number of seats.
        games: The number of games of each agent. All agents play the same deals.
        seed: Decides the deals and the agents' draws.
        agents: The agents, as for `shakespeare_agents.make`; by default `default_agents`.
        start: Fields to note as games start, as each seat sees them (see `fields.field_column`).
        end: Fields to note as games end.

    Returns:
        One row per agent, game and seat: `agent`, `deal`, `players`, the columns of
        `final_results`, and the fields, with a column for each.

    Raises:
        ValueError: A field is to be noted twice, there is no such field, or a number is out of
            range.
    """
    noted = [*start, *end]
    for name in noted:
        if noted.count(name) > 1:
            raise ValueError(f"the field {name!r} can be noted only once; name it in start or end")
    parts = []
    for name, agent in named_agents(agents, registry.game(game)).items():
        batch = Batch(game, games, players=players, seed=seed, autoreset=False)
        at_start = _seat_columns(batch, start)
        play_to_end(batch, [agent], GameGenerators.of_games(seed, np.arange(games)))
        deals = pl.DataFrame(
            {
                "agent": [name] * games * players,
                "deal": np.arange(games).repeat(players),
                "players": np.full(games * players, players),
            }
        )
        parts.append(
            deals.hstack(final_results(batch)).hstack(at_start + _seat_columns(batch, end))
        )
    return pl.concat(parts)


def named_agents(agents: Sequence[AgentLike], game: Game) -> dict[str, AnyAgent]:
    """Return agents by name, each once; by default `default_agents`.

    Raises:
        ValueError: A single name is given instead of a list, or as for `shakespeare_agents.make`.
    """
    if isinstance(agents, str):
        raise ValueError(f"agents={agents!r}: give a list, such as [{agents!r}]")
    entrants = entrants_of(agents or default_agents(game), game)
    return {entrant.name: entrant.agent for entrant in entrants}


def final_results(batch: Batch) -> pl.DataFrame:
    """Return how finished games of equally many seats ended, one row per seat and game.

    The columns are `seat`, `score`, `lead` over the best other seat (null with one seat) and `won`,
    the seat's share of the victory.
    """
    players = int(batch.players[0])
    scores = batch.final_scores[:, :players].astype(np.float64)
    ascending = np.sort(scores, axis=1)
    best = ascending[:, -1:]
    second = ascending[:, -2:-1]
    # Two seats that share the best score each lead by 0, as it is also the second best.
    others = np.where(scores == best, second, best)
    return pl.DataFrame(
        {
            "seat": np.tile(np.arange(players), batch.n),
            "score": scores.ravel(),
            "lead": (scores - others).ravel() if players > 1 else [None] * batch.n,
            "won": victory_shares(batch.final_winners)[:, :players].ravel(),
        },
        schema_overrides={"lead": pl.Float64},
    )


def _seat_columns(batch: Batch, names: Sequence[str]) -> list[pl.Series]:
    """Return fields as each seat sees them, with a row per game and seat."""
    if not names:
        return []
    seats = range(int(batch.players[0]))
    by_seat = [batch.observe(np.full(batch.n, seat, np.int8)) for seat in seats]
    observations = np.stack(by_seat, axis=1).reshape(-1, batch.game.layout.size)
    return [field_column(batch.game.layout, name, observations) for name in names]
