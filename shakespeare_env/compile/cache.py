"""Compiled code in files: complete, unchanged and the user's own, or compiled anew.

Machine code is loaded unchecked and comes with pickles, which run arbitrary code.  So every file
holds a digest of its name and content, and is read only if nobody else can write it.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numba
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from shakespeare_env.compile.folder import CACHE_VARIABLE, DRAFT, TURN, foreign_hands
from shakespeare_env.compile.progress import compiling

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_DIGEST_SIZE = hashlib.sha256().digest_size
_LONGEST_S, _LOOK_EVERY_S = 300.0, 0.05
"""Seconds after which a waiting process compiles, too, and seconds between its checks."""


class KernelCode(_Cache):  # type: ignore[misc]
    """A kernel's machine code in a folder, a file for each signature and processor.

    Files are written whole or not at all, by any number of processes at once.  It is a context in
    which the kernel is compiled: one process compiles it, with a notice, and the others wait.

    Args:
        name: Begins the files' names.
        functions: Tells kernels of one name apart.
        folder: None keeps nothing.
        purpose: What is compiled, for the notice.
    """

    def __init__(self, name: str, functions: str, folder: Path | None, purpose: str) -> None:
        self._name, self._functions, self._folder = name, functions, folder
        self._purpose = purpose
        self._open = ExitStack()

    def __enter__(self) -> None:
        """Nothing to do before it is known whether the code is kept."""

    def __exit__(self, *raised: object) -> None:
        self._open.close()

    @property
    def cache_path(self) -> str | None:
        """The path that Numba's statistics name."""
        return None if self._folder is None else str(self._folder)

    def enable(self) -> None:
        """Nothing to do: code is kept as soon as there is a folder."""

    def disable(self) -> None:
        """Numba never asks for it."""

    def flush(self) -> None:
        """Nothing to do: code that is compiled again replaces its file."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code for a signature; None, with a warning if it is unusable, to compile it."""
        often = "as in every process"
        if self._folder is not None:
            often = "for the first use"
            target_context.refresh()
            path = self._path(self._folder, sig, target_context.codegen())
            found = self._load(path, target_context)
            if found is None:
                self._open.enter_context(_turn(path))
                found = self._load(path, target_context)
            if found is not None:
                return found
        self._open.enter_context(compiling(self._purpose, often))
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code; a warning if the disk does not allow it."""
        if self._folder is None or (reduced := self._reduced(data)) is None:
            return
        try:
            _write(self._path(self._folder, sig, self._codegen(data)), reduced)
        except OSError as fault:
            warnings.warn(
                f"compiled code cannot be kept in {self._folder}: {fault}; the next process "
                f"will compile it anew. Set {CACHE_VARIABLE} to a folder with room",
                RuntimeWarning,
                stacklevel=2,
            )

    def _load(self, path: Path, target_context: Any) -> Any:
        try:
            return self._rebuilt(target_context, pickle.loads(_read(path)))
        except FileNotFoundError:
            return None
        except Exception as fault:
            warnings.warn(
                f"unusable compiled code, {path}: {fault}; compiling anew",
                RuntimeWarning,
                stacklevel=4,
            )
            return None

    @staticmethod
    def _rebuilt(target_context: Any, content: Any) -> Any:
        """What the processor runs, from its file's content."""
        return CompileResult._rebuild(target_context, *content)

    @staticmethod
    def _reduced(data: Any) -> bytes | None:
        """A file's content; None for code that holds dynamic globals, addresses of this process."""
        if data.library.has_dynamic_globals or data.lifted:
            return None
        content: bytes = dumps(data._reduce())
        return content

    @staticmethod
    def _codegen(data: Any) -> Any:
        return data.codegen

    def _path(self, folder: Path, sig: Any, codegen: Any) -> Path:
        # The folder's name stands for all code and options; NUMBA_BOUNDSCHECK overrides one.
        key = (self._functions, sig, codegen.magic_tuple(), numba.config.BOUNDSCHECK)
        return folder / f"{self._name}-{hashlib.sha256(repr(key).encode()).hexdigest()[:32]}.code"


@contextmanager
def _turn(path: Path) -> Iterator[None]:
    """Wait until no other process makes a file, and keep others waiting.

    Where files cannot be locked it is everybody's turn. A process that dies ends its turn.
    """
    lock = _taken(path.with_suffix(TURN))
    try:
        yield
    finally:
        if lock is not None:
            # The file goes before the lock: a waiting process then finds the code made.
            with suppress(OSError):
                path.with_suffix(TURN).unlink()
            lock.close()


def _taken(path: Path) -> IO[bytes] | None:
    """An open file that this process has locked; None if that cannot be."""
    if fcntl is None:
        return None
    try:
        path.parent.mkdir(0o700, exist_ok=True)
        lock = path.open("wb")
    except OSError:
        return None
    until = time.monotonic() + _LONGEST_S
    while time.monotonic() < until:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_LOOK_EVERY_S)
        except OSError:
            break
        else:
            return lock
    lock.close()
    return None


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
