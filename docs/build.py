"""Write the pages and pictures that are made from code: `python docs/build.py` (or `make docs`).

For every game, in a folder of its own: the action table, the layout of observations, a table in
play, and how the player that comes along has learnt.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from typer.testing import CliRunner

from shakespeare_agents.checkpoint import read_card
from shakespeare_agents.registry import shipped_checkpoint
from shakespeare_env import Position, registry
from shakespeare_env.cli import app
from shakespeare_training.runs.curves import draw_curves
from shakespeare_training.runs.history import History

HERE = Path(__file__).parent
FEW, SEED, SHARE = 3, 1, 0.76
"""The game that is drawn: its seats, if it is for so many, and how much has been played."""


def page(game: str, command: str) -> str:
    """What a command prints about a game as Markdown."""
    said = CliRunner().invoke(app, [command, "--game", game, "--markdown"], catch_exceptions=False)
    return said.output


def table(game: str) -> str:
    """A game under way, played at random, as an SVG document."""
    generator = np.random.default_rng(SEED)
    seats = registry.seats(game)
    position = Position.new(game, players=min(max(FEW, seats[0]), seats[-1]), seed=SEED)
    course = [position.copy()]
    while position.to_move is not None:
        position.push(str(generator.choice(position.moves())))
        course.append(position.copy())
    return course[int(SHARE * len(course))].svg() + "\n"


PAGES: dict[str, Callable[[str], str]] = {
    "actions.md": lambda game: page(game, "actions"),
    "observation.md": lambda game: page(game, "observation"),
    "table.svg": table,
}
"""What there is of every game, by file."""


def learning_curve(name: str) -> None:
    """Draw how the player that comes along has learnt, if there is one."""
    game = registry.game(name)
    if not shipped_checkpoint(game).is_dir():
        return
    card = read_card(shipped_checkpoint(game))
    draw_curves(
        History.from_json(card.figures["history"]),
        HERE / name / "learning_curve.png",
        title=f"The {name} player that comes along, seed {card.settings['seed']}",
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
