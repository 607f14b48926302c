"""Draw `docs/table.svg`, the picture of the README: `python docs/picture.py`."""

from pathlib import Path

import numpy as np

from shakespeare_env import Position

SEED, MOVES = 1, 134
PICTURE = Path(__file__).with_name("table.svg")


def picture() -> str:
    """A game after some random moves."""
    generator = np.random.default_rng(SEED)
    position = Position.new(players=3, seed=SEED)
    for _ in range(MOVES):
        position.push(str(generator.choice(position.moves())))
    return position.svg() + "\n"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
