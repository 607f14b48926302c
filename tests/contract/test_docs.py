"""The pages that are made from code say what the code says."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from shakespeare_env import observation_layout
from shakespeare_env.cli import app

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("command", ["actions", "observation"])
def test_a_page_made_from_code_is_up_to_date(command):
    made = CliRunner().invoke(app, [command, "--markdown"])
    assert made.exit_code == 0
    assert (DOCS / f"{command}.md").read_text(encoding="utf-8") == made.output, "run `make docs`"


def test_the_observation_page_has_every_field_in_order():
    page = CliRunner().invoke(app, ["observation", "--markdown"]).output
    rows = re.findall(r"^\| `(.+?)` \| (\d+) \| (\d+) \| (-?\d+) to (-?\d+) \|", page, re.MULTILINE)
    fields = [(f.name, f.start, f.size, f.low, f.high) for f in observation_layout()]
    assert [(name, *map(int, numbers)) for name, *numbers in rows] == fields


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
