"""Tables that more than one command prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import typer
from rich.table import Column, Table

from shakespeare_env.cli import screen
from shakespeare_env.game_log import INDENT, GameLog, in_brackets

if TYPE_CHECKING:
    from shakespeare_env import Position

_HANGING = 2
"""Columns of further indent for the rest of a long line of a log."""


def print_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table as wide as its cells, without markup."""
    table = Table(*titles)
    for row in rows:
        table.add_row(*map(screen.coloured, row))
    screen.console().print(table)


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


def tell_move(log: GameLog, before: Position, number: int, move: str, after: Position) -> None:
    """Print a move, numbered from 1, and its effects."""
    first, *effects = log.lines(before, number, move, after)
    if len(first) > screen.size()[0]:  # words say enough
        first = first.removesuffix(in_brackets(move))
    for line in (first, *effects):
        screen.tell_wrapped(line, INDENT + _HANGING)


def print_moves(position: Position) -> None:
    """Print legal moves and what they do."""
    print_table(("Move", "What it does"), _described(position))


def print_numbered_moves(position: Position) -> None:
    """Print legal moves, numbered from 1, and what they do."""
    rows = [(str(number), *row) for number, row in enumerate(_described(position), 1)]
    print_table(("", "Move", "What it does"), rows)


def _described(position: Position) -> list[tuple[str, str]]:
    return [(move, position.describe_move(move)) for move in position.moves()]


def print_scores(
    position: Position,
    names: Sequence[str] | None = None,
    sheet: Sequence[tuple[str, Sequence[int]]] | None = None,
) -> None:
    """Print the parts of all scores, a column per seat, and who has won.

    Args:
        position: The position; a solo game's score is measured against its target.
        names: The players' names by seat, if known.
        sheet: (source, points by seat), if more is known than the position says.
    """
    winners, solo, over = position.winners, position.players == 1, position.to_move is None
    if sheet is None:
        sheet = position.game.presentation.score_sheet(position.to_dict())
    titles = [
        f"seat {other}\n{names[other]}" if names else f"seat {other}"
        for other in range(position.players)
    ]
    rows = [(source, *map(str, points)) for source, points in sheet]
    last = [("Final score" if over else "Score so far", *map(str, position.scores()))]
    if winners and not solo:
        last.append(("", *("wins" if other in winners else "" for other in range(len(titles)))))
    table = Table(
        "", *(Column(screen.coloured(title), justify="right", overflow="fold") for title in titles)
    )
    for number, row in enumerate([*rows, *last], 1):
        table.add_row(*map(screen.coloured, row), end_section=number == len(rows))
    screen.console().print(table)
    if solo:
        target = f"a good solo game passes {position.game.solo_target:g}"
        if over:
            typer.echo(f"The game is over: a score of {position.scores()[0]}; {target}.")
        else:
            typer.echo(f"{target.capitalize()}.")
