"""Cards, pieces and the beginning of a round: rules A1 to A4.

What chance decides is counted over the same seeds every time; the bounds are some four standard
deviations from what is expected, so that a fair engine meets them and a biased one does not.
"""

from collections import Counter
from functools import cache
from itertools import pairwise
from math import sqrt

import pytest

from shakespeare_env import Position
from tests.contract.playing import play
from tests.figaro.cards import COLOURS, HAND, deck
from tests.figaro.positions import ALL_SEATS, ended, in_play, position

SEAT_COUNTS = pytest.mark.parametrize("players", ALL_SEATS)
GAMES = 600


@cache
def new_games(players):
    """The first position of many games."""
    return [Position.new("figaro", players=players, seed=seed).to_dict() for seed in range(GAMES)]


def assert_as_often(found, expected, of):
    """An event came about as often as expected in so many independent trials."""
    spread = sqrt(expected * (1 - expected / of))
    assert abs(found - expected) < 4 * spread + 1, (found, expected, of)


# ---- A1 ------------------------------------------------------------------------------------------


@SEAT_COUNTS
def test_a1_all_cards_are_dealt_evenly(players):
    for d in new_games(players)[:20]:
        assert in_play(d) == deck(players)
        assert [sum(hand.values()) for hand in d["hands"]] == [HAND[players]] * players
        assert d["front"] == d["taken"] == [[]] * players


@pytest.mark.parametrize("players", [4, 5, 6])
def test_a1_sixty_cards_of_five_colours_with_four_seats_and_more(players):
    cards = in_play(new_games(players)[0])
    for colour in COLOURS:
        assert [cards[f"{colour}-{value}"] for value in (1, 2, 3)] == [3, 6, 1]
    assert [cards["jester-1"], cards["jester-2"], cards["ring"]] == [3, 2, 5]
    assert cards.total() == 60


def test_a1_forty_five_cards_with_three_seats():
    cards = in_play(new_games(3)[0])
    for colour in COLOURS[:4]:
        assert [cards[f"{colour}-{value}"] for value in (1, 2, 3)] == [3, 6, 1]
    assert [cards["jester-1"], cards["jester-2"], cards["ring"]] == [2, 1, 2]
    assert cards.total() == 45


def test_a1_the_colour_left_out_with_three_seats_is_the_fifth():
    for d in new_games(3):
        assert not any(card.startswith("purple") for hand in d["hands"] for card in hand)


@pytest.mark.parametrize("players", [-1, 0, 1, 2, 7])
def test_a1_three_to_six_seats_play(players):
    with pytest.raises(ValueError, match="players"):
        Position.new("figaro", players=players, seed=0)


@SEAT_COUNTS
def test_a1_every_seat_is_as_likely_to_be_dealt_a_card(players):
    for card in ("red-3", "orange-3", "blue-3"):
        holders = Counter(
            next(seat for seat, hand in enumerate(d["hands"]) if card in hand)
            for d in new_games(players)
        )
        for seat in range(players):
            assert_as_often(holders[seat], GAMES / players, GAMES)


@SEAT_COUNTS
def test_a1_cards_are_dealt_independently_of_each_other(players):
    together = sum(
        any("red-3" in hand and "blue-3" in hand for hand in d["hands"]) for d in new_games(players)
    )
    share = (HAND[players] - 1) / (deck(players).total() - 1)
    assert_as_often(together, GAMES * share, GAMES)


@SEAT_COUNTS
def test_a1_every_copy_is_as_likely_to_be_in_a_hand(players):
    for card in ("green-2", "jester-1", "ring"):
        copies = deck(players)[card]
        for seat in range(players):
            held = sum(d["hands"][seat].get(card, 0) for d in new_games(players))
            assert_as_often(held, GAMES * copies / players, GAMES * copies)


@SEAT_COUNTS
def test_a1_all_cards_are_dealt_anew_in_every_round(players):
    deals = []
    for seed in range(20):
        d = ended([HAND[players]] + [0] * (players - 1), ender=1, seed=seed)
        assert in_play(d) == deck(players)
        assert [sum(hand.values()) for hand in d["hands"]] == [HAND[players]] * players
        deals.append(str(d["hands"]))
    assert len(set(deals)) == 20


# ---- A2, A3 --------------------------------------------------------------------------------------


@SEAT_COUNTS
def test_a2_all_pieces_are_of_different_lengths(players):
    for d in new_games(players):
        lengths = [length for pieces in d["pieces"] for length in pieces]
        assert len(set(lengths)) == len(lengths)


@SEAT_COUNTS
def test_a2_the_lengths_are_one_to_fifteen(players):
    lengths = {length for d in new_games(players) for pieces in d["pieces"] for length in pieces}
    assert lengths == set(range(1, 16))


@SEAT_COUNTS
def test_a3_a_round_has_one_piece_less_than_seats_shown_long_to_short(players):
    for d in new_games(players):
        assert [len(pieces) for pieces in d["pieces"]] == [players - 1] * 3
        for pieces in d["pieces"]:
            assert all(long > short for long, short in pairwise(pieces))
        assert d["roads"] == [[]] * players


@SEAT_COUNTS
def test_a3_every_piece_is_as_likely_in_every_round(players):
    found = [Counter[int](), Counter[int](), Counter[int]()]
    for d in new_games(players):
        for number, pieces in enumerate(d["pieces"]):
            found[number].update(pieces)
    for counts in found:
        for length in range(1, 16):
            assert_as_often(counts[length], GAMES * (players - 1) / 15, GAMES)


@SEAT_COUNTS
def test_a3_every_choice_of_pieces_is_as_likely(players):
    # Two pieces, neighbours or far apart, are in one round as often as chance has it.
    for pair in ({1, 2}, {8, 9}, {14, 15}, {1, 15}, {4, 11}):
        together = sum(pair <= set(pieces) for d in new_games(players) for pieces in d["pieces"])
        share = 3 * (players - 1) / 15 * (players - 2) / 14
        assert_as_often(together, GAMES * share, GAMES)


@SEAT_COUNTS
def test_a3_the_pieces_of_all_rounds_are_settled_at_the_start(players):
    game = Position.new("figaro", players=players, seed=7)
    pieces, in_round, rounds = game.to_dict()["pieces"], 1, [1]
    for step in range(2000):
        if game.to_move is None:
            break
        moves = game.moves()
        game.push(moves[7 * step % len(moves)])
        d = game.to_dict()
        if d["to_move"] is not None and d["round"] != in_round:
            in_round = d["round"]
            rounds.append(in_round)
        gone = 3 if d["to_move"] is None else in_round - 1
        assert d["pieces"] == [[]] * gone + pieces[gone:]
    assert rounds == [1, 2, 3]
    assert game.to_move is None


# ---- A4 ------------------------------------------------------------------------------------------


@SEAT_COUNTS
def test_a4_the_first_seat_is_random(players):
    first = Counter(d["to_move"] for d in new_games(players))
    for seat in range(players):
        assert_as_often(first[seat], GAMES / players, GAMES)


@SEAT_COUNTS
def test_a4_the_first_seat_takes_the_king(players):
    for d in new_games(players):
        assert d["king"] == d["to_move"]
        assert d["round"] == 1


@SEAT_COUNTS
def test_a4_the_seat_with_the_king_begins_a_later_round(players):
    for in_round in (1, 2):
        for ender in range(players):
            # The King has been with another seat so far.
            d = ended([9] * players, ender=ender, king=(ender + 1) % players, in_round=in_round)
            assert (d["round"], d["king"], d["to_move"]) == (in_round + 1, ender, ender)


@SEAT_COUNTS
def test_a4_turns_go_clockwise(players):
    for seat in range(players):
        d = position(players=players, to_move=seat, king=1, hands={seat: "red-1 ..."})
        after = play(d, f"play:red-1>{(seat + 2) % players}")
        assert after["to_move"] == (seat + 1) % players
        assert after["king"] == 1
