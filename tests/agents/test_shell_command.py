"""Commands printed for a shell: short lines, and the same words when they are copied."""

import shutil
import subprocess

import pytest

from shakespeare_agents.cli.shell_command import command_to_copy

PARTS = [["printf", "%s|"], *[["--option", f"a b{number}"] for number in range(9)]]


@pytest.mark.skipif(shutil.which("sh") is None, reason="there is no shell")
@pytest.mark.parametrize("count", [0, 1, 2, 60])
def test_a_shell_reads_the_words_that_were_meant(count):
    moves = [f"play:red-{number}>1" for number in range(count)]
    command = command_to_copy(PARTS, moves)
    assert max(map(len, command.splitlines())) <= 78
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    words = done.stdout.split("|")[:-1]
    assert words[:18] == [word for part in PARTS[1:] for word in part]
    assert " ".join(words[18:]).split() == (["--moves", *moves] if moves else [])
