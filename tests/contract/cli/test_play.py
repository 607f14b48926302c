"""`shakespeare play`: what a person is shown, asked and may ask, and how the game can be left."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

import shakespeare_agents
from shakespeare_env import Position
from shakespeare_env.core import registry
from shakespeare_table.cli.person import find_move, hint, reason_for, suggested_move
from shakespeare_table.cli.printing import move_lines
from shakespeare_table.session import Session
from tests.contract import knowledge
from tests.contract.command_line import (
    LOGGED_MOVE,
    logged_moves,
    output_of,
    printed_command,
    printed_scores,
    refusal_of,
    run,
)
from tests.contract.each_table import plain_tables
from tests.contract.random_games import SMALL_TABLES, description_of, sample_positions

FIRST_OF_THE_LIST = "1\n" * 1000
AGENT = "def agent(observations, masks, rng):\n    return {}\n"
one_game = pytest.mark.parametrize("small", SMALL_TABLES[-1:], ids=str, indirect=True)


@pytest.fixture(params=SMALL_TABLES, ids=str)
def small(request):
    """A table at which somebody sits opposite."""
    return request.param


@pytest.fixture
def table(small):
    """Arguments of a small game against agents that draw."""
    return ["random", "--game", small.game, "--players", str(small.players), "--seed", "6"]


def shown_tables(out, position):
    """The tables in what was printed, each up to the empty line after it."""
    head = str(position).splitlines()[0].split()[0]
    end = r"\n\n(?: +1\. |┏|Your)"
    return re.findall(rf"^{head} ·.*?(?={end})", out, re.MULTILINE | re.DOTALL)


def test_what_is_printed_of_a_whole_game(small, table):
    """A game is printed as it is played here with the same agent; no secret of another seat is."""
    seat = 1
    first = small.position(seed=6)
    game = first.game
    others = set(range(first.players)) - {1}
    out = output_of("play", *table, "--seat", str(seat), input=FIRST_OF_THE_LIST)
    drawing = shakespeare_agents.make("random", game)
    played = Session(first, dict.fromkeys(others, drawing), seed=6)
    tables: list[str] = []
    lines: list[tuple[str, ...]] = []

    def note(_words):
        position = played.positions[-2]
        move = played.moves[-1]
        number = str(len(played.moves))
        mover = str(position.to_move)
        if position.to_move != seat and game.is_secret(position.to_dict(), move):
            lines.append((number, mover, "decides in secret", "", ""))
        else:
            lines.append((number, mover, "", description_of(position, move), move))

    played.play_out(note)
    while (position := played.position).to_move is not None:
        tables.append(game.presentation.draw(position.seen_by(seat)))
        played.push(position.moves()[0], note)
        played.play_out(note)
    secret = [line for line in lines if line[2]]
    assert bool(secret) == knowledge.of(game.name, "facts").SECRET_MOVES
    assert LOGGED_MOVE.findall(out) == lines
    *shown, last = shown_tables(out, position)
    assert shown[0] == tables[0]
    left = iter(tables)  # some are not drawn between decisions of one turn
    assert all(drawn in left for drawn in shown)
    assert last == str(position)
    assert printed_scores(out) == (position.scores(), position.winners)


@one_game
def test_what_is_no_move_is_refused_and_asked_for_again(table):
    for answer, named in {"9" * 5000: "999", "score": "scores", "undo": "no move"}.items():
        out = output_of("play", *table, input=f"{answer}\n1\n")
        assert named in out.partition(f"help): {answer}\n")[2].splitlines()[0]
        assert logged_moves(out) == logged_moves(output_of("play", *table, input="1\n"))
    for moves, named in {"castle": "move 1", "1 castle": "move 2"}.items():
        assert named in refusal_of("play", *table, "--moves", moves, input="")


@one_game
def test_a_game_that_is_left_or_interrupted_is_saved_and_a_command_leads_back(
    table, monkeypatch, tmp_path
):
    file = str(tmp_path / "game.jsonl")
    left = output_of("play", *table, "--seat", "1", "--save", file, input="1\n2\n1\n")
    command = printed_command(left, "You have left the game")
    assert logged_moves(output_of("replay", file, "--list")) == logged_moves(left)
    monkeypatch.setattr("builtins.input", Mock(side_effect=KeyboardInterrupt))
    again = output_of(*command[1:])
    assert printed_command(again, "You have left the game") == command
    assert logged_moves(again) == logged_moves(left)


@one_game
@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("masks.none", r"failed: AttributeError: [^\n]*\n  File \"[^\"]*bad.py\", line 2, in"),
        ("(~masks).argmax(1)", "chose the illegal move "),
    ],
)
def test_when_an_agent_fails_a_command_leads_back(table, tmp_path, monkeypatch, answer, says):
    """Without a traceback of ours."""
    monkeypatch.chdir(tmp_path)
    Path("bad.py").write_text(AGENT.format(answer))
    done = run("play", "bad.py:agent", *table[1:], "--save", "game.jsonl", input="1\n1\n")
    assert done.exit_code == 1
    assert isinstance(done.exception, SystemExit)
    assert re.match(rf"bad\.py:agent, seat \d, {says}", done.stderr.strip())
    assert done.stderr.count("  File ") == says.count("  File ")
    command = printed_command(done.stdout, "To resume the game once the agent is repaired, run")
    assert command[:3] == ["shakespeare", "play", "bad.py:agent"]


@one_game
@pytest.mark.parametrize("name", ["game.jsonl", "game.jsonl.gz"])
def test_a_saved_game_is_read_by_replay(table, tmp_path, name):
    file = str(tmp_path / name)
    out = output_of("play", *table, "--save", file, input=FIRST_OF_THE_LIST)
    assert printed_command(out, "To replay it") == ["shakespeare", "replay", file]
    again = output_of(*printed_command(out, "To see this game again")[1:], input="")
    listed = output_of("replay", file, "--list")
    assert logged_moves(listed) == logged_moves(again) == logged_moves(out)
    assert "seat 1 (random)" in listed
    end = output_of("replay", file, "--at", str(len(logged_moves(listed))))
    assert printed_scores(end) == printed_scores(out)


LEGAL = ["recruit:hamlet", "recruit:set_dresser_6", "extra:puck"]
LEGAL += ["play:red-2>0", "play:red-2>1", "done"]
AT_HAND: Any = SimpleNamespace(
    moves=lambda: LEGAL,
    is_move=lambda text: text in (*LEGAL, "pass"),
    describe_move=lambda move: "do nothing",
)
"""Stands in for a position with these legal moves."""


@pytest.fixture(params=registry.names())
def position(request):
    return Position.new(request.param, players=registry.seats(request.param)[-1], seed=6)


def test_as_much_of_a_move_as_no_other_has():
    meant = {"rec:ham": 0, "HAM": 0, "dresser": 1, "2": 1, "red-2>1": 4, ">1": 4, "do": 5}
    for answer, number in meant.items():
        assert find_move(answer, AT_HAND) == LEGAL[number]
    for answer in ("rec", "7", "pass", "amlet", "::"):
        with pytest.raises(ValueError, match=answer):
            find_move(answer, AT_HAND)


@plain_tables
def test_lists_and_drawings_fit_the_screen(table):
    for position in sample_positions(table, seed=5, every=6):
        lines = move_lines(position, 80)
        draw = position.game.presentation.draw
        numbers = re.findall(r"(?:^|  ) *(\d+)\. ", "\n".join(lines), re.MULTILINE)
        assert list(map(int, numbers)) == list(range(1, len(position.moves()) + 1))
        assert len(lines) <= 30
        drawings = map(draw, (position.to_dict(), position.seen_by(0), position.seen_by(None)))
        assert max(len(line) for drawn in drawings for line in drawn.splitlines()) <= 80


def test_a_move_is_explained_with_what_it_names_by_number_or_text(position):
    players = ["--players", str(position.players)]
    table = ["random", "--game", position.game.name, *players, "--seed", "6"]
    listed = output_of("play", *table, input="moves\n")
    move = re.findall(r"^│ 1 +│ (\S+) ", listed, re.MULTILINE)[0]
    topics = position.game.presentation.topics(position.seen_by(0))
    for asked in ("1", move):
        told = output_of("play", *table, input=f"? {asked}\n").partition("help): ? ")[2]
        for name in re.split("[:>]", move)[:2]:
            assert f"\n{name}: {topics[name].text.splitlines()[0]}\n" in told
    assert "there is no move 9999" in output_of("play", *table, input="? 9999\n")


def test_a_hint_is_a_legal_move_and_no_secret_changes_it(position):
    for name in ("network", "heuristic", "greedy"):
        suggested = suggested_move(position, name)
        line = hint(position, name, suggested)
        possible = position.determinize(position.to_move, seed=3)
        assert suggested_move(possible, name) == suggested
        number, move = re.findall(rf"^{name} would play (\d+)  .+\((\S+)\)$", line)[0]
        assert position.moves()[int(number) - 1] == move == suggested


@one_game
def test_a_hint_gives_its_reason_from_what_the_seat_knows(small):
    position = small.position(seed=6)
    move = position.moves()[0]
    told = reason_for(position, move)
    amount = r"[\d.]+ ± [\d.]+ (points (better|worse)|% (more|less) often) than"
    words = rf"(no clear difference from|{amount}) \d+  .+\(\S+\)"
    assert re.search(words, told), told
    assert reason_for(position.determinize(position.to_move, seed=3), move) == told


@one_game
def test_the_table_is_drawn_once_a_round_and_when_asked_for(small, table):
    out = output_of("play", *table, input="1\n1\n?\nquit\n")
    drawn = shown_tables(out, small.position(seed=6))
    first, *_, last = drawn
    assert "▶" in out.split(first)[1]
    assert len(drawn) < out.count("Your move") <= len(drawn) + 2
    assert last == drawn[-1]
