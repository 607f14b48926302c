"""Draw the learning curve of the checkpoint that comes along: `python docs/learning_curve.py`."""

from __future__ import annotations

from pathlib import Path

from agents.checkpoint import read_card
from agents.registry import shipped_checkpoint
from shakespeare_env import registry
from training.curves import draw_curves
from training.history import History

HERE = Path(__file__).parent
GOOD_PLAY = {4: 22.0, 3: 24.0, 2: 26.0, 1: 30.0}
"""Winning scores of good human play by the rule book."""


def main(game: str = "shakespeare") -> None:
    """Draw it beside this file."""
    card = read_card(shipped_checkpoint(registry.game(game)))
    history = History.from_json(card.figures["history"])
    title = f"The {game} player that comes along, seed {card.settings['seed']}"
    draw_curves(history, HERE / "learning_curve.png", title=title, targets=GOOD_PLAY)


if __name__ == "__main__":
    main()
