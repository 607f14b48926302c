"""Box files: refused with a BoxError, or random games with every number of seats come to an end.

Facts are compiled in, so every box has a process, and plays in the interpreter: what belongs to the
engine is imported by `prepare`, after that is settled.
"""

from __future__ import annotations

import copy
import os
import random
import tempfile
import tomllib
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.fuzz.json_mutations import mutated, places
from tests.fuzz.processes import apart

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
    return f"shakespeare_env.{name}.box_loading"


def check(case: random.Random) -> str:
    name = case.choice(_GAMES)
    data = tomllib.loads((_PACKAGE / name / "box.toml").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "box.toml")
        if case.random() < _VALUES:
            _change_numbers(case, name, data, path)
        else:
            _write(mutated(case, data), path)
        seed = case.randrange(2**32)
        word: str = apart(lambda: _played(name, path, seed))
    return word


def _change_numbers(case: random.Random, name: str, data: Any, path: Path) -> None:
    """Several changes that are all accepted; without any the printed box is played."""
    load_box = import_module(_loading(name)).load_box
    _write(data, path)
    left = case.choice((1, 2, 5, 12))
    for _ in range(_TRIALS):
        changed = copy.deepcopy(data)
        _change_a_number(case, changed)
        _write(changed, path)
        try:
            load_box(path)
        except _errors().BoxError:
            continue
        data, left = changed, left - 1
        if not left:
            break
    _write(data, path)


def _change_a_number(case: random.Random, data: Any) -> None:
    """One number becomes another, or a part of it moves to a second one."""
    numbers = [
        (container, key)
        for container, key in places(data)
        if isinstance(container[key], int) and not isinstance(container[key], bool)
    ]
    container, key = case.choice(numbers)
    if case.random() < 0.3:
        other, place = case.choice(numbers)
        container[key] += 1
        other[place] -= 1
    elif case.random() < 0.6:
        container[key] += case.choice((-2, -1, 1, 2))
    else:
        container[key] = case.choice((0, 1, 2, 3, 4, 6, 8, 10, 12, 20, 50, 99, 100))


def _errors() -> Any:
    return import_module("shakespeare_env.errors")


def _write(data: Any, path: Path) -> None:
    path.write_bytes(_toml(data).encode("utf-8", "surrogatepass"))


def _toml(data: Any) -> str:
    try:
        text: str = import_module("tomlkit").dumps(data)
        return text
    except Exception:  # TOML has no null, no huge floats and no lone surrogates
        return repr(data)


def _played(name: str, path: Path, seed: int) -> str:
    """In a process of its own."""
    warnings.simplefilter("ignore")  # without the compiler, integers warn as they wrap round
    try:
        game = import_module("shakespeare_env.registry").game(name, path)
    except _errors().BoxError:
        return "refused"
    play = import_module("tests.fuzz.play")
    for players in range(game.min_seats, game.max_seats + 1):
        for options in ({}, *({option: True} for option in game.options)):
            if all(players in game.options[option] for option in options):
                position = play.Position.new(name, players=players, seed=seed, **options)
                play.play_out(random.Random(seed), position)
    return "played"
