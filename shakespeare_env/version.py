"""The version of the installed package."""

from __future__ import annotations

from functools import cache
from importlib import metadata

NOT_INSTALLED = "0+not.installed"
"""The version of a checkout on the module path that was not installed."""


@cache  # a row of results asks for it, and reading it takes longer than some games
def version() -> str:
    """Return the version of the installed distribution, or `NOT_INSTALLED`."""
    try:
        return metadata.version("shakespeare-env")
    except metadata.PackageNotFoundError:
        return NOT_INSTALLED
