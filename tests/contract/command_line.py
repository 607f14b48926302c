"""Running the command `shakespeare` in tests."""

import re

from typer.testing import CliRunner

from shakespeare_env.cli import app


def run(*arguments, **kwargs):
    return CliRunner().invoke(app, list(arguments), **kwargs)


def printed(*arguments, **kwargs):
    """What a command that succeeds prints."""
    done = run(*arguments, **kwargs)
    assert done.exit_code == 0, done.output
    return done.stdout


def refused(*arguments, **kwargs):
    """What a command that fails says, as one line without the frame it may stand in."""
    done = run(*arguments, **kwargs)
    assert done.exit_code in (1, 2), done.output
    assert not done.stdout
    assert "Traceback" not in done.stderr
    plain = re.sub(r"\x1b\[[\d;]*m", "", done.stderr)
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", plain).split())
