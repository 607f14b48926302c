"""Axes of figures: where values stand, in percent of the width, and round numbers beside them."""

from __future__ import annotations

from shakespeare_env.drawing.chart import Axis, linear, logarithmic

__all__ = ["Axis", "linear", "logarithmic"]
