"""Arguments and options of all commands with agents, and the line-ups made from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shakespeare_agents.naming import (
    BUILT_IN,
    HOW_TO_NAME,
    entrants_of,
    fill_seats,
    installed_agents,
    make,
    names,
)
from shakespeare_env.cli.choices import usage_errors
from shakespeare_env.core import registry
from shakespeare_env.errors import CheckpointError

if TYPE_CHECKING:
    from shakespeare_agents.naming import Entrant
    from shakespeare_env.core.game import Game

AGENT = "AGENT"
PERSON = "you"  # the name of a person in a line-up and in the record of a game
_DEFAULT_AGENT = "the default agent: network, or heuristic where none fits"
_DESCRIBED = [f"{name} ({agent.description})" for name, agent in BUILT_IN.items()]
AGENT_CHOICES = (
    f"{', '.join([*_DESCRIBED, *installed_agents()])}, {HOW_TO_NAME}; with options, as in "
    "greedy,samples=4."
)


def complete_agent(incomplete: str) -> list[str]:
    """Return the agents' names that the shell completes a text to."""
    return [name for name in names() if name.startswith(incomplete)]


def _agents(help_text: str, default: str | bool = False) -> Any:
    return typer.Argument(
        metavar=AGENT, autocompletion=complete_agent, help=help_text, show_default=default
    )


_REST = (
    "The last of several fills the remaining seats; a single one plays against the default agent."
)
AgentName = Annotated[str, _agents(f"Who plays: {AGENT_CHOICES}")]
AgentNames = Annotated[
    list[str] | None, _agents(f"Who plays: {AGENT_CHOICES} {_REST}", _DEFAULT_AGENT)
]
Finishers = Annotated[
    list[str] | None,
    _agents(
        f"Who finishes the game after --instead: {AGENT_CHOICES} {_REST}", "those of the record"
    ),
]
OpponentNames = Annotated[
    list[str] | None,
    _agents(
        f"Who plays the other seats, in their order: {AGENT_CHOICES} "
        "The last one fills the remaining seats.",
        _DEFAULT_AGENT,
    ),
]
Players = Annotated[
    int | None,
    typer.Option(
        "--players",
        help="Seats at the table, yours too if you play.",
        show_default="one each for those who are named; as many as possible if fewer than two are",
    ),
]
_GAMES = (
    "Games, rounded up to whole deals. Each is played once from every seat; by more than two kinds "
    "of agents more often, with changing neighbours."
)
Games = Annotated[int, typer.Option("--games", min=1, max=100_000_000, help=_GAMES)]
_SEED = "Seed of chance and of the agents' draws: the same seed is the same game."
MOST_SEED = 2**64 - 1
Seed = Annotated[int, typer.Option("--seed", min=0, max=MOST_SEED, help=_SEED)]
FreshSeed = Annotated[
    int | None, typer.Option("--seed", min=0, max=MOST_SEED, help=_SEED, show_default="a fresh one")
]


def make_entrants(game: Game, named: Sequence[str] | None, players: int | None) -> list[Entrant]:
    """Make an entrant for each seat; seats of one name share an agent."""
    return _made(game, named or [], players)


def check_agents(games: Sequence[str], named: Sequence[str], option: str) -> None:
    """Exit with an error unless every agent can play at least one of the games.

    The error names the option that named the agent.
    """
    for agent in named:
        faults: list[Exception] = []
        for game in games:
            try:
                make(agent, registry.game(game))
                break
            except (CheckpointError, TypeError, ValueError, ImportError) as fault:
                faults.append(fault)
        else:
            with usage_errors(option):
                raise faults[0]


def make_opponents(game: Game, named: Sequence[str] | None, players: int | None) -> list[Entrant]:
    """Make the other entrants of a table at which a person has the first seat."""
    return _made(game, [PERSON, *(named or [])], players, first=1)


def _made(game: Game, named: Sequence[str], players: int | None, first: int = 0) -> list[Entrant]:
    if players is not None:
        with usage_errors("--players"):
            game.check_players(players)
    with usage_errors(AGENT):
        return entrants_of(fill_seats(named, players, game)[first:], game)
