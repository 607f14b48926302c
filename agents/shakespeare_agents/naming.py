"""From a name, a checkpoint, Python or an object to an agent, and to those of a line-up."""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.metadata import entry_points
from inspect import Signature, signature
from itertools import count
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from shakespeare_agents.heuristics import best_untrained_agent
from shakespeare_env.checks.values import did_you_mean, short_repr
from shakespeare_env.errors import own_frames
from shakespeare_env.own_files import load_file

if TYPE_CHECKING:
    from shakespeare_env.core.game import Game
    from shakespeare_env.play.agent import Act, AgentLike, AnyAgent

ENTRY_POINTS = "shakespeare_env.agents"
"""The entry point group where other distributions register agents."""
HOW_TO_NAME = "the folder of a checkpoint, my.py:NAME or package.module:NAME"
RULE = (
    "an object with act() or search(), a function of observations, masks and generators, or a "
    "class or function that makes an agent, of the game or of nothing"
)
"""A description of what can play."""
IDENTITY_OPTIONS = ("files", "version")
"""What tells agents of one code apart: attributes of theirs, and options of their names."""


class PythonName(NamedTuple):
    """An agent in a file that ends in `.py`, or in a module: `source:attribute`."""

    source: str
    attribute: str

    def __str__(self) -> str:
        return ":".join(self)


BUILT_IN = {
    "random": PythonName("shakespeare_agents.baselines", "RandomAgent"),
    "greedy": PythonName("shakespeare_agents.baselines", "greedy_agent"),
    "heuristic": PythonName("shakespeare_agents.heuristics", "heuristic_agent"),
    "network": PythonName("shakespeare_agents.networks.inference", "network_agent"),
    "search": PythonName("shakespeare_agents.search.agent", "search_agent"),
}
"""What makes the agents that are always there; imported late to keep the shell's completion quick.
"""


@cache
def installed() -> Mapping[str, PythonName]:
    """Agents of other distributions; built-in names take precedence."""
    entries = sorted((entry.name, entry) for entry in entry_points(group=ENTRY_POINTS))
    own = ((name, entry) for name, entry in entries if name not in BUILT_IN)
    return {name: PythonName(entry.module, entry.attr) for name, entry in own}


def names() -> tuple[str, ...]:
    """The agents with names.

    `random`; `greedy`, which looks one move ahead with the heuristic's evaluation; `heuristic`, a
    careful beginner; `network`, the bundled checkpoint; `search`, which plays possible games on
    with it; and those registered under `ENTRY_POINTS`.
    """
    return (*BUILT_IN, *installed())


_OPTION = re.compile(r",(?=\s*\w*\s*=)")
"""What stands before an option of a name."""


def public_name(text: str) -> str:
    """Return an agent's name without the folders it is in, to be shown to other people.

    `/home/ann/my.py:Agent` is `my.py:Agent`, and `search,network=/home/ann/best` is
    `search,network=best`.
    """
    name, *options = [text] if os.path.exists(text) else _OPTION.split(text)
    parts = [_last_part(name)]
    for option in options:
        label, _, value = option.partition("=")
        parts.append(f"{label}={_last_part(value)}")
    return ",".join(parts)


def _last_part(path: str) -> str:
    is_path = os.sep in path or path in (os.curdir, os.pardir)
    return os.path.basename(os.path.abspath(path)) if is_path else path


def split_options(text: str) -> tuple[str, dict[str, Any]]:
    """A name and its options: `greedy,samples=4` as `greedy` and `{"samples": 4}`."""
    if os.path.exists(text):
        return text, {}
    name, *parts = _OPTION.split(text)
    options: dict[str, Any] = {}
    for part in parts:
        option, _, value = part.partition("=")
        try:
            options[option.strip()] = json.loads(value)
        except (ValueError, RecursionError):
            options[option.strip()] = value
    return name, options


def python_name(text: str) -> PythonName | None:
    """The Python that makes the agent a text names; None for built-in ones and for folders."""
    name, _ = split_options(text)
    if name in names() or os.path.isdir(name):
        return installed().get(name)
    if name.endswith(".py"):
        return PythonName(name, "")
    python = PythonName(*name.rpartition(":")[::2])
    parts = [*python.source.split("."), *python.attribute.split(".")]
    return python if python.source.endswith(".py") or all(map(str.isidentifier, parts)) else None


def identity_options(text: str) -> dict[str, Any]:
    """`IDENTITY_OPTIONS` in the options of Python that is named and takes none called so itself."""
    label, options = split_options(text)
    python, written = python_name(label), options.keys() & set(IDENTITY_OPTIONS)
    if python is None or not written:
        return {}
    given = load(python)
    takes = signature(given).parameters if callable(given) else ()
    return {name: options[name] for name in written if name not in takes}


def running_python(players: Iterable[str]) -> list[str]:
    """Those of some agents' names that make Python run which the user has not installed.

    Callers must check them before making agents from a file that a stranger may have written.
    """
    return [name for name in players if python_name(name) not in (None, *installed().values())]


def checkpoint_named(name: str, game: Game) -> Path | None:
    """The folder of the checkpoint that an agent of that name plays from; None if there is none."""
    from shakespeare_agents.networks.checkpoint import NEWEST, bundled_checkpoint

    label, options = split_options(name)
    if label == "network":
        return bundled_checkpoint(game, options.get("version", NEWEST))
    return Path(label) if label not in names() and os.path.isdir(label) else None


def load(name: PythonName) -> Any:
    """The object that a name stands for, imported with the current folder first on the path.

    ValueError if there is none; ImportError, which says where, if it cannot be imported.
    """
    module = module_of(name)
    try:
        return attrgetter(name.attribute)(module)
    except AttributeError:
        question = did_you_mean(name.attribute, vars(module))
        raise ValueError(f"there is no {name} in {name.source}{question}") from None


def module_of(name: PythonName) -> ModuleType:
    """The module in which a name is looked up; errors as of `load`."""
    is_file = name.source.endswith(".py")
    if is_file and not os.path.isfile(name.source):
        raise ValueError(f"there is no file {name.source!r}; give the path of one that is there")
    if not name.attribute:
        raise ValueError(f"{name.source} is a file; name an agent in it: {name.source}:NAME")
    try:
        with _current_folder_on_path():
            if is_file:
                return load_file(Path(name.source))
            return importlib.import_module(name.source)
    except (Exception, SystemExit) as fault:
        raise ImportError(f"{name} cannot be imported: {fault_in_words(fault)}") from fault


@contextmanager
def _current_folder_on_path() -> Iterator[None]:
    folder = os.getcwd()
    sys.path.insert(0, folder)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        with suppress(ValueError):
            sys.path.remove(folder)


def fault_in_words(fault: BaseException) -> str:
    """An exception with its place in their code: `my.py, line 3: KeyError: 'x'`."""
    if isinstance(fault, SyntaxError):
        return f"{fault.filename}, line {fault.lineno}: {type(fault).__name__}: {fault.msg}"
    steps = own_frames(fault)
    place = f"{steps[-1].filename}, line {steps[-1].lineno}: " if steps else ""
    return f"{place}{type(fault).__name__}: {fault}"


def default(game: Game) -> str:
    """The strongest built-in agent for a game.

    `network` if a bundled one is for this game, else `heuristic`, else `random`.
    """
    from shakespeare_agents.networks import checkpoint

    with suppress(ValueError):  # none is bundled, or not for the actions of the box in force
        folder = checkpoint.bundled_checkpoint(game)
        checkpoint.check_fits(checkpoint.read_card(folder), game, folder)
        return "network"
    return best_untrained_agent(game)


def make(player: AgentLike, game: Game, **options: Any) -> AnyAgent:
    """An agent for a game.

    An object with act() or search() plays. Classes and functions are looked at by their positional
    parameters: a function that three fit is an `Agent.act`; one parameter without default is the
    `Game`; without any, nothing is given. Keyword-only parameters with defaults of type bool, int,
    float or str are options.

    Args:
        player: A name of `names()`, a checkpoint's folder, `path/to/my.py:NAME`,
            `package.module:NAME`, or an object as these may name. Text may carry options:
            `"network,greedy=false"`, and is imported if it names Python: give no text from a source
            you do not trust.
        game: The game that it plays.
        **options: The agent's options.

    Raises:
        ValueError: no agent, folder or object has this name, or the game has no such agent.
        CheckpointError: the checkpoint is damaged or was made for another game or box.
        TypeError: it is none of these, lacks the option, or makes something else.
        ImportError: Python that it names cannot be imported.
    """
    from shakespeare_env.play.agent import Agent, Searcher

    given: Any = player
    label, choices = repr(player), f"{', '.join(names())}, {HOW_TO_NAME}"
    if isinstance(player, str):
        label, written = split_options(player)
        own = identity_options(player)
        options = {name: it for name, it in written.items() if name not in own} | options
        python = python_name(label)
        if label in BUILT_IN:
            source, attribute = BUILT_IN[label]
            given = getattr(importlib.import_module(source), attribute)
        else:
            given = Path(label) if python is None else load(python)
    elif not isinstance(player, os.PathLike | Agent | Searcher) and not callable(player):
        raise TypeError(f"{label} cannot play: give one of {choices}, or {RULE}")
    if isinstance(given, os.PathLike):
        label = os.fspath(given)
        if not os.path.isdir(label):  # Path.is_dir does not take any text
            raise ValueError(
                f"there is no agent or folder {label!r}{did_you_mean(label, names())}; give one of "
                f"{choices}"
            )
        from shakespeare_agents.networks.inference import checkpoint_agent

        given = partial(checkpoint_agent, Path(label))
    try:
        return _agent_from(given, label, game, options)
    except Exception as fault:
        if not (isinstance(player, str) and own_frames(fault)):
            raise
        raise TypeError(f"{label} makes no agent: {fault_in_words(fault)}") from fault


@dataclass(frozen=True)
class FunctionAgent:
    """Plays what a function like `Agent.act` chooses."""

    act: Act


def _agent_from(given: Any, name: str, game: Game, options: Mapping[str, Any]) -> AnyAgent:
    from shakespeare_env.play.agent import Agent, Searcher

    is_agent = not isinstance(given, type) and isinstance(given, Agent | Searcher)
    if not (is_agent or callable(given)):
        raise TypeError(f"{name} cannot play: it is {short_repr(given)}; give {RULE}")
    agent: Any = given
    if not is_agent:
        takes = signature(given)
        parameters = takes.parameters.values()
        needed = sum(p.kind <= p.POSITIONAL_OR_KEYWORD and p.default is p.empty for p in parameters)
        is_open = any(p.kind is p.VAR_POSITIONAL for p in parameters)
        if not isinstance(given, type) and (needed > 1 or is_open) and _takes_three(takes):
            agent, is_agent = FunctionAgent(given), True
        elif needed > 1:
            raise TypeError(f"{name} takes {needed} positional arguments, {takes}; give {RULE}")
        else:
            agent = given(*(game,) * needed, **_checked_options(name, takes, options))
    if is_agent and options:
        raise TypeError(f"{name} is an agent already; drop its options {', '.join(options)}")
    if isinstance(agent, type) or not isinstance(agent, Agent | Searcher):
        raise TypeError(
            f"the agent {name!r} is {short_repr(agent)}, which has no act() and no search()"
        )
    return agent


def _takes_three(takes: Signature) -> bool:
    with suppress(TypeError):
        return bool(takes.bind("observations", "masks", "generators"))
    return False


def _checked_options(name: str, takes: Signature, options: Mapping[str, Any]) -> dict[str, Any]:
    kinds = {
        p.name: type(p.default)
        for p in takes.parameters.values()
        if p.kind is p.KEYWORD_ONLY and type(p.default) in (bool, int, float, str)
    }
    checked = dict(options)
    for option, value in options.items():
        kind = kinds.get(option)
        if kind is None:
            known = ", ".join(kinds) or "none"
            question = did_you_mean(option, kinds)
            raise TypeError(
                f"the agent {name!r} has no option {option!r}{question}; its options: {known}"
            )
        # A number may be written without its point, and a name may look like a number.
        if (type(value), kind) in ((int, float), (int, str), (float, str)):
            checked[option] = kind(value)
        elif type(value) is not kind:
            raise TypeError(
                f"{option}={value!r} of the agent {name!r} must be of type {kind.__name__}"
            )
    return checked


@dataclass(frozen=True)
class Entrant:
    """An agent at one seat, and the name its figures go under."""

    name: str
    agent: Any
    """It, or what it is made from: `entrants_of` makes it for a game."""
    given: Any = None
    """What it was made from, itself by default."""

    def __post_init__(self) -> None:
        if self.given is None:
            object.__setattr__(self, "given", self.agent)


T = TypeVar("T")


def filled(named: Sequence[T], players: int | None, game: Game) -> list[T | str]:
    """Names for all seats: the last of several fills the rest, the default agent if it is one name.

    By default several names get a seat each, as far as the game allows; otherwise all seats play.
    ValueError if more are named than there are seats, or the game does not allow `players` seats.
    """
    if players is None:
        wanted = max(len(named), game.min_seats) if len(named) > 1 else game.max_seats
        players = min(wanted, game.max_seats)
    seats = game.check_players(players)
    if len(named) > seats:
        raise ValueError(
            f"{len(named)} players for {seats} seats; name fewer agents, or give more seats"
        )
    filler: list[T | str] = [named[-1] if len(named) > 1 else default(game)]
    return [*named, *filler * (seats - len(named))]


def entrants_of(players: Sequence[Entrant | AgentLike], game: Game) -> list[Entrant]:
    """Make agents and name them; one that is given several times is made once.

    Text and folders are named by themselves, functions and classes by their names, agents by their
    classes; others of the same name get a number. Errors as of `make`.
    """
    from shakespeare_env.play.agent import name_of

    made: dict[object, Entrant] = {}
    entrants = []
    for player in players:
        key = player if isinstance(player, str | os.PathLike) else id(player)
        if isinstance(player, Entrant):
            made[key] = made.get(key) or replace(player, agent=make(player.agent, game))
        elif key not in made:
            name, taken = name_of(player), {entrant.name for entrant in made.values()}
            numbered = (name if number == 1 else f"{name} {number}" for number in count(1))
            free = next(text for text in numbered if text not in taken)
            made[key] = Entrant(free, make(player, game), player)
        entrants.append(made[key])
    return entrants
