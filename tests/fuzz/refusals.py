"""Errors that the project raises on purpose, told from those that come over it."""

from __future__ import annotations

import linecache
import traceback

_PACKAGES = ("/shakespeare_env/", "/shakespeare_agents/", "/shakespeare_training/")


def refused(error: Exception) -> str:
    """The word for an input that was refused; raises the error again if nobody meant it.

    An error is meant where a line of the project's own begins with `raise`: a ValueError of
    NumPy's or of another library is a finding, of whatever kind the documentation promises.
    """
    frame = traceback.extract_tb(error.__traceback__)[-1]
    line = linecache.getline(frame.filename, frame.lineno or 0).strip()
    if line.startswith("raise ") and any(name in frame.filename for name in _PACKAGES):
        return "refused"
    raise error
