"""Another move in a recorded game, and how agents finish it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import typer

from shakespeare_agents.cli.lineup_options import AGENT, PERSON, make_entrants
from shakespeare_agents.naming import running_python
from shakespeare_agents.registry import default
from shakespeare_agents.single_game import SingleGame
from shakespeare_env import Position
from shakespeare_env.cli import screen
from shakespeare_env.cli.game_log import GameLog
from shakespeare_env.cli.printing import print_scores, print_table
from shakespeare_env.cli.recorded import Recorded


def play_instead(
    game: Recorded, at: int, move: str, named: Sequence[str] | None, seed: int
) -> None:
    """Play another move at a position, let agents finish, and compare scores with the record's.

    Without names the record's agents play, the game's default one for a person. `seed` decides
    chance and draws, which a record does not hold.
    """
    position = Position.from_dict(game.positions[at].to_dict(), seed=seed)
    if move not in position.moves():
        legal = ", ".join(position.moves()) or "none, the game is over"
        raise typer.BadParameter(
            f"{move!r} is not legal in position {at}; legal: {legal}", param_hint="--instead"
        )
    if not named:
        _refuse_python(game.agents or [])
    finishers = [
        default(position.game) if name == PERSON else name for name in named or game.agents or []
    ]
    made = make_entrants(position.game, finishers, position.players)
    names = [one.name for one in made]
    agents = {seat: one.agent for seat, one in enumerate(made)}
    played = SingleGame(position, agents, seed, at, names)
    log = GameLog(names)
    if at < len(game.moves):
        typer.echo("In the record:")
        GameLog(game.agents).tell(position, at + 1, game.moves[at], game.positions[at + 1])
    typer.echo("Instead:")
    played.push(move, log.tell)
    played.play_out(log.tell)
    end = played.position
    screen.tell_position(end.game, end.to_dict())
    positions = [*game.positions[:at], *played.positions]
    print_scores(end, names, log.score_sheet(positions, [*game.moves[:at], *played.moves]))
    title = "Recorded" if game.last.to_move is None else "Recorded so far"
    columns = zip(made, game.last.scores(), end.scores(), strict=True)
    rows = [
        (str(seat), one.name, str(before), str(after), f"{after - before:+d}")
        for seat, (one, before, after) in enumerate(columns)
    ]
    print_table(("Seat", "Agent", title, "Instead", "Difference"), rows)
    typer.echo("From this move on, chance and the agents' draws differ from the record.")


def _refuse_python(recorded: Sequence[str]) -> None:
    """A record may be a stranger's: what it names is not imported."""
    if found := running_python(recorded):
        raise typer.BadParameter(
            f"the record's agent {found[0]!r} is Python, which no record may run; if you trust it, "
            f"name the agents yourself: {shlex.join(recorded)}",
            param_hint=AGENT,
        )
