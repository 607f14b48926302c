"""The cache of compiled kernels on disk.

Numba's own cache looks only at the file of the cached function, so it would run old rules after an
edit of a function that it calls. Here a folder is named after the digest of everything that is
compiled (`digest.py`), so stale code is never loaded.

Loading compiled code runs it, so anybody who can write to the folder can run code.
"""

from __future__ import annotations

import fcntl
import os
import sys
import warnings
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import Cache, IndexDataCacheFile
from numba.core.compiler import CompileResult
from platformdirs import user_cache_path

from shakespeare_env.compile.digest import AnyFunction, code_digest

CACHE_VARIABLE = "SHAKESPEARE_CACHE"
"""The environment variable that names a folder to use in place of the user's cache folder."""
_REMEDY = f"set {CACHE_VARIABLE} to a folder that you alone can write to"


class KernelCache(Cache):  # type: ignore[misc]
    """The cache of one kernel, in Numba's interface. One process compiles while others wait.

    Args:
        dispatcher: The kernel, as Numba's dispatcher.
        owner: The beginning of the name of the folder that keeps the code, such as `"figaro"`.
        purpose: What is compiled, in words for people who wait.
    """

    def __init__(self, dispatcher: Any, owner: str, purpose: str) -> None:
        name = dispatcher.py_func.__name__.strip("<>")
        self._cache_path = ""
        self._cache_file: Any = None
        self._purpose = purpose
        compile_kernel = dispatcher.compile

        def compile_in_turn(signature: Any) -> Any:
            folder = code_folder(owner, dispatcher.py_func)
            if folder is None:
                self._cache_file = None
                return compile_kernel(signature)

            # The folder's name identifies the source, so the file needs no stamp.
            self._cache_path = str(folder)
            self._cache_file = IndexDataCacheFile(self._cache_path, name, source_stamp=None)
            with ExitStack() as locked:
                with suppress(OSError):  # without a folder to write to, compile without a lock
                    folder.mkdir(0o700, parents=True, exist_ok=True)
                    lock = locked.enter_context((folder / f"{name}.lock").open("wb"))
                    fcntl.flock(lock, fcntl.LOCK_EX)
                return compile_kernel(signature)

        dispatcher.compile = compile_in_turn
        dispatcher._cache = self

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for a signature, or announce its compilation and return None."""
        target_context.refresh()
        try:
            if self._cache_file is not None:
                content = self._cache_file.load(self._index_key(sig, target_context.codegen()))
                if content is not None:
                    return self._rebuilt(target_context, content)
        except Exception as fault:
            _warn(
                f"the compiled code in {self._cache_path} cannot be used ({fault}) and is compiled "
                f"anew; {_REMEDY}"
            )
            with suppress(OSError):
                self.flush()
        with suppress(OSError, ValueError, AttributeError):  # the program has no console
            sys.stderr.write(f"shakespeare-env: compiling {self._purpose}, for the first use ...\n")
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code on disk, or warn if it cannot be written."""
        try:
            reduced = None if self._cache_file is None else self._reduced(data)
            if reduced is not None:
                self._cache_file.save(self._index_key(sig, data.codegen), reduced)
        except OSError as fault:
            _warn(
                f"compiled code cannot be kept ({fault}), so every process compiles it anew; "
                f"{_REMEDY}"
            )

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return repr(sig), codegen.magic_tuple(), numba.config.BOUNDSCHECK

    @staticmethod
    def _rebuilt(target_context: Any, content: Any) -> Any:
        return CompileResult._rebuild(target_context, *content)

    @staticmethod
    def _reduced(data: Any) -> Any:
        """Return what is kept on disk, or None for code that holds addresses of this process."""
        return None if data.library.has_dynamic_globals else data._reduce()


@cache  # warns once of each fault, however many kernels it affects
def _warn(fault: str) -> None:
    warnings.warn(fault, RuntimeWarning, stacklevel=2)


def code_folder(owner: str, function: AnyFunction) -> Path | None:
    """Return the folder for a function's machine code.

    If the function cannot be described by a digest, warn that its code is not kept, and return
    None.

    The folder's name is `owner`, such as `"figaro"`, with the digest of what is compiled. It is in
    the folder that `SHAKESPEARE_CACHE` names, by default in the user's cache folder.
    """
    try:
        digest = code_digest(function)
    except TypeError as fault:
        _warn(f"compiled code is not kept ({fault})")
        return None
    home = os.environ.get(CACHE_VARIABLE) or user_cache_path()
    return Path(home) / "shakespeare-env" / f"{owner}-{digest[:24]}"
