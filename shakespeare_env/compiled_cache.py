"""Compiled code in files: complete, unchanged and the user's own, or compiled anew.

Machine code is loaded unchecked and comes with pickles, which run arbitrary code.  So every file
holds a digest of its name and content, and is read only if nobody else can write it.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from shakespeare_env.compiled_cleaning import DRAFT
from shakespeare_env.compiled_folder import CACHE_VARIABLE, foreign_hands
from shakespeare_env.compiled_sources import functions_within
from shakespeare_env.compiled_turns import Turns

_SUFFIX = ".code"
_DIGEST_SIZE = hashlib.sha256().digest_size


class KeptCode(_Cache):  # type: ignore[misc]
    """A kernel's machine code in a folder, a file for each signature and processor.

    Files are written whole or not at all, by any number of processes at once.
    """

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._folder = folder
        self._name = function.__name__.strip("<>")
        # A kernel around other functions of the same files is another kernel.
        inner = functions_within([function])
        names = (f"{one.__qualname__}-{one.__code__.co_firstlineno}" for one in inner)
        self._functions = " ".join(names)
        self._turns = Turns()

    @property
    def cache_path(self) -> str:
        """The path that Numba's statistics name."""
        return str(self._folder)

    def enable(self) -> None:
        """Nothing to do: code is kept as soon as there is a folder."""

    def disable(self) -> None:
        """Numba never asks for it."""

    def flush(self) -> None:
        """Nothing to do: code that is compiled again replaces its file."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code for a signature; None, with a warning if it is unusable, to compile it."""
        target_context.refresh()
        path = self._path(sig, target_context.codegen())
        found = self._load(path, target_context)
        if found is None:
            self._turns.wait(path)
            found = self._load(path, target_context)
        return found

    def end_turn(self) -> None:
        """End the turn: the code is compiled, or cannot be."""
        self._turns.end()

    def _load(self, path: Path, target_context: Any) -> Any:
        try:
            return CompileResult._rebuild(target_context, *pickle.loads(_read(path)))
        except FileNotFoundError:
            return None
        except Exception as fault:
            warnings.warn(
                f"unusable compiled code, {path}: {fault}; compiling anew",
                RuntimeWarning,
                stacklevel=3,
            )
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code; a warning if the disk does not allow it."""
        path = self._path(sig, data.codegen)
        try:
            if not (data.library.has_dynamic_globals or data.lifted):  # addresses of this process
                _write(path, dumps(data._reduce()))
        except OSError as fault:
            warnings.warn(
                f"compiled code cannot be kept in {self._folder}: {fault}; the next process "
                f"will compile it anew. Set {CACHE_VARIABLE} to a folder with room",
                RuntimeWarning,
                stacklevel=2,
            )

    def _path(self, sig: Any, codegen: Any) -> Path:
        # The folder's name stands for all code and options; NUMBA_BOUNDSCHECK overrides one.
        key = (self._functions, sig, codegen.magic_tuple(), numba.config.BOUNDSCHECK)
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:32]
        return self._folder / f"{self._name}-{digest}{_SUFFIX}"


def _read(path: Path) -> bytes:
    """The content of a file of compiled code.

    Raises:
        OSError: it cannot be read.
        ValueError: it is damaged, another file's, or not the user's alone.
    """
    if fault := foreign_hands(path):
        raise ValueError(fault)
    content = path.read_bytes()
    digest, data = content[:_DIGEST_SIZE], content[_DIGEST_SIZE:]
    if digest != _digest(path, data):
        raise ValueError("its content is not what was written")
    return data


def _write(path: Path, data: bytes) -> None:
    """Replace a file at once; readable for the user alone."""
    path.parent.mkdir(0o700, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=DRAFT)
    try:
        with open(handle, "wb") as file:
            file.write(_digest(path, data) + data)
        os.replace(draft, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft)
        raise


def _digest(path: Path, data: bytes) -> bytes:
    """The digest of a file's name and content, so that code under another name is refused."""
    return hashlib.sha256(path.name.encode() + b"\n" + data).digest()
