"""Digests that identify agents. Two agents with the same digest play alike.

A digest covers everything that may change how its agent plays.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import inspect
import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, TypeGuard

import cloudpickle
import numpy as np

from shakespeare_agents.capabilities import SelfDescribing
from shakespeare_agents.naming import BUILT_IN, AgentSpec, FunctionAgent, parse_if_name
from shakespeare_agents.python_names import PythonName, load, module_of
from shakespeare_env.checks.values import short_repr
from shakespeare_env.core.game import Game
from shakespeare_env.play.agent import AgentLike, AnyAgent, name_of
from shakespeare_env.sources import import_digests, is_own_file

DIGITS = 16  # the hexadecimal digits of an agent's digest
PLAY = 1
"""The version of the built-in agents' play. Raise it when a change makes one choose other moves."""
_SCALARS = (type(None), bool, int, float, complex, str, bytes)
_HEAP_TYPE = 1 << 9  # `Py_TPFLAGS_HEAPTYPE`, a flag that classes written in C lack
_CODE_ATTRIBUTES = (
    "co_code",
    "co_exceptiontable",
    "co_consts",
    "co_names",
    "co_varnames",
    "co_freevars",
    "co_cellvars",
    "co_flags",
    "co_argcount",
    "co_posonlyargcount",
    "co_kwonlyargcount",
)
"""Attributes of code objects that decide what they do.

File names and line numbers are left out, since they may differ between processes, as in notebooks.
"""
_IGNORED_CLASS_ATTRIBUTES = {
    "__module__",
    "__doc__",
    "__dict__",
    "__weakref__",
    "__annotations__",
    "__firstlineno__",
    "__static_attributes__",
    "_abc_impl",
}
"""Attributes of classes that do not affect what they do."""


def agent_digest(given: AgentLike | AgentSpec, agent: AnyAgent, game: Game) -> str:
    """Return a digest of everything that decides how an agent plays a game.

    What it covers depends on the agent:

    - For the package's agents, it covers what they return as their identity, such as weights and
      settings.
    - For agents named as Python code, it covers their options, and the source of the module that
      is named and of the module that defines the object.
    - For objects, it covers their state and code (see `state_digest`).

    In every case it covers the version and the files that the agent declares in `version` and
    `files`.

    Args:
        given: What the agent was made from.
        agent: The agent.
        game: The game that it plays.

    Raises:
        TypeError: the agent cannot be identified, because its state cannot be pickled and it has
            no version.
        ValueError: a file that it declares does not exist.
    """
    spec = parse_if_name(given)
    users_object = _unwrapped(agent)
    version = getattr(users_object, "version", None)
    own_files = getattr(users_object, "files", None)
    named_files = spec.identity_options().get("files") if isinstance(spec, AgentSpec) else None

    facts = _facts(spec, agent, version is not None)
    facts = [game.name, *facts, str(version) if version else version]
    for files in (own_files, named_files):
        if files is not None:
            facts.append(_file_digests(files))
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:DIGITS]


def _unwrapped(agent: AnyAgent) -> Any:
    """Return the user's own object, which may declare a version and files."""
    if not isinstance(agent, FunctionAgent):
        return agent
    function: Any = agent.act
    return function.__self__ if isinstance(function, MethodType) else function


def _facts(given: AgentLike | AgentSpec, agent: AnyAgent, has_version: bool) -> list[Any]:
    identity = agent.identity() if describes_itself(agent) else None
    if identity is not None:
        kind, *details = identity
        return [kind, PLAY, *details]

    if isinstance(given, AgentSpec):
        options = given.options
        if given.name in BUILT_IN:
            options.pop("threads", None)  # the number of threads changes no move
            return [given.name, PLAY, options]
        if given.python is not None:
            if "files" in given.identity_options():
                del options["files"]  # the files' contents count instead
            return ["python", _source_digests(given.python), given.python.attribute, options]

    try:
        return ["object", state_digest(agent)]
    except TypeError as fault:
        if has_version:
            return ["object", type(agent).__module__, type(agent).__qualname__]
        name = given.text if isinstance(given, AgentSpec) else name_of(given)
        raise TypeError(
            f"{name} could not be told from other agents of its kind, and their games would count "
            f"as its own ({fault}); name it as my.py:NAME, make it picklable, or give it a "
            "`version` that you change whenever it plays differently"
        ) from fault


def describes_itself(agent: AnyAgent) -> TypeGuard[SelfDescribing]:
    """Return whether an agent's own class defines `identity`.

    An inherited `identity` does not count, since a subclass may play differently.
    """
    return isinstance(agent, SelfDescribing) and "identity" in vars(type(agent))


def _file_digests(paths: Any) -> list[list[str]]:
    """Return the location below its path, and the digest, of each file at or below some paths."""
    digests = []
    for given in paths if isinstance(paths, list | tuple) else [paths]:
        path = Path(str(given))
        files = [file for file in (path, *sorted(path.rglob("*"))) if file.is_file()]
        if not files:
            raise ValueError(
                f"there is no file {short_repr(str(given))}, which an agent declares in `files`; "
                f"give the path of a file, or of a folder of files, relative to {os.getcwd()}"
            )
        for file in files:
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            digests.append([file.relative_to(path).as_posix(), digest])
    return digests


def _source_digests(python: PythonName) -> list[str]:
    """Return digests of the named module, of the defining module, and of what they import."""
    named = module_of(python)
    defining = sys.modules.get(getattr(load(python), "__module__", None) or "", named)
    return import_digests(named, defining)


def state_digest(value: object) -> str:
    """Return the SHA-256 of an object's values, its code, and the values that its code reads.

    It covers what cloudpickle would send to another process, and the code of users' own modules.
    It ignores what may differ by accident: identities of objects, line numbers, and the order of
    sets and dictionaries. Parts of the standard library, of installed packages and of this project
    are represented by their names.

    Raises:
        TypeError: a part cannot be pickled, or its pickle differs each time.
    """
    try:
        digest = _digest_once(value)
        is_same = _digest_once(value) == digest
    except Exception as fault:  # pickling runs the user's code, which may raise anything
        raise TypeError(f"its state cannot be pickled: {type(fault).__name__}: {fault}") from fault
    if not is_same:
        raise TypeError("the pickle of its state differs each time")
    return digest


def _digest_once(value: object) -> str:
    digest = hashlib.sha256()
    # The dictionary keeps the objects alive, since the id of a freed object may be used again.
    seen: dict[int, tuple[int, object]] = {}

    def note(kind: type, content: bytes) -> None:
        digest.update(f"{kind.__qualname__} {len(content)} ".encode())
        digest.update(content)

    def read(item: object) -> None:
        kind = type(item)
        if kind in _SCALARS:
            note(kind, item if isinstance(item, bytes) else repr(item).encode())
        elif id(item) in seen:
            number, _ = seen[id(item)]
            note(kind, b"again %d" % number)
        else:
            # Whether equal tuples and frozensets are one object is an accident of the interpreter.
            if kind not in (tuple, frozenset):
                seen[id(item)] = len(seen), item
            parts = list(_parts(item))
            note(kind, b"parts %d" % len(parts))
            for part in parts:
                read(part)

    read(value)
    return digest.hexdigest()


def _parts(item: Any) -> Iterable[object]:
    """Return the parts of an object that its digest covers, in an order that is always the same."""
    kind = type(item)
    torch = sys.modules.get("torch")
    if kind in (list, tuple):
        return item  # type: ignore[no-any-return]
    if kind is dict:
        return sorted(item.items(), key=lambda entry: _digest_once(entry[0]))
    if kind in (set, frozenset):
        return sorted(map(_digest_once, item))
    if isinstance(item, Game):
        return [item.name]
    if kind is np.ndarray:
        content = item.tolist() if item.dtype.hasobject else item.tobytes()
        return [str(item.dtype.descr), item.shape, content]
    if torch is not None and isinstance(item, torch.Tensor):
        flat = item.detach().cpu().contiguous().reshape(-1)
        return [str(item.dtype), tuple(item.shape), flat.view(torch.uint8).numpy().tobytes()]
    if kind is CodeType:
        return [getattr(item, name) for name in _CODE_ATTRIBUTES]
    if kind is ModuleType:
        if not _is_users_code(item.__name__):
            return [item.__name__]
        # The module's variables may have been set since it was imported.
        scalars = {
            name: value
            for name, value in vars(item).items()
            if name[:2] != "__" and type(value) in _SCALARS
        }
        return [item.__name__, import_digests(item), scalars]
    if isinstance(item, FunctionType | type):
        if _is_found_by_name(item):
            return [item.__module__, item.__qualname__]
        return _code_parts(item)
    # A cached function pickles as its name alone, and a compiled one with a random number.
    is_compiled = kind.__module__.startswith("numba.") and hasattr(item, "__wrapped__")
    if is_compiled or isinstance(item, functools._lru_cache_wrapper):
        return [item.__wrapped__]
    reducer = cloudpickle.Pickler.dispatch_table.get(kind)
    reduced = reducer(item) if reducer else item.__reduce_ex__(4)
    if isinstance(reduced, str):  # the name of a global variable that holds the object
        return [getattr(item, "__module__", None), reduced]
    return [list(part) if isinstance(part, Iterator) else part for part in reduced]


def _is_users_code(module_name: str) -> bool:
    module = sys.modules.get(module_name or "")
    file = getattr(module, "__file__", None)
    return module is None or module_name == "__main__" or bool(file and is_own_file(file))


def _is_found_by_name(item: Any) -> bool:
    """Return whether a function or class is a library's, found in its module under its name.

    Functions and classes that a closure or a decorator has made are not found there.
    """
    if isinstance(item, type) and not item.__flags__ & _HEAP_TYPE:
        return True
    if _is_users_code(item.__module__):
        return False
    named: Any = sys.modules[item.__module__]
    for part in item.__qualname__.split("."):
        named = getattr(named, part, None)
    return named is item


def _code_parts(item: Any) -> list[object]:
    """Return what decides what a function or a class does."""
    if isinstance(item, FunctionType):
        names_read = set()
        if _is_users_code(item.__module__):
            names_read = _global_names(item.__code__) & item.__globals__.keys()
        values_read = {name: item.__globals__[name] for name in names_read}
        return [
            item.__code__,
            item.__defaults__,
            item.__kwdefaults__,
            item.__closure__,
            values_read,
            vars(item),
        ]
    attributes = {
        name: value
        for name, value in vars(item).items()
        if name not in _IGNORED_CLASS_ATTRIBUTES and not _is_slot(value)
    }
    return [type(item), item.__bases__, attributes]


def _is_slot(value: object) -> bool:
    return inspect.ismemberdescriptor(value) or inspect.isgetsetdescriptor(value)


def _global_names(code: CodeType) -> set[str]:
    """Return the names of the global variables that code and the functions within it read."""
    loads = ("LOAD_GLOBAL", "LOAD_NAME")
    names = {str(step.argval) for step in dis.get_instructions(code) if step.opname in loads}
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    return names.union(*map(_global_names, inner))
