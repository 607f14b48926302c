"""Running the command `shakespeare` in tests."""

import re
import shlex
from itertools import takewhile

from typer.testing import CliRunner

from shakespeare_env.cli import app

NO_SCREEN = {"COLUMNS": None, "LINES": None}
"""Output that is cut nowhere, wherever the tests run."""
SCREEN = {"COLUMNS": "80", "LINES": "40"}

LOGGED_MOVE = re.compile(
    r"^ *(\d+)  seat (\d)(?: \([^)]*\))?  (?:(decides in secret)|(.+)  \((\S+)\))$", re.MULTILINE
)
"""A move in a log: its number, seat, whether it is secret, what it does and its text."""


def run(*arguments, env=NO_SCREEN, **kwargs):
    return CliRunner().invoke(app, list(arguments), env=env, **kwargs)


def logged_moves(out):
    """Return (number, seat, move) of every move in a log; a secret move is ''."""
    return [(int(number), int(seat), move) for number, seat, _, _, move in LOGGED_MOVE.findall(out)]


def printed_scores(out):
    """Return the scores of the last table of scores, by seat, and the winners."""
    titles = ("Final score", "Score so far")
    last = max(n for n, line in enumerate(out.splitlines()) if any(t in line for t in titles))
    lines = [line.strip("│").split("│") for line in out.splitlines()[last : last + 2]]
    winners = [seat for seat, cell in enumerate(lines[1][1:]) if cell.strip() == "wins"]
    return [int(cell) for cell in lines[0][1:]], winners


def printed_command(out, saying):
    """Return the words of the command below a line that begins so."""
    at = next(n for n, line in enumerate(out.splitlines()) if line.startswith(saying))
    lines = takewhile(lambda line: line.startswith("  "), out.splitlines()[at + 1 :])
    return shlex.split("\n".join(lines).replace("\\\n", ""))


def output_of(*arguments, **kwargs):
    """Return what a command prints that succeeds."""
    done = run(*arguments, **kwargs)
    assert done.exit_code == 0, done.output
    return done.stdout


def refusal_of(*arguments, **kwargs):
    """Return the message of a command that fails, in one line without the frame around it."""
    done = run(*arguments, **kwargs)
    assert done.exit_code in (1, 2), done.output
    assert not done.stdout
    assert "Traceback" not in done.stderr
    plain = re.sub(r"\x1b\[[\d;]*m", "", done.stderr)
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", plain).split())
