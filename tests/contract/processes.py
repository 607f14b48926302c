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
    """What a script prints, which can import from the folder where it runs and from the project.

    `arguments` are its own, `flags` Python's, `given` is what it reads; `environment` has variables
    beside or in place of those of this process.
    """
    path = [str(folder), str(ROOT), os.environ.get("PYTHONPATH", "")]
    variables = {"PYTHONPATH": os.pathsep.join(filter(None, path)), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, *flags, "-c", script, *map(str, arguments)],
        input=given,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=folder,
        env={**os.environ, **variables, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
