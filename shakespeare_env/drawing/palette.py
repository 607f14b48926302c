"""Colours that pictures of all games share."""

PAGE, PANEL, SHADE, LINE = "#f3eee4", "#fffdf9", "#e9e2d5", "#cfc5b4"
INK, MUTED, FAINT = "#2a2521", "#6b6157", "#81776b"
GOLD, STONE, NEUTRAL = "#d9a21b", "#b9b0a3", "#8b8680"
PAPER, ON_LIGHT = "#fffdf8", "#2a2520"
"""As `PANEL` and `INK`, but the same in a dark theme: on grounds that keep their colour there."""
