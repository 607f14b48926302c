"""Printed moves, scores and tables that several commands share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import typer
from rich.table import Column, Table

from shakespeare_env.play.history import INDENT
from shakespeare_table.cli import screen

if TYPE_CHECKING:
    from shakespeare_env import Position

_HANGING = 2
"""The columns by which the rest of a long line of a log is indented further."""
_FEW = 12
"""The most moves that have a line each in a numbered list."""


def print_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table as wide as its cells, without markup."""
    table = Table(*titles)
    for row in rows:
        table.add_row(*map(screen.coloured, row))
    screen.console().print(table)


def print_move(lines: Sequence[str]) -> None:
    """Print a move and its effects, as `GameHistory.lines` words them."""
    for line in lines:
        screen.print_wrapped(line, INDENT + _HANGING)


def print_moves(position: Position, *, numbered: bool = False) -> None:
    """Print legal moves and their effects in a table, with their numbers if `numbered`."""
    rows = [
        (str(number), move, position.describe_move(move))
        for number, move in enumerate(position.moves(), 1)
    ]
    first = 0 if numbered else 1
    print_table(("", "Move", "What it does")[first:], (row[first:] for row in rows))


def move_lines(position: Position, width: int) -> list[str]:
    """Return lines of legal moves, numbered from 1: few in words, many side by side as texts."""
    numbered = list(enumerate(position.moves(), 1))
    if len(numbered) <= _FEW:
        return [
            f"{number:>3}. {position.describe_move(move)}  ({move})" for number, move in numbered
        ]
    cell_width = max(len(move) for _, move in numbered) + 7
    cells = [f"{number:>3}. {move}".ljust(cell_width) for number, move in numbered]
    across = max(1, width // cell_width)
    return ["".join(cells[at : at + across]).rstrip() for at in range(0, len(cells), across)]


def print_scores(
    position: Position,
    names: Sequence[str] | None = None,
    sheet: Sequence[tuple[str, Sequence[int]]] | None = None,
) -> None:
    """Print the parts of all scores with a column per seat, and who has won.

    Args:
        position: The position. A solo game's score is compared with its target.
        names: The players' names by seat, if known.
        sheet: Pairs of a source and its points by seat. None means what the position says.
    """
    winners = position.winners
    solo = position.players == 1
    over = position.to_move is None
    if sheet is None:
        sheet = position.game.presentation.score_sheet(position.to_dict())
    titles = [f"seat {seat}" for seat in range(position.players)]
    if names:
        titles = [f"{title}\n{name}" for title, name in zip(titles, names, strict=True)]
    rows = [[source, *map(str, points)] for source, points in sheet]
    parts = len(rows)
    rows.append(["Final score" if over else "Score so far", *map(str, position.scores())])
    if winners and not solo:
        seats = range(position.players)
        rows.append([""] + ["wins" if seat in winners else "" for seat in seats])

    columns = [Column(screen.coloured(title), justify="right", overflow="fold") for title in titles]
    table = Table("", *columns)
    for number, row in enumerate(rows, 1):
        table.add_row(*map(screen.coloured, row), end_section=number == parts)
    screen.console().print(table)
    if solo:
        target = f"a good solo game passes {position.game.solo_target:g}"
        if over:
            typer.echo(f"The game is over: a score of {position.scores()[0]}; {target}.")
        else:
            typer.echo(f"{target.capitalize()}.")
