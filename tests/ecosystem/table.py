"""The table of libraries in docs/libraries.md."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from tests.ecosystem.environments import ROOT, Library, Outcome

PAGE = ROOT / "docs" / "libraries.md"
BEGIN, END = "<!-- written by `make test-ecosystem` -->", "<!-- end -->"
BESIDE = ("gymnasium", "pettingzoo", "numpy", "torch")
"""What else matters to whether a library works."""


def write(known: Iterable[tuple[Library, Outcome]], page: Path = PAGE) -> None:
    """Put the table between its markers on a page; ValueError if they are missing."""
    text = page.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or END not in text.partition(BEGIN)[2]:
        raise ValueError(f"{page}: put the lines {BEGIN} and {END} where the table is to stand")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    page.write_text(f"{before}{BEGIN}\n\n{rows(known)}\n\n{END}{after}", encoding="utf-8")


def rows(known: Iterable[tuple[Library, Outcome]]) -> str:
    """A row for each library."""
    lines = ["| Recipe for | Versions | Beside them | Python | Result |", "|---|---|---|---|---|"]
    for library, outcome in known:
        own = [_version(outcome, name) for name in library.distributions]
        others = [name for name in BESIDE if name not in library.distributions]
        beside = [_version(outcome, name) for name in others if name in outcome.versions]
        result = f"**does not work**: {outcome.fault}" if outcome.fault else "works"
        cells = (library.title, ", ".join(own), ", ".join(beside), outcome.python, result)
        lines.append("| " + " | ".join(re.sub(r"\s*\|\s*", " / ", cell) for cell in cells) + " |")
    return "\n".join(lines)


def _version(outcome: Outcome, name: str) -> str:
    # A local version such as 2.13.0+cpu says where a build came from.
    version = outcome.versions.get(name, "not installed").partition("+")[0]
    return f"{name} {version}"
