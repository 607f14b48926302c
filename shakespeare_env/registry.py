"""The games there are, by name."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from shakespeare_env.box_reading import facts_digest
from shakespeare_env.errors import BoxError
from shakespeare_env.game import Game
from shakespeare_env.values import shown

_SEATS = {"shakespeare": range(1, 5), "figaro": range(3, 7)}
"""The games, each a folder of this package, and their seat counts, known before loading."""
DEFAULT = "shakespeare"
"""The game meant where none is named."""


_PACKAGE = Path(__file__).resolve().parent
# Earlier versions took the digest of the file's bytes, of which the bundled boxes had these.
_BUNDLED_BEFORE = {
    "shakespeare": "a34e63ab91d39da8518e0cea06b6420cf8e428c7faf4bc4c92a9f075c53a4423",
    "figaro": "b4c02bcefebd29294c8a08880824acc483abe6fc6fa645bc22fb5d6d2ffa92ab",
}


@dataclass(frozen=True)
class _Loaded:
    game: Game
    box_digest: str
    earlier_digests: frozenset[str]


_loaded: dict[str, _Loaded] = {}


def names() -> tuple[str, ...]:
    """All games."""
    return tuple(_SEATS)


def seats(name: str) -> range:
    """A game's seat counts, without loading it; ValueError if there is no such game."""
    _check_name(name)
    return _SEATS[name]


def game(name: str, box: str | os.PathLike[str] | None = None) -> Game:
    """A game by its name.

    Facts are compiled in, so a process plays a game with one box, the first asked for.

    Args:
        name: One of `names`.
        box: A component file, which environment variable `<NAME>_BOX` may name, too; None means the
            box in force.

    Raises:
        TypeError: the box is no path.
        ValueError: there is no such game.
        BoxError: the box is invalid, or the game is loaded with another.
    """
    if box is not None and not isinstance(box, str | os.PathLike):
        raise TypeError(f"box={shown(box)}: give the path of a component file")
    _check_name(name)
    if name in _loaded:
        if box is not None:
            _check_same(name, Path(box))
    elif box is None:
        _loaded[name] = _load(name)
    else:
        _loaded[name] = _load_with(name, Path(box))
    return _loaded[name].game


def _check_name(name: str) -> None:
    if not isinstance(name, str) or name not in _SEATS:
        raise ValueError(f"there is no game {shown(name)}; there are: {', '.join(names())}")


def box_digest(name: str) -> str:
    """SHA-256 of a box's facts, without comments and sources, when its game was loaded."""
    game(name)
    return _loaded[name].box_digest


def game_saved(name: str, digest: str) -> Game:
    """The game that something was saved from under a digest; BoxError if its facts differ now."""
    if box_digest(name) != current_digest(name, digest):
        raise BoxError(
            f"this was saved from {name} with another box than {_loaded[name].game.box}; "
            f"set {name.upper()}_BOX to the box it was played with"
        )
    return _loaded[name].game


def current_digest(name: str, digest: str) -> str:
    """A digest from an earlier version as `box_digest` gives it now; others unchanged."""
    if name in _SEATS:
        game(name)
        if digest in _loaded[name].earlier_digests:
            return _loaded[name].box_digest
    return digest


def _load(name: str) -> _Loaded:
    loaded: Game = import_module(f"shakespeare_env.{name}.contract").GAME
    digest: str = import_module(f"shakespeare_env.{name}.tables").BOX.digest
    earlier = set()
    # The file may have changed since its facts were loaded.
    with suppress(OSError, BoxError):
        if digest == _digest(name, loaded.box):
            earlier.add(hashlib.sha256(loaded.box.read_bytes()).hexdigest())
    if digest == _digest(name, _PACKAGE / name / "box.toml"):
        earlier.add(_BUNDLED_BEFORE.get(name, digest))
    return _Loaded(loaded, digest, frozenset(earlier))


def _load_with(name: str, box: Path) -> _Loaded:
    """Load a game with a box that processes started later inherit, unless it is refused."""
    variable = f"{name.upper()}_BOX"
    before = os.environ.get(variable)
    os.environ[variable] = str(box.resolve())
    try:
        # Its modules may have been imported by another way than this one.
        _loaded[name] = _load(name)
        _check_same(name, box)
    except BaseException:
        del os.environ[variable]
        if before is not None:
            os.environ[variable] = before
        raise
    return _loaded[name]


def _check_same(name: str, box: Path) -> None:
    loaded = _loaded[name]
    if _digest(name, box) != loaded.box_digest:
        raise BoxError(
            f"{box}: this process already plays {name} with {loaded.game.box}; name the box "
            f"before anything else is made, or set {name.upper()}_BOX to it"
        )


def _digest(name: str, box: Path) -> str:
    return facts_digest(_PACKAGE / name, box)
