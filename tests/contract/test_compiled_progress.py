"""Who waits for the compiler is told what for, on stderr; nobody else is told anything."""

import io
import re
import sys
from contextlib import redirect_stderr

import numba
import numpy as np
import pytest

from shakespeare_env import compiled_progress
from shakespeare_env.compiled import kernel

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="nothing is compiled with the compiler off"
)

LINES = re.compile(
    r"shakespeare-env: compiling counts of all things, for the first use \.\.\.\n"
    r"shakespeare-env: compiled in \d+ s\n"
)


def count():
    """Compile or load a small kernel, and use it."""

    @kernel("probe", purpose="counts of all things")
    def count_up(values):
        values[0] += 1

    count_up(np.array([3]))


@pytest.fixture(autouse=True)
def waiting(tmp_path, monkeypatch):
    """An empty cache, and a user for whom everything takes long."""
    monkeypatch.setenv("SHAKESPEARE_CACHE", str(tmp_path))
    monkeypatch.setattr(compiled_progress, "SILENT_SECONDS", 0.0)


def test_what_is_compiled_and_how_long_it_took_is_said_once_and_on_stderr(capsys):
    count()
    said = capsys.readouterr()
    assert LINES.fullmatch(said.err)
    assert said.out == ""
    count()
    assert capsys.readouterr() == ("", "")


def test_what_is_compiled_quickly_is_not_worth_a_line(capsys, monkeypatch):
    monkeypatch.setattr(compiled_progress, "SILENT_SECONDS", 60.0)
    count()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("kind", ["xterm", "dumb"])
def test_a_terminal_shows_a_line_that_disappears_if_it_can(monkeypatch, kind):
    for name, value in {"TERM": kind, "COLUMNS": "100"}.items():
        monkeypatch.setenv(name, value)
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    with redirect_stderr(terminal):
        count()
    shown = terminal.getvalue()
    if kind == "dumb":
        assert LINES.fullmatch(shown)
    else:
        assert re.search("counts of all things, for the first use.*0:00:00.*count_up", shown)
        assert shown.endswith("\x1b[1A\x1b[2K"), "the cursor goes up a line and clears it"


@pytest.mark.parametrize("stderr", [None, io.StringIO()], ids=["missing", "closed"])
def test_a_program_without_stderr_compiles_all_the_same(monkeypatch, stderr):
    if stderr is not None:
        stderr.close()
    monkeypatch.setattr(sys, "stderr", stderr)
    count()
