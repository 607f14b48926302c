"""What a target is, and the cases it is given.

A target is a module of `targets/` with two functions:
    prepare()     Makes what all cases share: positions to start from, compiled code.
    check(case)   Builds one input from the generator and feeds it.  Returns a word for the
                  statistics, such as "refused" or "played"; all that escapes is a finding.
A slow one says after how many seconds a case of its own hangs: PATIENCE.

A case is known by target, seed and number alone: it is the same in every process.
"""

from __future__ import annotations

import random
from importlib import import_module
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "targets"


def names() -> list[str]:
    """All targets."""
    return sorted(path.stem for path in FOLDER.glob("[a-z]*.py"))


def target(name: str) -> Any:
    """A target by its name; a dotted name is that of a module elsewhere."""
    return import_module(name if "." in name else f"tests.fuzz.targets.{name}")


def generator(name: str, seed: int, number: int) -> random.Random:
    """What a case is drawn from."""
    return random.Random(f"{name}/{seed}/{number}")
