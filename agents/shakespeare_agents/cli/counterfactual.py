"""Another move in a recorded game, and how agents finish it: once in words, or many times."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

import typer

from shakespeare_agents.arena.entrants import Entrant
from shakespeare_agents.cli.options.lineup import AGENT, PERSON, make_entrants
from shakespeare_agents.cli.options.progress import counted_games
from shakespeare_agents.naming import running_python
from shakespeare_agents.registry import default
from shakespeare_agents.session import Session
from shakespeare_agents.strategy.counterfactual import Counterfactual, Mean, counterfactual
from shakespeare_env import Position
from shakespeare_env.cli import screen
from shakespeare_env.cli.printing import print_move, print_scores, print_table
from shakespeare_env.cli.recorded import Recorded
from shakespeare_env.play.course import Course


def play_instead(
    game: Recorded,
    at: int,
    move: str,
    named: Sequence[str] | None,
    *,
    continuations: int,
    seed: int,
) -> None:
    """Play another move at a position, let agents finish, and compare with the record.

    One continuation is printed and its scores are compared with the record's; several are compared
    with as many after the recorded move, if there is one. Without names the record's agents play,
    the game's default one for a person. `seed` decides chance and draws from the position on.
    """
    position = game.positions[at]
    if move not in position.moves():
        legal = ", ".join(position.moves()) or "none, the game is over"
        raise typer.BadParameter(
            f"{move!r} is not legal in position {at}; legal: {legal}", param_hint="--instead"
        )
    recorded_names = game.names or []
    if not named and (found := running_python(recorded_names)):  # a stranger may have named it
        raise typer.BadParameter(
            f"the record's agent {found[0]!r} is Python, which no record may run; if you trust it, "
            f"name the agents yourself: {shlex.join(recorded_names)}",
            param_hint=AGENT,
        )
    finishers = [
        default(position.game) if name == PERSON else name for name in named or recorded_names
    ]
    made = make_entrants(position.game, finishers, position.players)
    if continuations == 1:
        _show_one(game, at, move, made, seed)
        return
    recorded = game.moves[at : at + 1]
    moves = list(dict.fromkeys([*recorded, move]))
    with counted_games(continuations * len(moves)) as on_progress:
        result = counterfactual(
            position, moves, made, continuations=continuations, seed=seed, on_progress=on_progress
        )
    _print_means(position, at, result, bool(recorded))


def _show_one(game: Recorded, at: int, move: str, made: Sequence[Entrant], seed: int) -> None:
    position = Position.from_dict(game.positions[at].to_dict(), seed=seed)
    names = [one.name for one in made]
    agents = {seat: one.agent for seat, one in enumerate(made)}
    session = Session(position, agents, seed, names=names, moves_before=at)
    if at < len(game.moves):
        typer.echo("In the record:")
        print_move(game.lines(at, None))
    typer.echo("Instead:")
    session.push(move, print_move)
    session.play_out(print_move)
    end = session.position
    screen.print_position(end.game, end.to_dict())
    positions = [*game.positions[:at], *session.positions]
    whole = Course(positions, [*game.moves[:at], *session.moves], names)
    print_scores(end, names, whole.score_sheet(None))
    title = "Recorded" if game.is_over else "Recorded so far"
    columns = zip(made, game.position.scores(), end.scores(), strict=True)
    rows = [
        (str(seat), one.name, str(before), str(after), f"{after - before:+d}")
        for seat, (one, before, after) in enumerate(columns)
    ]
    print_table(("Seat", "Agent", title, "Instead", "Difference"), rows)
    typer.echo("From this move on, chance and the agents' draws differ from the record.")


def _print_means(position: Position, at: int, result: Counterfactual, recorded: bool) -> None:
    """Print the results of the moves: every seat's scores, and chances to win if several play."""
    called = ["Recorded", "Instead"] if recorded else ["Instead"]
    moves = list(zip(called, result.moves, strict=False))
    typer.echo(f"Position {at}, seat {position.to_move} decides.")
    for title, move in moves:
        typer.echo(f"{title}: {move}, {position.describe_move(move)}")
    titles = ["Seat", "Agent", *(f"{title}\n{move}" for title, move in moves)]
    titles += ["Difference"] * (len(moves) - 1)
    typer.echo(f"Mean final score, {result.continuations} continuations each:")
    print_table(titles, _scores(result))
    if position.players > 1:
        typer.echo("Chance to win, %:")
        print_table(titles, _chances(result))
    said = "Intervals are of 95 %."
    if len(moves) > 1:
        said += " Both moves meet the same chance, as long as their games draw alike."
    typer.echo(said)


def _scores(result: Counterfactual) -> Iterator[tuple[str, ...]]:
    for seat, agent in enumerate(result.agents):
        levels = [_symmetric(result.score(move, seat), ".2f") for move in result.moves]
        changes = [result.score_change(move, seat) for move in result.moves[1:]]
        yield str(seat), agent, *levels, *(_symmetric(change, "+.2f") for change in changes)


def _chances(result: Counterfactual) -> Iterator[tuple[str, ...]]:
    for seat, agent in enumerate(result.agents):
        levels = [result.won(move, seat).times(100) for move in result.moves]
        changes = [result.won_change(move, seat).times(100) for move in result.moves[1:]]
        cells = [f"{level.mean:.1f} ({level.low:.1f} to {level.high:.1f})" for level in levels]
        yield str(seat), agent, *cells, *(_symmetric(change, "+.1f") for change in changes)


def _symmetric(found: Mean, digits: str) -> str:
    return f"{found.mean:{digits}} ± {found.margin:{digits.removeprefix('+')}}"
