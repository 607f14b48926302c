"""Digests of agents, made of what decides how they play."""

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
"""The version of how the project's agents play; raise it once one of them chooses other moves."""
_SCALARS = (type(None), bool, int, float, complex, str, bytes)
_HEAP_TYPE = 1 << 9  # the flag of classes that were not written in C (`Py_TPFLAGS_HEAPTYPE`)
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
"""Attributes of code that say what it does. Its file and line numbers are left out, since they may
differ between processes, as in notebooks."""
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
"""Attributes of classes that are no part of what they do."""


def agent_digest(given: AgentLike | AgentSpec, agent: AnyAgent, game: Game) -> str:
    """Return the digest of what decides how an agent plays a game.

    What it covers depends on the agent:

    - For the package's agents: what they say of themselves, such as weights and settings.
    - For agents named as Python code: their options, and the source of the module that is named
      and of the module that defines the object.
    - For objects: all that they are made of (see `state_digest`).

    The version and the files that an agent names as its own count in every case.

    Args:
        given: What the agent was made from.
        agent: The agent.
        game: The game that it plays.

    Raises:
        TypeError: the agent cannot be known again, as its state cannot be pickled and it has no
            version.
        ValueError: a file that it names is not there.
    """
    spec = parse_if_name(given)
    stated_by = _unwrapped(agent)
    version = getattr(stated_by, "version", None)
    own_files = getattr(stated_by, "files", None)
    named_files = spec.identity_options().get("files") if isinstance(spec, AgentSpec) else None

    facts = _facts(spec, agent, version is not None)
    facts = [game.name, *facts, str(version) if version else version]
    for files in (own_files, named_files):
        if files is not None:
            facts.append(_contents(files))
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:DIGITS]


def _unwrapped(agent: AnyAgent) -> Any:
    """Return the user's own object, which may state a version and files."""
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
            options.pop("threads", None)  # they change no move
            return [given.name, PLAY, options]
        if given.python is not None:
            if "files" in given.identity_options():
                del options["files"]  # their contents count
            return ["python", _source_digests(given.python), given.python.attribute, options]

    try:
        return ["object", state_digest(agent)]
    except TypeError as fault:
        if has_version:
            return ["object", type(agent).__module__, type(agent).__qualname__]
        name = given.text if isinstance(given, AgentSpec) else name_of(given)
        raise TypeError(
            f"{name} could not be told from others of its kind, whose games would "
            f"count as its own ({fault}); name it as my.py:NAME, make it picklable, or give it "
            "a `version`, another one whenever it plays otherwise"
        ) from fault


def describes_itself(agent: AnyAgent) -> TypeGuard[SelfDescribing]:
    """Return whether an agent's own class defines `identity`.

    An inherited `identity` does not count, since a subclass may play otherwise.
    """
    return isinstance(agent, SelfDescribing) and "identity" in vars(type(agent))


def _contents(files: Any) -> list[list[str]]:
    """Return digests of files, with their paths within the folder or file that is named."""
    digests = []
    for named in files if isinstance(files, list | tuple) else [files]:
        place = Path(str(named))
        found = [file for file in (place, *sorted(place.rglob("*"))) if file.is_file()]
        if not found:
            raise ValueError(
                f"there is no file {short_repr(str(named))}, which an agent names as its own; give "
                f"the path of one, or of a folder of files, from {os.getcwd()}"
            )
        for file in found:
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            digests.append([file.relative_to(place).as_posix(), digest])
    return digests


def _source_digests(python: PythonName) -> list[str]:
    """Return digests of the module named, of the one that defines the object, and of imports."""
    named = module_of(python)
    defining = sys.modules.get(getattr(load(python), "__module__", None) or "", named)
    return import_digests(named, defining)


def state_digest(value: object) -> str:
    """Return the SHA-256 of an object's values, its code, and the values that its code reads.

    It covers what cloudpickle would send to another process, but for accidents: identities of
    objects, places in files, the order of sets and dictionaries. The code of users' own modules
    counts, too. The standard library, installed packages and this project count by name.

    Raises:
        TypeError: a part cannot be pickled, or is pickled in another way each time.
    """
    try:
        digest = _digest_once(value)
        is_same = _digest_once(value) == digest
    except Exception as fault:  # their code, which may raise anything
        raise TypeError(f"its state cannot be pickled: {type(fault).__name__}: {fault}") from fault
    if not is_same:
        raise TypeError("its state is pickled in another way each time")
    return digest


def _digest_once(value: object) -> str:
    digest = hashlib.sha256()
    # Objects are kept, since the id of one that is freed may become another's.
    seen: dict[int, tuple[int, object]] = {}

    def note(kind: type, content: bytes) -> None:
        digest.update(f"{kind.__qualname__} {len(content)} ".encode())
        digest.update(content)

    def read(it: object) -> None:
        kind = type(it)
        if kind in _SCALARS:
            note(kind, it if isinstance(it, bytes) else repr(it).encode())
        elif id(it) in seen:
            note(kind, b"again %d" % seen[id(it)][0])
        else:
            if kind not in (tuple, frozenset):  # equal ones may or may not be one object
                seen[id(it)] = len(seen), it
            parts = list(_parts(it))
            note(kind, b"parts %d" % len(parts))
            for part in parts:
                read(part)

    read(value)
    return digest.hexdigest()


def _parts(it: Any) -> Iterable[object]:
    kind = type(it)
    torch = sys.modules.get("torch")
    if kind in (list, tuple):
        return it  # type: ignore[no-any-return]
    if kind is dict:
        return sorted(it.items(), key=lambda item: _digest_once(item[0]))
    if kind in (set, frozenset):
        return sorted(map(_digest_once, it))
    if isinstance(it, Game):
        return [it.name]
    if kind is np.ndarray:
        content = it.tolist() if it.dtype.hasobject else it.tobytes()
        return [str(it.dtype.descr), it.shape, content]
    if torch is not None and isinstance(it, torch.Tensor):
        flat = it.detach().cpu().contiguous().reshape(-1)
        return [str(it.dtype), tuple(it.shape), flat.view(torch.uint8).numpy().tobytes()]
    if kind is CodeType:
        return [getattr(it, name) for name in _CODE_ATTRIBUTES]
    if kind is ModuleType:
        if not _is_own(it.__name__):
            return [it.__name__]
        # Values may have been set since it was imported.
        scalars = {
            name: value
            for name, value in vars(it).items()
            if name[:2] != "__" and type(value) in _SCALARS
        }
        return [it.__name__, import_digests(it), scalars]
    if isinstance(it, FunctionType | type):
        return [it.__module__, it.__qualname__] if _is_known_by_name(it) else _code_of(it)
    # The pickle of a cached function is only a name. That of a compiled one holds a random number.
    is_compiled = kind.__module__.startswith("numba.") and hasattr(it, "__wrapped__")
    if is_compiled or isinstance(it, functools._lru_cache_wrapper):
        return [it.__wrapped__]
    reducer = cloudpickle.Pickler.dispatch_table.get(kind)
    reduced = reducer(it) if reducer else it.__reduce_ex__(4)
    if isinstance(reduced, str):
        return [getattr(it, "__module__", None), reduced]
    return [list(part) if isinstance(part, Iterator) else part for part in reduced]


def _is_own(module_name: str) -> bool:
    module = sys.modules.get(module_name or "")
    file = getattr(module, "__file__", None)
    return module is None or module_name == "__main__" or bool(file and is_own_file(file))


def _is_known_by_name(it: Any) -> bool:
    """Return whether a library's function or class is found there under its name.

    Those that a closure or a decorator has made are not.
    """
    if isinstance(it, type) and not it.__flags__ & _HEAP_TYPE:
        return True
    if _is_own(it.__module__):
        return False
    named: Any = sys.modules[it.__module__]
    for part in it.__qualname__.split("."):
        named = getattr(named, part, None)
    return named is it


def _code_of(it: Any) -> list[object]:
    if isinstance(it, FunctionType):
        used = _global_names(it.__code__) & it.__globals__.keys() if _is_own(it.__module__) else ()
        read = {name: it.__globals__[name] for name in used}
        return [it.__code__, it.__defaults__, it.__kwdefaults__, it.__closure__, read, vars(it)]
    attributes = {
        name: value
        for name, value in vars(it).items()
        if name not in _IGNORED_CLASS_ATTRIBUTES and not _is_slot(value)
    }
    return [type(it), it.__bases__, attributes]


def _is_slot(value: object) -> bool:
    return inspect.ismemberdescriptor(value) or inspect.isgetsetdescriptor(value)


def _global_names(code: CodeType) -> set[str]:
    reading = ("LOAD_GLOBAL", "LOAD_NAME")
    names = {str(step.argval) for step in dis.get_instructions(code) if step.opname in reading}
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    return names.union(*map(_global_names, inner))
