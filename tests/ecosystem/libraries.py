"""The libraries with a recipe in docs/libraries, and recipes run as a user runs them."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "docs" / "libraries"


class Library(NamedTuple):
    """A library with a recipe.

    Attributes:
        key: Of `docs/libraries/<key>.txt`, what is installed, and of its tests: `test_<key>...`.
        title: Its name.
        distributions: Whose versions make up its own.
    """

    key: str
    title: str
    distributions: tuple[str, ...]


LIBRARIES = (
    Library("sb3", "Stable-Baselines3, sb3-contrib", ("stable-baselines3", "sb3-contrib")),
    Library("cleanrl", "PPO in one file", ("torch",)),
    Library("torchrl", "TorchRL", ("torchrl",)),
    Library("tianshou", "Tianshou", ("tianshou",)),
    Library("rllib", "RLlib", ("ray",)),
    Library("supersuit", "SuperSuit", ("supersuit",)),
    Library("openspiel", "OpenSpiel", ("open-spiel",)),
    Library("onnxruntime", "ONNX Runtime", ("onnx", "onnxruntime")),
    Library("optuna", "Optuna", ("optuna",)),
)


def run(monkeypatch: pytest.MonkeyPatch, name: str, *arguments: str) -> dict[str, Any]:
    """What a recipe's names stand for at its end."""
    path = str(RECIPES / f"{name}.py")
    monkeypatch.setattr(sys, "argv", [path, *arguments])
    return runpy.run_path(path, run_name="__main__")
