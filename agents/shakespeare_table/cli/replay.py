"""The command `shakespeare replay`, to step through a recorded game or to try another move."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shakespeare_agents.cli import lineup as lineup_options
from shakespeare_agents.cli.playing import show_games_progress
from shakespeare_agents.naming import names_running_python
from shakespeare_agents.storage import write_output
from shakespeare_env.checks.values import parse_number, short_repr
from shakespeare_env.cli.choices import (
    OwnGame,
    check_own_game,
    check_seat,
    check_writable,
    exit_with_error,
    find_game,
    refuse_unused,
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

if TYPE_CHECKING:
    from shakespeare_research.counterfactual import Mean

_HELP = (
    "Enter n for the next position, b for the one before, a number, first or last to go there, "
    "moves to list the legal moves, or q to leave. In a terminal the arrow keys, Home and End go "
    "there too."
)
_KEYS = {"C": "n", "D": "b", "H": "first", "F": "last"}
"""The words that keys enter, by the last character that a terminal sends for a key."""


def replay(
    context: typer.Context,
    record: Annotated[
        str,
        typer.Argument(
            metavar="FILE|FOLDER|POSITION",
            help="A game in JSON lines (.jsonl or .jsonl.gz), the folder of a dataset or an arena, "
            "or a position as JSON, in a file or as text.",
        ),
    ],
    named: lineup_options.Finishers = None,
    game_id: Annotated[
        int | None,
        typer.Option(
            min=0, max=2**63 - 1, help="The number of the game in a folder.", show_default="0"
        ),
    ] = None,
    at: Annotated[
        int | None,
        typer.Option(
            min=0, help="Print the position with this number and stop.", show_default=False
        ),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the moves and stop.")] = False,
    seat: Annotated[
        int | None,
        typer.Option(
            min=0, help="Show only what this seat may see.", show_default="everything, secrets too"
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
            min=1, help="The number of games that agents finish after each of the two moves."
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
    own_game: OwnGame = None,
) -> None:
    """Step through a recorded game, or draw a position with its legal moves."""
    if page is not None:
        used = {"record", "own_game", "game_id", "seat", "page"}
        refuse_unused(context, used, "--page writes the complete game")
    elif instead is not None:
        used = {"record", "own_game", "game_id", "instead", "at", "named", "continuations", "seed"}
        refuse_unused(context, used, "--instead shows everything that follows")
        if at is None:
            raise typer.BadParameter(
                "give --at, the number of the position", param_hint="--instead"
            )
    elif listed:
        used = {"record", "own_game", "game_id", "seat", "listed"}
        refuse_unused(context, used, "--list lists all moves and plays none")
    else:
        used = {"record", "own_game", "game_id", "seat", "at"}
        refuse_unused(context, used, "agents play only after --instead")
    own = None if own_game is None else find_game(own_game)  # the `Game` that --game names
    text = record.strip().removeprefix("\ufeff").strip()  # pasted text may have a byte order mark
    is_position = text.startswith("{")
    try:
        if not is_position and os.path.isdir(record):  # False also for names that no file can have
            game = read_game_of_folder(Path(record), game_id or 0)
        elif game_id is not None:
            raise typer.BadParameter(
                f"{short_repr(record)} is a single game; omit --game-id or give a folder of games",
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
            f"there is no position {at}; positions are numbered 0 to {len(game.moves)}",
            param_hint="--at",
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
    """Compare another move in a position with the recorded one, by games that agents finish.

    Without names the record's agents play. The game's default agent plays for a person.
    """
    # Slow imports are late to keep the shell's completion quick.
    from shakespeare_agents.naming import default
    from shakespeare_research.counterfactual import counterfactual

    position = game.positions[at]
    if move not in position.moves():
        legal = ", ".join(position.moves()) or "none, since the game is over"
        raise typer.BadParameter(
            f"{move!r} is not legal in position {at}; the legal moves are {legal}",
            param_hint="--instead",
        )
    recorded_names = game.names or []
    python_agents = [] if named else names_running_python(recorded_names)
    if python_agents:  # a stranger may have recorded the game
        raise typer.BadParameter(
            f"the record's agent {python_agents[0]!r} is Python code, which a record may not run; "
            f"if you trust it, name the agents yourself: {shlex.join(recorded_names)}",
            param_hint=lineup_options.AGENT,
        )
    finishers = [
        default(position.game) if name == lineup_options.PERSON else name
        for name in named or recorded_names
    ]
    entrants = lineup_options.make_entrants(position.game, finishers, position.players)
    moves = list(dict.fromkeys([*game.moves[at : at + 1], move]))
    with show_games_progress(continuations * len(moves)) as on_progress:
        result = counterfactual(
            position,
            moves,
            entrants,
            continuations=continuations,
            seed=seed,
            on_progress=on_progress,
        )
    typer.echo(f"Position {at}, seat {position.to_move} decides.")
    titled_moves = [("Instead", move)]
    if len(moves) > 1:
        titled_moves.append(("Recorded", moves[0]))
    for title, tried in titled_moves:
        typer.echo(f"{title}: {tried}, {position.describe_move(tried)}")
    # Each measure has a title, the functions for its means and differences, and a factor to print.
    measures = [("Score", result.score, result.score_change, 1)]
    if position.players > 1:
        measures.append(("Wins, %", result.won, result.won_change, 100))
    rows = []
    for title, mean_after, mean_difference, factor in measures:
        for seat, agent in enumerate(result.agents):
            means = [mean_after(tried, seat) for tried in result.moves]
            means += [mean_difference(tried, seat) for tried in result.moves[1:]]
            cells = [_with_margin(mean, factor) for mean in means]
            rows.append([title, str(seat), agent, *cells])
    differences = ["Difference"] * (len(result.moves) - 1)
    printing.print_table(["", "Seat", "Agent", *result.moves, *differences], rows)
    typer.echo(f"Means of {result.continuations} continuations of each move, 95 % intervals.")


def _with_margin(mean: Mean, factor: int) -> str:
    return f"{factor * mean.mean:.2f} ± {factor * (mean.high - mean.low) / 2:.2f}"


def _write_page(game: GameHistory, path: Path, seat: int | None) -> None:
    check_writable(path)
    from shakespeare_env.film import Film, film_page  # not for completion

    try:
        write_output(path, film_page(Film(with_public_names(game), seat=seat)).encode())
    except OSError as error:
        exit_with_error(f"cannot write {path}: {error}")
    typer.echo(f"Wrote {path}; open it in a browser.")


def _walk(game: GameHistory, seat: int | None) -> None:
    from shakespeare_table.cli.person import PlayerLeft, TypedWords  # not for completion

    _bind_keys()
    typed = TypedWords()
    at = 0
    end = len(game.moves)
    _print_position(game, at, seat)
    try:
        while True:
            word = typed.next(f"Position {at} of {end} (? for help): ").lower()
            if word == "q":
                return
            targets = {"n": at + 1, "b": at - 1, "first": 0, "last": end}
            target = targets.get(word, parse_number(word))
            if word == "moves":
                _print_legal(game, at, seat)
            elif target is not None and 0 <= target <= end:
                at = target
                _print_position(game, at, seat)
            else:
                screen.print_wrapped(f"{_HELP} Positions are numbered 0 to {end}.", 0)
                typed.waiting.clear()  # the further words of a line that is not understood
    except (PlayerLeft, KeyboardInterrupt):
        return


def _bind_keys() -> None:
    """Let keys enter words, if lines are edited by GNU Readline."""
    with suppress(ImportError):  # Windows has no such module
        import readline

        for key, word in _KEYS.items():
            # Terminals begin the code of a key with one of these.
            for begin in (r"\e[", r"\eO"):
                readline.parse_and_bind(f'"{begin}{key}": "{word}\\C-m"')


def _print_position(game: GameHistory, at: int, seat: int | None) -> None:
    position = game.positions[at]
    if at:
        printing.print_move(game.lines(at - 1, seat))
    seen = position.to_dict() if seat is None else position.seen_by(seat)
    screen.print_position(position.game, seen)
    where = f"Position {at} of {len(game.moves)}"
    if at:
        last_move, *_ = game.lines(at - 1, seat)
        where += f", after move {' '.join(last_move.split())}"
    if position.to_move is None:
        sheet = game.score_sheet(seat=None) if game.moves else None
        printing.print_scores(position, game.names, sheet)
        screen.print_wrapped(f"{where}.", 2)
        return
    if game.forfeit and at == len(game.moves):
        screen.print_wrapped(f"{where}. {game.forfeit}", 2)
        return
    sentence = f"Seat {position.to_move} decides"
    if game.names is not None:
        sentence += f", played by {game.names[position.to_move]}"
    value = game.values[at] if at < len(game.values) else None
    # A forecast reveals something of the mover's hand, so other seats do not see it.
    if value is not None and seat in (None, position.to_move):
        sentence += f"; expects {value:+.3f}"
    screen.print_wrapped(f"{where}. {sentence}.", 2)


def _print_legal(game: GameHistory, at: int, seat: int | None) -> None:
    position = game.positions[at]
    if seat not in (None, position.to_move) and position.to_move is not None:
        typer.echo(f"Seat {position.to_move} decides; seat {seat} may not see its legal moves.")
    else:
        printing.print_moves(position)
