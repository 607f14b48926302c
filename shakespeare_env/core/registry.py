"""Games by name."""

from __future__ import annotations

import hashlib
import linecache
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

from shakespeare_env.checks.box_entries import Wanted, ignore_entry
from shakespeare_env.checks.box_files import box_paths, digest_of_all, facts_digest
from shakespeare_env.checks.values import meant, shown
from shakespeare_env.core import registration
from shakespeare_env.core.game import Game
from shakespeare_env.errors import BoxError, GameError
from shakespeare_env.own_files import load_file

_SEATS = {"shakespeare": range(1, 5), "figaro": range(3, 7)}
"""The games, each a folder of this package, and their seat counts, known before loading."""
_VARIANTS = {"shakespeare": ("strategic_rest",)}
"""The variants of games that have any, known before loading."""
DEFAULT = "shakespeare"
"""The game played where none is named."""


_PACKAGE = Path(__file__).resolve().parents[1]

GAMES_VARIABLE = "SHAKESPEARE_ENV_GAMES"
"""The environment variable that names games in files, one FILE:NAME a line, to processes
started later."""
_ENTRY_POINTS = "shakespeare_env.games"


@dataclass(frozen=True)
class _Loaded:
    game: Game
    box_digests: tuple[str, ...]

    @property
    def box_digest(self) -> str:
        """One digest of all boxes in force."""
        return digest_of_all(self.box_digests)


_loaded: dict[str, _Loaded] = {}
_files: dict[str, str] = {}
_others_found = False


def names() -> tuple[str, ...]:
    """All games: the package's, installed ones, and those that this process has registered."""
    _find_others()
    return (*_SEATS, *(name for name in _loaded if name not in _SEATS))


def seats(name: str) -> range:
    """A game's seat counts, without loading it; ValueError if there is no such game."""
    _check_name(name)
    if name not in _SEATS:
        game = _loaded[name].game
        return range(game.min_seats, game.max_seats + 1)
    return _SEATS[name]


def variants(name: str) -> tuple[str, ...]:
    """A game's variants, without loading it; ValueError if there is no such game."""
    _check_name(name)
    return _VARIANTS.get(name, ()) if name in _SEATS else tuple(_loaded[name].game.options)


def register(game: Game) -> Game:
    """Make a game known by its name in this process; return it.

    Whatever is saved of it holds a digest of its source, as of other games' boxes. A game redefined
    in the same file or notebook replaces the former one. Installed packages name their games under
    the entry point group `shakespeare_env.games`.

    Raises:
        ValueError: there is another game of this name.
    """
    source = "".join(linecache.getlines(str(game.box)))  # works for a notebook's cells, too
    digest = hashlib.sha256(source.encode()).hexdigest()
    known = _loaded.get(game.name)
    if game.name in _SEATS or (known is not None and not _same_place(known.game.box, game.box)):
        raise ValueError(f"there is a game {game.name!r} already; give yours another name")
    registration.register(game.name, range(game.min_seats, game.max_seats + 1))
    _loaded[game.name] = _Loaded(game, (digest,))
    return game


def _same_place(one: Path, other: Path) -> bool:
    """Whether two sources are one file, or cells of one notebook, which are no files."""
    cells = one.parent == other.parent and not (one.exists() or other.exists())
    return cells or one.resolve() == other.resolve()


def register_file(given: str) -> Game:
    """Register a game that a file holds, given as FILE:NAME, here and for processes started later.

    Raises:
        ValueError: it is not of this form, or the file holds no game of this name.
        OSError: the file cannot be read. Whatever the file raises is raised, too.
    """
    path, _, attribute = given.rpartition(":")
    if not path.endswith(".py") or not attribute.isidentifier():
        raise ValueError(f"{given!r}: write FILE.py:NAME, the name of a game in the file")
    if not Path(path).is_file():
        raise FileNotFoundError(f"{path}: there is no such file")
    module = load_file(Path(path))
    found = getattr(module, attribute, None)
    if not isinstance(found, Game):
        raise ValueError(f"{path} has no game {attribute}; make one with `define`")
    register(found)
    others = [one for one in os.environ.get(GAMES_VARIABLE, "").splitlines() if one]
    entry = f"{Path(path).resolve()}:{attribute}"
    if entry not in others:
        os.environ[GAMES_VARIABLE] = "\n".join([*others, entry])
    _files[found.name] = entry
    return found


def called(name: str) -> str:
    """A game's name in commands: FILE:NAME for one that this process has from a file."""
    return _files.get(name, name)


def has_box(name: str) -> bool:
    """Whether a game has a box, which owners can replace; ValueError if there is no such game."""
    _check_name(name)
    return name in _SEATS


def _find_others() -> None:
    """Register installed games, and those that the environment names, once a process.

    Raises:
        GameError: one cannot be loaded; whoever asks again is told again.
    """
    global _others_found
    if _others_found:
        return
    _others_found = True  # first, since their imports may ask for names
    try:
        for entry in entry_points(group=_ENTRY_POINTS):
            with _named(f"{entry.value}, a game of an installed package", "mend or uninstall it"):
                register(entry.load())
        for given in os.environ.get(GAMES_VARIABLE, "").splitlines():
            if given:
                with _named(f"{GAMES_VARIABLE}={given!r}", "correct or unset the variable"):
                    register_file(given)
    except BaseException:
        _others_found = False
        raise


@contextmanager
def _named(source: str, remedy: str) -> Iterator[None]:
    """Say where a game that cannot be loaded was named."""
    try:
        yield
    except Exception as fault:
        raise GameError(f"{source}: {fault}; {remedy}") from fault


def game(name: str, box: str | os.PathLike[str] | None = None) -> Game:
    """A game by its name.

    Facts are compiled in, so a process plays a game with the box first asked for, or with those
    that the environment variable `<NAME>_BOX` names: several files, separated as in PATH, or a
    folder of them, are in force together.

    Args:
        name: One of `names`.
        box: A component file in force; None means whatever is in force.

    Raises:
        TypeError: the box is no path.
        ValueError: there is no such game.
        BoxError: the box is invalid, or the game is loaded with another.
    """
    if box is not None and not isinstance(box, str | os.PathLike):
        raise TypeError(f"box={shown(box)}: give the path of a component file")
    _check_name(name)
    if name not in _loaded:
        if box is None or len(boxes_in_force(name)) > 1:
            _loaded[name] = _load(name)
        else:
            return put_in_force(name, [Path(box)])
    if box is not None:
        _check_same(name, Path(box))
    return _loaded[name].game


def put_in_force(name: str, boxes: Sequence[Path]) -> Game:
    """Play a game with these boxes, here and in processes started later.

    Raises:
        ValueError: there is no such game.
        BoxError: a box is invalid, or the game is loaded with others.
    """
    _check_name(name)
    if name not in _loaded:
        _loaded[name] = _load_with(name, boxes)
    for box in boxes:
        _check_same(name, box)
    loaded = _loaded[name]
    if has_box(name) and tuple(_digest(name, box) for box in boxes) != loaded.box_digests:
        raise BoxError(
            f"this process plays {name} with other boxes than these {len(boxes)}, or in another "
            "order; name them before anything else is made"
        )
    return loaded.game


def box_number(name: str, box: str | os.PathLike[str] | None) -> int:
    """The place of a box among those in force, 0 for None; errors as for `game`."""
    loaded = game(name, box)
    if box is None or len(loaded.boxes) == 1:
        return 0
    return _loaded[name].box_digests.index(_digest(name, Path(box)))


def _check_name(name: str) -> None:
    if not isinstance(name, str) or (name not in _SEATS and name not in names()):
        question = meant(name, names()) if isinstance(name, str) else ""
        known = ", ".join(names())
        raise ValueError(f"there is no game {shown(name)}{question}; there are: {known}")


def _check_has_box(name: str) -> None:
    if not has_box(name):
        raise ValueError(f"{name} has no box: its facts are in {_loaded[name].game.box}")


def folder(name: str) -> Path:
    """The folder of a game's own box, rules and notation; ValueError if it has no box."""
    _check_has_box(name)
    return _PACKAGE / name


def own_box(name: str) -> Path:
    """The box that comes with a game, or the file that defines a game without a box."""
    return folder(name) / "box.toml" if has_box(name) else _loaded[name].game.box


def read_box(name: str, path: Path, noted: Callable[[Wanted], None] = ignore_entry) -> None:
    """Check a box file as the game does, without loading the game.

    Args:
        name: One of `names`.
        path: The file.
        noted: Called with every entry that it may hold, as far as it is read.

    Raises:
        ValueError: there is no such game, or it has no box.
        BoxError: The file cannot be read, or an entry is wrong.
    """
    _check_has_box(name)
    import_module(f"shakespeare_env.{name}.box.loading").load_box(path, noted)


def box_in_force(name: str) -> Path:
    """The first box file that a game is, or would be, played with; the game is not loaded."""
    return boxes_in_force(name)[0]


def boxes_in_force(name: str) -> tuple[Path, ...]:
    """The box files that a game is, or would be, played with; the game is not loaded.

    Raises:
        ValueError: there is no such game.
        BoxError: the environment variable names no box.
    """
    _check_name(name)
    if name in _loaded:
        return _loaded[name].game.boxes
    return box_paths(_PACKAGE / name, f"{name.upper()}_BOX")


def box_words(name: str) -> Mapping[str, str]:
    """The names of the entries of a game's box, from `<game>/words.toml`."""
    _check_has_box(name)
    words: Mapping[str, str] = tomllib.loads((folder(name) / "words.toml").read_text("utf-8"))[
        "box"
    ]
    return words


def box_digest(name: str) -> str:
    """SHA-256 of the facts in force, without comments and sources, when the game was loaded."""
    game(name)
    return _loaded[name].box_digest


def box_digests(name: str) -> tuple[str, ...]:
    """The same for each box in force."""
    game(name)
    return _loaded[name].box_digests


def digest_in_force(name: str) -> str:
    """What `box_digest` is, or would be; the game is not loaded. Errors as of `boxes_in_force`."""
    if name in _loaded:
        return _loaded[name].box_digest
    return digest_of_all([_digest(name, path) for path in boxes_in_force(name)])


def _load(name: str) -> _Loaded:
    loaded: Game = import_module(f"shakespeare_env.{name}.contract").GAME
    boxes = import_module(f"shakespeare_env.{name}.box.tables").BOXES
    return _Loaded(loaded, tuple(box.digest for box in boxes))


def _load_with(name: str, boxes: Sequence[Path]) -> _Loaded:
    """Load a game with boxes that processes started later inherit, unless it is refused."""
    variable = f"{name.upper()}_BOX"
    before = os.environ.get(variable)
    os.environ[variable] = os.pathsep.join(str(box.resolve()) for box in boxes)
    try:
        # Its modules may have been imported some other way.
        _loaded[name] = _load(name)
        for box in boxes:
            _check_same(name, box)
    except BaseException:
        del os.environ[variable]
        if before is not None:
            os.environ[variable] = before
        raise
    return _loaded[name]


def _check_same(name: str, box: Path) -> None:
    loaded = _loaded[name]
    if not has_box(name):
        if box.resolve() != loaded.game.box.resolve():
            raise BoxError(f"box={box}: {name} has none, its facts are in {loaded.game.box}")
        return
    if _digest(name, box) not in loaded.box_digests:
        several = len(loaded.game.boxes) - 1
        with_others = f" and {several} others" if several else ""
        raise BoxError(
            f"{box}: this process already plays {name} with {loaded.game.box}{with_others}; name "
            f"the box before anything else is made, or set {name.upper()}_BOX to it"
        )


def _digest(name: str, box: Path) -> str:
    return facts_digest(_PACKAGE / name, box)


for _name, _counts in _SEATS.items():
    registration.register(_name, _counts)
