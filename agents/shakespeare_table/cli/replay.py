"""`shakespeare replay`: step through a recorded game, or try another move in it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shakespeare_agents.cli import lineup as lineup_options
from shakespeare_agents.cli.playing import counted_games
from shakespeare_agents.naming import running_python
from shakespeare_env.cli import printing, screen
from shakespeare_env.cli.choices import check_seat, check_writable, give_up
from shakespeare_env.cli.recorded import Recorded, from_folder, from_json_lines
from shakespeare_env.errors import DatasetError
from shakespeare_table.cli.answers import Answers, Leave, is_number

if TYPE_CHECKING:
    from shakespeare_env import Position
    from shakespeare_research.counterfactual import Counterfactual, Mean

_HELP = "n or b: one position on or back; a number; first; last; moves: legal here; q: leave"


def replay(
    record: Annotated[
        Path,
        typer.Argument(
            metavar="FILE|FOLDER",
            help="A game as JSON lines (.jsonl or .jsonl.gz), or the folder of a dataset or of an "
            "arena.",
        ),
    ],
    named: lineup_options.AgentNames = None,
    game_id: Annotated[
        int | None,
        typer.Option(min=0, max=2**63 - 1, help="The game of a folder.", show_default="0"),
    ] = None,
    at: Annotated[
        int | None, typer.Option(min=0, help="Print this position and stop.", show_default=False)
    ] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="List moves, or a folder's games without --game-id.")
    ] = False,
    seat: Annotated[
        int | None,
        typer.Option(
            min=0, help="Show what this seat sees.", show_default="everything, secrets too"
        ),
    ] = None,
    instead: Annotated[
        str | None,
        typer.Option(
            metavar="MOVE",
            help="Play this move at --at, let agents finish, and compare with the recorded move.",
            show_default=False,
        ),
    ] = None,
    continuations: Annotated[
        int,
        typer.Option(min=1, help="How often agents finish the game after each of the two moves."),
    ] = 200,
    page: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the game as one HTML file: board, log, graph. Any browser shows it.",
            show_default=False,
        ),
    ] = None,
    seed: lineup_options.Seed = 0,
) -> None:
    """Step through a recorded game, of a file, a dataset or an arena; chance is not redrawn."""
    if instead is not None and (at is None or seat is not None or listed):
        raise typer.BadParameter(
            "give --at as well, and neither --seat nor --list: what follows is shown in full",
            param_hint="--instead",
        )
    if page is not None and (at is not None or listed):
        raise typer.BadParameter(
            "it holds the whole game: give neither --at nor --list", param_hint="--page"
        )
    if instead is None and named:
        raise typer.BadParameter(
            "agents play only after --instead", param_hint=lineup_options.AGENT
        )
    try:
        if record.is_dir():
            if listed and game_id is None:
                _print_games(record)
                return
            game = from_folder(record, game_id or 0)
        elif game_id is not None:
            raise typer.BadParameter(
                f"{record} is one game; omit it, or give a folder of games", param_hint="--game-id"
            )
        else:
            game = from_json_lines(record)
    except (DatasetError, ModuleNotFoundError) as fault:
        give_up(str(fault))
    check_seat(seat, game.position.players)
    if at is not None and at > len(game.moves):
        raise typer.BadParameter(
            f"no position {at}; they are numbered 0 to {len(game.moves)}", param_hint="--at"
        )
    if page is not None:
        _write_page(game, page, seat)
    elif instead is not None:
        assert at is not None
        _play_instead(game, at, instead, named, continuations=continuations, seed=seed)
    elif listed:
        _print_moves(game, seat)
    elif at is not None:
        _print_position(game, at, seat)
    else:
        _walk(game, seat)


def _play_instead(
    game: Recorded,
    at: int,
    move: str,
    named: Sequence[str] | None,
    *,
    continuations: int,
    seed: int,
) -> None:
    """Play another move at a position, let agents finish, and compare with the recorded move.

    Without names the record's agents play, the game's default one for a person. `seed` decides
    chance and draws from the position on.
    """
    # Slow imports are late to keep the shell's completion quick.
    from shakespeare_agents.naming import default
    from shakespeare_research.counterfactual import counterfactual

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
            param_hint=lineup_options.AGENT,
        )
    finishers = [
        default(position.game) if name == lineup_options.PERSON else name
        for name in named or recorded_names
    ]
    made = lineup_options.make_entrants(position.game, finishers, position.players)
    recorded = game.moves[at : at + 1]
    moves = list(dict.fromkeys([*recorded, move]))
    with counted_games(continuations * len(moves)) as on_progress:
        result = counterfactual(
            position, moves, made, continuations=continuations, seed=seed, on_progress=on_progress
        )
    _print_means(position, at, result, bool(recorded))


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
    printing.print_table(titles, _rows(result, result.score, result.score_change, 1))
    if position.players > 1:
        typer.echo("Chance to win, %:")
        printing.print_table(titles, _rows(result, result.won, result.won_change, 100))
    typer.echo("Intervals are of 95 %. All moves meet the same chance while games draw alike.")


def _rows(
    result: Counterfactual,
    level: Callable[[str, int], Mean],
    change: Callable[[str, int], Mean],
    unit: float,
) -> Iterator[tuple[str, ...]]:
    for seat, agent in enumerate(result.agents):
        found = [level(move, seat) for move in result.moves]
        found += [change(move, seat) for move in result.moves[1:]]
        cells = [
            f"{unit * one.mean:.2f} ({unit * one.low:.2f} to {unit * one.high:.2f})"
            for one in found
        ]
        yield str(seat), agent, *cells


def _write_page(game: Recorded, path: Path, seat: int | None) -> None:
    check_writable(path)
    from shakespeare_env.film import film_page, write_film_page  # not needed for completion

    names = game.names or ()
    page = film_page(game.positions, game.moves, names, seat=seat, ending=game.forfeit)
    try:
        write_film_page(path, page)
    except OSError as error:
        give_up(f"cannot write {path}: {error}")
    typer.echo(f"Wrote {path}; open it in a browser.")


def _walk(game: Recorded, seat: int | None) -> None:
    """Ask where to go, and show the position there, until the person leaves."""
    answers, at, end = Answers(), 0, len(game.moves)
    _print_position(game, at, seat)
    try:
        while (word := answers.next(f"Position {at} of {end} (? for help): ").lower()) != "q":
            goals = {"n": at + 1, "b": at - 1, "first": 0, "last": end}
            goal = int(word) if is_number(word) else goals.get(word)
            if word == "moves":
                _print_legal(game, at, seat)
            elif goal is not None and 0 <= goal <= end:
                at = goal
                _print_position(game, at, seat)
            else:
                typer.echo(f"{_HELP}; positions are numbered 0 to {end}")
                answers.waiting.clear()
    except (Leave, KeyboardInterrupt):
        return


def _print_position(game: Recorded, at: int, seat: int | None) -> None:
    """Print a position, the move that led to it, and who decides."""
    position = game.positions[at]
    if at:
        printing.print_move(game.lines(at - 1, seat))
    shown = position.to_dict() if seat is None else position.seen_by(seat)
    screen.print_position(position.game, shown)
    if position.to_move is None:
        printing.print_scores(position, game.names, game.score_sheet(seat=None))
        return
    if game.forfeit and at == len(game.moves):
        screen.print_wrapped(game.forfeit, 0)
        return
    who = f"Seat {position.to_move} decides"
    if game.names is not None:
        who += f", played by {game.names[position.to_move]}"
    value = game.values[at] if at < len(game.values) else None
    # An estimate reveals a hand, so other seats do not see it.
    if value is not None and seat in (None, position.to_move):
        who += f"; expects {value:+.3f}"
    typer.echo(f"Position {at} of {len(game.moves)}. {who}.")


def _print_legal(game: Recorded, at: int, seat: int | None) -> None:
    position = game.positions[at]
    if seat not in (None, position.to_move) and position.to_move is not None:
        typer.echo(f"Seat {position.to_move} decides; seat {seat} may not see its legal moves.")
    else:
        printing.print_moves(position)


def _print_moves(game: Recorded, seat: int | None) -> None:
    for at in range(len(game.moves)):
        printing.print_move(game.lines(at, seat))
    if game.forfeit:
        screen.print_wrapped(game.forfeit, 0)


def _print_games(folder: Path) -> None:
    from shakespeare_env.datasets.reading import collected, read_recorded  # not for completion

    games = read_recorded(folder, unfinished=True).select("agents", "scores", "places", "actions")
    rows = (
        (
            str(number),
            str(len(actions)),
            "".join(filter(str.isprintable, ", ".join(agents))),
            " ".join(map(str, scores)),
            " ".join(str(seat) for seat, place in enumerate(places) if place == 1),
        )
        for number, (agents, scores, places, actions) in enumerate(collected(games, folder).rows())
    )
    titles = "Game", "Decisions", "Agents, seat by seat", "Final scores", "Winners"
    printing.print_table(titles, rows)
