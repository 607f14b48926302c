"""What an object is made of, as a digest that is the same in every process of the same code."""

from __future__ import annotations

import dis
import functools
import hashlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any

import cloudpickle
import numpy as np

from shakespeare_env.core.game import Game
from shakespeare_env.errors import is_own_file

_VALUES = (type(None), bool, int, float, complex, str)
"""Types whose values are told in full by their `repr`."""
_HEAP_TYPE = 1 << 9
"""The flag of classes that were not written in C (`Py_TPFLAGS_HEAPTYPE`)."""
_CODE = "code exceptiontable consts names varnames freevars cellvars flags argcount"
_CODE += " posonlyargcount kwonlyargcount"
"""What code does; where it stands differs between processes, as in notebooks."""
_NOT_PLAYED = "__module__ __doc__ __dict__ __weakref__ __annotations__ __firstlineno__"
_NOT_PLAYED += " __static_attributes__ _abc_impl"
"""Attributes of classes that are no part of what they do."""


def state_digest(value: object) -> str:
    """SHA-256 of what an object is made of: its values, its code, and what that reads.

    It covers what cloudpickle would send to another process, but not its accidents: identities of
    objects, places in files, the order of sets and dictionaries. The code of modules of one's own
    counts, too; that of the standard library, of installed packages and of this project by name.

    Raises:
        TypeError: part of it cannot be pickled, or is another one each time.
    """
    try:
        found = _digest_once(value)
        is_same = _digest_once(value) == found
    except Exception as fault:  # their code, which may raise anything
        raise TypeError(f"its state cannot be pickled: {type(fault).__name__}: {fault}") from fault
    if not is_same:
        raise TypeError("its state is pickled in another way each time")
    return found


def is_own(thing: Any) -> bool:
    """Whether a module, class or function is neither this project's nor a library's."""
    name = thing.__name__ if isinstance(thing, ModuleType) else thing.__module__
    module = sys.modules.get(name or "")
    file = getattr(module, "__file__", None)
    return module is None or name == "__main__" or bool(file and is_own_file(file))


def _digest_once(value: object) -> str:
    reader = _Reader()
    reader.read(value)
    return reader.hash.hexdigest()


class _Reader:
    def __init__(self) -> None:
        self.hash = hashlib.sha256()
        # Objects are kept, since the id of one that is freed may become another's.
        self._seen: dict[int, tuple[int, object]] = {}

    def read(self, it: object) -> None:
        kind = type(it)
        if kind in _VALUES or isinstance(it, bytes):
            self._note(kind, it if isinstance(it, bytes) else repr(it).encode())
            return
        if kind not in (tuple, frozenset):  # equal constants are one object or several
            if id(it) in self._seen:
                self._note(kind, b"again %d" % self._seen[id(it)][0])
                return
            self._seen[id(it)] = len(self._seen), it
        parts = list(_parts(it))
        self._note(kind, b"parts %d" % len(parts))
        for part in parts:
            self.read(part)

    def _note(self, kind: type, content: bytes) -> None:
        self.hash.update(f"{kind.__qualname__} {len(content)} ".encode())
        self.hash.update(content)


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
        return [getattr(it, f"co_{name}") for name in _CODE.split()]
    if kind is ModuleType:
        source = getattr(it, "__file__", None) if is_own(it) else None
        return [it.__name__, Path(source).read_bytes() if source else b""]
    if isinstance(it, FunctionType | type):
        return [it.__module__, it.__qualname__] if _is_known_by_name(it) else _code_of(it)
    # Pickles of caches are a name, those of compiled functions hold a random number.
    is_compiled = kind.__module__.startswith("numba.") and hasattr(it, "__wrapped__")
    if is_compiled or isinstance(it, functools._lru_cache_wrapper):
        return [it.__wrapped__]
    reducer = cloudpickle.Pickler.dispatch_table.get(kind)
    reduced = reducer(it) if reducer else it.__reduce_ex__(4)
    if isinstance(reduced, str):
        return [getattr(it, "__module__", None), reduced]
    return [list(part) if isinstance(part, Iterator) else part for part in reduced]


def _is_known_by_name(it: Any) -> bool:
    """Whether it is a library's own, which no closure or decorator has made."""
    if isinstance(it, type) and not it.__flags__ & _HEAP_TYPE:
        return True
    if is_own(it):
        return False
    found: Any = sys.modules[it.__module__]
    for part in it.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is it


def _code_of(it: Any) -> list[object]:
    if isinstance(it, FunctionType):
        used = _global_names(it.__code__) & it.__globals__.keys() if is_own(it) else ()
        read = {name: it.__globals__[name] for name in used}
        return [it.__code__, it.__defaults__, it.__kwdefaults__, it.__closure__, read, vars(it)]
    held = [
        (name, value)
        for name, value in sorted(vars(it).items())
        if name not in _NOT_PLAYED.split()
        and not isinstance(value, GetSetDescriptorType | MemberDescriptorType)
    ]
    return [type(it), it.__bases__, held]


def _global_names(code: CodeType) -> set[str]:
    reading = ("LOAD_GLOBAL", "LOAD_NAME")
    names = {str(one.argval) for one in dis.get_instructions(code) if one.opname in reading}
    inner = (one for one in code.co_consts if isinstance(one, CodeType))
    return names.union(*map(_global_names, inner))
