"""The page about playing shows what is printed when its moves are entered."""

import re
import shlex
from pathlib import Path

from tests.contract.command_line import printed

PAGE = Path(__file__).resolve().parents[2] / "docs" / "play.md"
PROMPT = "Your move (? for help): "


def test_the_game_on_the_page_is_the_game_that_is_played():
    blocks = re.findall(
        r"^```console\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    assert len(blocks) == 1
    command, *parts = re.split(r"^\.\.\.\n", blocks[0], flags=re.MULTILINE)
    entered = [
        line.removeprefix(PROMPT) for line in blocks[0].splitlines() if line.startswith(PROMPT)
    ]
    assert {"hint", "undo", "scores", "quit"} <= {*entered}
    arguments = shlex.split(command.removeprefix("$ "))[1:]
    screen = {"COLUMNS": "78", "LINES": "40"}
    out = printed(*arguments, input="\n".join(entered) + "\n", env=screen)
    place = 0
    for part in parts:
        assert part in out[place:], part
        place = out.index(part, place) + len(part)
