"""Draw `docs/table.svg`, the picture of the README: `python docs/picture.py`."""

from pathlib import Path

import numpy as np

from shakespeare_env import Position
from shakespeare_env.shakespeare.drawing.picture import picture

SEED, MOVES = 1, 134


def main() -> None:
    """Play some random moves and draw the table."""
    generator = np.random.default_rng(SEED)
    position = Position.new(players=3, seed=SEED)
    for _ in range(MOVES):
        position.push(str(generator.choice(position.moves())))
    (Path(__file__).parent / "table.svg").write_text(
        picture(position.to_dict()) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
