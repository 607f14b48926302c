"""Running the command `shakespeare` in tests, and reading what it prints."""

import re
import shlex
from itertools import takewhile

from typer.testing import CliRunner

from shakespeare_env.cli import app

NO_SCREEN = {"COLUMNS": None, "LINES": None}
"""An environment in which no line of the output is cut."""
SCREEN = {"COLUMNS": "80", "LINES": "40"}
"""An environment with a screen of 80 columns."""

LOGGED_MOVE = re.compile(
    r"^ *(\d+)  seat (\d)(?: \([^)]*\))?  (?:(decides in secret)|(.+)  \((\S+)\))$", re.MULTILINE
)
"""A line of a log: the move's number, seat, "decides in secret" or its description, and text."""


def run(*arguments, env=NO_SCREEN, **kwargs):
    """Run the command in this process and return Click's result."""
    return CliRunner().invoke(app, list(arguments), env=env, **kwargs)


def logged_moves(out):
    """Return (number, seat, text) of every move in a log; the text of a secret move is ''."""
    return [(int(number), int(seat), move) for number, seat, _, _, move in LOGGED_MOVE.findall(out)]


def printed_scores(out):
    """Return the scores by seat and the winners from the last table of scores."""
    titles = ("Final score", "Score so far")
    lines = out.splitlines()
    last = max(n for n, line in enumerate(lines) if any(title in line for title in titles))
    _, *scores = lines[last].strip("│").split("│")
    _, *results = lines[last + 1].strip("│").split("│")
    winners = [seat for seat, result in enumerate(results) if result.strip() == "wins"]
    return [int(score) for score in scores], winners


def printed_command(out, saying):
    """Return the words of the indented command below the line that begins with `saying`."""
    lines = out.splitlines()
    above = next(n for n, line in enumerate(lines) if line.startswith(saying))
    command = takewhile(lambda line: line.startswith("  "), lines[above + 1 :])
    return shlex.split("\n".join(command).replace("\\\n", ""))


def output_of(*arguments, **kwargs):
    """Run a command that must succeed, and return what it prints."""
    done = run(*arguments, **kwargs)
    assert done.exit_code == 0, done.output
    return done.stdout


def refusal_of(*arguments, **kwargs):
    """Run a command that must fail, and return its message in one line without the frame."""
    done = run(*arguments, **kwargs)
    assert done.exit_code in (1, 2), done.output
    assert not done.stdout
    assert "Traceback" not in done.stderr
    plain = re.sub(r"\x1b\[[\d;]*m", "", done.stderr)
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", plain).split())
