"""`shakespeare replay`: step through a recorded game, or try another move; draw a position."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from shakespeare_agents.cli import lineup as lineup_options
from shakespeare_agents.cli.playing import counted_games
from shakespeare_agents.naming import running_python
from shakespeare_agents.storage import write_output
from shakespeare_env.checks.values import number_of, short_repr
from shakespeare_env.cli.choices import (
    OwnGame,
    check_own_game,
    check_seat,
    check_writable,
    exit_with_error,
    find_game,
    refuse_unread,
)
from shakespeare_env.errors import DatasetError
from shakespeare_env.play.history import GameHistory
from shakespeare_table.cli import printing, screen
from shakespeare_table.recorded import (
    parse_json_lines,
    read_game_of_folder,
    read_json_lines,
    with_public_names,
)

_HELP = "n or b: one position on or back; a number; first; last; moves: legal here; q: leave"


def replay(
    context: typer.Context,
    record: Annotated[
        str,
        typer.Argument(
            metavar="FILE|FOLDER|POSITION",
            help="A game as JSON lines (.jsonl or .jsonl.gz), the folder of a dataset or of an "
            "arena, or a position: a JSON file or its text.",
        ),
    ],
    named: lineup_options.Finishers = None,
    game_id: Annotated[
        int | None,
        typer.Option(min=0, max=2**63 - 1, help="The game of a folder.", show_default="0"),
    ] = None,
    at: Annotated[
        int | None, typer.Option(min=0, help="Print this position and stop.", show_default=False)
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the moves.")] = False,
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
    own_game: OwnGame = None,
) -> None:
    """Step through a recorded game; a position is drawn with its legal moves."""
    if page is not None:
        read = {"record", "own_game", "game_id", "seat", "page"}
        refuse_unread(context, read, "--page writes the whole game")
    elif instead is not None:
        read = {"record", "own_game", "game_id", "instead", "at", "named", "continuations", "seed"}
        refuse_unread(context, read, "what follows --instead is shown in full")
        if at is None:
            raise typer.BadParameter("give --at as well", param_hint="--instead")
    elif listed:
        read = {"record", "own_game", "game_id", "seat", "listed"}
        refuse_unread(context, read, "--list lists all moves and plays none")
    else:
        read = {"record", "own_game", "game_id", "seat", "at"}
        refuse_unread(context, read, "agents play only after --instead")
    own = None if own_game is None else find_game(own_game)
    text = record.strip().removeprefix("\ufeff").strip()  # as pastes leave it
    is_position = text.startswith("{")
    try:
        if not is_position and os.path.isdir(record):  # False, too, where no file has such a name
            game = read_game_of_folder(Path(record), game_id or 0)
        elif game_id is not None:
            raise typer.BadParameter(
                f"{short_repr(record)} is one game; omit it, or give a folder of games",
                param_hint="--game-id",
            )
        elif is_position:
            game = parse_json_lines(text.encode(), "the position")
        else:
            game = read_json_lines(Path(record))
    except (DatasetError, ModuleNotFoundError) as fault:
        exit_with_error(str(fault))
    check_own_game(own, game.position.game.name, short_repr(record))
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
        for number in range(len(game.moves)):
            printing.print_move(game.lines(number, seat))
        if game.forfeit:
            screen.print_wrapped(game.forfeit, 0)
    elif at is not None or not game.moves:
        _print_position(game, at or 0, seat)
        if not game.moves and game.position.to_move is not None:
            _print_legal(game, 0, seat)
    else:
        _walk(game, seat)


def _play_instead(
    game: GameHistory,
    at: int,
    move: str,
    named: Sequence[str] | None,
    *,
    continuations: int,
    seed: int,
) -> None:
    """Play another move at a position, let agents finish, and compare with the recorded move.

    Without names the record's agents play, the game's default one for a person.
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
    moves = list(dict.fromkeys([*game.moves[at : at + 1], move]))
    with counted_games(continuations * len(moves)) as on_progress:
        result = counterfactual(
            position, moves, made, continuations=continuations, seed=seed, on_progress=on_progress
        )
    typer.echo(f"Position {at}, seat {position.to_move} decides.")
    for title, tried in zip(["Instead", "Recorded"], reversed(result.moves), strict=False):
        typer.echo(f"{title}: {tried}, {position.describe_move(tried)}")
    measures = [("Score", result.score, result.score_change, 1)]
    if position.players > 1:
        measures.append(("Wins, %", result.won, result.won_change, 100))
    rows = []
    for title, level, change, unit in measures:
        for seat, agent in enumerate(result.agents):
            means = [level(tried, seat) for tried in result.moves]
            means += [change(tried, seat) for tried in result.moves[1:]]
            cells = (f"{unit * it.mean:.2f} ± {unit * (it.high - it.low) / 2:.2f}" for it in means)
            rows.append((title, str(seat), agent, *cells))
    titles = ["", "Seat", "Agent", *result.moves, *["Difference"] * (len(result.moves) - 1)]
    printing.print_table(titles, rows)
    typer.echo(f"Means of {result.continuations} continuations of each move, 95 % intervals.")


def _write_page(game: GameHistory, path: Path, seat: int | None) -> None:
    check_writable(path)
    from shakespeare_env.film import Film, film_page  # not for completion

    try:
        write_output(path, film_page(Film(with_public_names(game), seat=seat)).encode())
    except OSError as error:
        exit_with_error(f"cannot write {path}: {error}")
    typer.echo(f"Wrote {path}; open it in a browser.")


def _walk(game: GameHistory, seat: int | None) -> None:
    from shakespeare_table.cli.person import Answers, Leave  # not for completion

    answers, at, end = Answers(), 0, len(game.moves)
    _print_position(game, at, seat)
    try:
        while (word := answers.next(f"Position {at} of {end} (? for help): ").lower()) != "q":
            goals = {"n": at + 1, "b": at - 1, "first": 0, "last": end}
            goal = goals.get(word, number_of(word))
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


def _print_position(game: GameHistory, at: int, seat: int | None) -> None:
    position = game.positions[at]
    if at:
        printing.print_move(game.lines(at - 1, seat))
    shown = position.to_dict() if seat is None else position.seen_by(seat)
    screen.print_position(position.game, shown)
    if position.to_move is None:
        sheet = game.score_sheet(seat=None) if game.moves else None
        printing.print_scores(position, game.names, sheet)
    elif game.forfeit and at == len(game.moves):
        screen.print_wrapped(game.forfeit, 0)
    else:
        who = f"Seat {position.to_move} decides"
        if game.names is not None:
            who += f", played by {game.names[position.to_move]}"
        value = game.values[at] if at < len(game.values) else None
        # An estimate reveals a hand, so other seats do not see it.
        if value is not None and seat in (None, position.to_move):
            who += f"; expects {value:+.3f}"
        typer.echo(f"Position {at} of {len(game.moves)}. {who}.")


def _print_legal(game: GameHistory, at: int, seat: int | None) -> None:
    position = game.positions[at]
    if seat not in (None, position.to_move) and position.to_move is not None:
        typer.echo(f"Seat {position.to_move} decides; seat {seat} may not see its legal moves.")
    else:
        printing.print_moves(position)
