"""A game that a page tells goes as the page says."""

import re
import shlex
from pathlib import Path

from typer.testing import CliRunner

from shakespeare_env.cli import app

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_game_on_the_page_on_playing_is_played_so():
    """Line by line; `...` stands for lines left out."""
    page = (DOCS / "play.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```console\n\$ (.+?)^```", page, re.DOTALL | re.MULTILINE)
    command, *lines = shown.splitlines()
    typed = [line.partition("? for help): ")[2] for line in lines if "? for help): " in line]
    out = CliRunner().invoke(app, shlex.split(command)[1:], input="\n".join(typed))
    printed = iter(out.output.splitlines())
    assert len(typed) > 2
    for line in lines:
        assert line == "..." or line in printed, line
