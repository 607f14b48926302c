"""What the page about datasets enters runs in its order, with fewer games."""

import re
import shlex
from pathlib import Path

from tests.contract.command_line import printed

PAGE = Path(__file__).resolve().parents[2] / "docs" / "datasets.md"
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
GAMES = ("--games 2000", "--games 16")


def test_commands_and_examples_run_one_after_the_other(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "example"}
    said = []
    for language, block in BLOCK.findall(PAGE.read_text("utf-8")):
        if language == "python":
            exec(compile(block, "<example>", "exec"), names)
            said.append(capsys.readouterr().out)
            continue
        for line in block.splitlines():
            said.append(printed(*shlex.split(line.replace(*GAMES))[1:], input="quit\n"))
    made, first, few, scores, drafts, close, batches, game, before, after, tried, page = said
    assert "16 games" in made
    assert few.startswith("40 games, ")
    assert "Position 0 of" in first
    assert "Seat 0 decides" in before
    assert "wager:1" in after
    assert "score_change" in tried
    assert "Wrote game.html" in page
    assert "draft" in close
    assert "(" in batches
    assert "heuristic" in game
    for table in (drafts, scores):
        assert "heuristic" in table
        assert "network" in table
