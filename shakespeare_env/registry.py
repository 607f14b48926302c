"""The games there are, by name."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

from shakespeare_env.errors import BoxError
from shakespeare_env.game import Game

_CONTRACTS = {"shakespeare": "shakespeare_env.shakespeare.contract"}
"""Where each game fills in the contract; a game is loaded when it is first asked for."""
SOLO = ("shakespeare",)
"""The games that one seat can play."""
_loaded: dict[str, Game] = {}


def names() -> tuple[str, ...]:
    """The names of all games."""
    return tuple(_CONTRACTS)


def game(name: str, box: str | os.PathLike[str] | None = None) -> Game:
    """A game by its name.

    The printed facts of a game are compiled into its rules, so a process plays a game with one box
    alone: the first that was asked for.

    Args:
        name: As `names` lists it.
        box: A component file in place of the package's own; what the variable `<NAME>_BOX` of the
            environment says, too.  None means the box in force.

    Raises:
        ValueError: there is no such game.
        BoxError: the file cannot be played with, or the game is already loaded with another box.
    """
    if name not in _CONTRACTS:
        raise ValueError(f"there is no game {name!r}; there are: {', '.join(names())}")
    if name in _loaded:
        if box is not None:
            _check_same(_loaded[name], Path(box))
    elif box is None:
        _loaded[name] = import_module(_CONTRACTS[name]).GAME
    else:
        _loaded[name] = _load_with(name, Path(box))
    return _loaded[name]


def _load_with(name: str, box: Path) -> Game:
    """Load a game with a box; processes that are started later inherit it."""
    variable = f"{name.upper()}_BOX"
    before = os.environ.get(variable)
    os.environ[variable] = str(box.resolve())
    try:
        loaded: Game = import_module(_CONTRACTS[name]).GAME
    except BaseException:
        del os.environ[variable]
        if before is not None:
            os.environ[variable] = before
        raise
    return loaded


def _check_same(loaded: Game, box: Path) -> None:
    """Refuse a box other than the one a game was loaded with."""
    try:
        same = box.read_bytes() == loaded.box.read_bytes()
    except OSError as fault:
        raise BoxError(f"{box}: cannot be read ({fault}); give the path of a box file") from fault
    if not same:
        raise BoxError(
            f"{box}: this process already plays {loaded.name} with {loaded.box}; name the box "
            f"before anything else is made, or set {loaded.name.upper()}_BOX to it"
        )
