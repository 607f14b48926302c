"""Arguments and options of commands with agents, and the line-ups that are made from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shakespeare_agents.making import entrants_of, fill_seats, make
from shakespeare_agents.naming import BUILT_IN, HOW_TO_NAME, installed_agents, names
from shakespeare_env.cli.choices import usage_errors
from shakespeare_env.core import registry
from shakespeare_env.errors import CheckpointError

if TYPE_CHECKING:
    from shakespeare_agents.making import Entrant
    from shakespeare_env.core.game import Game

AGENT = "AGENT"  # the name of the argument in help texts and error messages
PERSON = "you"  # the name of a person in a line-up and in the record of a game
_DEFAULT_AGENT = "the default agent: network, or heuristic where none fits"
_DESCRIBED = [f"{name} ({agent.description})" for name, agent in BUILT_IN.items()]
AGENT_CHOICES = (
    f"{', '.join([*_DESCRIBED, *installed_agents()])}, {HOW_TO_NAME}; with options, as in "
    "greedy,samples=4."
)


def complete_agent(incomplete: str) -> list[str]:
    """Return the names of agents to which the shell can complete a text."""
    return [name for name in names() if name.startswith(incomplete)]


def _agent_argument(help_text: str, default: str | bool = False) -> Any:
    return typer.Argument(
        metavar=AGENT, autocompletion=complete_agent, help=help_text, show_default=default
    )


_REST = (
    "The last of several fills the remaining seats; a single one plays against the default agent."
)
AgentName = Annotated[str, _agent_argument(f"Who plays: {AGENT_CHOICES}")]
AgentNames = Annotated[
    list[str] | None, _agent_argument(f"Who plays: {AGENT_CHOICES} {_REST}", _DEFAULT_AGENT)
]
Finishers = Annotated[
    list[str] | None,
    _agent_argument(
        f"Who finishes the game after --instead: {AGENT_CHOICES} {_REST}", "those of the record"
    ),
]
OpponentNames = Annotated[
    list[str] | None,
    _agent_argument(
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
        show_default="one for each agent that is named, or as many as possible for fewer than two",
    ),
]
_GAMES = (
    "Games, rounded up to whole deals. Each deal is played once from every seat, and more often "
    "with more than two kinds of agents, whose neighbours change."
)
Games = Annotated[int, typer.Option("--games", min=1, max=100_000_000, help=_GAMES)]
_SEED = "Seed of chance and of the agents' draws. The same seed gives the same game."
MOST_SEED = 2**64 - 1
Seed = Annotated[int, typer.Option("--seed", min=0, max=MOST_SEED, help=_SEED)]
FreshSeed = Annotated[
    int | None, typer.Option("--seed", min=0, max=MOST_SEED, help=_SEED, show_default="a fresh one")
]


def make_entrants(game: Game, named: Sequence[str] | None, players: int | None) -> list[Entrant]:
    """Make an entrant for each seat. Seats with the same name share an agent."""
    return _entrants(game, named or [], players)


def check_agents(games: Sequence[str], named: Sequence[str], option: str) -> None:
    """Exit with an error unless every agent can play at least one of the games.

    Args:
        games: The names of the games.
        named: The names of the agents.
        option: The option that lists the agents, for the error.
    """
    for agent in named:
        fault = _fault_in_all(agent, games)
        if fault is not None:
            with usage_errors(option):
                raise fault


def _fault_in_all(agent: str, games: Sequence[str]) -> Exception | None:
    """Return the error in the first game. Return None if the agent can play one of the games."""
    faults: list[Exception] = []
    for game in games:
        try:
            make(agent, registry.game(game))
            return None
        except (CheckpointError, TypeError, ValueError, ImportError) as fault:
            faults.append(fault)
    return faults[0]


def make_opponents(game: Game, named: Sequence[str] | None, players: int | None) -> list[Entrant]:
    """Make the entrants for the other seats of a table at which a person has the first seat."""
    # The person takes part when seats are counted, but needs no entrant.
    return _entrants(game, [PERSON, *(named or [])], players, first=1)


def _entrants(
    game: Game, named: Sequence[str], players: int | None, first: int = 0
) -> list[Entrant]:
    """Make an entrant for each seat from the seat `first` on, and report mistakes of usage."""
    if players is not None:
        with usage_errors("--players"):
            game.check_players(players)
    with usage_errors(AGENT):
        return entrants_of(fill_seats(named, players, game)[first:], game)
