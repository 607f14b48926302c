"""The version of the installed package."""

from __future__ import annotations

from importlib import metadata

NOT_INSTALLED = "0+not.installed"
"""The version of a checkout on the module path that was not installed."""


def version() -> str:
    """Return the version of the installed distribution, or `NOT_INSTALLED`."""
    try:
        return metadata.version("shakespeare-env")
    except metadata.PackageNotFoundError:
        return NOT_INSTALLED
