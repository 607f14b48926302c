"""What is never lost and never made: cards, road pieces and turns, at every position of a game."""

from collections import Counter
from itertools import pairwise
from typing import NamedTuple

import pytest

from tests.contract.random_games import Table, game_from, move_by_rule
from tests.figaro.cards import deck
from tests.figaro.observed import colour_of, value
from tests.figaro.samples import OURS, Dict

GAMES = [(table, seed) for table in OURS for seed in range(3)]


class Game(NamedTuple):
    """Every position in text, and the moves between them."""

    table: Table
    texts: list[Dict]
    moves: list[str]


@pytest.fixture(scope="module", params=GAMES, ids=lambda game: f"{game[0]}-{game[1]}")
def game(request):
    table, seed = request.param
    texts, moves = [], []
    for step, position in enumerate(game_from(table.position(seed), salt=seed)):
        texts.append(position.to_dict())
        if position.to_move is not None:
            moves.append(move_by_rule(position, step, salt=seed))
    return Game(table, texts, moves)


def rounds(game):
    """The decisions of every round, in order."""
    found: dict[int, list[Dict]] = {1: [], 2: [], 3: []}
    for d in game.texts:
        if d["to_move"] is not None:
            found[d["round"]].append(d)
    return found


def in_hand(d):
    return sum(sum(hand.values()) for hand in d["hands"])


def test_a1_every_card_is_in_a_hand_face_up_or_taken(game):
    for d in game.texts:
        found: Counter[str] = Counter()
        for heap in (*d["hands"], *map(Counter, d["front"] + d["taken"])):
            found.update(heap)
        if d["to_move"] is None:
            assert found <= deck(game.table.players)
        else:
            assert found == deck(game.table.players)


def test_b2_b6_piles_have_one_colour_of_their_own_and_less_than_six(game):
    for d in game.texts:
        colours = [colour_of(pile) for pile in d["front"]]
        named = [colour for colour in colours if colour is not None]
        assert len(set(named)) == len(named)
        assert all(sum(map(value, pile)) < 6 for pile in d["front"])


def test_a3_pieces_are_all_different_and_stay_until_they_are_given_out(game):
    a_round = game.table.players - 1
    before = None
    for d in game.texts:
        lengths = [piece for row in d["pieces"] + d["roads"] for piece in row]
        assert len(set(lengths)) == len(lengths)
        assert set(lengths) <= set(range(1, 16))
        scored = 3 if d["to_move"] is None else d["round"] - 1
        assert [len(row) for row in d["pieces"]] == [0] * scored + [a_round] * (3 - scored)
        assert all(len(road) <= scored for road in d["roads"])
        if before and before["round"] == d["round"] and d["to_move"] is not None:
            assert (d["pieces"], d["roads"]) == (before["pieces"], before["roads"])
        elif before:
            given_out = Counter(before["pieces"][before["round"] - 1])
            held = Counter(piece for road in before["roads"] for piece in road)
            now = Counter(piece for road in d["roads"] for piece in road)
            assert now <= held + given_out
            assert len(now) >= len(held) + 1  # someone has taken cards
            assert d["pieces"][before["round"] :] == before["pieces"][before["round"] :]
        before = d


def test_c1_a_seat_to_move_has_cards_and_rounds_follow_each_other(game):
    numbers = []
    for d in game.texts:
        numbers.append(d["round"])
        if d["to_move"] is not None:
            assert d["hands"][d["to_move"]]
    assert numbers[0] == 1
    assert numbers[-1] == 3
    assert all(0 <= after - before <= 1 for before, after in pairwise(numbers))


def test_b1_b5_a_round_spends_a_card_or_clears_the_table_at_every_decision(game):
    """So a round has at most two decisions for every card."""
    for decisions in rounds(game).values():
        assert len(decisions) <= 2 * deck(game.table.players).total()
        for before, after in pairwise(decisions):
            spent = in_hand(before) - in_hand(after)
            assert spent >= 0
            if spent == 0:
                assert any(before["front"])
                assert not any(after["front"])
                assert after["to_move"] == before["to_move"]
            assert all(
                not Counter(one) - Counter(other)
                for one, other in zip(before["taken"], after["taken"], strict=True)
            )
            assert after["king"] == before["king"]


def test_a4_b6_turns_pass_clockwise_but_to_a_seat_that_takes(game):
    """Where no card was forced in between: one is spent, none by a take."""
    for (before, after), move in zip(pairwise(game.texts), game.moves, strict=True):
        if after["to_move"] is None or after["round"] != before["round"]:
            continue
        spent, mover = in_hand(before) - in_hand(after), before["to_move"]
        expected = (mover + 1) % game.table.players
        if move == "take":
            spent, expected = spent + 1, mover
        elif move != "ring":
            card, target = move.removeprefix("play:").split(">")
            if sum(map(value, before["front"][int(target)])) + value(card) >= 6:
                expected = int(target)
        if spent == 1:
            assert after["to_move"] == expected
