"""The end of a round and of the game: rules C1 to C4."""

import pytest

from shakespeare_env import Position
from tests.contract.playing import play
from tests.figaro.positions import ALL_SEATS, ended, ending, final, last_card, pieces_of, position

SEAT_COUNTS = pytest.mark.parametrize("players", ALL_SEATS)
FIRST = pieces_of(4)[0]  # 15, 12, 9


@SEAT_COUNTS
def test_c1_the_round_ends_when_a_seat_begins_its_turn_without_cards(players):
    for ender in range(players):
        d = ending([9] * players, ender=ender, king=(ender + 2) % players)
        assert d["round"] == 1
        after = play(d, last_card(ender, players))
        assert (after["round"], after["king"], after["to_move"]) == (2, ender, ender)


def test_c1_a_seat_without_cards_that_is_to_lead_ends_the_round():
    d = position(front={2: "red-3 red-2"}, hands={0: "red-1 ...", 2: ""}, king=1, heap=0)
    after = play(d, "play:red-1>2")
    assert (after["round"], after["king"], after["to_move"]) == (2, 2, 2)
    # The take that made it lead counts: three cards are the second most.
    assert after["roads"] == [[FIRST[0]], [], [FIRST[1]], []]


def test_c1_face_up_cards_and_those_in_hand_count_for_nobody():
    # Seats 1 and 2 would come first with the cards before them.
    front = {1: "green-1 green-1 green-1 green-2", 2: "blue-1 blue-1 blue-1 ring ring"}
    after = ended([12, 9, 10, 11], front=front)
    assert after["roads"] == [[FIRST[0]], [], [FIRST[2]], [FIRST[1]]]
    after = ended([2, 8, 5, 8], ender=1, hands={2: "..."})
    assert after["roads"] == [[], [FIRST[1]], [FIRST[2]], [FIRST[0]]]


@SEAT_COUNTS
def test_c2_most_cards_take_the_longest_piece_and_the_last_seat_none(players):
    pieces = pieces_of(players)[0]
    counts = [4, 9, 6, 3, 8, 5][:players]
    ranking = sorted(range(players), key=lambda seat: -counts[seat])
    for ender in range(players):
        roads = ended(counts, ender=ender)["roads"]
        assert [roads[seat] for seat in ranking] == [[piece] for piece in pieces] + [[]]


def test_c2_the_number_of_cards_counts_and_not_their_values():
    taken = {0: "red-3 green-3 blue-3 purple-3", 1: "ring ring ring ring jester-1 jester-1"}
    hands = {0: "", 1: "blue-2", 3: "red-1 ..."}
    d = position(to_move=3, hands=hands, taken=taken, heap=2)
    assert len(d["taken"][2]) > 6
    assert play(d, "play:red-1>3")["roads"] == [[FIRST[2]], [FIRST[1]], [FIRST[0]], []]


def roads_of(text):
    """The pieces of each seat's road: "10 9/8/" are those of three seats."""
    return [[int(length) for length in road.split()] for road in text.split("/")]


@pytest.mark.parametrize(
    ("counts", "ender", "pieces"),
    [
        # Ties with and without the King's seat, and about the last place.
        ([9, 4, 9, 5], 2, [15, 0, 12, 9]),
        ([9, 4, 9, 5], 0, [12, 0, 15, 9]),
        ([9, 4, 9, 5], 1, [12, 0, 15, 9]),
        ([9, 4, 9, 5], 3, [15, 0, 12, 9]),
        ([9, 5, 8, 5], 0, [15, 9, 12, 0]),
        ([9, 5, 8, 5], 2, [15, 0, 12, 9]),
        # No card, no piece; the last seat gets none though it took cards.
        ([0, 12, 0, 6], 2, [0, 15, 0, 12]),
        ([0, 0, 18, 0], 0, [0, 0, 15, 0]),
        ([30, 1, 1, 1], 3, [15, 12, 9, 0]),
    ],
)
def test_c2_who_gets_which_piece_and_what_is_left_over_leaves_the_game(counts, ender, pieces):
    after = ended(counts, ender=ender)
    assert after["roads"] == [[piece] if piece else [] for piece in pieces]
    assert after["pieces"] == [[], *pieces_of(4)[1:]]


@pytest.mark.parametrize(
    ("counts", "ender", "pieces", "roads", "expected"),
    [
        # The longest of the road for the shortest of the round, then sorted among its pieces.
        ([3, 9, 7, 5], 0, [9, 8, 4], "15 3/14/12/11", "4 3/15 14/12 9/11 8"),
        ([3, 9, 7, 5], 0, [12, 9, 7], "8/14/13/11", "7/14 12/13 9/11 8"),
        ([3, 9, 7, 5], 0, [13, 9, 8], "10 6/14/12/11", "8 6/14 13/12 10/11 9"),
        ([3, 9, 7, 5], 0, [12, 9, 7], "15 2/14/13/11", "7 2/15 14/13 12/11 9"),
        ([0, 9, 7, 5], 0, [9, 8, 4], "15 3/14/12/11", "4 3/15 14/12 9/11 8"),  # took no card
        # Not if all its pieces are shorter, or it has none; and nobody else swaps.
        ([3, 9, 7, 5], 0, [13, 9, 8], "7 6/14/12/11", "7 6/14 13/12 9/11 8"),
        ([3, 9, 7, 5], 0, [13, 9, 8], "/14/12/11", "/14 13/12 9/11 8"),
        ([4, 9, 4, 8], 0, [13, 12, 5], "/14/10/11", "/14 13/10 5/12 11"),
        # Of equals the King's seat, else the nearest clockwise; it may get back what it gave.
        ([4, 9, 4, 8], 0, [9, 8, 5], "15/14/12/11", "5/15 14/12 8/11 9"),
        ([4, 9, 4, 8], 2, [9, 8, 5], "15/14/12/11", "15 8/14 12/5/11 9"),
        ([4, 9, 4, 8], 1, [9, 8, 5], "15/14/12/11", "15/14 12/8 5/11 9"),
        ([4, 9, 4, 8], 3, [9, 8, 5], "15/14/12/11", "8 5/15 14/12/11 9"),
        ([4, 9, 4, 8], 3, [13, 12, 5], "6 1/14/10/11", "6 5 1/14 13/10/12 11"),
    ],
)
def test_c3_the_seat_with_fewest_cards_swaps(counts, ender, pieces, roads, expected):
    before = roads_of(roads)
    assert final(counts, pieces, before, ender=ender)["roads"] == roads_of(expected)


def test_c3_only_in_the_third_round():
    pieces = [[], [9, 8, 4], [7, 6, 5]]
    roads = [[15], [14], [12], []]
    after = ended([3, 9, 7, 5], in_round=2, pieces=pieces, roads=roads)
    assert after["roads"] == [[15], [14, 9], [12, 8], [4]]


@SEAT_COUNTS
def test_c4_the_shortest_road_wins(players):
    pieces = pieces_of(players)[2]
    for winner in range(players):
        # All but the winner take a piece.
        counts = [0 if seat == winner else 9 for seat in range(players)]
        after = final(counts, pieces, [[]] * players, ender=(winner + 1) % players)
        assert after["winners"] == [winner]
        assert (after["to_move"], after["round"]) == (None, 3)


def test_c4_lengths_count_and_not_pieces_and_are_the_scores():
    after = final([3, 9, 7, 5], [8, 7, 6], [[15], [1], [3, 2], [5, 4]])
    assert after["roads"] == [[6], [15, 1], [8, 3, 2], [7, 5, 4]]
    game = Position.from_dict(after)
    # Below 0, so that more is better.
    assert (game.scores(), game.winners) == ([-6, -16, -13, -16], [0])


@pytest.mark.parametrize(
    ("counts", "roads", "winners"),
    [
        # 9 for seats 0 and 2, then no piece for seats 0 and 3: with the King at 0, 1, 2 and 3.
        ([0, 12, 0, 6], [[9], [15], [5, 4], [14]], [0, 2, 2, 0]),
        ([0, 12, 6, 0], [[], [15], [1], []], [0, 3, 3, 3]),
    ],
)
def test_c4_of_equals_the_kings_seat_then_the_nearest_clockwise(counts, roads, winners):
    for ender, winner in enumerate(winners):
        # The King was with seat 1 as the round was played.
        after = final(counts, [13, 12, 10], roads, ender=ender, king=1)
        assert (after["king"], after["winners"]) == (ender, [winner])
