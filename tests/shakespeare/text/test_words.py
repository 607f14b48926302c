"""What a move, the end of a day, a card and a thing on the table do, in words."""

from shakespeare_env import Position
from tests.shakespeare import positions as p
from tests.shakespeare.positions import seat


def said_to(observer, d, move):
    """Seat and text of the events of a move, as a seat reads them."""
    return [(event.seat, event.text) for event in Position.from_dict(d).events(move, seat=observer)]


def test_an_objective_is_named_to_its_seat_alone():
    drawn = {"drawn": ["jewels", "wardrobe", "patronage"]}
    d = p.position("objective", pending=drawn, seats={0: seat(used=["queen"], cylinders=1)})
    mine, others = (said_to(observer, d, "objective:jewels")[0][1] for observer in (0, 1))
    assert mine == 'keeps objective "Yellow elements", 2 go under the pile'
    assert others == "keeps an objective, 2 go under the pile"


def test_the_end_of_a_day_comes_in_its_order_with_what_nobody_chooses():
    # Only Act I is past space 1.
    seats = {0: p.ready_to_pass(mood=2), 1: p.finished(mood=0, used=["queen"])}
    sets = {"purple": 1, "black": 2}
    d = p.last_turn(players=2, seats=seats, sets=sets, acts={"I": {4: [1]}})
    assert said_to(0, d, "pass") == [
        (None, "evening of day 3"),
        (0, "no actor used: place 1 on the Initiative track"),
        (1, "no actor used: place 2 on the Initiative track"),
        (0, "1 purple stage set left on display: mood −1"),
        (1, "1 purple stage set left on display: mood −1"),
        (0, "mood +1 returns to 0: +1 £"),
        (1, "mood −1 returns to 0: a disc moves back"),
        (1, "mood −1: Act I back to space 3"),
        (None, "upkeep: new characters and elements on display"),
        (None, "day 4 begins"),
        (0, "1 unused cylinder taken back"),
    ]


def last_evening():
    """Day 6, seat 0 has only to pass: 3 objectives, 6 pounds, wages of 5 and 3."""
    objectives = ["great_company", "patronage", "wardrobe"]
    me = p.ready_to_pass(["othello", "hamlet"], objectives=objectives, pounds=6)
    me["stage"] = {"a3": "yellow"}
    return p.last_turn(players=2, day=6, seats={0: me}, acts=p.everyone_on(4, 2))


def test_the_end_tells_objectives_yellow_elements_and_wages_those_of_others_together():
    rest = ["1 yellow element: +1 prestige", "wages of 8 £, 1 character unpaid: −3 £, −2 prestige"]
    mine, others = (
        [text for seat, text in said_to(observer, last_evening(), "pass") if seat == 0]
        for observer in (0, 1)
    )
    assert mine[-5:] == [
        'objective "Actors in the troupe" at 4: +1 prestige',
        'objective "Complete costumes" at 0: no prestige',
        'objective "Patronage: give up 2 or 5 pounds": −2 £, +1 prestige',
        *rest,
    ]
    assert others[-3:] == ["3 unknown objectives: −2 £, +2 prestige", *rest]
