"""The installed versions that decide the results of shards."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from shakespeare_env.version import version as own_version

_PACKAGES = ("shakespeare_env", "shakespeare_agents", "shakespeare_training")
_DIGITS = 12
"""The hexadecimal digits of a digest."""
_COUNT = ("numpy", "numba")
"""Libraries whose versions may decide a result."""


@cache
def installed() -> dict[str, str]:
    """Versions by name; the package's with a digest of its code, as checkouts share a version."""
    return {
        "shakespeare-env": f"{own_version()} (code {_code_digest()})",
        **{name: version(name) for name in _COUNT},
    }


def _code_digest() -> str:
    digest = hashlib.sha256()
    for name in _PACKAGES:
        spec = find_spec(name)
        for folder in (spec and spec.submodule_search_locations) or []:
            for file in sorted(Path(folder).rglob("*.py")):
                digest.update(f"{name}/{file.relative_to(folder).as_posix()}\0".encode())
                digest.update(file.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()[:_DIGITS]
