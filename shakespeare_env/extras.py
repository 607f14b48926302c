"""Imports of optional dependencies, with errors that name the extra to install."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
"""The root of the checkout, or the folder of installed packages."""


@contextmanager
def requires_extra(extra: str, who_needs: str) -> Iterator[None]:
    """Guard imports from an extra: the error for a missing module says what to install.

    Args:
        extra: The extra's name.
        who_needs: The subject and verb of the error, such as "boxes are written with".

    Raises:
        ModuleNotFoundError: a module is missing; the message names it and the remedy.
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("shakespeare_"):
            raise
        raise ModuleNotFoundError(
            f"{who_needs} {missing.name}; {install_hint(extra)}", name=missing.name
        ) from missing


def install_hint(extra: str) -> str:
    """Return how to install an extra, in a checkout or beside an installed wheel."""
    requirement = f"'shakespeare-env[{extra}]'"
    if (_ROOT / "pyproject.toml").is_file():
        requirement = f"-e '.[{extra}]' in {_ROOT}"
    return f"install the extra {extra} of shakespeare-env: pip install {requirement}"
