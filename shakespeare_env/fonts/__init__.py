"""The fonts that pictures are set in, and how wide a text is in them.

They are shipped so that pictures look the same on every machine, and measured without a font
library.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

Weight = Literal["normal", "bold"]

FAMILY = "DejaVu Sans, Verdana, sans-serif"
"""The font family; Verdana is about as wide, for machines without DejaVu Sans."""

_FOLDER = Path(__file__).parent
FILES: dict[Weight, Path] = {
    "normal": _FOLDER / "DejaVuSans.ttf",
    "bold": _FOLDER / "DejaVuSans-Bold.ttf",
}


_MEASURED = json.loads((_FOLDER / "widths.json").read_text(encoding="utf-8"))
_WIDTHS: dict[Weight, dict[str, int]] = {
    weight: dict(zip(_MEASURED["characters"], _MEASURED[weight], strict=True)) for weight in FILES
}
_UNKNOWN = 1000  # thousandths of the size; other scripts may be as wide as they are high


def width(text: str, size: float, weight: Weight = "normal") -> float:
    """Return the width of a line of text, in the unit of the font size."""
    advances = _WIDTHS[weight]
    return size / 1000 * sum(advances.get(character, _UNKNOWN) for character in text)
