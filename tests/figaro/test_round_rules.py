"""The end of a round and of the game: rules C1 to C4."""

import pytest

from shakespeare_env import Position
from tests.contract.playing import play
from tests.figaro.positions import ALL_SEATS, ended, ending, final, last_card, pieces_of, position

SEAT_COUNTS = pytest.mark.parametrize("players", ALL_SEATS)
FIRST = pieces_of(4)[0]  # 15, 12, 9


# ---- C1 ------------------------------------------------------------------------------------------


@SEAT_COUNTS
def test_c1_the_round_ends_when_a_seat_begins_its_turn_without_cards(players):
    for ender in range(players):
        d = ending([9] * players, ender=ender, king=(ender + 2) % players)
        assert d["round"] == 1
        after = play(d, last_card(ender, players))
        assert (after["round"], after["king"], after["to_move"]) == (2, ender, ender)


def test_c1_playing_the_last_card_does_not_end_the_round():
    d = position(hands={0: "red-1"})
    after = play(d, "play:red-1>2")
    assert (after["round"], after["to_move"], after["hands"][0]) == (1, 1, {})


def test_c1_a_seat_that_has_no_cards_is_no_concern_of_the_others():
    d = position(hands={0: "red-1 ...", 2: ""})
    after = play(d, "play:red-1>1")
    assert (after["round"], after["to_move"]) == (1, 1)


def test_c1_a_seat_without_cards_that_is_to_lead_ends_the_round():
    d = position(front={2: "red-3 red-2"}, hands={0: "red-1 ...", 2: ""}, king=1, heap=0)
    after = play(d, "play:red-1>2")
    assert (after["round"], after["king"], after["to_move"]) == (2, 2, 2)
    # The take that made it lead counts: three cards are the second most.
    assert after["roads"] == [[FIRST[0]], [], [FIRST[1]], []]


def test_c1_face_up_cards_count_for_nobody():
    # Seats 1 and 2 would come first with the cards before them.
    front = {1: "green-1 green-1 green-1 green-2", 2: "blue-1 blue-1 blue-1 ring ring"}
    after = ended([12, 9, 10, 11], front=front)
    assert after["roads"] == [[FIRST[0]], [], [FIRST[2]], [FIRST[1]]]


def test_c1_cards_in_hand_count_for_nobody():
    after = ended([2, 8, 5, 8], ender=1, hands={2: "..."})
    assert after["roads"] == [[], [FIRST[1]], [FIRST[2]], [FIRST[0]]]


# ---- C2 ------------------------------------------------------------------------------------------


@SEAT_COUNTS
def test_c2_most_cards_take_the_longest_piece_and_the_last_seat_none(players):
    pieces = pieces_of(players)[0]
    counts = [4, 9, 6, 3, 8, 5][:players]
    ranking = sorted(range(players), key=lambda seat: -counts[seat])
    for ender in range(players):
        roads = ended(counts, ender=ender)["roads"]
        assert [roads[seat] for seat in ranking] == [*([piece] for piece in pieces), []]


def test_c2_the_number_of_cards_counts_and_not_their_values():
    taken = {0: "red-3 green-3 blue-3 purple-3", 1: "ring ring ring ring jester-1 jester-1"}
    hands = {0: "", 1: "blue-2", 3: "red-1 ..."}
    d = position(to_move=3, hands=hands, taken=taken, heap=2)
    assert len(d["taken"][2]) > 6
    assert play(d, "play:red-1>3")["roads"] == [[FIRST[2]], [FIRST[1]], [FIRST[0]], []]


def test_c2_cards_taken_in_the_last_turn_count_one_each():
    # Seat 3 takes four cards worth 8 and has seven: more than seat 0, fewer than seat 1.
    d = ending([6, 9, 2, 3], front={1: "green-3 green-2", 2: "ring blue-3"})
    after = play(d, "take", last_card(0))
    assert after["roads"] == [[FIRST[2]], [FIRST[0]], [], [FIRST[1]]]


@SEAT_COUNTS
def test_c2_of_equals_the_nearest_clockwise_to_the_king_is_first_and_the_king_last(players):
    pieces = [[piece] for piece in pieces_of(players)[0]]
    for ender in range(players):
        # The old King, at seat 0, has no say.
        roads = ended([8] * players, ender=ender)["roads"]
        clockwise = [(ender + place) % players for place in range(1, players + 1)]
        assert [roads[seat] for seat in clockwise] == [*pieces, []]


def test_c2_a_tie_with_the_kings_seat():
    assert ended([9, 4, 9, 5], ender=2)["roads"] == [[15], [], [12], [9]]
    assert ended([9, 4, 9, 5], ender=0)["roads"] == [[12], [], [15], [9]]


def test_c2_a_tie_without_the_kings_seat():
    assert ended([9, 4, 9, 5], ender=1)["roads"] == [[12], [], [15], [9]]
    assert ended([9, 4, 9, 5], ender=3)["roads"] == [[15], [], [12], [9]]


def test_c2_a_tie_about_the_last_place():
    assert ended([9, 5, 8, 5], ender=0)["roads"] == [[15], [9], [12], []]
    assert ended([9, 5, 8, 5], ender=2)["roads"] == [[15], [], [12], [9]]
    assert ended([9, 5, 8, 5], ender=1)["roads"] == [[15], [], [12], [9]]


def test_c2_a_seat_that_took_no_card_gets_no_piece():
    assert ended([0, 12, 0, 6], ender=2)["roads"] == [[], [15], [], [12]]
    assert ended([0, 0, 18, 0], ender=0)["roads"] == [[], [], [15], []]


def test_c2_pieces_that_nobody_gets_leave_the_game():
    after = ended([0, 0, 18, 0])
    assert after["pieces"] == [[], *pieces_of(4)[1:]]


def test_c2_the_last_seat_gets_none_though_it_took_cards():
    assert ended([30, 1, 1, 1], ender=3)["roads"] == [[15], [12], [9], []]


def test_c2_pieces_are_those_of_the_round_under_way():
    roads = [[15], [12], [9], []]
    after = ended([4, 9, 6, 3], in_round=2, roads=roads)
    assert after["roads"] == [[15, 8], [14, 12], [11, 9], []]
    assert after["pieces"] == [[], [], pieces_of(4)[2]]


def test_c2_a_road_lies_long_to_short():
    after = final([4, 9, 6, 3], [13, 10, 7], [[11, 8], [15, 12], [14, 9], []])
    assert after["roads"] == [[11, 8, 7], [15, 13, 12], [14, 10, 9], []]


# ---- C3 ------------------------------------------------------------------------------------------

LONGER = [[15, 3], [14], [12], [11]]


def test_c3_the_seat_with_fewest_cards_swaps_its_longest_for_the_shortest_of_the_round():
    after = final([3, 9, 7, 5], [9, 8, 4], LONGER)
    # The round's pieces are then 15, 9 and 8, long to short.
    assert after["roads"] == [[4, 3], [15, 14], [12, 9], [11, 8]]


@SEAT_COUNTS
def test_c3_with_any_number_of_seats(players):
    pieces = list(range(players - 1, 0, -1))
    roads = [[10 + seat] for seat in range(players)]
    counts = [8 - seat for seat in range(players)]
    after = final(counts, pieces, roads, ender=1)
    swapped = 10 + players - 1
    given = [swapped, *pieces[:-1]]
    expected = [sorted([10 + s, given[s]], reverse=True) for s in range(players - 1)]
    assert after["roads"] == [*expected, [1]]


def test_c3_only_in_the_third_round():
    pieces, roads = [[], [9, 8, 4], [7, 6, 5]], [[15], [14], [12], []]
    after = ended([3, 9, 7, 5], in_round=2, pieces=pieces, roads=roads)
    assert after["roads"] == [[15], [14, 9], [12, 8], [4]]


def test_c3_not_if_all_its_pieces_are_shorter():
    after = final([3, 9, 7, 5], [13, 9, 8], [[7, 6], [14], [12], [11]])
    assert after["roads"] == [[7, 6], [14, 13], [12, 9], [11, 8]]


def test_c3_one_longer_piece_is_enough():
    after = final([3, 9, 7, 5], [13, 9, 8], [[10, 6], [14], [12], [11]])
    assert after["roads"] == [[8, 6], [14, 13], [12, 10], [11, 9]]


def test_c3_not_without_a_piece():
    after = final([3, 9, 7, 5], [13, 9, 8], [[], [14], [12], [11]])
    assert after["roads"] == [[], [14, 13], [12, 9], [11, 8]]


def test_c3_of_equals_the_kings_seat_swaps():
    # Seats 0 and 2 have fewest; the King is with 0, then with 2.
    roads = [[15], [14], [12], [11]]
    after = final([4, 9, 4, 8], [9, 8, 5], roads, ender=0)
    assert after["roads"] == [[5], [15, 14], [12, 8], [11, 9]]
    after = final([4, 9, 4, 8], [9, 8, 5], roads, ender=2)
    assert after["roads"] == [[15, 8], [14, 12], [5], [11, 9]]


def test_c3_of_other_equals_the_nearest_clockwise_to_the_king_swaps():
    # Nearest to the King, seat 2 ranks before seat 0 too, so that it gets back a piece.
    roads = [[15], [14], [12], [11]]
    after = final([4, 9, 4, 8], [9, 8, 5], roads, ender=1)
    assert after["roads"] == [[15], [14, 12], [8, 5], [11, 9]]
    after = final([4, 9, 4, 8], [9, 8, 5], roads, ender=3)
    assert after["roads"] == [[8, 5], [15, 14], [12], [11, 9]]


def test_c3_a_seat_that_took_no_card_swaps():
    after = final([0, 9, 7, 5], [9, 8, 4], LONGER)
    assert after["roads"] == [[4, 3], [15, 14], [12, 9], [11, 8]]


# ---- C4 ------------------------------------------------------------------------------------------


@SEAT_COUNTS
def test_c4_the_shortest_road_wins(players):
    pieces = pieces_of(players)[2]
    for winner in range(players):
        # All but the winner take a piece.
        counts = [0 if seat == winner else 9 for seat in range(players)]
        after = final(counts, pieces, [[]] * players, ender=(winner + 1) % players)
        assert after["winners"] == [winner]
        assert (after["to_move"], after["round"]) == (None, 3)


def test_c4_lengths_count_and_not_pieces():
    after = final([3, 9, 7, 5], [8, 7, 6], [[15], [1], [3, 2], [5, 4]])
    assert after["roads"] == [[6], [15, 1], [8, 3, 2], [7, 5, 4]]
    assert after["winners"] == [0]
    after = final([12, 9, 7, 5], [8, 7, 6], [[15, 14], [1], [3, 2], [4]])
    assert after["roads"] == [[15, 14, 8], [7, 1], [6, 3, 2], [4]]
    assert after["winners"] == [3]


TIED = [[9], [15], [5, 4], [14]]  # 9 for seats 0 and 2, which get no piece


@pytest.mark.parametrize(("ender", "winner"), [(0, 0), (1, 2), (2, 2), (3, 0)])
def test_c4_of_equals_the_kings_seat_then_the_nearest_clockwise(ender, winner):
    after = final([0, 12, 0, 6], [13, 12, 10], TIED, ender=ender)
    assert after["roads"] == [[9], [15, 13], [5, 4], [14, 12]]
    assert after["winners"] == [winner]


@pytest.mark.parametrize(("ender", "winner"), [(0, 0), (1, 3), (2, 3), (3, 3)])
def test_c4_an_empty_road_is_the_shortest(ender, winner):
    after = final([0, 12, 6, 0], [13, 12, 10], [[], [15], [1], []], ender=ender)
    assert after["roads"] == [[], [15, 13], [12, 1], []]
    assert after["winners"] == [winner]


def test_c4_the_scores_are_the_roads():
    # Below 0, so that more is better.
    after = final([3, 9, 7, 5], [9, 8, 4], LONGER)
    game = Position.from_dict(after)
    assert game.scores() == [-7, -29, -21, -19]
    assert game.winners == [0]
