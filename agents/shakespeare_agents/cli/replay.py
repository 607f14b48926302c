"""`shakespeare replay`: step through a recorded game, or try another move in it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shakespeare_agents.cli import lineup_options
from shakespeare_agents.cli.answers import Answers, Leave
from shakespeare_agents.cli.out_file import check_writable
from shakespeare_env.cli import printing, screen
from shakespeare_env.cli.choices import give_up
from shakespeare_env.cli.recorded import Recorded, from_json_lines
from shakespeare_env.cli.recorded_folders import from_folder, games_of
from shakespeare_env.errors import DatasetError
from shakespeare_env.game_log import GameLog

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
            help="How often agents finish after --instead and after the recorded move; 1 is told "
            "in words.",
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
        if listed and game_id is None and record.is_dir():
            _print_games(record)
            return
        game = _opened(record, game_id)
    except (DatasetError, ModuleNotFoundError) as fault:
        give_up(str(fault))
    if seat is not None and seat >= game.last.players:
        raise typer.BadParameter(
            f"no seat {seat}; the seats are 0 to {game.last.players - 1}", param_hint="--seat"
        )
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
        _print_list(game, seat)
    elif at is not None:
        _print_position(game, at, seat)
    else:
        _walk(game, seat)


def _opened(record: Path, game_id: int | None) -> Recorded:
    if record.is_dir():
        return from_folder(record, game_id or 0)
    if game_id is not None:
        raise typer.BadParameter(
            f"{record} is one game; omit it, or give a folder of games", param_hint="--game-id"
        )
    return from_json_lines(record)


def _write_page(game: Recorded, path: Path, seat: int | None) -> None:
    check_writable(path)
    from shakespeare_env.film import film_page, write_film_page  # not needed for completion

    names = game.agents or ()
    page = film_page(game.positions, game.moves, names, seat=seat, ending=game.forfeit)
    try:
        write_film_page(path, page)
    except OSError as error:
        give_up(f"cannot write {path}: {error}")
    typer.echo(f"Wrote {path}; open it in a browser.")


def _walk(game: Recorded, seat: int | None) -> None:
    answers, at = Answers(), 0
    end = len(game.moves)
    _print_position(game, at, seat)
    try:
        while True:
            word = answers.next(f"Position {at} of {end} (? for help): ").lower()
            steps = {"n": at + 1, "next": at + 1, "b": at - 1, "back": at - 1}
            goals = {**steps, "first": 0, "last": end}
            if word in ("q", "quit"):
                return
            if word == "?":
                typer.echo(_HELP)
            elif word == "list":
                _print_list(game, seat)
            elif word == "moves":
                _print_legal(game, at, seat)
            elif word in goals or (word.isascii() and word.isdigit() and len(word) < 10):
                goal = goals[word] if word in goals else int(word)
                if 0 <= goal <= end:
                    at = goal
                    _print_position(game, at, seat)
                else:
                    typer.echo(f"There is no position {goal}; they are numbered 0 to {end}.")
                    answers.waiting.clear()
            else:
                typer.echo(f"{word!r} is neither a number nor a known word; ? lists them")
                answers.waiting.clear()
    except (Leave, KeyboardInterrupt):
        return


def _print_position(game: Recorded, at: int, seat: int | None) -> None:
    """Print a position, the move that led to it, and who decides."""
    position = game.positions[at]
    if at:
        _print_move(game, at - 1, seat)
    shown = position.to_dict() if seat is None else position.seen_by(seat)
    screen.tell_position(position.game, shown)
    if position.to_move is None:
        sheet = GameLog(game.agents).score_sheet(game.positions, game.moves)
        printing.print_scores(position, game.agents, sheet)
        return
    if game.forfeit and at == len(game.moves):
        screen.tell_wrapped(game.forfeit, 0)
        return
    who = f"Seat {position.to_move} decides"
    if game.agents is not None:
        who += f", played by {game.agents[position.to_move]}"
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


def _print_list(game: Recorded, seat: int | None) -> None:
    for number in range(len(game.moves)):
        _print_move(game, number, seat)
    if game.forfeit:
        screen.tell_wrapped(game.forfeit, 0)


def _print_move(game: Recorded, number: int, seat: int | None) -> None:
    """Print a move, by number from 0, and its effects, as a seat may know them."""
    log = GameLog(game.agents, seat)
    before, after = game.positions[number : number + 2]
    printing.tell_move(log, before, number + 1, game.moves[number], after)


def _print_games(folder: Path) -> None:
    rows = (
        (
            str(game.game_id),
            str(game.decisions),
            ", ".join(game.agents),
            " ".join(map(str, game.scores)),
            game.ending,
        )
        for game in games_of(folder)
    )
    printing.print_table(
        ("Game", "Decisions", "Agents, seat by seat", "Final scores", "Winners"), rows
    )
