"""`shakespeare actions`: the action table of a game."""

from __future__ import annotations

from typing import Annotated

import typer

from shakespeare_env.cli.choices import DEFAULT_GAME, GameName, find_game
from shakespeare_env.cli.tables import print_table
from shakespeare_env.game import Game


def actions(
    game_name: GameName = DEFAULT_GAME,
    markdown: Annotated[bool, typer.Option("--markdown", help="As a page of Markdown.")] = False,
) -> None:
    """List every action: id, move text and what it does."""
    game = find_game(game_name)
    if markdown:
        typer.echo(_page(game))
    else:
        rows = enumerate(zip(game.actions.texts, game.actions.descriptions, strict=True))
        print_table(("Id", "Move", "What it does"), [(str(i), *texts) for i, texts in rows])


def _page(game: Game) -> str:
    lines = [
        f"# {game.name.capitalize()}: the {game.actions.size} actions",
        "",
        "| Id | Move | What it does |",
        "|---:|---|---|",
    ]
    for index, (text, words) in enumerate(
        zip(game.actions.texts, game.actions.descriptions, strict=True)
    ):
        lines.append(f"| {index} | `{_cell(text)}` | {_cell(words)} |")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
