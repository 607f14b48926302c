"""Modules of optional dependencies; errors name the extra that brings a missing one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needing(extra: str, who_needs: str) -> Iterator[None]:
    """Imports inside need an extra of this distribution.

    Raises:
        ModuleNotFoundError: a module is missing; names it, its purpose and the remedy.
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("shakespeare_"):
            raise
        raise ModuleNotFoundError(
            f"{who_needs} {missing.name}; {how_to_get(extra)}", name=missing.name
        ) from missing


def how_to_get(extra: str) -> str:
    """What to do when an extra is missing."""
    return (
        f"install the extra {extra} of shakespeare-env: pip install -e '.[{extra}]' in a checkout"
    )
