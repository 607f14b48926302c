"""The libraries with a recipe in docs/libraries, and recipes run as a user runs them."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "docs" / "libraries"
LIBRARIES = {
    "sb3": "Stable-Baselines3, sb3-contrib",
    "cleanrl": "PPO in one file",
    "torchrl": "TorchRL",
    "tianshou": "Tianshou",
    "rllib": "RLlib",
    "supersuit": "SuperSuit",
    "openspiel": "OpenSpiel",
    "onnxruntime": "ONNX Runtime",
    "optuna": "Optuna",
}
"""Titles by key, that of `docs/libraries/<key>.txt`, what is installed, and of its tests."""


def run(monkeypatch: pytest.MonkeyPatch, name: str, *arguments: str) -> dict[str, Any]:
    """What a recipe's names stand for at its end."""
    path = str(RECIPES / f"{name}.py")
    monkeypatch.setattr(sys, "argv", [path, *arguments])
    return runpy.run_path(path, run_name="__main__")
