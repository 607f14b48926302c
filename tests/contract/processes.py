"""Python in processes of their own, at the root of the project or in another folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]


def said_by(
    script: str,
    *arguments: object,
    folder: Path = ROOT,
    flags: Sequence[str] = (),
    given: str | None = None,
    **environment: str,
) -> str:
    """What a script prints.

    Args:
        script: Python, which can import from the folder and from the project.
        arguments: Its own.
        folder: Where it runs.
        flags: For Python itself.
        given: What it reads.
        environment: Variables beside or in place of those of this process.
    """
    done = subprocess.run(
        [sys.executable, *flags, "-c", script, *map(str, arguments)],
        input=given,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": _path(folder), "PYTHONIOENCODING": "utf-8", **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _path(folder: Path) -> str:
    there = os.environ.get("PYTHONPATH", "")
    return os.pathsep.join(filter(None, [str(folder), str(ROOT), there]))
