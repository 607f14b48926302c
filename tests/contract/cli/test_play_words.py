"""What a person can ask for while playing: explanations, hints, the log, scores."""

import re
from types import SimpleNamespace
from typing import Any

import pytest

import shakespeare_agents
from shakespeare_env import Position
from shakespeare_env.cli.printing import move_lines
from shakespeare_env.core import registry
from shakespeare_table.cli.answers import find_move
from shakespeare_table.cli.hints import hint
from tests.contract.command_line import printed
from tests.contract.each_table import plain_tables
from tests.contract.random_games import sampled

LEGAL = [
    "recruit:hamlet",
    "recruit:set_dresser_6",
    "extra:puck",
    "play:red-2>0",
    "play:red-2>1",
    "done",
]
AT_HAND: Any = SimpleNamespace(
    moves=lambda: LEGAL,
    is_move=lambda text: text in (*LEGAL, "pass"),
    describe_move=lambda move: "do nothing",
)
"""Stands in for a position with these legal moves."""

OF_A_PERSON = """\
def illegal(observations, masks, rng): return (~masks).argmax(1)
def huge(observations, masks, rng): return masks.sum(1) * 0 + 9999
def failing(observations, masks, rng):
    return 1 // 0
"""


@pytest.fixture(params=registry.names())
def position(request):
    return Position.new(request.param, players=registry.seats(request.param)[-1], seed=6)


@pytest.fixture
def table(position):
    players = ["--players", str(position.players)]
    return ["random", "--game", position.game.name, *players, "--seed", "6"]


def test_as_much_of_a_move_as_no_other_has():
    meant = {"rec:ham": 0, "HAM": 0, "dresser": 1, "2": 1, "red-2>1": 4, ">1": 4, "do": 5}
    for answer, number in meant.items():
        assert find_move(answer, AT_HAND) == LEGAL[number]
    for answer in ("rec", "7", "pass", "amlet", "::"):
        with pytest.raises(ValueError, match=answer):
            find_move(answer, AT_HAND)


@plain_tables
def test_lists_and_drawings_fit_the_screen(table):
    for position in sampled(table, seed=5, every=6):
        lines, draw = move_lines(position, 80), position.game.presentation.draw
        numbers = re.findall(r"(?:^|  ) *(\d+)\. ", "\n".join(lines), re.MULTILINE)
        assert list(map(int, numbers)) == list(range(1, len(position.moves()) + 1))
        assert len(lines) <= 30
        drawings = map(draw, (position.to_dict(), position.seen_by(0), position.seen_by(None)))
        assert max(len(line) for drawn in drawings for line in drawn.splitlines()) <= 80


class TestTopics:
    def test_a_move_is_explained_with_what_it_names_by_number_or_text(self, position, table):
        listed = printed("play", *table, input="moves\n")
        move = re.findall(r"^│ 1 +│ (\S+) ", listed, re.MULTILINE)[0]
        topics = position.game.presentation.topics(position.seen_by(0))
        for asked in ("1", move):
            told = printed("play", *table, input=f"? {asked}\n").partition("help): ? ")[2]
            assert f"  ({move})\n" in told
            for name in re.split("[:>]", move)[:2]:
                assert f"\n{name}: {topics[name].splitlines()[0]}\n" in told
        texts = map(position.move_text, range(position.game.actions.size))
        missing = next(text for text in texts if text not in position.moves())
        out = printed("play", *table, input=f"? {missing}\n? 9999\n")
        assert f"({missing})\n" in out
        assert "there is no move 9999" in out


class TestHints:
    def test_a_network_gives_probabilities_and_others_their_choice(self, position):
        for name in ("network", "heuristic", "greedy"):
            possible = position.determinize(position.to_move, seed=3)
            assert hint(position, name) == hint(possible, name), "no secret changes it"
        title, *lines = hint(position, "network")
        assert title == "network would play, with these probabilities:"
        shares = [float(line.split()[0]) for line in lines]
        assert shares == sorted(shares, reverse=True)
        assert 0 < sum(shares) <= 100.3
        network: Any = shakespeare_agents.make("network", position.game)
        seen = position.observation(position.to_move)[None]
        best = int(network.act(seen, position.action_mask()[None], None)[0])
        assert f"({position.move_text(best)})" in lines[0]
        title, line = hint(position, "heuristic")
        assert title == "heuristic would play, and gives no probabilities:"
        number, move = re.findall(r"^  (\d+)  .+\((\S+)\)$", line)[0]
        assert position.moves()[int(number) - 1] == move

    def test_an_illegal_choice_is_named_and_a_fault_shown_in_its_own_file(self, position, tmp_path):
        file = tmp_path / "my.py"
        file.write_text(OF_A_PERSON, encoding="utf-8")
        illegal = position.move_text(int((~position.action_mask()).argmax()))
        for agent, named in (
            ("illegal", illegal),
            ("huge", "9999"),
            ("failing", "line 4, in fail"),
        ):
            with pytest.raises(ValueError, match=named):
                hint(position, f"{file}:{agent}")
