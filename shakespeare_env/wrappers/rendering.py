"""A position as text, pixels or in a window."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.game import Game, Record
from shakespeare_env.drawing.raster import pixels
from shakespeare_env.errors import RenderError
from shakespeare_env.extras import needing

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
        self._window: _Window | None = None

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
        picture = pixels(self._picture(position))
        if self.mode == "rgb_array":
            return picture
        if self._window is None:
            self._window = _Window(self._game_name.capitalize())
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


class _Window:
    """Shows one picture after another; opened by the first, as large as the screen allows."""

    def __init__(self, title: str) -> None:
        with needing("render", "render_mode='human' needs"):
            import pygame
        self._pygame: Any = pygame
        self._title = title
        self._surface: Any = None
        self._closed = False

    def show(self, picture: NDArray[np.uint8]) -> None:
        """Show a picture, uint8[height, width, 3], unless closed; RenderError without a screen."""
        if self._closed:
            return
        pygame = self._pygame
        height, width = picture.shape[:2]
        if self._surface is None:
            self._open(width, height)
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()
            return
        drawn = pygame.image.frombuffer(picture.tobytes(), (width, height), "RGB")
        pygame.transform.smoothscale(drawn, self._surface.get_size(), self._surface)
        pygame.display.flip()

    def _open(self, width: int, height: int) -> None:
        display = self._pygame.display
        try:
            display.init()
            screen_width, screen_height = display.get_desktop_sizes()[0]
            scale = min(1.0, 0.9 * screen_width / width, 0.9 * screen_height / height)
            self._surface = display.set_mode((round(width * scale), round(height * scale)))
        except self._pygame.error as fault:
            raise RenderError(
                f"no window can be opened here ({fault}); use render_mode='rgb_array' or 'ansi'"
            ) from fault
        display.set_caption(self._title)

    def close(self) -> None:
        """Close the window for good."""
        if self._surface is not None:
            self._pygame.display.quit()
            self._surface = None
        self._closed = True
