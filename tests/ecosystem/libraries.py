"""The libraries with a recipe in docs/libraries, and recipes run as a user runs them."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "docs" / "libraries"
LIBRARIES = sorted(path.stem for path in RECIPES.glob("*.txt"))
"""Names of libraries, as in `docs/libraries/<name>.txt`, with which names of tests begin."""


def run(monkeypatch: pytest.MonkeyPatch, name: str, *arguments: str) -> dict[str, Any]:
    """Run a recipe, and return its names and their values at its end."""
    path = str(RECIPES / f"{name}.py")
    monkeypatch.setattr(sys, "argv", [path, *arguments])
    return runpy.run_path(path, run_name="__main__")
