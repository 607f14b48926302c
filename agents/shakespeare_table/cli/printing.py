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
"""The columns by which the further lines of a long effect are indented more than its first."""
_MAX_MOVE_LINES = 12
"""Up to this number of moves, each has a line in words. More moves share lines, in notation."""


def print_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table as wide as its cells need. Cells may hold brackets, which are no markup."""
    table = Table(*titles)
    for row in rows:
        table.add_row(*map(screen.coloured, row))
    screen.console().print(table)


def print_move(lines: Sequence[str]) -> None:
    """Print a move and its effects, as `GameHistory.lines` words them."""
    for line in lines:
        screen.print_wrapped(line, INDENT + _HANGING)


def print_moves(position: Position, *, numbered: bool = False) -> None:
    """Print legal moves with their descriptions in a table, and their numbers if `numbered`."""
    titles = ["Move", "Description"]
    rows = [[move, position.describe_move(move)] for move in position.moves()]
    if numbered:
        titles = ["", *titles]
        rows = [[str(number), *row] for number, row in enumerate(rows, 1)]
    print_table(titles, rows)


def move_lines(position: Position, width: int) -> list[str]:
    """Return the legal moves as lines, numbered from 1.

    Up to `_MAX_MOVE_LINES` moves have a line each, in words. More moves stand side by side, in
    notation.
    """
    numbered = list(enumerate(position.moves(), 1))
    if len(numbered) <= _MAX_MOVE_LINES:
        return [
            f"{number:>3}. {position.describe_move(move)}  ({move})" for number, move in numbered
        ]
    # A cell holds a number of three digits, ". ", the move, and two spaces.
    cell_width = max(len(move) for _, move in numbered) + 7
    cells = [f"{number:>3}. {move}".ljust(cell_width) for number, move in numbered]
    columns = max(1, width // cell_width)
    return ["".join(cells[at : at + columns]).rstrip() for at in range(0, len(cells), columns)]


def print_scores(
    position: Position,
    names: Sequence[str] | None = None,
    sheet: Sequence[tuple[str, Sequence[int]]] | None = None,
) -> None:
    """Print a table with the parts of all scores, a column for each seat, and the winners.

    Args:
        position: The position. In a solo game the target for a good score is printed as well.
        names: The players' names by seat, if known.
        sheet: The rows of the score sheet, each with a source and the points by seat. None means
            the rows that can be read from the position alone.
    """
    winners = position.winners
    is_solo = position.players == 1
    is_over = position.to_move is None
    if sheet is None:
        sheet = position.game.presentation.score_sheet(position.to_dict())
    titles = [f"seat {seat}" for seat in range(position.players)]
    if names:
        titles = [f"{title}\n{name}" for title, name in zip(titles, names, strict=True)]
    rows = [[source, *map(str, points)] for source, points in sheet]
    part_count = len(rows)
    rows.append(["Final score" if is_over else "Score so far", *map(str, position.scores())])
    if winners and not is_solo:
        seats = range(position.players)
        rows.append([""] + ["wins" if seat in winners else "" for seat in seats])

    seat_columns = [
        Column(screen.coloured(title), justify="right", overflow="fold") for title in titles
    ]
    table = Table("", *seat_columns)
    for number, row in enumerate(rows, 1):
        is_last_part = number == part_count  # a line separates the parts from the sum
        table.add_row(*map(screen.coloured, row), end_section=is_last_part)
    screen.console().print(table)
    if is_solo:
        target = f"a good solo game passes {position.game.solo_target:g}"
        if is_over:
            typer.echo(f"The game is over: a score of {position.scores()[0]}; {target}.")
        else:
            typer.echo(f"{target.capitalize()}.")
