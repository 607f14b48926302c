"""`shakespeare replay`: walking through a record, its secrets, and other moves."""

import json
import re
from pathlib import Path

import pytest

from shakespeare_agents.strategy.counterfactual import counterfactual
from shakespeare_env import Position, registry
from shakespeare_env.cli.recorded import Recorded, write_json_lines
from shakespeare_env.cli.recorded_folders import from_folder
from shakespeare_env.film import film_page
from tests.contract.command_line import PLAYED, moves_told, printed, refused
from tests.contract.small_datasets import small_settings, write

GAMES = registry.names()


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    made = {name: tmp_path_factory.mktemp(name) / "dataset" for name in GAMES}
    for name, folder in made.items():
        write(folder, small_settings(name, deals=1))
    return made


@pytest.fixture(params=GAMES)
def folder(request, folders):
    return folders[request.param]


@pytest.fixture
def record(folder):
    return from_folder(folder, 1)


def replay(folder, *arguments, agents=(), **kwargs):
    return printed("replay", str(folder), *agents, "--game-id", "1", *map(str, arguments), **kwargs)


def test_one_position_as_it_was_recorded(folder, record):
    for at in (0, 7, len(record.moves)):
        out = replay(folder, "--at", at)
        assert str(record.positions[at]) in out
        assert at == 0 or record.moves[at - 1] in out
    assert "Final score" in out


def test_the_moves_and_the_games_are_listed(folder, record):
    lines = moves_told(replay(folder, "--list"))
    expected = [
        (number, position.to_move, move)
        for number, (position, move) in enumerate(
            zip(record.positions[:-1], record.moves, strict=True), 1
        )
    ]
    assert lines == expected
    assert f" {len(record.moves)} " in printed("replay", str(folder), "--list")


def test_walking_there_and_back(folder, record):
    end = len(record.moves)
    typed = "n next b 5\nback LAST n 5 5\nfirst q n"
    out = replay(folder, input=typed)
    drawn = [str(record.positions[at]) for at in (0, 1, 2, 1, 5, 4, end, 0)]
    places = [0]
    for drawing in drawn:
        places.append(out.index(drawing, places[-1]) + 1)
    assert f"There is no position {end + 1}; they are numbered 0 to {end}." in out
    # What was typed after a mistake is forgotten, and nothing follows on leaving.
    assert str(record.positions[1]) not in out[places[-1] :]
    assert str(record.positions[5]) not in out[places[-2] :]


@pytest.mark.parametrize("typed", ["", "q\n", "quit"])
def test_leaving(folder, typed):
    assert replay(folder, input=typed)


def test_the_words_for_moves_and_help(folder, record):
    out = replay(folder, input="moves\n?\nlist\nxyzzy\nb\n99999\n")
    assert record.positions[0].moves()[0] in out
    assert "one position back" in out
    assert "'xyzzy' is neither" in out
    assert "There is no position -1" in out
    assert "There is no position 99999" in out


def test_a_seat_is_shown_what_it_sees_and_nothing_else(folder, record):
    for seat in range(record.last.players):
        listed = PLAYED.finditer(replay(folder, "--seat", seat, "--list"))
        for number, line in enumerate(found.group() for found in listed):
            position, move = record.positions[number], record.moves[number]
            secret = position.game.is_secret(position.to_dict(), move)
            hidden = secret and position.to_move != seat
            assert ("decides in secret" in line) == hidden
            assert (move in line) != hidden
    seat = 0
    for at in range(0, len(record.moves), max(len(record.moves) // 6, 1)):
        position = record.positions[at]
        out = replay(folder, "--seat", seat, input=f"{at} moves")
        seen = position.game.draw(position.seen_by(seat))
        assert seen in out
        assert seen == str(position) or str(position) not in out
        last = out[out.rindex(f"Position {at} of {len(record.moves)}. ") :]
        assert ("may not see its legal moves" in last) == (position.to_move != seat)
    for at, value in enumerate(record.values):
        if value is not None and record.positions[at].to_move != seat:
            assert "expects" not in replay(folder, "--seat", seat, "--at", at)
            assert "expects" in replay(folder, "--at", at)
            break


def test_another_move_is_played_to_the_end(folder, record):
    at = next(k for k, one in enumerate(record.positions) if k > 3 and len(one.moves()) > 1)
    other = next(move for move in record.positions[at].moves() if move != record.moves[at])
    arguments = ["--at", at, "--instead", other, "--seed", "4", "--continuations", "1"]
    players = record.last.players
    out = replay(folder, *arguments, agents=["random"] * players)
    assert out == replay(folder, *arguments, agents=["random"] * players)
    position = Position.from_dict(record.positions[at].to_dict(), seed=4)
    played = moves_told(out[out.index("Instead") :])
    assert played[0] == (at + 1, position.to_move, other)
    for _, _, move in played:
        position.push(move)
    assert position.to_move is None
    table = out[out.index("Recorded") :]
    found = re.findall(r"│ *(\d+) *│ *random *│ *(-?\d+) *│ *(-?\d+) *│ *([+-]\d+) *│", table)
    expected = zip(record.last.scores(), position.scores(), strict=True)
    assert [(int(one), int(two)) for _, one, two, _ in found] == list(expected)
    assert all(int(two) - int(one) == int(more) for _, one, two, more in found)


def test_two_moves_are_compared_by_means(folder, record):
    at = next(k for k, one in enumerate(record.positions) if k > 3 and len(one.moves()) > 1)
    played = record.moves[at]
    other = next(move for move in record.positions[at].moves() if move != played)
    players = record.last.players
    arguments = ["--at", at, "--seed", "4", "--continuations", "3", "--instead"]
    out = replay(folder, *arguments, other, agents=["random"] * players)
    assert f"Recorded: {played}, " in out
    assert f"Instead: {other}, " in out
    expected = counterfactual(
        record.positions[at], [played, other], ["random"] * players, continuations=3, seed=4
    )
    scores, chances = out.split("Chance to win")
    for seat in range(players):
        (row,) = re.findall(rf"│ {seat} +│ random +│(.*)│", scores)
        assert [cell.split(" ±")[0].strip() for cell in row.split("│")] == [
            f"{expected.score(played, seat).mean:.2f}",
            f"{expected.score(other, seat).mean:.2f}",
            f"{expected.score_change(other, seat).mean:+.2f}",
        ]
        (row,) = re.findall(rf"│ {seat} +│ random +│(.*)│", chances)
        found = expected.won(other, seat)
        assert f" {100 * found.mean:.1f} ({100 * found.low:.1f} to {100 * found.high:.1f}) " in row
    # The recorded move alone is one to look at, too.
    out = replay(folder, *arguments, played, agents=["random"] * players)
    assert "Recorded: " in out
    assert "Difference" not in out


def test_a_move_after_the_last_recorded_one_has_nothing_to_compare_with(record, tmp_path):
    file = tmp_path / "unfinished.jsonl"
    write_json_lines(file, Recorded(record.positions[:5], record.moves[:4]))
    move = record.positions[4].moves()[0]
    few = ["--continuations", "2", "--at", "4"]
    out = printed("replay", str(file), "random", *few, "--instead", move)
    assert f"Instead: {move}, " in out
    assert "Recorded" not in out


def test_a_game_as_json_lines(folder, record, tmp_path):
    lines = [{"position": record.positions[0].to_dict()}]
    lines += [
        {"move": move, "legal": before.moves(), "position": after.to_dict()}
        for move, before, after in zip(
            record.moves, record.positions[:-1], record.positions[1:], strict=True
        )
    ]
    file = tmp_path / "game.jsonl"

    def write_lines(some):
        file.write_text("".join(json.dumps(line) + "\n" for line in some), encoding="utf-8")
        return str(file)

    out = printed("replay", write_lines(lines[:9]), "--list")
    assert moves_told(out) == moves_told(replay(folder, "--list"))[:8]
    assert str(record.positions[8]) in printed("replay", str(file), "--at", "8")
    for wrong, said in (
        ([], "is empty"),
        ([*lines[1:3], {"move": "x"}], "line 3 has no 'position'"),
        ([lines[0], lines[0]], "line 2 has no 'move'"),
        ([lines[0], {**lines[1], "move": "hop"}], "'hop' is not legal in position 0"),
        ([{"position": {"game": "chess"}}], "line 1 is not a position"),
        ([7], "line 1 is a number, not an object"),
    ):
        assert said in refused("replay", write_lines(wrong), "--list")


def test_a_game_is_written_as_a_page(record, tmp_path):
    lines, file = str(tmp_path / "begun.jsonl"), tmp_path / "game.html"
    begun = Recorded(record.positions[:5], record.moves[:4], record.agents)
    write_json_lines(Path(lines), begun)
    assert f"Wrote {file}" in printed("replay", lines, "--page", str(file))
    whole = film_page(begun.positions, begun.moves, record.agents)
    assert file.read_text(encoding="utf-8") == whole
    printed("replay", lines, "--page", str(file), "--seat", "0")
    seen = film_page(begun.positions, begun.moves, record.agents, seat=0)
    assert file.read_text(encoding="utf-8") == seen != whole
    for wrong, said in (
        (["--page", str(tmp_path)], "it is a folder"),
        (["--page", str(tmp_path / "no" / "game.html")], "there is no folder"),
        (["--page", str(file), "--at", "3"], "neither --at nor"),
    ):
        assert said in refused("replay", lines, *wrong)


def test_refuses_what_cannot_be(folder, record, tmp_path):
    end = len(record.moves)
    for arguments, said in (
        (["--game-id", "99"], "has no game 99"),
        (["--at", str(end + 1)], f"numbered 0 to {end}"),
        (["--seat", "9"], "no seat 9"),
        (["--instead", "x"], "--at"),
        (["--at", "3", "--instead", "x", "--seat", "0"], "neither --seat"),
        (["--at", "3", "--instead", "hop"], "'hop' is not legal"),
        (["--at", str(end), "--instead", "hop"], "the game is over"),
        (["random"], "only after --instead"),
        (["--at", "3", "--instead", record.positions[3].moves()[0]], "'guesser'"),
    ):
        assert said in refused("replay", str(folder), "--game-id", "1", *arguments)
    assert "is not a dataset" in refused("replay", str(tmp_path))
    assert "there is no file or folder" in refused("replay", str(tmp_path / "nothing.jsonl"))
