"""Every command x every bad value: an exit code of 1 or 2 and a short message, at once."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from typer.models import OptionInfo

from shakespeare_env import Position, registry
from shakespeare_env.cli import COMMANDS, function_of
from shakespeare_env.cli.lines import MOST_BYTES
from shakespeare_env.cli.recorded import MOST_MOVES
from tests.contract.command_line import printed, refused, run

GAME = registry.names()[-1]
NUMBERS = ["-1", "", "nan", "1e999", str(2**64), "9" * 5000]
WORDS = ["nobody", "\x1b[2J", "\udcff", "a\0b", "a" * 100_000, "../..", "/dev/null"]
AGENTS = [
    *WORDS,
    "",
    ",",
    "random,samples=1",
    "network,greedy=2",
    *(f"greedy,samples={samples}" for samples in ("[" * 100_000, "NaN", "-1", 10**12, "9" * 5000)),
]
FILES = ["", "/", "/dev/null", "/dev/null/file", "a\0b", "a" * 100_000]
TEXTS = {
    "--agent": ["", *WORDS],
    "--box-file": FILES,
    "--draw-at": WORDS,
    "--game": ["", *WORDS],
    "--games": FILES,
    "--host": ["", *WORDS],
    "--instead": ["", *WORDS],
    "--into": FILES,
    "--moves": ["", "-1", "1.5", "9" * 10, *WORDS],
    "--name": ["", *WORDS],
    "--option": ["", *WORDS],
    "--out": FILES,
    "--ray": ["", "h:99999999", "ray://h:1", *WORDS],
    "--results": FILES,
    "--set": ["", *WORDS],
    "--save": [*FILES, "/dev/null/file.jsonl", f"{'a' * 1000}.jsonl", "a\0.jsonl"],
    "--token": ["", "short", "a\0bcdefghi", "\x1b[2Jabcdef", "\udcffabcdefgh", "a" * 100_000],
    "--page": [*FILES, "/dev/null/file.html", f"{'a' * 1000}.html", "a\0.html"],
    "--picture": [*FILES, "/dev/null/file.svg", f"{'a' * 1000}.png", "a\0.svg"],
}
"""Bad values by option."""


def options(*kinds):
    """Every option of these types: its command and how it is written.

    Training's are settings, which its own tests go over.
    """
    for command in COMMANDS:
        if command == "train":
            continue
        hints = get_type_hints(function_of(command), include_extras=True)
        for name, hint in hints.items():
            about = getattr(hint, "__metadata__", [None])[0]
            if isinstance(about, OptionInfo) and {hint.__origin__, *get_args(hint.__origin__)} & {
                *kinds
            }:
                # Typer takes the first name for a default until it reads the annotation.
                names = [about.default, *(about.param_decls or [])]
                written = [text for text in names if isinstance(text, str) and text[:2] == "--"]
                yield command, (written or [f"--{name.replace('_', '-')}"])[0]


@pytest.fixture
def needed(tmp_path, monkeypatch):
    """What a command cannot do without, and a folder of its own to run in."""
    monkeypatch.chdir(tmp_path)
    position = Position.new(GAME, players=registry.seats(GAME)[0])
    Path("position.json").write_text(json.dumps(position.to_dict()))
    Path("game.jsonl").write_text(json.dumps({"position": position.to_dict()}))
    return {
        "dataset": ["--out", "dataset"],
        "exploit": ["random", "--game", GAME, "--minutes", "0"],
        "measure": ["random", "--game", GAME, "--games", "1"],
        "replay": ["game.jsonl", "--at", "0"],
        "show": ["position.json"],
        "solo-suite": ["random", "--game", "shakespeare"],
    }


def refusal(*arguments, **more):
    """What a command says that is refused; it is short and no traceback."""
    done = run(*arguments, **more)
    assert done.exit_code in (1, 2), (arguments, done.output[-500:])
    assert done.exception is None or isinstance(done.exception, SystemExit), repr(done.exception)
    assert "Traceback" not in done.output
    given = sum(len(text) for text in arguments if isinstance(text, str))
    assert len(done.stderr) < 3000 + 12 * given, done.stderr[-2000:]
    return done.stderr


@pytest.mark.parametrize(("command", "option"), [*options(int, float)])
def test_numbers_that_are_none_or_out_of_range(command, option, needed):
    for number in NUMBERS:
        refusal(command, *needed.get(command, []), f"{option}={number}")


@pytest.mark.parametrize(("command", "option"), [*options(str, Path, list[str])])
def test_texts_that_mean_nothing(command, option, needed):
    for text in TEXTS[option]:
        refusal(command, *needed.get(command, []), f"{option}={text}")
    assert not {*os.listdir()} - {"position.json", "game.jsonl"}


@pytest.mark.parametrize(
    "command", ["evaluate", "dataset", "watch", "play", "solo-suite", "measure"]
)
def test_agents_that_are_none(command, needed):
    for agent in AGENTS:
        refusal(command, *needed.get(command, []), "--", agent, "random")


@pytest.mark.parametrize("command", ["show", "replay"])
@pytest.mark.parametrize(
    "name", ["", "/", ".", "no/such", "a\0b", "a" * 100_000, "\udcff", "/dev/zero"]
)
def test_files_that_cannot_be_read(command, name, needed):
    refusal(command, name)


@pytest.mark.parametrize("command", list(COMMANDS))
@pytest.mark.parametrize("odd", ["--nothing", "--game", "\0", "--\udcff"])
def test_arguments_that_no_command_knows(command, odd, needed):
    refusal(command, odd)
    refusal(odd, command)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"", "is empty"),
        (b"\n", "line 1 is not JSON"),
        (b"\xff", "line 1 is not UTF-8"),
        (b"\xef\xbb\xbf{}", "line 1 is not JSON"),
        (b'{"position": ' + b"[" * 100_000, "line 1 is not JSON"),
        (b'{"position": {"players": ' + b"9" * 10**6 + b"}}", "more than 1000 digits"),
        (b'{"position": {"players": 1e400}}', "is not finite"),
        (b'{"position": {}, "position": {}}', "stands twice"),
        (b" " * (MOST_BYTES + 1), "line 1 is longer than"),
        (b'{"position": {"game": "\\ud800"}}', "there is no game"),
    ],
)
def test_a_game_in_lines_that_are_none(line, said, needed):
    Path("bad.jsonl").write_bytes(line)
    Path("bad.jsonl.gz").write_bytes(gzip.compress(line))
    for name in ("bad.jsonl", "bad.jsonl.gz"):
        assert said in " ".join(refusal("replay", name).split())


def test_a_packed_file_is_not_unpacked_beyond_a_game(needed):
    start = Path("game.jsonl").read_bytes()
    with gzip.open("long.jsonl.gz", "wb", compresslevel=1) as file:
        file.write(start + b"\n")
        for _ in range(80):
            file.write(b" " * (MOST_BYTES - len(start) - 99) + start[:-1] + b', "move": "x"}\n')
    assert "write one game to a file" in refusal("replay", "long.jsonl.gz")
    Path("cut.jsonl.gz").write_bytes(Path("long.jsonl.gz").read_bytes()[:-99])
    Path("none.jsonl.gz").write_bytes(b"no gzip")
    for name in ("cut.jsonl.gz", "none.jsonl.gz"):
        refusal("replay", name)


def test_more_moves_than_a_game_has(needed, monkeypatch):
    monkeypatch.setattr("shakespeare_env.cli.recorded.MOST_MOVES", 3)
    start = Path("game.jsonl").read_text()
    Path("long.jsonl").write_text("\n".join([start, *[start[:-1] + ', "move": "x"}'] * 4]))
    assert "of 3 moves" in refusal("replay", "long.jsonl")
    assert MOST_MOVES > 1000


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["replay", "nowhere.jsonl"], "there is no file or folder 'nowhere.jsonl'"),
        (["replay", "text.py"], "is not JSON: expecting value at character 1; give a game that"),
        (["evaluate", "--games", "x"], "whole number"),
        (["watch", "--delay", "x"], "number"),
        (["--game", GAME, "play"], f"options stand after it: shakespeare play --game {GAME}"),
        (["--seed=1"], "options stand after it: shakespeare COMMAND --seed=1"),
    ],
)
def test_plain_words(arguments, said, needed):
    Path("text.py").write_text("import this\n")
    message = refused(*arguments)
    assert said in message
    assert "Errno" not in message
    assert "Input should" not in message


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)])
def test_the_short_form_of_help(command):
    assert printed(*command, "-h") == printed(*command, "--help")


def test_help_names_the_default_agent():
    for command in ("watch", "play", "evaluate", "dataset", "replay"):
        words = " ".join(printed(command, "--help").replace("│", " ").split())
        assert "the default agent: network, or heuristic" in words
