"""`shakespeare replay`: walking through a record, its secrets, and other moves."""

import codecs
import gzip
import json
import os
import sys
from pathlib import Path

import pytest

from shakespeare_env.core import registry
from shakespeare_env.film import Film, film_page
from shakespeare_table.recorded import read_game_of_folder, read_json_lines, to_json_lines
from tests.contract.command_line import LOGGED_MOVE, logged_moves, output_of, refusal_of
from tests.contract.small_datasets import write_small_dataset


@pytest.fixture(params=registry.names(), scope="module")
def folder(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param) / "dataset"
    write_small_dataset(folder, request.param, deals=1)
    return folder


@pytest.fixture(scope="module")
def record(folder):
    return read_game_of_folder(folder, 1)


@pytest.fixture
def begun(record, tmp_path):
    """The first moves of the game in a file."""
    file = tmp_path / "begun.jsonl"
    file.write_bytes(to_json_lines(record.up_to(4)))
    return str(file)


def replay(folder, *arguments, agents=(), **kwargs):
    return output_of(
        "replay", str(folder), *agents, "--game-id", "1", *map(str, arguments), **kwargs
    )


def test_positions_and_moves_as_they_were_recorded(folder, record):
    for at in (0, 7, len(record.moves)):
        out = replay(folder, "--at", at)
        assert str(record.positions[at]) in out
        assert at == 0 or record.moves[at - 1] in out
    assert "Final score" in out
    movers = [position.to_move for position in record.positions[:-1]]
    lines = list(zip(range(1, len(movers) + 1), movers, record.moves, strict=True))
    assert logged_moves(replay(folder, "--list")) == lines


def test_walking_there_and_back(folder, record):
    end = len(record.moves)
    out = replay(folder, input="n n b 5\nb LAST n 5 5\nfirst q n")
    places = [0]
    for at in (0, 1, 2, 1, 5, 4, end, 0):
        places.append(out.index(str(record.positions[at]), places[-1]) + 1)
    assert f"Positions are numbered 0 to {end}" in out
    # What was typed after a mistake is forgotten, and nothing follows on leaving.
    assert str(record.positions[1]) not in out[places[-1] :]
    assert str(record.positions[5]) not in out[places[-2] :]
    assert record.positions[0].moves()[0] in replay(folder, input="moves\n")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_the_arrow_keys_walk_in_a_terminal(begun):
    pexpect = pytest.importorskip("pexpect", reason="needs pexpect, which notebooks install")
    command = [sys.executable, "-m", "shakespeare_env", "replay", begun]
    terminal = pexpect.spawn(command[0], command[1:], env={**os.environ, "TERM": "xterm"})
    places = []
    for key in ("\x1b[C", "\x1bOC", "\x1b[D", "\x1b[F", "\x1b[H", "q\r"):
        terminal.expect(r"Position (\d+) of 4 \(\? for help\): ", timeout=60)
        places.append(int(terminal.match[1]))
        terminal.send(key)
    terminal.expect(pexpect.EOF)
    assert places == [0, 1, 2, 1, 4, 0]


def test_a_seat_is_shown_what_it_sees_and_nothing_else(folder, record):
    for seat in range(record.position.players):
        listed = LOGGED_MOVE.finditer(replay(folder, "--seat", seat, "--list"))
        for number, line in enumerate(found.group() for found in listed):
            position = record.positions[number]
            move = record.moves[number]
            secret = position.game.is_secret(position.to_dict(), move)
            hidden = secret and position.to_move != seat
            assert ("decides in secret" in line) == hidden
            assert (move in line) != hidden
    seat = 0
    for at in range(0, len(record.moves), max(len(record.moves) // 4, 1)):
        position = record.positions[at]
        out = replay(folder, "--seat", seat, input=f"{at} moves")
        seen = position.game.presentation.draw(position.seen_by(seat))
        assert seen in out
        assert seen == str(position) or str(position) not in out
        after = "," if at else "."
        last = out[out.rindex(f"Position {at} of {len(record.moves)}{after}") :]
        assert ("may not see its legal moves" in last) == (position.to_move != seat)
    for at, value in enumerate(record.values):
        if value is not None and record.positions[at].to_move != seat:
            assert "expects" not in replay(folder, "--seat", seat, "--at", at)
            assert "expects" in replay(folder, "--at", at)
            break


def test_two_moves_are_compared(folder, record):
    at = next(k for k, one in enumerate(record.positions) if k > 3 and len(one.moves()) > 1)
    played = record.moves[at]
    other = next(move for move in record.positions[at].moves() if move != played)
    agents = ["random"] * record.position.players
    arguments = ["--at", at, "--seed", "4", "--continuations", "3", "--instead"]
    out = replay(folder, *arguments, other, agents=agents)
    assert f"Recorded: {played}, " in out
    assert f"Instead: {other}, " in out
    assert "Difference" in out
    assert "Difference" not in replay(folder, *arguments, played, agents=agents)


def test_a_game_as_json_lines(folder, record, begun):
    listed = logged_moves(replay(folder, "--list"))
    assert logged_moves(output_of("replay", begun, "--list")) == listed[:4]
    lines = [json.loads(line) for line in Path(begun).read_text().splitlines()]
    for wrong in (
        [*lines[:2], {"move": "x"}],
        [lines[0], lines[0]],
        [lines[0], {**lines[1], "move": "hop"}],
        [{"position": {"game": "chess"}}],
        [lines[0] | {"agents": ["\x1b[2J"] * 9}],
        [lines[0] | {"box_digest": "x"}],
        [7],
    ):
        Path(begun).write_text("\n".join(map(json.dumps, wrong)))
        assert begun in refusal_of("replay", begun, "--list")


@pytest.mark.parametrize(
    "edited",
    [
        lambda lines: lines + b"\n\r\n \t\n",
        lambda lines: codecs.BOM_UTF8 + lines.replace(b"\n", b"\r\n"),
        lambda lines: codecs.BOM_UTF8 + b"\n\n" + lines.replace(b"\n", b"\n\n"),
        lambda lines: b"\n" + lines.replace(b"\n", b"\r"),
    ],
)
def test_a_game_is_read_as_editors_and_pastes_leave_it(record, begun, edited):
    """Byte order marks, blank lines, and the ends of lines of every system."""
    file = Path(begun)
    lines = edited(file.read_bytes())
    for written in (lines, gzip.compress(lines)):
        file.write_bytes(written)
        game = read_json_lines(file)
        assert (list(game.moves), game.names) == (list(record.moves[:4]), record.names)
    file.write_bytes(edited(json.dumps(record.positions[0].to_dict(), indent=1).encode()))
    assert read_json_lines(file).positions == [record.positions[0]]


@pytest.mark.parametrize("before", ["\ufeff", "\r\n", "\n ", " \ufeff\n"])
def test_a_position_is_read_as_it_is_pasted(record, before):
    position = json.dumps(record.positions[0].to_dict())
    assert output_of("replay", before + position) == output_of("replay", position)


def test_a_game_is_written_as_a_page(record, begun, tmp_path):
    file = tmp_path / "game.html"
    history = record.up_to(4)
    for seat, at in ((None, []), (0, ["--seat", "0"])):
        output_of("replay", begun, "--page", str(file), *at)
        assert file.read_text(encoding="utf-8") == film_page(Film(history, seat=seat))


def test_refuses_what_cannot_be(folder, record, tmp_path):
    end = len(record.moves)
    for arguments, named in (
        (["--game-id", "99"], "99"),
        (["--at", str(end + 1)], str(end + 1)),
        (["--instead", "x"], "--at"),
        (["--at", "3", "--instead", "x", "--seat", "0"], "--seat"),
        (["--at", "3", "--instead", "hop"], "hop"),
        (["random"], "--instead"),
        (["--page", str(tmp_path)], "folder"),
    ):
        assert named in refusal_of("replay", str(folder), "--game-id", "1", *arguments)
