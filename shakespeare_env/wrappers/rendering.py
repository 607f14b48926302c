"""A position as text or pixels."""

from __future__ import annotations

import gymnasium
import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.game import Game, Record
from shakespeare_env.drawing.raster import pixels

RENDER_MODES = ("ansi", "rgb_array", "human")
RENDER_FPS = 4
"""Frames per second, a decision each, that people can follow."""


class Renderer:
    """Draws a game, secrets included, in the mode it is given.

    "ansi": `render` returns text; "rgb_array": it returns a picture, uint8[height, width, 3];
    "human": it prints the text; None: it warns.
    """

    def __init__(self, game: Game, mode: str | None) -> None:
        if mode is not None and mode not in RENDER_MODES:
            known = ", ".join(map(repr, RENDER_MODES))
            raise ValueError(f"render_mode={mode!r}: choose None or one of {known}")
        self.mode = mode
        self._draw, self._picture = game.presentation.draw, game.presentation.picture
        self._to_dict = game.to_dict

    def render(self, record: Record) -> str | NDArray[np.uint8] | None:
        """Draw a position; ImportError if a picture needs the extra `render`."""
        if self.mode is None:
            gymnasium.logger.warn(
                "render() without a render_mode: make the environment with "
                f"one of {', '.join(RENDER_MODES)}"
            )
            return None
        position = self._to_dict(record)
        if self.mode == "rgb_array":
            return pixels(self._picture(position))
        text = self._draw(position)
        if self.mode == "ansi":
            return text
        print(text)
        return None
