"""Box files: refused with a BoxError, or random games with every number of seats come to an end.

Facts are compiled in, so every box has a process, and plays in the interpreter.
"""

from __future__ import annotations

import os
import random
import tempfile
import tomllib
import warnings
from pathlib import Path
from typing import Any

from tests.fuzz.json_mutations import mutated, places
from tests.fuzz.processes import apart

_PACKAGE = Path(__file__).resolve().parents[3] / "shakespeare_env"
_GAMES = ("shakespeare", "figaro")
_VALUES = 0.7
"""The share of cases that change numbers alone, which are accepted most often."""


def prepare() -> None:
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    import numba
    import numpy
    import tomlkit

    assert "shakespeare_env.registry" not in __import__("sys").modules
    del numba, numpy, tomlkit


def check(case: random.Random) -> str:
    name = case.choice(_GAMES)
    data = tomllib.loads((_PACKAGE / name / "box.toml").read_text(encoding="utf-8"))
    if case.random() < _VALUES:
        for _ in range(case.choice((1, 1, 2, 5))):
            _change_a_number(case, data)
    else:
        data = mutated(case, data)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "box.toml")
        path.write_bytes(_toml(data).encode("utf-8", "surrogatepass"))
        seed = case.randrange(2**32)
        return apart(lambda: _played(name, path, seed))


def _change_a_number(case: random.Random, data: Any) -> None:
    numbers = [
        (container, key)
        for container, key in places(data)
        if isinstance(container[key], int) and not isinstance(container[key], bool)
    ]
    container, key = case.choice(numbers)
    old = container[key]
    container[key] = case.choice(
        (*(0, 1, 2, 3, 4, 6, 8, 10, 12, 20, 50, 99, 100), old + 1, old + 1, old - 1, old - 1, -old)
    )


def _toml(data: Any) -> str:
    import tomlkit

    try:
        return tomlkit.dumps(data)
    except Exception:  # TOML has no null, no huge floats and no lone surrogates
        return repr(data)


def _played(name: str, path: Path, seed: int) -> str:
    """In a process of its own."""
    warnings.simplefilter("ignore")  # without the compiler, integers warn as they wrap round
    from shakespeare_env import registry
    from shakespeare_env.errors import BoxError
    from tests.fuzz.play import play_out

    try:
        game = registry.game(name, path)
    except BoxError:
        return "refused"
    from shakespeare_env import Position

    for players in range(game.min_seats, game.max_seats + 1):
        for options in ({}, *({option: True} for option in game.options)):
            if all(players in game.options[option] for option in options):
                position = Position.new(name, players=players, seed=seed, **options)
                play_out(random.Random(seed), position)
    return "played"
