"""Agents of users' own: imported as `my.py:NAME` or `package.module:NAME`, and made of objects."""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from inspect import Parameter, Signature, signature
from pathlib import Path
from types import ModuleType
from typing import Any

from shakespeare_agents.naming import PythonName
from shakespeare_env.checks.values import meant
from shakespeare_env.core.game import Game
from shakespeare_env.errors import own_steps
from shakespeare_env.own_files import load_file
from shakespeare_env.play.agent import Act, Agent, AnyAgent, Searcher

RULE = (
    "an object with act() or search(), a function of observations, masks and generators, or a "
    "class or function that makes an agent, of the game or of nothing"
)
"""A description of what can play."""
_GIVEN = ("observations", "masks", "rng")
"""The arguments of act()."""
_OPTIONS = (bool, int, float, str)
"""The types of options."""
_MOST_NAMED = 10
_digests: dict[PythonName, str] = {}
"""The digests of the sources that this process has loaded."""


def load(name: PythonName) -> Any:
    """The object that a name means, imported with the current folder first on the path.

    Raises:
        ValueError: there is no such file, or nothing of that name in it.
        ImportError: it cannot be imported; the message says where it failed.
    """
    module = _module(name)
    found: Any = module
    for part in name.attribute.split("."):
        if not hasattr(found, part):
            raise ValueError(_missing(name, module))
        found = getattr(found, part)
    defined_in = sys.modules.get(getattr(found, "__module__", None) or module.__name__, module)
    sources = sorted({_source_digest(module), _source_digest(defined_in)} - {""})
    # One source is known by its own digest, two by that of both.
    joined = "".join(sources)
    _digests[name] = hashlib.sha256(joined.encode()).hexdigest() if sources[1:] else joined
    return found


def loaded_digest(name: PythonName) -> str:
    """SHA-256 of the source that a name was loaded from; empty if it was not, or from no file.

    It covers the module named and the one that defines the object, not what these import.
    """
    return _digests.get(name, "")


def fault_in_words(fault: BaseException) -> str:
    """An exception with its place in their code: `my.py, line 3: KeyError: 'x'`."""
    if isinstance(fault, SyntaxError):
        return f"{fault.filename}, line {fault.lineno}: {type(fault).__name__}: {fault.msg}"
    steps = own_steps(fault)
    place = f"{steps[-1].filename}, line {steps[-1].lineno}: " if steps else ""
    return f"{place}{type(fault).__name__}: {fault}"


def _module(name: PythonName) -> ModuleType:
    if name.is_file and not os.path.isfile(name.source):
        raise ValueError(f"there is no file {name.source!r}; give the path of one that is there")
    if not name.attribute:
        raise ValueError(f"{name.source} is a file; name an agent in it: {name.source}:NAME")
    try:
        with _current_folder_on_path():
            if name.is_file:
                return load_file(Path(name.source))
            return importlib.import_module(name.source)
    except (Exception, SystemExit) as fault:
        raise ImportError(f"{name} cannot be imported: {_remedied(name, fault)}") from fault


def _remedied(name: PythonName, fault: BaseException) -> str:
    words = fault_in_words(fault)
    missing = getattr(fault, "name", None) if isinstance(fault, ModuleNotFoundError) else None
    if missing is None:
        return words
    if name.source == missing or name.source.startswith(f"{missing}."):
        return f"there is no module {missing!r}, neither in this folder nor installed"
    beside = Path(name.source).parent / f"{missing}.py"
    if name.is_file and beside.is_file():
        return f"{words}; run the command in the folder that holds {beside.name}"
    return f"{words}; it is not installed"


def _missing(name: PythonName, module: ModuleType) -> str:
    known = [
        key
        for key, value in vars(module).items()
        if not key.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]
    listed = ", ".join(known[:_MOST_NAMED]) or "nothing that could play"
    if (more := len(known) - _MOST_NAMED) > 0:
        listed += f" and {more} more"
    question = meant(name.attribute, known)
    return f"{name.source} has no {name.attribute!r}{question}; it defines {listed}"


@contextmanager
def _current_folder_on_path() -> Iterator[None]:
    """Put the current folder on the path, as `python -m` does, for the length of a block."""
    try:
        folder = os.getcwd()
    except OSError:  # the folder has been deleted
        yield
        return
    sys.path.insert(0, folder)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        with suppress(ValueError):
            sys.path.remove(folder)


def _source_digest(module: ModuleType) -> str:
    run = getattr(module.__loader__, "digest", "")
    if run or not getattr(module, "__file__", None):
        return str(run)
    try:
        return hashlib.sha256(Path(module.__file__ or "").read_bytes()).hexdigest()
    except OSError:
        return ""


@dataclass(frozen=True)
class FunctionAgent:
    """Plays what a function like `Agent.act` chooses."""

    act: Act

    def __repr__(self) -> str:
        return getattr(self.act, "__qualname__", repr(self.act))


def agent_from(given: Any, name: str, game: Game, options: Mapping[str, Any]) -> AnyAgent:
    """The agent that an object is or makes.

    An object with act() or search() plays.  Classes and functions are looked at by their positional
    parameters: a function that three fit is an `Agent.act`; one parameter without default is the
    `Game`; without any, nothing is given.  Keyword-only parameters with defaults of type bool, int,
    float or str are options.

    Raises:
        TypeError: it is none of these, lacks an option, or makes something else.
    """
    is_class = isinstance(given, type)
    plays = not is_class and isinstance(given, Agent | Searcher)
    if not plays and not callable(given):
        raise TypeError(f"{name} cannot play: it is {_shown(given)}; give {RULE}")
    takes = Signature() if plays else _signature(given)
    parameters = takes.parameters.values()
    needed = sum(p.kind <= p.POSITIONAL_OR_KEYWORD and p.default is p.empty for p in parameters)
    is_open = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    acts = not plays and not is_class and _fits(takes, len(_GIVEN)) and (needed > 1 or is_open)
    if plays or acts:
        if options:
            raise TypeError(
                f"{name} is an agent already; it takes no options: drop {', '.join(options)}"
            )
        return _checked_agent(name, FunctionAgent(given) if acts else given)
    if needed > 1:
        raise TypeError(f"{name} takes {needed} positional arguments, {takes}; give {RULE}")
    agent = given(*(game,) * needed, **_checked_options(name, takes, options))
    if isinstance(agent, type) or not isinstance(agent, Agent | Searcher):
        raise TypeError(
            f"the agent {name!r} is {_shown(agent)}, which has neither act() nor search()"
        )
    return _checked_agent(name, agent)


def _checked_options(name: str, takes: Signature, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of the names and types that a class or function takes."""
    keywords = [p for p in takes.parameters.values() if p.kind is p.KEYWORD_ONLY]
    if bare := [p.name for p in keywords if p.default is p.empty]:
        raise TypeError(f"{name} needs a default for its option {bare[0]!r}; write {bare[0]}=...")
    kinds = {p.name: type(p.default) for p in keywords if type(p.default) in _OPTIONS}
    checked = dict(options)
    for option, value in options.items():
        if option not in kinds:
            known = ", ".join(kinds) or "none"
            raise TypeError(f"the agent {name!r} has no option {option!r}; its options: {known}")
        kind = kinds[option]
        # A number may be written without its point, and a name may look like a number.
        if (type(value), kind) in ((int, float), (int, str), (float, str)):
            checked[option] = kind(value)
        elif type(value) is not kind:
            raise TypeError(
                f"{option}={value!r} of the agent {name!r} must be of type {kind.__name__}"
            )
    return checked


def _checked_agent(name: str, agent: AnyAgent) -> AnyAgent:
    """The agent, once its method takes what it will be given."""
    method, given = ("search", ("games", "rng")) if hasattr(agent, "search") else ("act", _GIVEN)
    takes = _signature(getattr(agent, method))
    if not _fits(takes, len(given)):
        raise TypeError(
            f"{method}{takes} of the agent {name!r} cannot be called with {', '.join(given)}; "
            f"write {method}(self, {', '.join(given)})"
        )
    return agent


def _signature(given: Callable[..., Any]) -> Signature:
    try:
        return signature(given)
    except (TypeError, ValueError):  # it is written in C
        return Signature([Parameter("arguments", Parameter.VAR_POSITIONAL)])


def _fits(takes: Signature, arguments: int) -> bool:
    try:
        takes.bind(*[None] * arguments)
    except TypeError:
        return False
    return True


def _shown(value: object) -> str:
    return repr(value)[:200]
