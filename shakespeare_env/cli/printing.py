"""Tables that more than one command prints."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from shakespeare_env import Position

_NO_LIMIT = 10_000


def print_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table as wide as its cells, without markup."""
    table = Table(*titles)
    for row in rows:
        table.add_row(*map(Text, row))
    # A file or a pipe has no width.
    Console(width=None if sys.stdout.isatty() else _NO_LIMIT).print(table)


def print_reference(
    title: str | None,
    titles: Sequence[str],
    groups: Mapping[str, Sequence[Sequence[str]]],
    *,
    code: int,
    note: str = "",
) -> None:
    """Print a table and a note, as a Markdown page if it has a title; column `code` is code.

    A page has a heading and a table for each of the named groups of rows.
    """
    if title is None:
        print_table(titles, [row for rows in groups.values() for row in rows])
        if note:
            typer.echo(note)
        return
    parts = [f"# {title}", *([note] if note else [])]
    for name, rows in groups.items():
        columns = zip(*rows, strict=True)
        rules = ["---:" if all(map(str.isdigit, column)) else "---" for column in columns]
        quoted = [[*row[:code], f"`{row[code]}`", *row[code + 1 :]] for row in rows]
        cells = [titles, rules, *quoted]
        lines = [
            "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in cells
        ]
        parts += [f"## {name}", "\n".join(lines)]
    typer.echo("\n\n".join(parts))


def print_moves(position: Position) -> None:
    """Print legal moves and what they do."""
    print_table(("Move", "What it does"), _described(position))


def print_numbered_moves(position: Position) -> None:
    """The same, numbered from 1."""
    rows = [(str(number), *row) for number, row in enumerate(_described(position), 1)]
    print_table(("", "Move", "What it does"), rows)


def _described(position: Position) -> list[tuple[str, str]]:
    return [(move, position.describe_move(move)) for move in position.moves()]


def print_played(position: Position, number: int, move: str) -> None:
    """Print the move about to be played."""
    words = position.describe_move(move)
    typer.echo(f"{number:>4}  seat {position.to_move}  {move:<28}  {words}")


def print_played_in_secret(position: Position, number: int) -> None:
    """The same for seats that may not know it."""
    typer.echo(f"{number:>4}  seat {position.to_move}  decides in secret")


def print_scores(position: Position) -> None:
    """Print scores, and at the end winners, or a solo game's target."""
    winners, solo = position.winners, position.players == 1
    rows = [
        (str(seat), str(score), "wins" if winners and not solo and seat in winners else "")
        for seat, score in enumerate(position.scores())
    ]
    title = "Score so far" if winners is None else "Final score"
    print_table(("Seat", title, ""), rows)
    if solo:
        target = f"a good solo game passes {position.game.solo_target:g}"
        if winners is None:
            typer.echo(f"{target.capitalize()}.")
        else:
            typer.echo(f"The game is over: a score of {position.scores()[0]}; {target}.")
