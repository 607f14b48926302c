"""Write the pages and pictures that are made from code: `python docs/build.py` (or `make docs`).

For every game, in a folder of its own: the action table, the observation layout, a table in play
with a detail of it, and the learning curve of the bundled network.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
from typer.testing import CliRunner

from shakespeare_agents.checkpoint import read_card
from shakespeare_agents.registry import bundled_checkpoint
from shakespeare_env import Position, registry
from shakespeare_env.cli import app
from shakespeare_training.runs.curves import draw_curves
from shakespeare_training.runs.history import History

HERE = Path(__file__).parent
N_SEATS, SEED, SHARE = 3, 1, 0.76
"""The game that is drawn: its seats where it takes so many, and how much of it has been played."""
DETAIL = {"shakespeare": (12, 60, 964, 777), "figaro": (14, 848, 1242, 374)}
"""The part of a table that can be read at the width of a page: left, top, width, height."""


def page(game: str, command: str) -> str:
    """What a command prints about a game, as Markdown."""
    return (
        CliRunner()
        .invoke(app, [command, "--game", game, "--markdown"], catch_exceptions=False)
        .output
    )


def table(game: str) -> str:
    """A game in progress, played at random, as an SVG document."""
    generator = np.random.default_rng(SEED)
    seats = registry.seats(game)
    position = Position.new(game, players=min(max(N_SEATS, seats[0]), seats[-1]), seed=SEED)
    played = [position.copy()]
    while position.to_move is not None:
        position.push(str(generator.choice(position.moves())))
        played.append(position.copy())
    return played[int(SHARE * len(played))].svg() + "\n"


def detail(game: str) -> str:
    """The table again, cut down to `DETAIL`; a game that is not there has all of it."""
    if game not in DETAIL:
        return table(game)
    left, top, width, height = DETAIL[game]
    return re.sub(
        r'viewBox="[^"]+" width="\d+" height="\d+"',
        f'viewBox="{left} {top} {width} {height}" width="{width}" height="{height}"',
        table(game),
        count=1,
    )


PAGES: dict[str, Callable[[str], str]] = {
    "actions.md": lambda game: page(game, "actions"),
    "observation.md": lambda game: page(game, "observation"),
    "table.svg": table,
    "detail.svg": detail,
}
"""What is made for every game, by file."""


def learning_curve(name: str) -> None:
    """Draw the learning curve of the bundled network, if there is one."""
    game = registry.game(name)
    if not bundled_checkpoint(game).is_dir():
        return
    card = read_card(bundled_checkpoint(game))
    draw_curves(
        History.from_json(card.figures["history"]),
        HERE / name / "learning_curve.png",
        title=f"The bundled {name} network, seed {card.settings['seed']}",
        targets=game.good_scores,
    )


def main() -> None:
    """Write everything."""
    for name in registry.names():
        (HERE / name).mkdir(exist_ok=True)
        for file, made in PAGES.items():
            (HERE / name / file).write_text(made(name), encoding="utf-8")
        learning_curve(name)


if __name__ == "__main__":
    main()
