"""What a move and the end of a round do, as it is told: causes, amounts, order."""

from shakespeare_env import score_sheet
from shakespeare_env.figaro.events import events
from shakespeare_env.figaro.score_sheet import score_sheet as sheet_of
from tests.contract.playing import play
from tests.figaro.positions import ending, last_card, position


def told(d, move, after=None):
    """Seat and text of the events of a move."""
    return [(e.seat, e.text) for e in events(d, move, after or play(d, move))]


def test_a_card_tells_the_total_before_whom():
    d = position(hands={0: "red-2 ..."}, front={2: "red-2"})
    assert told(d, "play:red-2>2") == [(0, "red 2 before seat 2, total 4 of 6")]
    d = position(hands={0: "jester-1 ..."})
    assert told(d, "play:jester-1>0") == [(0, "jester 1 before seat 0, total 1 of 6")]


def test_a_full_pile_tells_what_its_seat_takes():
    d = position(
        hands={0: "red-2 ..."}, front={1: "blue-1", 2: "red-2 red-2"}, taken={2: "green-1"}
    )
    assert told(d, "play:red-2>2") == [
        (0, "red 2 before seat 2, total 6 of 6"),
        (2, "total 6: takes 4 cards, 5 this round"),
    ]


def test_a_ring_passes_the_piles_on():
    d = position(hands={0: "ring ..."}, front={1: "blue-1"})
    assert told(d, "ring") == [(0, "a ring: every pile goes to the next seat")]


def test_a_take_that_nobody_chooses_is_told():
    # Red lies before another seat that has nothing but blue, so seat 1 can play no card.
    front = {0: "red-1", 1: "blue-1", 2: "orange-1", 3: "purple-1"}
    d = position(hands={0: "red-1 ...", 1: "green-2 green-2"}, front=front)
    assert told(d, "play:red-1>0") == [
        (0, "red 1 before seat 0, total 2 of 6"),
        (1, "no card can be played"),
        (1, "takes 5 cards, 5 this round"),
    ]


def test_a_ring_that_nobody_chooses_is_told_to_all():
    d = position(hands={0: "ring", 1: "green-2 ..."}, front={2: "red-1"})
    words = [(0, "takes 1 card, 1 this round"), (0, "a ring: every pile goes to the next seat")]
    assert told(d, "take") == words
    after = play(d, "take")
    seen = [{**one, "hands": [{"?": sum(h.values())} for h in one["hands"]]} for one in (d, after)]
    assert [(e.seat, e.text) for e in events(seen[0], "take", seen[1])] == words


def test_the_end_of_a_round_tells_pieces_in_order_and_new_hands():
    d = ending([12, 3, 0, 10], ender=1)
    left = [sum(hand.values()) for hand in d["hands"]]
    left[0] -= 1  # the card that is played
    left_over = [f"; {count} left in hand out of play" if count else "" for count in left]
    assert left_over[1] == ""
    assert told(d, last_card(1)) == [
        (0, "red 1 before seat 0, total 1 of 6"),
        (None, "round 1 is over; the King goes to seat 1"),
        (0, "12 cards taken: road piece 15, road 15"),
        (3, "10 cards taken: road piece 12, road 12"),
        (1, "3 cards taken: road piece 9, road 9"),
        (2, "0 cards taken: no road piece"),
        *((seat, f"15 cards dealt{left}") for seat, left in enumerate(left_over)),
    ]


def last_round(roads):
    return ending(
        [12, 3, 1, 10], ender=1, in_round=3, pieces=[[], [], [13, 10, 7]], roads=roads, king=0
    )


def test_the_last_round_tells_the_exchange_and_who_wins():
    d = last_round([[15, 14], [12, 11], [9], [8]])
    texts = told(d, last_card(1))
    assert texts[2:7] == [
        (2, "took fewest cards: exchanges its road piece 9 for 7"),
        (0, "12 cards taken: road piece 13, road 42"),
        (3, "10 cards taken: road piece 10, road 18"),
        (1, "3 cards taken: road piece 9, road 32"),
        (2, "1 card taken: no road piece"),
    ]
    assert texts[-1] == (None, "seat 2 wins with a road of 7")
    sheet = score_sheet.from_events(
        [-29, -23, -9, -8], events(d, last_card(1), play(d, last_card(1)))
    )
    assert sheet == [
        ("at the start", [-29, -23, -9, -8]),
        ("exchange", [0, 0, 2, 0]),
        ("round 3", [-13, -9, 0, -10]),
    ]


def test_no_exchange_without_a_longer_piece():
    d = last_round([[15, 14], [12, 11], [6], [8]])
    assert told(d, last_card(1))[2] == (2, "took fewest cards, but has no piece longer than 7")


def test_a_change_that_nothing_explains_is_told_as_such():
    d = position(hands={0: "red-2 ..."})
    after = play(d, "play:red-2>1")
    after["roads"][3] = [4]
    after["hands"][3] = {"ring": 1}
    *_, last = events(d, "play:red-2>1", after)
    assert (last.seat, last.source, last.points) == (3, "other", -4)
    assert last.text == f"other: hand {last.counters['hand']:+d}, road +4"


def test_a_position_tells_roads_by_piece():
    d = position(roads=[[15, 14], [12], [], [8]])
    assert sheet_of(d) == [
        ("road piece 1", [-15, -12, 0, -8]),
        ("road piece 2", [-14, 0, 0, 0]),
        ("road piece 3", [0, 0, 0, 0]),
    ]
