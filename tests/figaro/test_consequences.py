"""The numbers of Figaro's sentences about mistakes, in positions made for them."""

import pytest

from tests.contract.continuations import number
from tests.figaro import positions as p

HANDS = {0: "red-1 blue-1 ..."}


def test_a_card_makes_another_seat_take_all_cards():
    d = p.position(front={1: "jester-1", 2: "red-3 red-2"}, hands=HANDS)
    assert number("another player has", d, "play:red-1>2") == 4
    assert number("another player has", d, "play:blue-1>1") == 0


def test_cards_that_the_seat_itself_takes_count_for_nobody_else():
    d = p.position(front={0: "red-3 red-2"}, hands=HANDS)
    assert number("another player has", d, "play:red-1>0") == 0


def test_the_own_pile_grows_by_a_card_played_there():
    d = p.position(front={0: "red-3", 1: "jester-1"}, hands=HANDS)
    assert number("pile then stands", d, "play:red-1>0") == 4
    assert number("pile then stands", d, "play:blue-1>1") == 3
    assert number("pile then stands", d, "take") is None


def test_cards_that_the_seat_takes_at_once_are_told_by_their_cause():
    d = p.position(front={0: "red-3 red-2", 1: "jester-1"}, hands=HANDS)
    assert number("by choice", d, "take") == 3
    assert number("own pile to", d, "take") == 0
    assert number("own pile to", d, "play:red-1>0") == 4
    assert number("by choice", d, "play:red-1>0") == 0
    assert number("by choice", d, "play:blue-1>1") == number("own pile to", d, "play:blue-1>1") == 0


def test_cards_that_lie_face_up_after_the_move_are_counted_unless_a_card_made_a_seat_take_them():
    d = p.position(front={0: "red-3 red-2"}, hands=HANDS)
    assert number("lie face up", d, "play:red-1>0") is None
    d = p.position(front={1: "jester-1", 2: "red-3 red-2"}, hands=HANDS)
    assert number("lie face up", d, "take") == 0
    assert number("lie face up", d, "play:blue-1>1") == 4
    assert number("lie face up", d, "play:red-1>2") is None
    assert number("highest pile", d, "play:red-1>2") is None


def test_the_piles_in_front_of_others_are_seen_and_the_one_that_a_ring_would_bring():
    d = p.position(front={1: "jester-1", 2: "red-3 red-1", 3: "green-2"}, hands=HANDS)
    assert number("highest pile", d, "play:red-1>2") == 5
    assert number("highest pile", d, "play:blue-1>1") == 4
    assert number("would pass on", d, "play:blue-1>1") == 2  # seat 3 sits before seat 0
    d = p.position(front={1: "jester-1", 3: "green-2"}, hands={0: "ring blue-1 ..."})
    for words in ("would pass on", "pile then stands", "highest pile", "no colour"):
        assert number(words, d, "ring") is None  # they compare other cards


def test_a_ring_brings_the_seat_a_lower_or_higher_pile():
    hands = {0: "ring blue-1 ..."}
    d = p.position(front={0: "red-3 red-2", 3: "green-2"}, hands=hands)
    assert number("a ring brings", d, "ring") == 3
    assert number("a ring brings", d, "play:blue-1>1") == 0
    assert number("a ring brings", d, "take") is None
    assert number("a ring would bring", d, "ring") is None
    d = p.position(front={0: "red-2", 3: "green-2"}, hands=hands)
    assert number("a ring brings", d, "ring") is None
    assert number("a ring would bring", d, "ring") is None
    d = p.position(front={0: "red-1", 3: "green-2 green-3"}, hands=hands)
    assert number("a ring brings", d, "ring") is None
    assert number("a ring would bring", d, "ring") == 4
    assert number("a ring would bring", d, "play:blue-1>1") == 0


def test_a_colour_in_front_of_the_seat_is_seen():
    d = p.position(front={1: "jester-1"}, hands=HANDS)
    assert number("no colour", d, "play:red-1>0") == 0
    assert number("no colour", d, "play:red-1>1") == 1


def test_cards_that_fit_nowhere_without_taking_are_counted():
    hands = {0: "red-1 red-2 blue-1 jester-2 ring", 1: "..."}
    d = p.position(front={0: "red-3 jester-1", 1: "jester-1"}, hands=hands)
    # The red 2 would fill the pile, since its colour lies there. The red 1 would not.
    assert number("hand would make", d, "play:blue-1>1") == 1
    assert number("hand would make", d, "play:red-1>0") == 1
    assert number("hand would make", d, "take") is None


def test_rings_and_jesters_that_stay_in_hand_are_counted():
    hands = {0: "ring ring jester-1 jester-2 blue-1", 1: "green-1 ..."}
    d = p.position(front={1: "red-2"}, hands=hands)
    assert number("{ours ring}", d, "ring") == 1
    assert number("{ours jester}", d, "ring") == 2
    assert number("{ours jester}", d, "play:jester-1>1") == 1
    assert number("{ours ring}", d, "play:jester-1>1") == 2


def test_cards_are_taken_before_the_next_turn_by_ones_own_move_or_those_of_others():
    d = p.position(front={0: "red-3 red-2"}, hands={0: "blue-1 ...", 1: "red-1 ..."})
    assert number("next turn", d, "take", "play:blue-1>1") == 2
    assert number("next turn", d, "play:blue-1>1", "play:red-1>0", "play:red-2>0") == 4
    assert number("next turn", d, "play:blue-1>1") is None


@pytest.mark.parametrize(
    ("taken", "cards", "longest", "none", "length"),
    [
        ([3, 4, 5, 9], 9, 1, 0, 15),
        ([12, 4, 5, 9], 9, 0, 0, 12),
        ([12, 14, 15, 9], 9, 0, 1, 0),
        ([12, 14, 15, 0], 0, 0, 1, 0),
    ],
)
def test_the_cards_of_a_round_bring_a_road_piece(taken, cards, longest, none, length):
    """Seat 3 plays the last card of the round."""
    d = p.ending(taken)
    moves = (p.last_card(0),)
    assert number("at the end of the round", d, *moves) == cards
    assert number("the longest road piece of the round in", d, *moves) == longest
    assert number("no road piece", d, *moves) == none
    assert number("road gets", d, *moves) == length


def test_cards_that_the_last_move_of_the_round_makes_a_seat_take_count():
    front = {1: "green-1", 3: "red-3 red-2"}
    d = p.ending([3, 4, 5, 9], front=front)
    assert number("at the end of the round", d, "play:red-1>3") is None  # seat 3 leads
    d = p.position(front={2: "red-3 red-2"}, hands={2: "red-1", 3: "", 0: "blue-1"}, to_move=2)
    assert number("at the end of the round", d, "play:red-1>2") == len(d["taken"][2]) + 3


def test_the_fewest_cards_of_the_third_round_exchange_a_piece():
    fields: p.Dict = {
        "in_round": 3,
        "pieces": [[], [], [13, 10, 7]],
        "roads": [[9], [8], [11], [15]],
    }
    assert number("exchange", p.ending([5, 6, 7, 4], **fields), p.last_card(0)) == 1
    assert number("exchange", p.ending([5, 6, 3, 4], **fields), p.last_card(0)) == 0
    # Nobody exchanges in another round.
    assert number("exchange", p.ending([5, 6, 7, 4]), p.last_card(0)) is None


def test_a_round_that_has_not_ended_brings_nothing_yet():
    d = p.position(front={1: "jester-1"}, hands=HANDS)
    for words in ("at the end of the round", "no road piece", "road gets"):
        assert number(words, d, "play:blue-1>1") is None
