"""Box files: refused with a BoxError, or random games with every number of seats come to an end.

Facts are compiled in, so every box has a process, and plays in the interpreter: what belongs to the
engine is imported by `prepare`, after that is settled.
"""

from __future__ import annotations

import os
import random
import tempfile
import tomllib
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.fuzz.campaign import apart
from tests.fuzz.json_mutations import accepted, mutated, places

PATIENCE = 60.0
_PACKAGE = Path(__file__).resolve().parents[3] / "shakespeare_env"
_GAMES = ("shakespeare", "figaro")
_TRIALS = 15
_VALUES = 0.8
"""The share of cases that change numbers alone, to what is accepted."""


def prepare() -> None:
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    for module in ("numba", "numpy", "tomlkit", "shakespeare_env", *map(_loading, _GAMES)):
        import_module(module)


def _loading(name: str) -> str:
    return f"shakespeare_env.{name}.box.loading"


def check(case: random.Random) -> str:
    name = case.choice(_GAMES)
    data = tomllib.loads((_PACKAGE / name / "box.toml").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "box.toml")

        def loads(data: Any) -> bool:
            _write(data, path)
            try:
                import_module(_loading(name)).load_box(path)
            except _box_error():
                return False
            return True

        if case.random() < _VALUES:
            data = accepted(case, data, _change_a_number, loads, trials=_TRIALS)
        else:
            data = mutated(case, data)
        _write(data, path)
        seed = case.randrange(2**32)
        word: str = apart(_played, name, path, seed)
    return word


def _change_a_number(case: random.Random, data: Any) -> None:
    """One number becomes another, or a part of it moves to a second one."""
    numbers = [(c, k) for _, c, k in places(data) if type(c[k]) is int]
    container, key = case.choice(numbers)
    if case.random() < 0.3:
        other, place = case.choice(numbers)
        container[key] += 1
        other[place] -= 1
    elif case.random() < 0.6:
        container[key] += case.choice((-2, -1, 1, 2))
    else:
        container[key] = case.choice((0, 1, 2, 3, 4, 6, 8, 10, 12, 20, 50, 99, 100))


def _box_error() -> Any:
    return import_module("shakespeare_env.errors").BoxError


def _write(data: Any, path: Path) -> None:
    try:
        text: str = import_module("tomlkit").dumps(data)
    except Exception:  # TOML has no null, no huge floats and no lone surrogates
        text = repr(data)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))


def _played(name: str, path: Path, seed: int) -> str:
    """In a process of its own."""
    warnings.simplefilter("ignore")  # without the compiler, integers warn as they wrap round
    try:
        game = import_module("shakespeare_env.core.registry").game(name, path)
    except _box_error():
        return "refused"
    play = import_module("tests.fuzz.play")
    for players in range(game.min_seats, game.max_seats + 1):
        for options in ({}, *({option: True} for option in game.options)):
            if all(players in game.options[option] for option in options):
                position = play.Position.new(name, players=players, seed=seed, **options)
                play.play_out(random.Random(seed), position)
    return "played"
