"""Who waits for the compiler is told what for, on stderr; nobody else is told anything."""

import io
import re
import sys
from contextlib import redirect_stderr
from typing import Any

import numba
import numpy as np
import pytest

from shakespeare_env import compiled_progress
from shakespeare_env.compiled import kernel, rule

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="nothing is compiled with the compiler off"
)

LINES = re.compile(
    r"shakespeare-env: compiling counts of all things, for the first use \.\.\.\n"
    r"shakespeare-env: compiled in \d+ s\n"
)

WIPED = "\x1b[1A\x1b[2K"
"""Moves the cursor up a line and clears it."""


@rule
def successor(value):
    return value + 1


def count():
    """Compile or load a small kernel, and use it."""

    @kernel("probe", purpose="counts of all things")
    def count_up(values):
        values[0] = successor(values[0])

    values = np.array([3])
    count_up(values)
    assert values[0] == 4


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


def test_code_that_is_not_kept_says_that_the_next_process_waits_too(capsys):
    made: dict[str, Any] = {"__name__": "typed_in", "successor": successor}
    exec("def probe(values):\n    values[0] = successor(values[0])", made)
    kernel("probe")(made["probe"])(np.array([3]))
    assert "compiling probe: probe, as in every process" in capsys.readouterr().err


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    for name, value in {"TERM": "xterm", "COLUMNS": "100"}.items():
        monkeypatch.setenv(name, value)
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    return Terminal()


def test_a_terminal_shows_a_line_that_disappears(terminal, capsys):
    with redirect_stderr(terminal):
        count()
    shown = terminal.getvalue()
    assert "compiling counts of all things, for the first use" in shown
    assert re.search("0:00:00.*count_up", shown)
    assert shown.count("\n") == 1
    assert shown.endswith(WIPED)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("why", ["it has a progress bar of the program", "it is dumb"])
def test_another_terminal_gets_plain_lines(terminal, monkeypatch, why):
    if "dumb" in why:
        monkeypatch.setenv("TERM", "dumb")
    else:
        terminal.rich_proxied_file = terminal
    with redirect_stderr(terminal):
        count()
    assert LINES.fullmatch(terminal.getvalue())


@pytest.mark.parametrize("stderr", [None, io.StringIO()], ids=["missing", "closed"])
def test_a_program_without_stderr_compiles_all_the_same(monkeypatch, stderr):
    if stderr is not None:
        stderr.close()
    monkeypatch.setattr(sys, "stderr", stderr)
    count()


def test_a_kernel_that_cannot_be_compiled_leaves_its_error_and_no_moving_line(terminal):
    @kernel("probe")
    def wrong(values):
        values.no_such_thing()

    with redirect_stderr(terminal), pytest.raises(numba.TypingError, match="no_such_thing"):
        wrong(np.array([3]))
    assert terminal.getvalue().endswith(WIPED)
