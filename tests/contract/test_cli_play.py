"""`shakespeare play`: what a person is shown and asked, and how the game can be left."""

import re
import shlex

import pytest

import shakespeare_agents
from shakespeare_agents.cli.single_game import SingleGame
from shakespeare_env import Position, registry
from tests.contract import knowledge
from tests.contract.command_line import printed, refused, run
from tests.contract.random_games import described

FIRST_OF_THE_LIST = "1\n" * 1000
PLAYED = re.compile(r"^ *(\d+)  seat (\d)  (?:(decides in secret)|(\S+) +(.+))$", re.MULTILINE)


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
    return re.findall(rf"^{head} .*?(?=\n\n[┏Y])", out, re.MULTILINE | re.DOTALL)


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

        def note(position, number, move):
            assert number == len(lines) + 1
            number, mover = str(number), str(position.to_move)
            if position.to_move != seat and game.is_secret(position.to_dict(), move):
                lines.append((number, mover, "decides in secret", "", ""))
            else:
                lines.append((number, mover, "", move, described(position, move)))

        played.play_out(note)
        while (position := played.position).to_move is not None:
            assert position.to_move == seat
            tables.append(game.draw(position.seen_by(seat)))
            note(position, played.n_moves + 1, position.moves()[0])
            played.push(position.moves()[0])
            played.play_out(note)
        secret = [line for line in lines if line[2]]
        assert bool(secret) == knowledge.of(game.name, "facts").SECRET_MOVES
        assert PLAYED.findall(out) == lines
        assert shown_tables(out, position) == [*tables, str(position)]
        result = out[out.index("Final score") :]
        rows = re.findall(r"│ *(\d+) *│ *\S+ *│ *(-?\d+) *│ *(wins)? *│", result)
        assert [int(score) for _, score, _ in rows] == position.scores()
        assert [int(winner) for winner, _, wins in rows if wins] == position.winners

    def test_no_secret_of_another_seat_is_ever_printed(self, game, table):
        out = printed("play", *table, input=FIRST_OF_THE_LIST)
        told = [(int(mover), move) for _, mover, _, move, _ in PLAYED.findall(out) if move]
        asked = Position.new(game.name, players=fewest(game), seed=6).to_dict()
        assert {mover for mover, _ in told} == set(range(fewest(game)))
        secret = {mover for mover, move in told if game.is_secret(asked, move)}
        assert secret == ({0} if knowledge.of(game.name, "facts").SECRET_MOVES else set())

    def test_against_the_default_agent(self, game):
        seats = ["--players", str(fewest(game))]
        out = printed("play", "--game", game.name, *seats, "--seed", "1", input="1\n1\n")
        best = shakespeare_agents.default(game)
        others = [f"{best} plays seat {n}" for n in range(1, fewest(game))]
        assert f"You play seat 0, {', '.join(others)}." in out

    def test_a_seat_for_every_agent(self, game):
        seats = ["random", "heuristic", "--seat", "1"]
        out = printed("play", "--game", game.name, *seats, input="")
        others = [f"heuristic plays seat {n}" for n in range(2, 3)]
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


class TestAnswers:
    def test_a_number_and_a_text_are_the_same(self, game, table):
        out = printed("play", *table, input="2\n")
        move = re.findall(r"^│ 2 +│ (\S+) ", out, re.MULTILINE)[0]
        other = printed("play", *table, input=f"{move}\n")
        assert PLAYED.findall(out) == PLAYED.findall(other)
        assert ("0", move) in [(mover, told) for _, mover, _, told, _ in PLAYED.findall(out)]

    @pytest.mark.parametrize(
        ("answer", "said"),
        [
            ("0", "there is no move 0; the moves are numbered 1 to "),
            ("999", "there is no move 999; the moves are numbered 1 to "),
            ("9" * 5000, "there is no move 999"),
            ("-1", "'-1' is neither a move nor a number; ? shows what you can enter"),
            ("²", "'²' is neither a move nor a number; ? shows what you can enter"),
            ("castle", "'castle' is neither a move nor a number; ? shows what you can enter"),
        ],
    )
    def test_what_is_no_move_is_refused_and_asked_for_again(self, table, answer, said):
        assert refused_answer(table, answer).startswith(said)
        out = printed("play", *table, input=f"{answer}\n1\n")
        assert PLAYED.findall(out) == PLAYED.findall(printed("play", *table, input="1\n"))

    def test_a_move_of_another_time_is_refused_by_name(self, game):
        seats = ["--players", str(game.max_seats)]
        table = ["random", "--game", game.name, *seats, "--seed", "6"]
        legal = re.findall(r"^│ \d+ +│ (\S+) ", printed("play", *table, input=""), re.MULTILINE)
        position = Position.new(game.name, players=game.max_seats)
        texts = map(position.move_text, range(game.actions.size))
        other = next(move for move in texts if move not in legal)
        said = refused_answer(table, other)
        assert re.fullmatch(
            rf"{re.escape(other)} \(.+\) is not legal now; enter one of the list", said
        )

    def test_an_empty_line_is_asked_again(self, table):
        out = printed("play", *table, input="\n  \nquit\n")
        assert out.count("(? for help)") == 3

    def test_help_the_table_and_the_moves(self, game, table):
        out = printed("play", *table, input="?\ntable\nmoves\nquit\n")
        assert "quit   leave the game" in out
        assert len(re.findall("^┏", out, re.MULTILINE)) == 2
        first, second = shown_tables(out, Position.new(game.name, players=fewest(game)))
        assert first == second

    def test_several_moves_in_a_line_are_played_without_tables_between(self, game, table):
        apart = printed("play", *table, input="1\n1\n1\n")
        together = printed("play", *table, input="1 1 1\n")
        assert PLAYED.findall(apart) == PLAYED.findall(together)
        position = Position.new(game.name, players=fewest(game))
        assert len(shown_tables(apart, position)) == 4
        assert len(shown_tables(together, position)) == 2

    def test_what_follows_a_wrong_move_in_its_line_is_dropped(self, table):
        out = printed("play", *table, input="1 castle 1\n")
        before = PLAYED.findall(printed("play", *table, input="1\n"))
        assert PLAYED.findall(out)[: len(before)] == before
        assert len(re.findall(r"^ *\d+  seat 0 ", out, re.MULTILINE)) == 1


class TestLeaving:
    @pytest.mark.parametrize("ending", ["quit\n", "quit", ""])
    def test_what_is_printed_leads_back_to_the_game(self, table, ending):
        left = printed("play", *table, "--seat", "1", input=f"1\n2\n1\n{ending}")
        end = left[left.index("You have left the game") :].splitlines()
        command, moves = shlex.split(end[1]), end[3]
        assert command[0] == "shakespeare"
        assert len(moves.split()) == 3
        again = printed(*command[1:], input=f"{moves}\n")
        assert PLAYED.findall(again) == PLAYED.findall(left)
        assert again[again.index("You have left") :] == left[left.index("You have left") :]

    def test_before_the_first_move_there_are_none_to_type(self, game):
        variants = [part for option in game.options for part in ("--option", option)]
        arguments = ["greedy,samples=1", "--game", game.name, *variants]
        end = printed("play", *arguments, input="").splitlines()[-2:]
        assert end[0].startswith("You have left the game.")
        words = shlex.split(end[1])
        assert words[:4] == ["shakespeare", "play", "greedy,samples=1", "--game"]
        assert words[len(words) - len(variants) :] == variants

    def test_when_interrupted(self, table, monkeypatch):
        def interrupted(prompt):
            raise KeyboardInterrupt

        monkeypatch.setattr("builtins.input", interrupted)
        assert "You have left the game" in printed("play", *table)

    def test_when_interrupted_while_an_agent_thinks(self, table, monkeypatch):
        def interrupted(*arguments):
            raise KeyboardInterrupt

        monkeypatch.setattr(shakespeare_agents.RandomAgent, "act", interrupted)
        assert "You have left the game" in printed("play", *table, input=FIRST_OF_THE_LIST)

    def test_what_is_no_text_ends_it(self, table):
        done = run("play", *table, input=b"\xff\xfe\n")
        assert done.exit_code == 1
        assert "the input is not text" in done.stderr
        assert "Traceback" not in done.output


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
        (["random"] * 99, ["AGENT", "{least} to {most} seats, not 100"]),
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
