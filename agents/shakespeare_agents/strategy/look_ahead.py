"""A searching agent's view of a position."""

from __future__ import annotations

import numpy as np
import polars as pl

from shakespeare_agents.registry import make
from shakespeare_agents.search.agent import SearchAgent
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.position import Position
from shakespeare_env.play.agent import Player, name_of
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.information_sets import InformationSets


def candidates(position: Position, player: Player = "search", *, seed: int = 0) -> pl.DataFrame:
    """The moves that a search tries, the one it plays first, then those tried most.

    Args:
        position: A position that waits for a seat; only what that seat may know is used.
        player: A searching agent (see `shakespeare_agents.make`).
        seed: Decides its draws.

    Returns:
        One row per move: `move`, its text; `prior`, its probability before the search; `playouts`,
        their number; `value`, their mean utility (see `search.utility`), null without any;
        `played`. A near-certain decision has a single row.

    Raises:
        ValueError: the game is over, or the player does not search.
    """
    if position.to_move is None:
        raise ValueError("the game is over; look at a position that waits for a seat")
    game = position.game
    agent = make(player, game)
    if not isinstance(agent, SearchAgent):
        raise ValueError(f"{name_of(player)} does not search; give `search`, with any options")
    batch = Batch(game.name, players=position.players, seed=seed, autoreset=False)
    batch.load([0], np.array([position.record()]))
    rows = np.zeros(1, np.int64)
    found = agent.look_ahead(InformationSets(batch, rows), GameGenerators.of_games(seed, rows))
    chosen = int(found.actions[0])
    actions = np.union1d(np.flatnonzero(found.visits[0]), [chosen])
    return pl.DataFrame(
        {
            "move": [position.move_text(action) for action in actions.tolist()],
            "prior": found.prior[0, actions],
            "playouts": found.visits[0, actions],
            "value": found.values[0, actions],
            "played": actions == chosen,
        }
    ).with_columns(pl.col("value").fill_nan(None)).sort(
        "played", "playouts", "prior", descending=True, maintain_order=True
    )  # fmt: skip
