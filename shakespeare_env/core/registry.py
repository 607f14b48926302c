"""The registry of games by name, which also registers them with Gymnasium and PettingZoo."""

from __future__ import annotations

import os
import threading
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import gymnasium
import pettingzoo

from shakespeare_env.checks import box_files
from shakespeare_env.checks.values import did_you_mean, short_repr
from shakespeare_env.core.game import Game
from shakespeare_env.errors import BoxError, GameError, own_frames
from shakespeare_env.own_files import load_file
from shakespeare_env.sources import is_same_source

DEFAULT = "shakespeare"
"""The game that is played if none is named."""

_SEATS = {"shakespeare": range(1, 5), "figaro": range(3, 7)}
"""The games of this package, each a folder, with their seat counts, known before loading."""
_VARIANTS = {"shakespeare": ("strategic_rest",)}
"""The variants of the games that have any, known before loading."""
_PACKAGE = Path(__file__).resolve().parents[1]
_WRAPPERS = "shakespeare_env.wrappers"

_IN_FILES = "SHAKESPEARE_GAMES"
"""The environment variable that names games in files, a line each, to processes started later."""

_loaded: dict[str, Game] = {}
_in_files: dict[str, str] = {}  # game -> the file and the name in it that it was loaded by
_others_found = False
_loading = threading.RLock()


def names() -> tuple[str, ...]:
    """Return all games: the package's, installed ones, and those this process has registered."""
    _find_installed()
    return (*_SEATS, *(name for name in _loaded if name not in _SEATS))


def seats(name: str) -> range:
    """Return a game's seat counts, without loading it; ValueError if there is no such game."""
    _check_name(name)
    if name not in _SEATS:
        return range(_loaded[name].min_seats, _loaded[name].max_seats + 1)
    return _SEATS[name]


def variants(name: str) -> tuple[str, ...]:
    """Return a game's variants, without loading it; ValueError if there is no such game."""
    _check_name(name)
    return _VARIANTS.get(name, ()) if name in _SEATS else tuple(_loaded[name].options)


def register(game: Game) -> Game:
    """Make a game known by its name in this process, and return it.

    A game that is redefined in the same file or notebook replaces the former one. Installed
    packages name their games in the entry point group `shakespeare_env.games`.

    Raises:
        ValueError: another game has this name.
    """
    known = _loaded.get(game.name)
    if game.name in _SEATS or (known is not None and not is_same_source(known.box, game.box)):
        raise ValueError(f"there is a game {game.name!r} already; give yours another name")
    if known is None:
        _register_views(game.name, range(game.min_seats, game.max_seats + 1))
    _loaded[game.name] = game
    return game


def _find_installed() -> None:
    """Register the games of installed packages, and of files that an earlier process named.

    This happens once in a process.

    Raises:
        GameError: a game cannot be loaded.
    """
    global _others_found
    if _others_found:
        return
    _others_found = True  # first, since their imports may ask for names
    for entry in entry_points(group="shakespeare_env.games"):
        try:
            register(entry.load())
        except Exception as fault:
            _others_found = False
            raise GameError(
                f"{entry.value}, a game of an installed package, cannot be loaded: {fault}; mend "
                "or uninstall the package"
            ) from fault

    for named_before in os.environ.get(_IN_FILES, "").splitlines():
        from_file(named_before)


def resolve(text: str) -> Game:
    """Return a game by its name, or load it by its file and its name there, as `my.py:GAME`.

    Raises:
        ValueError: there is no such game or file.
        GameError: the file cannot be imported.
    """
    return from_file(text) if is_file_reference(text) else game(text)


def is_file_reference(text: object) -> bool:
    """Return whether a text names a game by its file, as `my.py:GAME`."""
    return isinstance(text, str) and text.rpartition(":")[0].endswith(".py")


def from_file(text: str) -> Game:
    """Load and register a game named as `my.py:GAME`, for processes that are started later, too.

    Errors are those of `resolve`.
    """
    source, _, attribute = text.rpartition(":")
    file = Path(source).resolve()
    if not file.is_file():
        raise ValueError(f"there is no file {source!r}; give the path of a file that exists")
    try:
        module = load_file(file)
    except (Exception, SystemExit) as fault:
        lines = [step.lineno for step in own_frames(fault)] or [getattr(fault, "lineno", None)]
        line = "" if lines[-1] is None else f", line {lines[-1]}"
        raise GameError(
            f"{source}{line}: {type(fault).__name__}: {fault}; mend the file"
        ) from fault
    found = getattr(module, attribute, None)
    if not isinstance(found, Game):
        games = [name for name, value in vars(module).items() if isinstance(value, Game)]
        known = f"name one of its games: {', '.join(games)}" if games else "make one with `define`"
        raise ValueError(f"{attribute!r} is no game of {source}; {known}")
    register(found)
    _in_files[found.name] = f"{file}:{attribute}"
    before = os.environ.get(_IN_FILES, "").splitlines()
    os.environ[_IN_FILES] = "\n".join(dict.fromkeys([*before, _in_files[found.name]]))
    return found


def game_argument(name: str) -> str:
    """Return what names a game to another process as `--game`: its name, or `my.py:GAME`."""
    return _in_files.get(name, name)


def game_file_options() -> list[str]:
    """Return options that name to another command the games this process was given by file."""
    return [word for place in _in_files.values() for word in ("--game", place)]


def _register_views(name: str, counts: range) -> None:
    """Register Gymnasium's `<Name>-v0` and `<Name>-Solo-v0`, and PettingZoo's `<name>_v0`."""
    single_agent: dict[str, dict[str, Any]] = {"": {}}
    if 1 in counts:
        single_agent["-Solo"] = {"players": 1}
    for kind, arguments in single_agent.items():
        gymnasium.register(
            f"{name.capitalize()}{kind}-v0",
            entry_point=f"{_WRAPPERS}.gym:SingleAgentEnv",
            vector_entry_point=f"{_WRAPPERS}.gym:SingleAgentVectorEnv",
            kwargs={"game": name, **arguments},
        )
    if hasattr(pettingzoo, "register"):  # since 1.27
        for kind, function in (("aec", "env"), ("parallel", "parallel_env")):
            entry_point = f"{_WRAPPERS}.aec:{function}"
            pettingzoo.register(kind, f"{name}_v0", entry_point=entry_point, kwargs={"game": name})


def game(name: str, box: str | os.PathLike[str] | None = None) -> Game:
    """Return a game by its name.

    Printed facts are compiled in, so a process plays a game with one box: the first that it is
    asked for, or the one that the environment variable `<NAME>_BOX` names. Processes that are
    started later play with it, too.

    Args:
        name: The game's name.
        box: The component file to play with; None takes any.

    Raises:
        TypeError: the box is no path.
        ValueError: there is no such game.
        BoxError: the box is invalid, or the game is loaded with another one.
    """
    _check_name(name)
    wanted = None if box is None else Path(box)
    variable = f"{name.upper()}_BOX"
    with _loading:  # otherwise a thread might take another thread's box for its own
        before = os.environ.get(variable)
        try:
            if name not in _loaded:
                if wanted is not None:
                    os.environ[variable] = str(wanted.resolve())
                # Its modules may have been imported some other way, with another box.
                _loaded[name] = import_module(f"shakespeare_env.{name}.contract").GAME
            if wanted is not None and _digest_of(name, wanted) != _loaded[name].digest:
                if wanted.resolve() == _loaded[name].box.resolve():
                    raise BoxError(
                        f"{box}: the file has changed since this process began to play {name} with "
                        "it; start Python anew to play with the file as it is now"
                    )
                raise BoxError(
                    f"{box}: this process already plays {name} with {_loaded[name].box}; name the "
                    f"box before anything else is made, or set {variable} to it"
                )
        except BaseException:  # a box that is refused is not inherited
            os.environ.pop(variable, None)
            if before is not None:
                os.environ[variable] = before
            raise
    return _loaded[name]


def _digest_of(name: str, box: Path) -> str:
    if has_box(name):
        return box_files.facts_digest(_PACKAGE / name, box)
    return _loaded[name].digest if box.resolve() == _loaded[name].box.resolve() else ""


def _check_name(name: str) -> None:
    if not isinstance(name, str) or (name not in _SEATS and name not in names()):
        question = did_you_mean(name, names()) if isinstance(name, str) else ""
        known = ", ".join(names())
        raise ValueError(
            f"there is no game {short_repr(name)}{question}; there are: {known}; give one of your "
            "own as --game FILE.py:GAME, or `register` it"
        )


def has_box(name: str) -> bool:
    """Return whether a game has a box, which owners can replace.

    Raises:
        ValueError: there is no such game.
    """
    _check_name(name)
    return name in _SEATS


def folder(name: str) -> Path:
    """Return the folder of a game's own box, rules and notation; ValueError if it has no box."""
    if not has_box(name):
        raise ValueError(f"{name} has no box; its facts are in {_loaded[name].box}")
    return _PACKAGE / name


def own_box(name: str) -> Path:
    """Return the box that comes with a game, or the file that defines a game without a box."""
    return folder(name) / "box.toml" if has_box(name) else _loaded[name].box


def box_in_force(name: str) -> Path:
    """Return the box file that a game is, or would be, played with, without loading the game."""
    _check_name(name)
    if name in _loaded:
        return _loaded[name].box
    return box_files.box_in_force(_PACKAGE / name, f"{name.upper()}_BOX")


def box_digest(name: str) -> str:
    """Return the SHA-256 of the facts that a game was loaded with, without their sources."""
    return game(name).digest


def game_with_digest(name: str, digest: str) -> Game:
    """Return the game that something was saved from; BoxError if its facts are others now."""
    loaded = game(name)
    if fault := box_mismatch(name, digest):
        raise BoxError(f"this comes from {name}, {fault}")
    return loaded


def box_mismatch(name: str, digest: str, copy: Path | None = None) -> str | None:
    """Return why something made with a box cannot be used with the one in force, and the remedy.

    The game is not loaded.

    Args:
        name: The game.
        digest: The digest of the box that it was made with.
        copy: A file of that box, if one was kept.

    Returns:
        The fault in words, or None if both boxes have the same facts.

    Raises:
        ValueError: there is no such game.
        BoxError: the box in force cannot be read.
    """
    box = box_in_force(name)
    if digest == (_loaded[name].digest if name in _loaded else _digest_of(name, box)):
        return None
    if not has_box(name):
        return f"made with another version of {box}; use the file it was made with"
    remedy = f"set {name.upper()}_BOX to {copy or 'the box it was made with'}"
    return f"made with another box than {box}, which is in force; {remedy}"


for _name, _counts in _SEATS.items():
    _register_views(_name, _counts)
