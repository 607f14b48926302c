"""Environments to try something in, and the tables of docs/libraries.md that say what came."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

from packaging.utils import canonicalize_name

from tests.ecosystem.libraries import ROOT

PAGE = ROOT / "docs" / "libraries.md"
PINNED = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
_END = "<!-- end -->"
_MINUTES = 20


def python_of(folder: Path) -> Path:
    """The Python of an environment."""
    return folder / "bin" / "python"


def installed(python: Path, *wanted: object) -> str | None:
    """What pip says if it cannot install that into an environment."""
    # Python compiles what is imported, a small part of what is installed.
    done = run(python, "-m", "pip", "install", "--quiet", "--no-compile", *wanted)
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR: ")]
    why = " ".join(errors or ["no reason given"])[:300]
    return f"pip cannot install it: {why}" if done.returncode else None


def versions(python: Path) -> dict[str, str]:
    """Of everything installed; a local version such as 2.13.0+cpu says where a build came from."""
    listed = run(python, "-m", "pip", "list", "--format", "json")
    rows = json.loads(listed.stdout) if not listed.returncode else []
    named = {canonicalize_name(row["name"]): row["version"] for row in rows}
    return {name: f"{name} {version.partition('+')[0]}" for name, version in named.items()}


def write_row(begin: str, key: tuple[str, ...], *cells: str) -> None:
    """Put a row into the table below a mark, in place of the last with the same first cells."""
    words = [re.sub(r"\s*\|\s*", " / ", cell) for cell in (*key, *cells)]
    row = "| " + " | ".join(words) + " |\n"
    before, table, after = re.split(f"({begin}.*?)(?={_END})", PAGE.read_text("utf-8"), flags=re.S)
    last = re.compile(rf"^\| {re.escape(' | '.join(words[: len(key)]))} \|.*\n", re.MULTILINE)
    found = last.sub(lambda _: row, table)
    if not last.search(table):
        found = f"{table.rstrip()}\n{row}\n"
    PAGE.write_text(before + found + after, encoding="utf-8")


def run(
    *command: object, cwd: Path = ROOT, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """A command and all it says; it is ended after twenty minutes."""
    words = [str(word) for word in command]
    try:
        return subprocess.run(
            words, cwd=cwd, env=env, capture_output=True, text=True, check=False,
            timeout=60 * _MINUTES,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        fault = f"ERROR: not done after {_MINUTES} minutes"
        return subprocess.CompletedProcess(words, -1, "", fault)
