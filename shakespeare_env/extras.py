"""Modules of optional dependencies; errors name the extra that brings a missing one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
"""The checkout, or the folder of installed packages."""


@contextmanager
def needing(extra: str, who_needs: str) -> Iterator[None]:
    """Imports inside need an extra; ModuleNotFoundError names what is missing and the remedy."""
    try:
        yield
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("shakespeare_"):
            raise
        raise ModuleNotFoundError(
            f"{who_needs} {missing.name}; {how_to_get(extra)}", name=missing.name
        ) from missing


def how_to_get(extra: str) -> str:
    """What to do when an extra is missing, in a checkout or beside an installed wheel."""
    what = f"'shakespeare-env[{extra}]'"
    if (_ROOT / "pyproject.toml").is_file():
        what = f"-e '.[{extra}]' in {_ROOT}"
    return f"install the extra {extra} of shakespeare-env: pip install {what}"
