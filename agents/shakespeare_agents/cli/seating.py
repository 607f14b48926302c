"""Agents at the seats: of one game for `watch` and `play`, of many for those that count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import numpy as np
import typer

import shakespeare_agents
from shakespeare_agents import AnyAgent
from shakespeare_env import Batch, Position
from shakespeare_env.batch import MOST_THREADS
from shakespeare_env.cli.choices import give_up
from shakespeare_env.errors import CheckpointError
from shakespeare_env.game import Game

AGENT_NAMES = f"{', '.join(shakespeare_agents.names())}, or the folder of a checkpoint"
"""What an agent can be named by, for the help of options."""


TableAgents = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="AGENT",
        help=f"Who plays: {AGENT_NAMES}; with options, as in greedy,samples=4. Of several the last "
        "one fills the remaining seats; one alone plays against the default agent.",
        show_default="the default agent",
    ),
]
TableSeats = Annotated[
    int | None,
    typer.Option(
        "--players",
        min=1,
        help="Seats at the table.",
        show_default="as many as agents are named, or all there can be if fewer than two are",
    ),
]
DEALS = (
    "Games, rounded up to a multiple of the seats: each deal is played once for each seat, with "
    "the whole table moved on by one seat in between."
)
"""The help of how many games are played at a table."""
TableSeed = Annotated[
    int, typer.Option("--seed", min=0, max=2**64 - 1, help="Of the deals and the agents' draws.")
]
Threads = Annotated[
    int,
    typer.Option("--threads", min=1, max=MOST_THREADS, help="Threads that step the games."),
]


def make_agents(game: Game, names: Sequence[str], seats: int, option: str) -> list[AnyAgent]:
    """Agents by name for so many seats; the last one named fills those that remain.

    Args:
        game: What they are to play.
        names: As `shakespeare_agents.make` takes them; at least one where there are seats.
        seats: How many seats there are for them.
        option: The option they were named with, for errors.
    """
    if len(names) > seats:
        raise typer.BadParameter(
            f"agents named: {len(names)}, seats for them: {seats}; name no more than seats",
            param_hint=option,
        )
    try:
        made = [shakespeare_agents.make(name, game) for name in names]
    except (ValueError, TypeError, ImportError) as fault:
        raise typer.BadParameter(str(fault), param_hint=option) from fault
    return [*made, *made[-1:] * (seats - len(made))]


def around_the_table(game: Game, named: Sequence[str], players: int | None) -> list[str]:
    """One agent's name for each seat; a usage error if there are not so many seats."""
    seats = players or (len(named) if len(named) > 1 else game.max_seats)
    if not game.min_seats <= seats <= game.max_seats:
        raise typer.BadParameter(
            f"{game.name} is for {game.min_seats} to {game.max_seats} seats, not {seats}",
            param_hint="--players" if players else "AGENT",
        )
    if len(named) > seats:
        raise typer.BadParameter(
            f"{len(named)} agents for {seats} seats; name fewer, or give more --players",
            param_hint="AGENT",
        )
    filler = named[-1] if len(named) > 1 else shakespeare_agents.default(game)
    return [*named, *[filler] * (seats - len(named))]


def made_by_name(names: Sequence[str], game: Game) -> list[shakespeare_agents.AnyAgent]:
    """An agent for each seat; those of one name are one agent, which is asked once for all."""
    made: dict[str, shakespeare_agents.AnyAgent] = {}
    for name in names:
        if name in made:
            continue
        try:
            made[name] = shakespeare_agents.make(name, game)
        except CheckpointError as error:
            give_up(str(error))
        except (TypeError, ValueError) as error:
            raise typer.BadParameter(str(error), param_hint="AGENT") from error
    return [made[name] for name in names]


class Seating:
    """Who plays which seats of one game; agents decide by what their seats see and nothing else.

    Args:
        position: A position of the game.
        players: The agent of each seat that one plays.
        seed: What the agents draw is drawn from it.
    """

    def __init__(self, position: Position, players: Mapping[int, AnyAgent], seed: int) -> None:
        self._players = players
        # The record that is loaded before each decision says which variant is played.
        self._batch = Batch(position.game.name, 1, players=position.players, autoreset=False)
        self._random = np.random.default_rng(seed)

    def move(self, position: Position) -> str:
        """What the agent chooses whose seat is to decide."""
        record = position.record()
        self._batch.load([0], np.array([record], record.dtype))
        assert position.to_move is not None
        agent = self._players[position.to_move]
        action = shakespeare_agents.decide(agent, self._batch, np.zeros(1, np.int64), self._random)[0]
        return position.move_text(int(action))
