"""Make what docs/ shows from code: `make docs`.

For every game these are a table in play, a detail of it, and the bundled network's calibration. The
examples about strategy are run, and what they print is written into their page.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np

from shakespeare_agents.networks.checkpoint import bundled_checkpoint, bundled_versions, read_card
from shakespeare_env import Position
from shakespeare_env.core import registry
from shakespeare_research.calibration import forecasts
from shakespeare_research.plots import plot_calibration

HERE = Path(__file__).parent
N_SEATS = 3
"""The number of seats in the picture, if the game allows it."""
SEED = 1
SHARE = 0.76
"""The share of a random game that is played before its table is drawn."""
CALIBRATION_GAMES = 500
DETAIL = {"shakespeare": (12, 106, 810, 678), "figaro": (20, 266, 518, 452)}
"""A part of the table that is legible at page width, by game: left, top, width, height."""


def table(game: str) -> str:
    """Return a random game in progress as an SVG document."""
    generator = np.random.default_rng(SEED)
    seats = registry.seats(game)
    position = Position.new(game, players=min(max(N_SEATS, seats[0]), seats[-1]), seed=SEED)
    positions = [position.copy()]
    while position.to_move is not None:
        position.push(str(generator.choice(position.moves())))
        positions.append(position.copy())
    return positions[int(SHARE * len(positions))].svg() + "\n"


def detail(game: str) -> str:
    """Return the table, cropped to the game's rectangle in `DETAIL` if it has one."""
    if game not in DETAIL:
        return table(game)
    left, top, width, height = DETAIL[game]
    window = f'viewBox="{left} {top} {width} {height}" width="{width}" height="{height}"'
    return re.sub(r'viewBox="[^"]+" width="\d+" height="\d+"', window, table(game), count=1)


PICTURES: dict[str, Callable[[str], str]] = {"table.svg": table, "detail.svg": detail}
"""The functions that draw the SVG files of every game, by file name."""


def calibration(name: str) -> None:
    """Draw the calibration of the newest bundled network, if it forecasts results."""
    game = registry.game(name)
    if not bundled_versions(game):
        return
    if not read_card(bundled_checkpoint(game)).heads:  # the heads that forecast results
        return
    version = int(bundled_checkpoint(game).name)
    players = game.max_seats
    rows = forecasts(name, players=players, games=CALIBRATION_GAMES, player="network")
    title = f"Forecasts of the bundled {name} network, version {version}, at {players} seats"
    (HERE / name / "calibration.png").write_bytes(plot_calibration(rows, title=title).png())


STRATEGY = HERE / "strategy.md"
ANSWERED = re.compile(r"```python\n(?P<code>.*?)```\n\n```text\n.*?```", re.DOTALL)
"""An example and the block of what it prints."""


def with_answers(page: str) -> str:
    """Return a page with what its examples print."""

    def run(example: re.Match[str]) -> str:
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(example["code"], "<example>", "exec"), {})
        return f"```python\n{example['code']}```\n\n```text\n{printed.getvalue()}```"

    return ANSWERED.sub(run, page)


def main() -> None:
    """Write the pictures of every game, and the answers about strategy."""
    STRATEGY.write_text(with_answers(STRATEGY.read_text("utf-8")), encoding="utf-8")
    for name in registry.names():
        (HERE / name).mkdir(exist_ok=True)
        for file, draw in PICTURES.items():
            (HERE / name / file).write_text(draw(name), encoding="utf-8")
        calibration(name)


if __name__ == "__main__":
    main()
