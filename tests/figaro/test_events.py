"""What a move and the end of a round do, in words: causes, amounts, order."""

from shakespeare_env import Position
from shakespeare_env.figaro.text import score_sheet as sheet_of
from shakespeare_env.play.course import from_events
from tests.figaro.positions import ending, last_card


def said(d, move):
    """Seat and text of the events of a move."""
    return [(event.seat, event.text) for event in Position.from_dict(d).events(move)]


def test_the_last_round_tells_the_exchange_pieces_in_order_and_who_wins():
    roads, pieces = [[15, 14], [12, 11], [9], [8]], [[], [], [13, 10, 7]]
    d = ending([12, 3, 1, 10], ender=1, in_round=3, pieces=pieces, roads=roads, king=0)
    texts = said(d, last_card(1))
    assert texts[2:7] == [
        (2, "fewest cards taken: road piece 9 exchanged for 7, road 7"),
        (0, "12 cards taken: road piece 13, road 42"),
        (3, "10 cards taken: road piece 10, road 18"),
        (1, "3 cards taken: road piece 9, road 32"),
        (2, "1 card taken: no road piece"),
    ]
    assert texts[-1] == (None, "seat 2 wins with a road of 7")
    start, happened = [-29, -23, -9, -8], Position.from_dict(d).events(last_card(1))
    assert from_events(start, happened) == [
        ("at the start", start),
        ("round 3", [-13, -9, 0, -10]),
        ("round 3, exchange", [0, 0, 2, 0]),
    ]
    assert sheet_of(d)[1] == ("road piece 2", [-14, -11, 0, 0])
