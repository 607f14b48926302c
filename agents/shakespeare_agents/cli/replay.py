"""`shakespeare replay`: step through a recorded game, or try another move in it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shakespeare_agents.cli.answers import Answers, Leave, is_number
from shakespeare_agents.cli.options import lineup as lineup_options
from shakespeare_agents.cli.options.out_file import check_writable
from shakespeare_env.cli import printing, screen
from shakespeare_env.cli.choices import check_seat, give_up
from shakespeare_env.cli.recorded import Recorded, from_folder, from_json_lines
from shakespeare_env.errors import DatasetError

_MOST_LISTED = 10**9
_HELP = """\
n, next    one position forward        first    the first position
b, back    one position back           last     the last position
NUMBER     the position of that number moves    the legal moves here
list       all moves of the game       q, quit  leave; so do Ctrl-D and Ctrl-C"""


def replay(
    record: Annotated[
        Path,
        typer.Argument(
            metavar="FILE|FOLDER",
            help="A game as JSON lines (.jsonl or .jsonl.gz), or the folder of a dataset or of an "
            "arena.",
        ),
    ],
    named: lineup_options.FinisherNames = None,
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
        typer.Option(
            min=1,
            max=100_000,
            help="How often agents finish the game after each of the two moves; with 1, the game "
            "after --instead is shown in words.",
        ),
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
        # Slow imports are late to keep the shell's completion quick.
        from shakespeare_agents.cli.counterfactual import play_instead

        assert at is not None
        play_instead(game, at, instead, named, continuations=continuations, seed=seed)
    elif listed:
        _print_moves(game, seat)
    elif at is not None:
        _print_position(game, at, seat)
    else:
        _walk(game, seat)


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
        while True:
            word = answers.next(f"Position {at} of {end} (? for help): ").lower()
            if word in ("q", "quit"):
                return
            goals = {"n": at + 1, "next": at + 1, "b": at - 1, "back": at - 1}
            goals |= {"first": 0, "last": end}
            goal = int(word) if is_number(word) else goals.get(word)
            if word == "?":
                typer.echo(_HELP)
            elif word == "list":
                _print_moves(game, seat)
            elif word == "moves":
                _print_legal(game, at, seat)
            elif goal is not None and 0 <= goal <= end:
                at = goal
                _print_position(game, at, seat)
            else:
                if goal is None:
                    typer.echo(f"{word!r} is neither a number nor a known word; ? lists them")
                else:
                    typer.echo(f"There is no position {goal}; they are numbered 0 to {end}.")
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
    from shakespeare_agents.table.watching.listing import Lister, listed  # not for completion

    rows = (
        (
            str(game.game_id),
            str(game.moves),
            ", ".join(name for name, _, _ in game.seats),
            " ".join(str(score) for _, score, _ in game.seats),
            game.forfeit or " ".join(str(at) for at, (*_, won) in enumerate(game.seats) if won),
        )
        for game in listed(Lister(folder, most=_MOST_LISTED).read().games)
    )
    printing.print_table(
        ("Game", "Decisions", "Agents, seat by seat", "Final scores", "Winners"), rows
    )
