"""Agents of users' own: imported as `my.py:NAME` or `package.module:NAME`, and made of objects."""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from inspect import Signature, signature
from pathlib import Path
from types import ModuleType
from typing import Any

from shakespeare_agents.naming import PythonName, own_name, split_options
from shakespeare_env.checks.values import did_you_mean, shown
from shakespeare_env.core.game import Game
from shakespeare_env.errors import own_steps
from shakespeare_env.own_files import load_file
from shakespeare_env.play.agent import Act, Agent, AnyAgent, Searcher

RULE = (
    "an object with act() or search(), a function of observations, masks and generators, or a "
    "class or function that makes an agent, of the game or of nothing"
)
"""A description of what can play."""
_ARGUMENTS = 3
"""The number of arguments of act()."""
_OPTIONS = (bool, int, float, str)
"""The types of options."""
BELONGINGS = ("files", "version")
"""What tells agents of one code apart: attributes of theirs, and options of their names."""
_loaded: dict[PythonName, tuple[Any, str]] = {}
"""What this process has loaded, and the digests of its sources."""


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
            question = did_you_mean(name.attribute, vars(module))
            raise ValueError(f"{name.source} has no {name.attribute!r}{question}")
        found = getattr(found, part)
    return noted(name, found, module)


def noted(name: PythonName, found: Any, module: ModuleType) -> Any:
    """An object that was found in a module under a name, whose digest is then known."""
    defined_in = sys.modules.get(getattr(found, "__module__", None) or module.__name__, module)
    sources = sorted({_source_digest(module), _source_digest(defined_in)} - {""})
    # One source is known by its own digest, two by that of both.
    joined = "".join(sources)
    digest = hashlib.sha256(joined.encode()).hexdigest() if sources[1:] else joined
    _loaded[name] = found, digest
    return found


def loaded_digest(name: PythonName) -> str:
    """SHA-256 of the source that a name was loaded from; empty if it was not, or from no file.

    It covers the module named and the one that defines the object, not what these import.
    """
    return _loaded[name][1] if name in _loaded else ""


def belongings(text: str) -> dict[str, Any]:
    """`BELONGINGS` of a loaded agent, with the option in its name or None.

    Parameters of that name are the code's own, and their values no belongings.
    """
    name, options = own_name(text), split_options(text)[1]
    if name not in _loaded:
        return {}
    given = _loaded[name][0]
    own = signature(given).parameters if callable(given) else ()
    return {key: options.get(key) for key in BELONGINGS if key not in own}


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
        raise ImportError(f"{name} cannot be imported: {fault_in_words(fault)}") from fault


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
    if not isinstance(given, type) and isinstance(given, Agent | Searcher):
        return _without_options(name, given, options)
    if not callable(given):
        raise TypeError(f"{name} cannot play: it is {shown(given)}; give {RULE}")
    takes = signature(given)
    parameters = takes.parameters.values()
    needed = sum(p.kind <= p.POSITIONAL_OR_KEYWORD and p.default is p.empty for p in parameters)
    is_open = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    if not isinstance(given, type) and _is_act(takes) and (needed > 1 or is_open):
        return _without_options(name, FunctionAgent(given), options)
    if needed > 1:
        raise TypeError(f"{name} takes {needed} positional arguments, {takes}; give {RULE}")
    agent: Any = given(*(game,) * needed, **_checked_options(name, takes, options))
    if isinstance(agent, type) or not isinstance(agent, Agent | Searcher):
        raise TypeError(
            f"the agent {name!r} is {shown(agent)}, which has neither act() nor search()"
        )
    return agent


def _without_options(name: str, agent: AnyAgent, options: Mapping[str, Any]) -> AnyAgent:
    if options:
        raise TypeError(f"{name} is an agent already; drop its options {', '.join(options)}")
    return agent


def _is_act(takes: Signature) -> bool:
    try:
        takes.bind(*[None] * _ARGUMENTS)
    except TypeError:
        return False
    return True


def _checked_options(name: str, takes: Signature, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of the names and types that a class or function takes."""
    kinds = {
        p.name: type(p.default)
        for p in takes.parameters.values()
        if p.kind is p.KEYWORD_ONLY and type(p.default) in _OPTIONS
    }
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
