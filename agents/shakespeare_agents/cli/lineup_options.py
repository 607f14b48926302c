"""Options and arguments that name agents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from shakespeare_agents.arena.evaluate import Entrant
from shakespeare_agents.registry import default, make, names
from shakespeare_env.agent import AnyAgent
from shakespeare_env.batch import MOST_THREADS
from shakespeare_env.cli.choices import give_up
from shakespeare_env.errors import CheckpointError
from shakespeare_env.game import Game

_NAMES = f"{', '.join(names())}, or the folder of a checkpoint"

EntrantNames = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="AGENT",
        help=f"Who plays: {_NAMES}; with options, as in greedy,samples=4. The last of several "
        "fills the remaining seats; a single one plays against the default agent.",
        show_default="the default agent",
    ),
]
EntrantSeats = Annotated[
    int | None,
    typer.Option(
        "--players",
        min=1,
        help="Seats at the table.",
        show_default="one per named agent; as many as possible if fewer than two are named",
    ),
]
_GAMES = (
    "Games, rounded up to a multiple of the seats: each deal is played once per seat, all agents "
    "moving on by one seat in between."
)
Games = Annotated[int, typer.Option("--games", min=1, max=100_000_000, help=_GAMES)]
EntrantSeed = Annotated[
    int,
    typer.Option("--seed", min=0, max=2**64 - 1, help="Seed of the deals and the agents' draws."),
]
Threads = Annotated[
    int,
    typer.Option(
        "--threads", min=1, max=MOST_THREADS, help="Threads that step the games; change no result."
    ),
]


def agents_option(who: str, default: str) -> Any:
    """An option that names agents, to be used with `make_agents`."""
    text = f"{who}: {_NAMES}. Repeat it to go seat by seat; the last one fills the remaining seats."
    return typer.Option(metavar="AGENT", help=text, show_default=default)


def make_agents(game: Game, named: Sequence[str], seats: int, option: str) -> list[Entrant]:
    """Agents by name for so many seats, the last filling the rest; errors name the `option`."""
    if len(named) > seats:
        raise typer.BadParameter(
            f"agents named: {len(named)}, seats for them: {seats}; name no more than seats",
            param_hint=option,
        )
    try:
        made = [Entrant(name, make(name, game)) for name in named]
    except (ValueError, TypeError, ImportError) as fault:
        raise typer.BadParameter(str(fault), param_hint=option) from fault
    return [*made, *made[-1:] * (seats - len(made))]


def make_entrants(game: Game, named: Sequence[str], players: int | None) -> list[Entrant]:
    """An entrant per seat; those of one name share an agent.

    A usage error if seats or names do not fit; gives up if a checkpoint cannot play.
    """
    made: dict[str, AnyAgent] = {}
    entrants = []
    for name in _names(game, named, players):
        if name not in made:
            try:
                made[name] = make(name, game)
            except CheckpointError as error:
                give_up(str(error))
            except (TypeError, ValueError, ImportError) as error:
                raise typer.BadParameter(str(error), param_hint="AGENT") from error
        entrants.append(Entrant(name, made[name]))
    return entrants


def _names(game: Game, named: Sequence[str], players: int | None) -> list[str]:
    """The name at each seat."""
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
    filler = named[-1] if len(named) > 1 else default(game)
    return [*named, *[filler] * (seats - len(named))]
