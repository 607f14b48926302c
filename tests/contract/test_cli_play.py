"""`shakespeare play`: what a person is shown and asked, and how the game can be left."""

import itertools
import json
import re
from pathlib import Path

import pytest

import shakespeare_agents
from shakespeare_agents.single_game import SingleGame
from shakespeare_env import Position, registry
from tests.contract import knowledge
from tests.contract.command_line import (
    PLAYED,
    SCREEN,
    command_told,
    moves_told,
    printed,
    refused,
    run,
    scores_told,
)
from tests.contract.random_games import described

PROMPT = "Your move (? for help): "
FIRST_OF_THE_LIST = "1\n" * 1000


@pytest.fixture(params=registry.names())
def game(request):
    return registry.game(request.param)


def fewest(game):
    """The fewest seats at which somebody sits opposite."""
    return max(2, registry.seats(game.name)[0])


@pytest.fixture
def table(game):
    """Arguments of a small game against agents that draw."""
    players = str(fewest(game))
    return ["random", "--game", game.name, "--players", players, "--seed", "6"]


def shown_tables(out, position):
    """The tables in what was printed, each up to the empty line after it."""
    head = str(position).splitlines()[0].split()[0]
    end = r"\n\n(?: +1\. | {5}\S[^\n]*: {3}1\. |┏|Your)"
    return re.findall(rf"^{head} ·.*?(?={end})", out, re.MULTILINE | re.DOTALL)


def refused_answer(table, answer):
    """What is said to an answer before the first move is asked for again."""
    out = printed("play", *table, input=f"{answer}\n")
    return out.partition(f"(? for help): {answer}\n")[2].splitlines()[0]


class TestGame:
    @pytest.mark.parametrize("seat", [0, 1])
    def test_what_is_printed_of_a_whole_game(self, game, table, seat):
        """The same game played here, with the same agent."""
        out = printed("play", *table, "--seat", str(seat), input=FIRST_OF_THE_LIST)
        first = Position.new(game.name, players=fewest(game), seed=6)
        others = set(range(first.players)) - {seat}
        drawing = shakespeare_agents.make("random", game)
        played = SingleGame(first, dict.fromkeys(others, drawing), seed=6)
        tables: list[str] = []
        lines: list[tuple[str, ...]] = []

        def note(position, number, move, after):
            assert number == len(lines) + 1
            number, mover = str(number), str(position.to_move)
            if position.to_move != seat and game.is_secret(position.to_dict(), move):
                lines.append((number, mover, "decides in secret", "", ""))
            else:
                lines.append((number, mover, "", described(position, move), move))

        played.play_out(note)
        while (position := played.position).to_move is not None:
            assert position.to_move == seat
            tables.append(game.draw(position.seen_by(seat)))
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

    def test_no_secret_of_another_seat_is_ever_printed(self, game, table):
        out = printed("play", *table, input=FIRST_OF_THE_LIST)
        told = [(mover, move) for _, mover, move in moves_told(out) if move]
        asked = Position.new(game.name, players=fewest(game), seed=6).to_dict()
        assert {mover for mover, _ in told} == set(range(fewest(game)))
        secret = {mover for mover, move in told if game.is_secret(asked, move)}
        assert secret == ({0} if knowledge.of(game.name, "facts").SECRET_MOVES else set())

    def test_effects_stand_under_their_move(self, game, table):
        """Those of the whole game make its scores."""
        out = printed("play", *table, input=FIRST_OF_THE_LIST)
        lines = out.splitlines()
        effects = [line for line in lines if re.match(r" {6}\S", line)]
        assert any("seat 1 (random): " in line for line in effects)
        assert any("seat 0 (you): " in line for line in effects)
        for before, line in itertools.pairwise(lines):
            if line in effects:
                assert before in effects or PLAYED.match(before)

    def test_against_the_default_agent(self, game):
        seats = ["--players", str(fewest(game))]
        out = printed("play", "--game", game.name, *seats, "--seed", "1", input="1\n1\n")
        best = shakespeare_agents.default(game)
        others = [f"{best} plays seat {n}" for n in range(1, fewest(game))]
        assert f"You play seat 0, {', '.join(others)}." in out

    def test_a_seat_for_every_agent(self, game):
        seats = ["--seat", "1", "--players", str(game.max_seats)]
        out = printed("play", "random", "heuristic", "--game", game.name, *seats, input="")
        others = [f"heuristic plays seat {n}" for n in range(2, game.max_seats)]
        assert f"random plays seat 0, {', '.join(others)}." in out

    @pytest.mark.parametrize(
        "game", [name for name in registry.names() if 1 in registry.seats(name)], indirect=True
    )
    def test_alone(self, game):
        arguments = ["--game", game.name, "--players", "1", "--seed", "3"]
        out = printed("play", *arguments, input=FIRST_OF_THE_LIST)
        assert "You play seat 0. The seed of this game is 3." in out
        assert f"a good solo game passes {game.solo_target:g}" in out

    def test_a_fresh_seed_every_time(self, game):
        outs = [printed("play", "--game", game.name, input="") for _ in range(2)]
        seeds = {seed for out in outs for seed in re.findall(r"seed of this game is (\d+)", out)}
        assert len(seeds) == 2
        assert all(len(seed) <= 6 for seed in seeds)

    @pytest.mark.parametrize("screen", [SCREEN, {"COLUMNS": "1", "LINES": "1"}])
    def test_on_a_small_screen_the_table_is_drawn_compactly(self, game, table, screen):
        out = printed("play", *table, input="1\nfull\nhint\nscores\n?\n", env=screen)
        assert str(Position.new(game.name, players=fewest(game), seed=6)) not in out
        if screen == SCREEN:
            table = out.partition("Your move")[0]
            assert all(len(line) <= 80 for line in table.splitlines())


class TestAnswers:
    def test_a_number_and_a_text_are_the_same(self, game, table):
        out = printed("play", *table, input="moves\n2\n")
        move = re.findall(r"^│ 2 +│ (\S+) ", out, re.MULTILINE)[0]
        other = printed("play", *table, input=f"{move}\n")
        assert moves_told(out) == moves_told(other)
        assert move in [told for _, mover, told in moves_told(out) if mover == 0]

    @pytest.mark.parametrize(
        ("answer", "said"),
        [
            ("0", "there is no move 0; the moves are numbered 1 to "),
            ("999", "there is no move 999; the moves are numbered 1 to "),
            ("9" * 5000, "there is no move 999"),
            ("-1", "'-1' is neither a move nor a number; ? shows what you can enter"),
            ("²", "'²' is neither a move nor a number; ? shows what you can enter"),
            ("castle", "'castle' is neither a move nor a number; ? shows what you can enter"),
            (":", "':' is neither a move nor a number; ? shows what you can enter"),
        ],
    )
    def test_what_is_no_move_is_refused_and_asked_for_again(self, table, answer, said):
        assert refused_answer(table, answer).startswith(said)
        out = printed("play", *table, input=f"{answer}\n1\n")
        assert moves_told(out) == moves_told(printed("play", *table, input="1\n"))

    def test_a_move_of_another_time_is_refused_by_name(self, game):
        table = ["random", "--game", game.name, "--players", str(game.max_seats), "--seed", "6"]
        out = printed("play", *table, input="moves")
        legal = re.findall(r"^│ \d+ +│ (\S+) ", out, re.MULTILINE)
        position = Position.new(game.name, players=game.max_seats)
        texts = map(position.move_text, range(game.actions.size))
        other = next(move for move in texts if move not in legal)
        said = refused_answer(table, other)
        assert re.fullmatch(
            rf"{re.escape(other)} \(.+\) is not legal now; enter one of the list", said
        )

    def test_other_words_for_help_and_quit_are_understood_and_slips_pointed_out(self, table):
        out = printed("play", *table, input="help\nscore\nexit\n1\n")
        assert "quit         leave the game" in out
        assert "'score' is neither a move nor a number (did you mean 'scores'?); ?" in out
        assert moves_told(out) == moves_told(printed("play", *table, input=""))

    def test_an_empty_line_is_asked_again(self, table):
        out = printed("play", *table, input="\n  \nquit\n")
        assert out.count("(? for help)") == 3

    def test_help_the_table_and_the_moves(self, game, table):
        out = printed("play", *table, input="?\ntable\nmoves\nquit\n")
        assert "quit         leave the game" in out
        assert len(re.findall("^┏", out, re.MULTILINE)) == 1
        first, second = shown_tables(out, Position.new(game.name, players=fewest(game)))
        assert first == second

    def test_several_moves_in_a_line_are_played_without_tables_between(self, game, table):
        apart = printed("play", *table, input="1\n1\n1\n")
        together = printed("play", *table, input="1 1 1\n")
        assert moves_told(apart) == moves_told(together)
        position = Position.new(game.name, players=fewest(game))
        assert len(shown_tables(apart, position)) > len(shown_tables(together, position)) == 2

    def test_the_table_is_drawn_again_when_others_have_decided_or_a_turn_has_passed(
        self, game, table
    ):
        position = Position.new(game.name, players=fewest(game))
        out = printed("play", *table, input="1\n" * 60)
        parts = out.split(PROMPT)[:-1]
        for part in parts[1:]:
            if any(mover for _, mover, _ in moves_told(part)) or re.search("^ +seat 1", part, re.M):
                assert shown_tables(f"{part}Your", position), part

    def test_the_table_is_not_drawn_between_the_decisions_of_one_turn(self):
        table = ["--game", "shakespeare", "--players", "1", "--seed", "6"]
        parts = printed("play", *table, input="1\n" * 60).split(PROMPT)[:-1]
        position = Position.new("shakespeare", players=1)
        drawn = {bool(shown_tables(f"{part}Your", position)) for part in parts}
        assert drawn == {True, False}

    def test_the_table_is_drawn_again_after_a_move_is_taken_back(self):
        game = registry.game("shakespeare")
        table = ["--game", game.name, "--players", "1", "--seed", "6"]
        out = printed("play", *table, input="1\n1\n1\nundo\n")
        position = Position.new(game.name, players=1)
        assert len(shown_tables(out.partition("Taken back")[2], position)) == 1

    def test_what_follows_a_wrong_move_in_its_line_is_dropped(self, table):
        out = printed("play", *table, input="1 castle 1\n")
        before = moves_told(printed("play", *table, input="1\n"))
        assert moves_told(out)[: len(before)] == before
        assert [mover for _, mover, _ in moves_told(out)].count(0) == 1


class TestLeaving:
    @pytest.mark.parametrize("ending", ["quit\n", "quit", ""])
    def test_the_command_printed_leads_back_to_the_game(self, table, ending):
        left = printed("play", *table, "--seat", "1", input=f"1\n2\n1\n{ending}")
        command = command_told(left, "You have left the game")
        assert command[:2] == ["shakespeare", "play"]
        assert len(command[command.index("--moves") + 1].split()) == 3
        again = printed(*command[1:], input="")
        assert moves_told(again) == moves_told(left)
        assert again[again.index("You have left") :] == left[left.index("You have left") :]

    def test_the_command_printed_at_the_end_plays_the_game_again(self, table):
        over = printed("play", *table, input=FIRST_OF_THE_LIST)
        command = command_told(over, "To see this game again")
        again = printed(*command[1:], input="")
        assert moves_told(again) == moves_told(over)
        assert again[again.index("To see") :] == over[over.index("To see") :]

    def test_moves_may_stand_in_a_file(self, table, tmp_path):
        left = printed("play", *table, input="1\n2\n1\n")
        mine = [move for _, mover, move in moves_told(left) if mover == 0]
        file = tmp_path / "moves.txt"
        file.write_text("\n".join(mine), encoding="utf-8")
        again = printed("play", *table, "--moves", str(file), input="")
        assert moves_told(again) == moves_told(left)

    def test_wrong_moves_are_refused_by_their_number(self, table, tmp_path):
        def said(moves):
            done = run("play", *table, "--moves", moves, input="")
            assert done.exit_code == 2
            assert not done.stdout
            return " ".join(re.sub(r"[│╭╮╰╯─]", " ", done.stderr).split())

        assert "move 1: 'castle' is neither a file nor a move" in said("castle")
        assert "move 2: 'castle' is neither a move nor a number" in said("1 castle")
        assert "move 2: there is no move 999" in said("1 999")
        whole = "1 " * 1000
        assert "the game is over before '1'; leave out the rest" in said(whole)
        assert "no moves; name some, or a file" in said(" ")

    def test_before_the_first_move_there_are_none_in_the_command(self, game):
        variants = [part for option in game.options for part in ("--option", option)]
        end = printed("play", "greedy,samples=1", "--game", game.name, *variants, input="")
        words = command_told(end, "You have left the game.")
        assert words[2] == "greedy,samples=1"
        assert words[len(words) - len(variants) :] == variants

    def test_when_interrupted(self, table, monkeypatch):
        def interrupted(prompt):
            raise KeyboardInterrupt

        monkeypatch.setattr("builtins.input", interrupted)
        assert "You have left the game" in printed("play", *table)

    def test_when_interrupted_while_an_agent_thinks(self, table, monkeypatch, tmp_path):
        def interrupted(*arguments):
            raise KeyboardInterrupt

        monkeypatch.setattr(shakespeare_agents.RandomAgent, "act", interrupted)
        saved = ["--save", str(tmp_path / "game.jsonl")]
        out = printed("play", *table, *saved, input=FIRST_OF_THE_LIST)
        assert "You have left the game" in out
        listed = printed("replay", saved[1], "--list")
        assert moves_told(listed) == moves_told(out)

    def test_when_an_agent_fails(self, table, tmp_path, monkeypatch):
        """Without a traceback; the command leads back to where it failed."""
        monkeypatch.chdir(tmp_path)
        good = "def agent(observations, masks, rng):\n    return masks.argmax(1)\n"
        bad = good.replace("masks.arg", "masks.max(1)[:, None].sum() and masks.none")
        Path("good.py").write_text(good, encoding="utf-8")
        Path("bad.py").write_text(bad, encoding="utf-8")
        seated = ["good.py:agent", *table[1:], "--seat", "1"]
        left = printed("play", *seated, input="1\n1\nquit\n")
        mine = command_told(left, "You have left the game")
        moves = mine[mine.index("--moves") + 1]
        table = ["bad.py:agent", *table[1:], "--seat", "1"]
        done = run("play", *table, "--moves", moves, "--save", "game.jsonl")
        assert done.exit_code == 1
        assert isinstance(done.exception, SystemExit)
        first, *steps = done.stderr.strip().splitlines()
        assert re.match(r"bad\.py:agent, seat \d, failed: AttributeError: ", first)
        assert [line for line in steps if line.startswith("  File")] == [
            f'  File "{tmp_path / "bad.py"}", line 2, in agent'
        ]
        command = command_told(done.stdout, "To resume the game once the agent is repaired, run")
        assert command[:3] == ["shakespeare", "play", "bad.py:agent"]
        assert command_told(done.stdout, "To look at it") == ["shakespeare", "replay", "game.jsonl"]

    def test_when_an_agent_chooses_what_is_not_legal(self, game, table, tmp_path):
        file = tmp_path / "my.py"
        text = "def agent(observations, masks, rng):\n    return (~masks).argmax(1)\n"
        file.write_text(text, encoding="utf-8")
        done = run("play", f"{file}:agent", *table[1:], input=FIRST_OF_THE_LIST)
        assert done.exit_code == 1
        told = moves_told(done.stdout)
        position = Position.new(game.name, players=fewest(game), seed=6)
        for _, _, move in told:
            position.push(move)
        chosen = position.move_text(int((~position.action_mask()).argmax()))
        seat = position.to_move
        said = f"{file}:agent, seat {seat}, chose the illegal move {chosen}"
        assert done.stderr.strip() == said
        assert "To resume the game once the agent is repaired, run" in done.stdout

    def test_what_is_no_text_ends_it(self, table):
        done = run("play", *table, input=b"\xff\xfe\n")
        assert done.exit_code == 1
        assert "the input is not text" in done.stderr
        assert "Traceback" not in done.output


class TestSaving:
    @pytest.mark.parametrize("name", ["game.jsonl", "game.jsonl.gz"])
    def test_a_saved_game_is_read_by_replay(self, game, table, tmp_path, name):
        file = str(tmp_path / name)
        out = printed("play", *table, "--save", file, input=FIRST_OF_THE_LIST)
        assert command_told(out, "To look at it") == ["shakespeare", "replay", file]
        listed = printed("replay", file, "--list")
        moves = zip(moves_told(listed), moves_told(out), strict=True)
        for (number, mover, move), told in moves:
            assert told in ((number, mover, move), (number, mover, ""))
        assert "seat 1 (random)" in listed
        end = printed("replay", file, "--at", str(len(moves_told(listed))))
        assert scores_told(end) == scores_told(out)

    def test_a_game_saved_on_the_way(self, table, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        out = printed("play", *table, input="1\nsave my game.jsonl\n1\nsave my game.jsonl\n")
        assert out.count("Saved; to look at it") == 2
        listed = moves_told(printed("replay", "my game.jsonl", "--list"))
        assert len(listed) == len(moves_told(out))
        assert [*Path(tmp_path).iterdir()] == [tmp_path / "my game.jsonl"]

    def test_no_other_file_is_overwritten(self, table, tmp_path):
        file = tmp_path / "precious.jsonl"
        file.write_text("kept", encoding="utf-8")
        assert "already; give another name" in refused("play", *table, "--save", str(file))
        out = printed("play", *table, input=f"save {file}\nsave\nsave game.txt\n")
        assert "already; give another name" in out
        assert "name a file, as in save game.jsonl" in out
        assert "give a file .jsonl or .jsonl.gz" in out
        assert file.read_text(encoding="utf-8") == "kept"

    def test_another_move_in_a_saved_game(self, game, table, tmp_path):
        """The default agent plays on for the person."""
        file = str(tmp_path / "game.jsonl")
        printed("play", *table, "--save", file, input="1\n1\n")
        position = Position.new(game.name, players=fewest(game), seed=6)
        at = ["--at", "0", "--continuations", "1"]
        out = printed("replay", file, *at, "--instead", position.moves()[-1])
        assert f"seat 0 ({shakespeare_agents.default(game)})" in out
        assert "seat 1 (random)" in out

    def test_the_record_holds_positions_and_agents(self, game, table, tmp_path):
        file = tmp_path / "game.jsonl"
        printed("play", *table, "--save", str(file), input="1\n1\n")
        first, *rest = map(json.loads, file.read_text(encoding="utf-8").splitlines())
        assert first["agents"] == ["you", *["random"] * (fewest(game) - 1)]
        position = Position.new(game.name, players=fewest(game), seed=6)
        assert first["position"] == position.to_dict()
        assert first["box_digest"] == registry.box_digest(game.name)
        for line in rest:
            position.push(line["move"])
            assert line["position"] == position.to_dict()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--players", "99"], ["--players", "{least} to {most}"]),
        (["--seat", "9"], ["--seat", "no seat 9", "0 to {last}"]),
        (["--seat", "-1"], ["--seat"]),
        (["--seed", "-1"], ["--seed"]),
        (["--option", "fast"], ["--option", "{options}"]),
        (["nobody"], ["AGENT", "'nobody'", "random"]),
        (["random,greedy=true"], ["AGENT", "'random'", "'greedy'"]),
        (["random"] * 99, ["AGENT", "100 players for {most} seats"]),
    ],
)
def test_refuses_what_cannot_be(game, arguments, said):
    message = refused("play", "--game", game.name, *arguments)
    most, options = game.max_seats, ", ".join(game.options) or "none"
    for words in said:
        filled = words.format(least=game.min_seats, most=most, last=most - 1, options=options)
        assert filled in message


def test_refuses_an_unknown_game():
    message = refused("play", "--game", "chess")
    assert all(name in message for name in registry.names())
