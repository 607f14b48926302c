"""The commands on the pages exist, with the options and the targets they are given."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from shakespeare_env.cli import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
COMMANDS: Any = typer.main.get_command(app)
CONTEXT = typer.Context(COMMANDS)
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
LINES = [
    pytest.param(line.strip().removeprefix("$ "), id=f"{page.name}-{line.strip()[:50]}")
    for page in PAGES
    for language, block in BLOCK.findall(page.read_text(encoding="utf-8"))
    if language in ("", "sh", "console")
    for line in block.replace("\\\n", " ").splitlines()
    if re.match(r" *(\$ )?(shakespeare|make) ", line)
]


@pytest.mark.parametrize("line", LINES)
def test_a_command_is_as_the_page_says(line):
    program, *words = shlex.split(line, comments=True)
    if program == "make":
        assert {word for word in words if "=" not in word} <= TARGETS
        return
    _, command, rest = COMMANDS.resolve_command(CONTEXT, words)
    known = {option for param in command.params for option in param.opts}
    assert {word for word in rest if word.startswith("--")} <= known


def test_the_tutorial_has_commands():
    tutorial = [line for line in LINES if str(line.id).startswith("tutorial")]
    assert len(tutorial) >= 5
