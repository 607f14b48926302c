"""The libraries with a recipe in docs/libraries, and recipes run as a user runs them."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "docs" / "libraries"
PINNED = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
_MINUTES = 20


class Library(NamedTuple):
    """A library with a recipe.

    Attributes:
        key: Of `docs/libraries/<key>.txt`, what is installed, and of its tests: `test_<key>...`.
        title: Its name.
    """

    key: str
    title: str


LIBRARIES = (
    Library("sb3", "Stable-Baselines3, sb3-contrib"),
    Library("cleanrl", "PPO in one file"),
    Library("torchrl", "TorchRL"),
    Library("tianshou", "Tianshou"),
    Library("rllib", "RLlib"),
    Library("supersuit", "SuperSuit"),
    Library("openspiel", "OpenSpiel"),
    Library("onnxruntime", "ONNX Runtime"),
    Library("optuna", "Optuna"),
)


def run(monkeypatch: pytest.MonkeyPatch, name: str, *arguments: str) -> dict[str, Any]:
    """What a recipe's names stand for at its end."""
    path = str(RECIPES / f"{name}.py")
    monkeypatch.setattr(sys, "argv", [path, *arguments])
    return runpy.run_path(path, run_name="__main__")


def python_of(folder: Path) -> Path:
    """The Python of an environment."""
    return folder / "bin" / "python"


def installed(python: Path, *wanted: object) -> str | None:
    """What pip says if it cannot install that into an environment."""
    # Python compiles what is imported, a small part of what is installed.
    done = ended(python, "-m", "pip", "install", "--quiet", "--no-compile", *wanted)
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR: ")]
    why = " ".join(errors or ["no reason given"])[:300]
    return f"pip cannot install it: {why}" if done.returncode else None


def ended(
    *command: object, cwd: Path = ROOT, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """A command and all it says; it is ended after twenty minutes."""
    words = [str(word) for word in command]
    try:
        return subprocess.run(
            words, cwd=cwd, env=env, capture_output=True, text=True, check=False,
            timeout=60 * _MINUTES,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        fault = f"ERROR: not done after {_MINUTES} minutes"
        return subprocess.CompletedProcess(words, -1, "", fault)
