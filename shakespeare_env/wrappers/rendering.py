"""A position as text, pixels or in a window."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from shakespeare_env.game import Game, Record

RENDER_MODES = ("ansi", "rgb_array", "human")
RENDER_FPS = 4
"""Frames per second, a decision each, that people can follow."""


class Renderer:
    """Draws a game, secrets included, in the mode it is given.

    "ansi": `render` returns text; "rgb_array": it returns a picture, uint8[height, width, 3];
    "human": it shows the picture in a window; None: it warns.
    """

    def __init__(self, game: Game, mode: str | None) -> None:
        if mode is not None and mode not in RENDER_MODES:
            known = ", ".join(map(repr, RENDER_MODES))
            raise ValueError(f"render_mode={mode!r}: choose None or one of {known}")
        self.mode = mode
        self._game_name = game.name
        self._draw, self._picture = game.presentation.draw, game.presentation.picture
        self._to_dict = game.to_dict
        self._window: Any = None

    def render(self, record: Record) -> str | NDArray[np.uint8] | None:
        """Draw a position.

        Raises:
            ImportError: the extra `render` is not installed.
            RenderError: there is no screen for a window.
        """
        if self.mode is None:
            gymnasium.logger.warn(
                "render() without a render_mode: make the environment with "
                f"one of {', '.join(RENDER_MODES)}"
            )
            return None
        position = self._to_dict(record)
        if self.mode == "ansi":
            return self._draw(position)
        from shakespeare_env.raster import pixels

        picture = pixels(self._picture(position))
        if self.mode == "rgb_array":
            return picture
        if self._window is None:
            from shakespeare_env.wrappers.window import Window

            self._window = Window(self._game_name.capitalize())
        self._window.show(picture)
        return None

    def close(self) -> None:
        """Close the window, if any; the next picture opens another."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        # A window belongs to its process and environment; a copy opens its own.
        return {**self.__dict__, "_window": None}
