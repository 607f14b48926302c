"""The page about external programs describes their messages, limits and faults.

Its examples play whole games.
"""

import json
import re
import shutil
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from shakespeare_agents.program_agent import ProgramAgent, end_notice, move_request
from shakespeare_agents.programs import MOST_BYTES, Limits, Program
from shakespeare_arena.games.referee import FAULT_KINDS
from shakespeare_env.play.information_sets import InformationSets
from shakespeare_env.play.lineup import play_out
from tests.arena.small_programs import PYTHON, QUICK, games
from tests.contract.random_games import SMALL_TABLES, TABLES

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "programs.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("argv", [[*PYTHON, "my_agent.py"], ["node", "my_agent.js"]])
def test_an_example_plays_whole_games(argv):
    if argv[0] == "node" and shutil.which("node") is None:
        pytest.skip("needs Node.js")
    assert f"](programs/{argv[-1]})" in PAGE
    for table in SMALL_TABLES:
        with ProgramAgent(Program(argv, QUICK, DOCS / "programs")) as agent:
            batch, lineup = games(table, [agent], 3)
            play_out(batch, lineup)
            lineup.end(np.arange(batch.n))
        assert lineup.forfeits == {}
        assert (batch.to_move == -1).all()


def section(heading):
    """Return the text of a section of the page."""
    return re.split(rf"^## {heading}\n", PAGE, flags=re.M)[1].partition("\n## ")[0]


def test_all_fields_of_the_messages_are_explained():
    sets = InformationSets(TABLES[0].batch(1, seed=0), np.array([0]))
    request = json.loads(move_request(sets, 0, number=1, game_id=2, seconds=3))
    text = section("Questions and answers")
    example = json.loads(re.findall(r"```json\n(.*?)```", text, re.S)[0])
    assert list(example) == list(request)
    assert {*re.findall(r"^\| `(\w+)` \|", text, re.M), "command"} == set(request)
    assert f"`{json.dumps(json.loads(end_notice(3)))}`" in text
    assert f"at most {MOST_BYTES // 1024} KiB" in text


def test_all_limits_and_faults_are_explained():
    limits = dict(re.findall(r"^\| `(\w+)` \| (\d+) \|", section("Limits"), re.M))
    assert {name: float(value) for name, value in limits.items()} == asdict(Limits())
    faults = set(re.findall(r"^\| `(\w+)` \|", section("Faults"), re.M))
    assert faults == set(FAULT_KINDS) - {"error"}
