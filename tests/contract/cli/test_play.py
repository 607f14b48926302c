"""`shakespeare play`: what a person is shown and asked, and how the game can be left."""

import itertools
import re
from pathlib import Path

import pytest

import shakespeare_agents
from shakespeare_table.session import Session
from tests.contract import knowledge
from tests.contract.command_line import (
    PLAYED,
    command_told,
    moves_told,
    printed,
    refused,
    run,
    scores_told,
)
from tests.contract.random_games import SMALL_TABLES, described

PROMPT = "Your move (? for help): "
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


class TestGame:
    def test_what_is_printed_of_a_whole_game(self, small, table):
        """The same game played here, with the same agent; no secret of another seat is printed."""
        seat, first = 1, small.position(seed=6)
        game, others = first.game, set(range(first.players)) - {1}
        out = printed("play", *table, "--seat", str(seat), input=FIRST_OF_THE_LIST)
        drawing = shakespeare_agents.make("random", game)
        played = Session(first, dict.fromkeys(others, drawing), seed=6)
        tables: list[str] = []
        lines: list[tuple[str, ...]] = []

        def note(_words):
            position, move = played.positions[-2], played.moves[-1]
            number, mover = str(len(played.moves)), str(position.to_move)
            if position.to_move != seat and game.is_secret(position.to_dict(), move):
                lines.append((number, mover, "decides in secret", "", ""))
            else:
                lines.append((number, mover, "", described(position, move), move))

        played.play_out(note)
        while (position := played.position).to_move is not None:
            tables.append(game.presentation.draw(position.seen_by(seat)))
            played.push(position.moves()[0], note)
            played.play_out(note)
        secret = [line for line in lines if line[2]]
        assert bool(secret) == knowledge.of(game.name, "facts").SECRET_MOVES
        assert PLAYED.findall(out) == lines
        *shown, last = shown_tables(out, position)
        assert shown[0] == tables[0]
        left = iter(tables)  # some are not drawn between decisions of one turn
        assert all(drawn in left for drawn in shown)
        assert last == str(position)
        assert scores_told(out) == (position.scores(), position.winners)
        # Effects stand under their move.
        effects = [line for line in out.splitlines() if re.match(r" {6}\S", line)]
        assert any("seat 0 (random): " in line for line in effects)
        assert any("seat 1 (you): " in line for line in effects)
        for before, line in itertools.pairwise(out.splitlines()):
            assert line not in effects or before in effects or PLAYED.match(before)


@one_game
class TestAnswers:
    def test_what_is_no_move_is_refused_and_asked_for_again(self, table):
        for answer, named in {"9" * 5000: "999", "²": "²", "score": "scores"}.items():
            out = printed("play", *table, input=f"{answer}\n1\n")
            assert named in out.partition(f"(? for help): {answer}\n")[2].splitlines()[0]
            assert moves_told(out) == moves_told(printed("play", *table, input="1\n"))


@one_game
class TestLeaving:
    def test_the_command_printed_leads_back_to_the_game(self, table, tmp_path):
        left = printed("play", *table, "--seat", "1", input="1\n2\n1\n")
        command = command_told(left, "You have left the game")
        at = command.index("--moves") + 1
        assert len(command[at].split()) == 3
        file = tmp_path / "moves.txt"
        file.write_text(command[at].replace(" ", "\n"))
        again = printed(*command[1:], input="")
        assert again[again.index("You have left") :] == left[left.index("You have left") :]
        read = printed(*command[1:at], str(file), *command[at + 1 :], input="quit")
        assert moves_told(read) == moves_told(again) == moves_told(left)

    def test_wrong_moves_are_refused_by_their_number(self, table):
        for moves, named in {"castle": "move 1", "1 castle": "move 2"}.items():
            assert named in refused("play", *table, "--moves", moves, input="")

    def test_when_interrupted(self, table, monkeypatch, tmp_path):
        def interrupted(*arguments):
            raise KeyboardInterrupt

        monkeypatch.setattr("builtins.input", interrupted)
        file = str(tmp_path / "game.jsonl")
        out = printed("play", *table, "--save", file)
        assert "You have left the game" in out
        assert moves_told(printed("replay", file, "--list")) == moves_told(out)

    @pytest.mark.parametrize(
        ("answer", "said"),
        [
            ("masks.none", r"failed: AttributeError: [^\n]*\n  File \"[^\"]*bad.py\", line 2, in"),
            ("(~masks).argmax(1)", "chose the illegal move "),
        ],
    )
    def test_when_an_agent_fails(self, table, tmp_path, monkeypatch, answer, said):
        """Without a traceback of ours; a command leads back to where it failed."""
        monkeypatch.chdir(tmp_path)
        Path("bad.py").write_text(AGENT.format(answer))
        done = run("play", "bad.py:agent", *table[1:], "--save", "game.jsonl", input="1\n1\n")
        assert done.exit_code == 1
        assert isinstance(done.exception, SystemExit)
        assert re.match(rf"bad\.py:agent, seat \d, {said}", done.stderr.strip())
        assert done.stderr.count("  File ") == said.count("  File ")
        command = command_told(done.stdout, "To resume the game once the agent is repaired, run")
        assert command[:3] == ["shakespeare", "play", "bad.py:agent"]


@one_game
class TestSaving:
    @pytest.mark.parametrize("name", ["game.jsonl", "game.jsonl.gz"])
    def test_a_saved_game_is_read_by_replay(self, table, tmp_path, name):
        file = str(tmp_path / name)
        out = printed("play", *table, "--save", file, input=FIRST_OF_THE_LIST)
        assert command_told(out, "To look at it") == ["shakespeare", "replay", file]
        again = printed(*command_told(out, "To see this game again")[1:], input="")
        listed = printed("replay", file, "--list")
        assert moves_told(listed) == moves_told(again) == moves_told(out)
        assert "seat 1 (random)" in listed
        end = printed("replay", file, "--at", str(len(moves_told(listed))))
        assert scores_told(end) == scores_told(out)
