"""Draw `docs/table.svg`, the picture of the README: `python docs/picture.py`."""

import io
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.text import Text

from shakespeare_env import Position

SEED, MOVES = 3, 118


def main() -> None:
    """Play some random moves and draw the table."""
    generator = np.random.default_rng(SEED)
    position = Position.new(players=3, seed=SEED)
    for _ in range(MOVES):
        position.push(str(generator.choice(position.moves())))
    drawing = str(position)
    width = max(map(len, drawing.splitlines()))
    console = Console(record=True, width=width, file=io.StringIO())
    console.print(Text(drawing))
    console.save_svg(str(Path(__file__).parent / "table.svg"), title="print(position)")


if __name__ == "__main__":
    main()
