"""The version of the package."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version

NOT_INSTALLED = "0+not.installed"
"""The version of a checkout on the module path that was not installed."""


def version() -> str:
    """The version of the installed distribution, or `NOT_INSTALLED`."""
    try:
        return installed_version("shakespeare-env")
    except PackageNotFoundError:
        return NOT_INSTALLED
