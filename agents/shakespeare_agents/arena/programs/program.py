"""What an external program is: a command, where it runs, and its limits."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from shakespeare_env.checks.limits import open_regular
from shakespeare_env.checks.values import shown

INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR")
"""Environment variables that every program has, if they are set: no keys to other services."""


@dataclass(frozen=True)
class Limits:
    """What a program may take; exceeding it loses the game.

    Attributes:
        seconds_a_move: For one decision.
        seconds_a_game: For all its decisions of a game.
        megabytes: Resident memory of it and the processes it started, looked at while it thinks.
        seconds_to_start: By how much its first answer may take longer, uncounted.

    Raises:
        TypeError: a limit is no number.
        ValueError: it is not above 0, or not finite.
    """

    seconds_a_move: float = 10.0
    seconds_a_game: float = 600.0
    megabytes: float = 1024.0
    seconds_to_start: float = 10.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise TypeError(f"{field.name}={shown(value)} must be a number")
            if not (value > 0 and math.isfinite(value)):
                raise ValueError(f"{field.name}={shown(value)} must be above 0, and finite")


@dataclass(frozen=True)
class Program:
    """A command that is started without a shell.

    Attributes:
        argv: The program, looked up in PATH if it is a bare name, and its arguments.
        limits: What it may take.
        folder: Its working directory.
        environment: Its environment variables besides `INHERITED`: `NAME=VALUE`, or `NAME` for what
            the arena's own has, which is looked up when the program is started.

    Raises:
        TypeError: `argv` or `environment` is no list of texts.
        ValueError: `argv` is empty, or an argument or variable is malformed.
    """

    argv: Sequence[str]
    limits: Limits = Limits()
    folder: Path = Path()
    environment: Sequence[str] = ()

    def __post_init__(self) -> None:
        if isinstance(self.argv, str) or not all(isinstance(text, str) for text in self.argv):
            raise TypeError(
                f"argv={shown(self.argv)}: give a list of texts, as in ['python3', 'my_agent.py']"
            )
        if not self.argv or not self.argv[0]:
            raise ValueError(f"argv={shown(self.argv)} names no program")
        for text in self.argv:
            if "\0" in text or _unwritable(text):
                raise ValueError(f"argv={shown(self.argv)}: {shown(text)} is no argument")
        object.__setattr__(self, "argv", tuple(self.argv))
        object.__setattr__(self, "folder", Path(self.folder))
        object.__setattr__(self, "environment", tuple(_checked(self.environment)))

    def __str__(self) -> str:
        return " ".join(self.argv)


def environment_of(program: Program) -> dict[str, str]:
    """The environment variables that a program is started with.

    Raises:
        ValueError: one that it is to have from the arena's own is not set there.
    """
    found = {name: os.environ[name] for name in INHERITED if name in os.environ}
    for text in program.environment:
        name, given, value = text.partition("=")
        if not given and name not in os.environ:
            raise ValueError(
                f"{program} is to have the variable {name}, which is not set here: set it, or give "
                f"its value, as in {name}=1"
            )
        found[name] = value if given else os.environ[name]
    return found


def program_digest(program: Program) -> str:
    """SHA-256 of a program's command, limits and environment, and of files that its command names.

    Files that these read are not covered.

    Raises:
        OSError: a file cannot be read.
    """
    named = [program.folder / text for text in program.argv]
    files = [_content_digest(path) if _is_file(path) else "" for path in named]
    made_of = json.dumps([program.argv, asdict(program.limits), program.environment, files])
    return hashlib.sha256(made_of.encode()).hexdigest()


def _checked(environment: Sequence[str]) -> Iterator[str]:
    """The entries of a program's environment; TypeError or ValueError if malformed."""
    if isinstance(environment, str) or not all(isinstance(text, str) for text in environment):
        raise TypeError(
            f"environment={shown(environment)}: give a list of texts, as in ['OMP_NUM_THREADS=1']"
        )
    for text in environment:
        if not text.partition("=")[0] or "\0" in text or _unwritable(text):
            raise ValueError(
                f"environment: {shown(text)} is no variable: write NAME=VALUE, or NAME for the "
                "value that the arena's own has"
            )
        yield text


def _unwritable(text: str) -> bool:
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return True
    return False


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name too long for one
        return False


def _content_digest(path: Path) -> str:
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
