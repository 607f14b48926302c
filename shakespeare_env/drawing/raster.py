"""SVG pictures as pixels, which are the same on every machine, since the fonts are bundled.

Both functions raise ModuleNotFoundError without the extra `render`.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.extras import requires_extra
from shakespeare_env.fonts import FILES


def png(picture: str, width: int | None = None) -> bytes:
    """Return an SVG document as a PNG file, by default with a pixel per unit of the picture."""
    with requires_extra("render", "pictures as pixels need"):
        import resvg_py
    return resvg_py.svg_to_bytes(
        svg_string=picture,
        width=width,
        skip_system_fonts=True,
        font_files=[str(path) for path in FILES.values()],
        sans_serif_family="DejaVu Sans",
    )


def pixels(picture: str, width: int | None = None) -> NDArray[np.uint8]:
    """Return an SVG document as RGB, uint8[height, width, 3], with white for transparent parts.

    If the height or width is odd, a row or column is added, since video players need even sizes.
    """
    with requires_extra("render", "pictures as pixels need"):
        from PIL import Image
    drawn: Any = Image.open(io.BytesIO(png(picture, width))).convert("RGBA")
    page = Image.new("RGBA", drawn.size, "white")
    drawn = np.asarray(Image.alpha_composite(page, drawn).convert("RGB"))
    height, width = drawn.shape[:2]
    return np.pad(drawn, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
