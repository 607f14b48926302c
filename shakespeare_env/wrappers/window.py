"""A window that shows one picture after another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.errors import RenderError
from shakespeare_env.extras import how_to_get

try:
    import pygame
except ImportError as fault:
    raise ImportError(f"render_mode='human' needs pygame; {how_to_get('render')}") from fault


class Window:
    """Opened by the first picture, in its size or as large as the screen allows."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._surface: pygame.Surface | None = None
        self._closed = False

    def show(self, picture: NDArray[np.uint8]) -> None:
        """Show a picture, uint8[height, width, 3], unless closed; RenderError without a screen."""
        if self._closed:
            return
        height, width = picture.shape[:2]
        if self._surface is None:
            self._surface = self._open(width, height)
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()
            return
        drawn = pygame.image.frombuffer(picture.tobytes(), (width, height), "RGB")
        pygame.transform.smoothscale(drawn, self._surface.get_size(), self._surface)
        pygame.display.flip()

    def _open(self, width: int, height: int) -> pygame.Surface:
        try:
            pygame.display.init()
            screen_width, screen_height = pygame.display.get_desktop_sizes()[0]
            scale = min(1.0, 0.9 * screen_width / width, 0.9 * screen_height / height)
            surface = pygame.display.set_mode((round(width * scale), round(height * scale)))
        except pygame.error as fault:
            raise RenderError(
                f"no window can be opened here ({fault}); use render_mode='rgb_array' or 'ansi'"
            ) from fault
        pygame.display.set_caption(self._title)
        return surface

    def close(self) -> None:
        """Close the window for good."""
        if self._surface is not None:
            pygame.display.quit()
            self._surface = None
        self._closed = True
