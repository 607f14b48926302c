"""Scripts that run in Python processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run_script(
    script: str,
    *arguments: object,
    folder: Path = ROOT,
    flags: Sequence[str] = (),
    given: str | None = None,
    **environment: str,
) -> str:
    """Run a script and return what it prints.

    The script can import from the folder where it runs and from the project.

    Args:
        script: The Python code.
        *arguments: The script's arguments.
        folder: The folder in which it runs.
        flags: Options of Python.
        given: The text on the script's standard input.
        **environment: Environment variables, added to those of this process or replacing them.
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
