"""The recipes of docs/libraries, run as a user runs them."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "libraries"


def run(monkeypatch: pytest.MonkeyPatch, name: str, *arguments: str) -> dict[str, Any]:
    """What a recipe's names stand for at its end."""
    path = str(FOLDER / f"{name}.py")
    monkeypatch.setattr(sys, "argv", [path, *arguments])
    return runpy.run_path(path, run_name="__main__")
