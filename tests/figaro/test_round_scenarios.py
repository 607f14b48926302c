"""Ends of rounds and games in which several rules meet, played as scenes."""

from itertools import chain

import pytest

from shakespeare_env import Position
from tests.contract.playing import play
from tests.figaro.cards import HAND, deck
from tests.figaro.positions import ALL_SEATS, ended, ending, final, in_play, last_card, pieces_of

SEAT_COUNTS = pytest.mark.parametrize("players", ALL_SEATS)


# ---- the third round -----------------------------------------------------------------------------


@pytest.mark.parametrize(("own", "given"), [(15, (15, 12, 9)), (10, (12, 10, 9)), (8, (12, 9, 8))])
def test_the_swapped_piece_is_sorted_among_those_of_the_round(own, given):
    # The piece becomes the longest, the middle one, or stays the shortest.
    after = final([3, 9, 7, 5], [12, 9, 7], [[own], [14], [13], [11]])
    won = [[*road, piece] for road, piece in zip(([14], [13], [11]), given, strict=True)]
    assert after["roads"] == [[7], *(sorted(road, reverse=True) for road in won)]


def test_the_piece_swapped_in_stands_in_order_on_the_road():
    after = final([3, 9, 7, 5], [12, 9, 7], [[15, 2], [14], [13], [11]])
    assert after["roads"][0] == [7, 2]
    after = final([3, 9, 7, 5], [12, 9, 7], [[15, 10], [14], [13], [11]])
    assert after["roads"][0] == [10, 7]


def test_a_swap_that_comes_back_to_the_swapper():
    # Seats 0 and 2 took as many; seat 0 swaps, yet is third and gets its own piece again.
    after = final([4, 9, 4, 8], [13, 12, 5], [[6, 1], [14], [10], [11]], ender=3)
    assert after["roads"] == [[6, 5, 1], [14, 13], [10], [12, 11]]


def test_the_seat_chosen_has_no_piece_and_nobody_else_swaps():
    after = final([4, 9, 4, 8], [13, 12, 5], [[], [14], [10], [11]], ender=0)
    assert after["roads"] == [[], [14, 13], [10, 5], [12, 11]]


def test_of_several_seats_without_cards_one_swaps():
    for ender, swapper in ((0, 0), (1, 2), (2, 2), (3, 3)):
        roads = [[10], [14], [12], [11]]
        after = final([0, 16, 0, 0], [9, 8, 5], roads, ender=ender)
        longest = roads[swapper][0]
        expected = [[10], [14, longest], [12], [11]]
        expected[swapper] = [5]
        assert after["roads"] == expected
        assert after["pieces"] == [[], [], []]


def test_a_swap_decides_the_game():
    # Without it seat 0 has 13, seat 2 has 12; with it seat 0 has 4.
    roads = [[13], [15], [3], []]
    after = final([2, 12, 5, 9], [11, 10, 4], roads)
    assert after["roads"] == [[4], [15, 13], [10, 3], [11]]
    assert after["winners"] == [0]


# ---- from round to round -------------------------------------------------------------------------


@SEAT_COUNTS
def test_a_round_makes_way_for_the_next(players):
    d = ending([8] * players, ender=1, king=0, front={1: "green-1 ring"})
    after = play(d, last_card(1, players))
    assert after["front"] == after["taken"] == [[]] * players
    assert in_play(after) == deck(players)
    assert [sum(hand.values()) for hand in after["hands"]] == [HAND[players]] * players
    assert after["pieces"] == [[], *pieces_of(players)[1:]]
    assert sorted(chain.from_iterable(after["roads"])) == sorted(pieces_of(players)[0])
    assert after["winners"] is None


@SEAT_COUNTS
def test_after_the_third_round_what_was_taken_stays(players):
    d = ending([8] * players, ender=1, king=0, in_round=3, front={1: "green-1 ring"})
    after = play(d, last_card(1, players))
    assert (after["to_move"], after["round"], after["king"]) == (None, 3, 1)
    assert after["taken"] == d["taken"]
    assert after["front"] == [[]] * players
    assert after["hands"] == [{}] * players
    assert after["pieces"] == [[], [], []]
    assert len(after["winners"]) == 1
    assert Position.from_dict(after).moves() == []


def test_the_king_of_the_last_round_breaks_ties_of_the_game():
    # The King is with seat 1 as the round is played, with seat 2 as it ends.
    after = final([0, 12, 0, 6], [13, 12, 10], [[9], [15], [5, 4], [14]], ender=2, king=1)
    assert (after["king"], after["winners"]) == (2, [2])


def test_the_same_seed_deals_the_same_cards_and_another_one_others():
    counts = [9, 9, 9, 9]
    assert ended(counts, seed=1) == ended(counts, seed=1)
    assert ended(counts, seed=1)["hands"] != ended(counts, seed=2)["hands"]
