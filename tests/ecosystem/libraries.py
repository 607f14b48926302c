"""The libraries that have a recipe in docs/libraries, and a function that runs a recipe."""

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
"""Names of libraries, as in `docs/libraries/<name>.txt`. Their tests begin with `test_<name>`."""


def run(monkeypatch: pytest.MonkeyPatch, name: str, *arguments: str) -> dict[str, Any]:
    """Run a recipe as a user does, and return its global variables."""
    path = str(RECIPES / f"{name}.py")
    monkeypatch.setattr(sys, "argv", [path, *arguments])
    return runpy.run_path(path, run_name="__main__")
