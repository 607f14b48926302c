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
"""The game that is played by default."""

_SEATS = {"shakespeare": range(1, 5), "figaro": range(3, 7)}
"""The seat counts of this package's games, which are known before a game is loaded."""
_VARIANTS = {"shakespeare": ("strategic_rest",)}
"""The variants of this package's games that have any, known before a game is loaded."""
_PACKAGE = Path(__file__).resolve().parents[1]
_WRAPPERS = "shakespeare_env.wrappers"

_IN_FILES = "SHAKESPEARE_GAMES"
"""The environment variable that passes games in files on to later processes, one line for each."""

_loaded: dict[str, Game] = {}
_in_files: dict[str, str] = {}  # by game: the file and the name there, such as `my.py:GAME`
_others_registered = False  # whether `_find_installed` has registered the games of others
_loading = threading.RLock()


def names() -> tuple[str, ...]:
    """Return the names of all games: the package's own, installed ones, and registered ones."""
    _find_installed()
    registered = [name for name in _loaded if name not in _SEATS]
    return (*_SEATS, *registered)


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
    """Make a game available by its name in this process, and return it.

    A game that is redefined in the same file or notebook replaces the former one. Installed
    packages name their games in the entry point group `shakespeare_env.games`.

    Raises:
        ValueError: another game has this name.
    """
    former = _loaded.get(game.name)
    if game.name in _SEATS or (former is not None and not is_same_source(former.box, game.box)):
        raise ValueError(f"there is a game {game.name!r} already; give yours another name")
    if former is None:
        _register_views(game.name, range(game.min_seats, game.max_seats + 1))
    _loaded[game.name] = game
    return game


def _find_installed() -> None:
    """Register the games of installed packages, and of files that the parent process named.

    This happens once in a process.

    Raises:
        GameError: a game cannot be loaded.
    """
    global _others_registered
    if _others_registered:
        return
    _others_registered = True  # set before the imports, since they may call `names`
    for entry in entry_points(group="shakespeare_env.games"):
        try:
            register(entry.load())
        except Exception as fault:
            _others_registered = False
            raise GameError(
                f"{entry.value}, a game of an installed package, cannot be loaded: {fault}; mend "
                "or uninstall the package"
            ) from fault

    for reference in os.environ.get(_IN_FILES, "").splitlines():
        from_file(reference)


def resolve(text: str) -> Game:
    """Return a game by its name, or load it from a file named as `my.py:GAME`.

    Raises:
        ValueError: there is no such game or file.
        GameError: the file cannot be imported.
    """
    return from_file(text) if is_file_reference(text) else game(text)


def is_file_reference(text: object) -> bool:
    """Return whether a text names a game in a file, as `my.py:GAME`."""
    return isinstance(text, str) and text.rpartition(":")[0].endswith(".py")


def from_file(text: str) -> Game:
    """Load and register a game named as `my.py:GAME`, here and in processes that are started later.

    Errors are those of `resolve`.
    """
    source, _, attribute = text.rpartition(":")
    file = Path(source).resolve()
    if not file.is_file():
        raise ValueError(f"there is no file {source!r}; give the path of a file that exists")
    try:
        module = load_file(file)
    except (Exception, SystemExit) as fault:
        lines = [frame.lineno for frame in own_frames(fault)]
        line = lines[-1] if lines else getattr(fault, "lineno", None)
        where = source if line is None else f"{source}, line {line}"
        raise GameError(f"{where}: {type(fault).__name__}: {fault}; mend the file") from fault
    loaded = getattr(module, attribute, None)
    if not isinstance(loaded, Game):
        games = [name for name, value in vars(module).items() if isinstance(value, Game)]
        remedy = f"name one of its games: {', '.join(games)}" if games else "make one with `define`"
        raise ValueError(f"{attribute!r} is no game of {source}; {remedy}")

    register(loaded)
    reference = f"{file}:{attribute}"
    _in_files[loaded.name] = reference
    references = os.environ.get(_IN_FILES, "").splitlines()
    if reference not in references:
        os.environ[_IN_FILES] = "\n".join([*references, reference])
    return loaded


def game_argument(name: str) -> str:
    """Return a game's argument for the option `--game`: its name, or its file as `my.py:GAME`."""
    return _in_files.get(name, name)


def game_file_options() -> list[str]:
    """Return options `--game my.py:GAME` for all games that were loaded from files."""
    options: list[str] = []
    for reference in _in_files.values():
        options += ["--game", reference]
    return options


def _register_views(name: str, seat_counts: range) -> None:
    """Register Gymnasium's `<Name>-v0` and `<Name>-Solo-v0`, and PettingZoo's `<name>_v0`."""
    arguments_by_suffix: dict[str, dict[str, Any]] = {"": {}}
    if 1 in seat_counts:
        arguments_by_suffix["-Solo"] = {"players": 1}
    for suffix, arguments in arguments_by_suffix.items():
        gymnasium.register(
            f"{name.capitalize()}{suffix}-v0",
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

    A box is a file of the facts that are printed on a game's components. They are compiled into the
    rules, so a process plays a game with one box only: the first that is asked for, or the one that
    the environment variable `<NAME>_BOX` names. Processes that are started later play with the same
    box.

    Args:
        name: The game's name.
        box: The box to play with; None accepts any.

    Raises:
        TypeError: the box is no path.
        ValueError: there is no such game.
        BoxError: the box is invalid, or the game is already loaded with another one.
    """
    _check_name(name)
    wanted = None if box is None else Path(box)
    variable = f"{name.upper()}_BOX"
    with _loading:  # otherwise a thread could load a game with another thread's box
        before = os.environ.get(variable)
        try:
            if name not in _loaded:
                if wanted is not None:
                    os.environ[variable] = str(wanted.resolve())
                _loaded[name] = import_module(f"shakespeare_env.{name}.contract").GAME
            # The game may have been loaded before, with another box.
            if wanted is not None and _digest_of(name, wanted) != _loaded[name].digest:
                if wanted.resolve() == _loaded[name].box.resolve():
                    raise BoxError(
                        f"{box}: the file has changed since this process began to play {name} with "
                        "it; start Python anew to play with the file as it is now"
                    )
                raise BoxError(
                    f"{box}: this process already plays {name} with {_loaded[name].box}; name the "
                    f"box before the game is first used, or set {variable} to it"
                )
        except BaseException:  # later processes must not inherit a box that was refused
            os.environ.pop(variable, None)
            if before is not None:
                os.environ[variable] = before
            raise
    return _loaded[name]


def _digest_of(name: str, box: Path) -> str:
    """Return the digest that a game has if it is played with this box."""
    if has_box(name):
        return box_files.facts_digest(_PACKAGE / name, box)
    if box.resolve() == _loaded[name].box.resolve():
        return _loaded[name].digest
    return ""  # a game without a box has only its own file, so no other file matches


def _check_name(name: str) -> None:
    if not isinstance(name, str) or (name not in _SEATS and name not in names()):
        question = did_you_mean(name, names()) if isinstance(name, str) else ""
        known = ", ".join(names())
        raise ValueError(
            f"there is no game {short_repr(name)}{question}; there are: {known}; give one of your "
            "own as --game FILE.py:GAME, or `register` it"
        )


def has_box(name: str) -> bool:
    """Return whether a game has a box, which users can replace.

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
    """Return the box file that a game is or will be played with, without loading the game."""
    _check_name(name)
    if name in _loaded:
        return _loaded[name].box
    return box_files.box_in_force(_PACKAGE / name, f"{name.upper()}_BOX")


def box_digest(name: str) -> str:
    """Return the SHA-256 of the facts that a game is played with, without their sources."""
    return game(name).digest


def game_with_digest(name: str, digest: str) -> Game:
    """Return a game whose box must have this digest; BoxError if it has other facts."""
    loaded = game(name)
    fault = box_mismatch(name, digest)
    if fault is not None:
        raise BoxError(f"this comes from {name}, {fault}")
    return loaded


def box_mismatch(name: str, digest: str, copy: Path | None = None) -> str | None:
    """Return why something made with one box cannot be used with the box in force.

    The game is not loaded.

    Args:
        name: The game.
        digest: The digest of the box that the thing was made with.
        copy: A kept copy of that box, if there is one.

    Returns:
        The fault with the remedy, or None if both boxes have the same facts.

    Raises:
        ValueError: there is no such game.
        BoxError: the box in force cannot be read.
    """
    box = box_in_force(name)
    digest_in_force = _loaded[name].digest if name in _loaded else _digest_of(name, box)
    if digest == digest_in_force:
        return None
    if not has_box(name):
        return f"made with another version of {box}; use the file it was made with"
    remedy = f"set {name.upper()}_BOX to {copy or 'the box it was made with'}"
    return f"made with another box than {box}, which is in force; {remedy}"


for _name, _seat_counts in _SEATS.items():
    _register_views(_name, _seat_counts)
