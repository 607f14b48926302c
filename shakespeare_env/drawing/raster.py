"""SVG pictures as pixels, the same on every machine, as only bundled fonts are used.

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
    """Return an SVG document as RGB, uint8[height, width, 3]; transparent parts become white.

    Height and width are even, as video players need: an odd one gains a row or column.
    """
    with requires_extra("render", "pictures as pixels need"):
        from PIL import Image
    drawn: Any = Image.open(io.BytesIO(png(picture, width))).convert("RGBA")
    page = Image.new("RGBA", drawn.size, "white")
    drawn = np.asarray(Image.alpha_composite(page, drawn).convert("RGB"))
    height, width = drawn.shape[:2]
    return np.pad(drawn, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
