"""Draw the pages' pictures that are made from code: `make docs`.

Per game: a table in play with a detail, and the bundled network's calibration.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from shakespeare_agents.networks.checkpoint import bundled_checkpoint, bundled_versions, read_card
from shakespeare_env import Position
from shakespeare_env.core import registry
from shakespeare_research.calibration import forecasts
from shakespeare_research.plots import plot_calibration

HERE = Path(__file__).parent
N_SEATS, SEED, SHARE = 3, 1, 0.76
"""The drawn game: its seats if allowed, its seed, and the share of it played."""
CALIBRATION_GAMES = 500
DETAIL = {"shakespeare": (12, 106, 810, 678), "figaro": (20, 266, 518, 452)}
"""What is legible at page width: left, top, width, height."""


def table(game: str) -> str:
    """A random game in progress, as an SVG document."""
    generator = np.random.default_rng(SEED)
    seats = registry.seats(game)
    position = Position.new(game, players=min(max(N_SEATS, seats[0]), seats[-1]), seed=SEED)
    played = [position.copy()]
    while position.to_move is not None:
        position.push(str(generator.choice(position.moves())))
        played.append(position.copy())
    return played[int(SHARE * len(played))].svg() + "\n"


def detail(game: str) -> str:
    """The table cropped to `DETAIL`, if listed there."""
    if game not in DETAIL:
        return table(game)
    left, top, width, height = DETAIL[game]
    window = f'viewBox="{left} {top} {width} {height}" width="{width}" height="{height}"'
    return re.sub(r'viewBox="[^"]+" width="\d+" height="\d+"', window, table(game), count=1)


PICTURES: dict[str, Callable[[str], str]] = {"table.svg": table, "detail.svg": detail}
"""Files made for every game."""


def calibration(name: str) -> None:
    """Draw what the newest bundled network's forecasts are worth, if it has heads."""
    game = registry.game(name)
    if not bundled_versions(game) or not read_card(bundled_checkpoint(game)).heads:
        return
    version, players = int(bundled_checkpoint(game).name), game.max_seats
    rows = forecasts(name, players=players, games=CALIBRATION_GAMES, player="network")
    title = f"Forecasts of the bundled {name} network, version {version}, at {players} seats"
    (HERE / name / "calibration.png").write_bytes(plot_calibration(rows, title=title).png())


def main() -> None:
    """Write everything."""
    for name in registry.names():
        (HERE / name).mkdir(exist_ok=True)
        for file, made in PICTURES.items():
            (HERE / name / file).write_text(made(name), encoding="utf-8")
        calibration(name)


if __name__ == "__main__":
    main()
