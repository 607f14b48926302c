"""The report's colours, in light and in dark, as CSS custom properties."""

from __future__ import annotations

from collections.abc import Mapping

_BLACK, _WHITE = "#161311", "#ffffff"

LIGHT: Mapping[str, str] = {
    "page": "#f7f3eb",
    "panel": "#fffdf9",
    "shade": "#efe8db",
    "line": "#ddd3c2",
    "ink": "#2a2521",
    "muted": "#665c52",
    "accent": "#0b6b63",
    "interval": "#4b968d",
    "bars": "#4b968d",
    "warn": "#9a3d08",
}
DARK: Mapping[str, str] = {
    "page": "#181614",
    "panel": "#211e1c",
    "shade": "#2c2825",
    "line": "#423c36",
    "ink": "#ece6dc",
    "muted": "#b0a698",
    "accent": "#5fd0c3",
    "interval": "#3c8b83",
    "bars": "#3f8079",
    "warn": "#f2a268",
}
"""Texts are ink, muted, accent or warn, on page, panel or shade."""

_ORANGE_TO_BLUE = {
    "light": (
        "#b4540f", "#dd8238", "#efb27a", "#f8dec3", "#f3f0ea",
        "#d3e3f1", "#9cc3e4", "#5f9dd3", "#1f5f9e",
    ),
    "dark": (
        "#f3a968", "#cf7f38", "#8a4c1b", "#55341f", "#2f2b28",
        "#1f3a55", "#28598a", "#5c9cd8", "#97c7f3",
    ),
}  # fmt: skip
"""From worst to best, even in the middle; distinct with every kind of colour blindness."""
STEPS = len(_ORANGE_TO_BLUE["light"])


def heat_step(value: float) -> int:
    """The step, 0 to `STEPS` - 1, of a value from -1 (worst) to 1 (best)."""
    middle = STEPS // 2
    return middle + round(max(-1.0, min(1.0, value)) * middle)


def heat(theme: str) -> list[tuple[str, str]]:
    """The ground and ink of every step; the ink is the one most legible on the ground."""
    return [
        (ground, max(_BLACK, _WHITE, key=lambda ink: contrast(ink, ground)))
        for ground in _ORANGE_TO_BLUE[theme]
    ]


def custom_properties(theme: str) -> str:
    """The declarations of a theme, "light" or "dark"."""
    plain = LIGHT if theme == "light" else DARK
    colours = {**plain}
    for step, (ground, ink) in enumerate(heat(theme)):
        colours[f"heat-{step}"], colours[f"heat-ink-{step}"] = ground, ink
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, 1 to 21 (WCAG 2.2: 4.5 for text, 3 for graphics)."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(part * c for part, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
