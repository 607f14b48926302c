"""What a move and the end of a day do, as it is told: causes, amounts, order."""

import pytest

from shakespeare_env import Position, score_sheet
from shakespeare_env.shakespeare.events import events
from tests.contract.playing import play
from tests.shakespeare.positions import (
    everyone_on,
    finished,
    last_turn,
    position,
    ready_to_pass,
    seat,
    turn_position,
    wager_position,
)


def told(d, *moves):
    """Seat and text of the events of the last of some moves."""
    *before, last = moves
    start = play(d, *before)
    return [(event.seat, event.text) for event in events(start, last, play(start, last))]


def told_to(observer, d, move):
    """The same as a seat is told."""
    position, after = Position.from_dict(d), Position.from_dict(d)
    after.push(move)
    views = position.seen_by(observer), after.seen_by(observer)
    secret = position.game.is_secret(d, move) and d["to_move"] != observer
    return [(e.seat, e.text) for e in events(views[0], None if secret else move, views[1])]


def test_an_actor_tells_acts_mood_and_its_place_on_the_initiative_track():
    d = turn_position(players=3, seats={0: seat(["hamlet"])})
    assert told(d, "activate:hamlet") == [
        (0, "Hamlet: Act III to space 2, 1 white quill, place 1 on the Initiative track"),
        (1, "Hamlet of seat 0: mood −1"),
        (2, "Hamlet of seat 0: mood −1"),
    ]


def test_a_power_at_the_end_of_its_track_tells_what_is_lost():
    acts = {"I": {9: [0]}}
    d = turn_position(seats={0: seat(["iago"])}, acts=acts)
    assert told(d, "activate:iago")[0] == (
        0,
        "Iago: 2 quills lost on Act I, Act III to space 2, place 1 on the Initiative track",
    )
    d = turn_position(seats={0: seat(mood=3, used=["author"])})
    assert told(d, "activate:falstaff") == [(0, "Falstaff: no effect")]


def test_a_craftsman_tells_its_value():
    d = turn_position(
        seats={0: seat(["set_dresser_6", "assistant", "assistant"], tokens=1)}, sets={"black": 3}
    )
    assert told(d, "activate:set_dresser_6+3") == [
        (0, 'Set Dresser 6: value 11, with 2 assistants and a token "+3"')
    ]


def test_elements_tell_candles_effects_and_complete_costumes():
    stage = {"a1": "black", "a2": "black"}
    d = turn_position(
        players=2,
        seats={0: seat(["handyman"], stage=stage, costumes={"author": ["green", "green"]})},
        sets={"pink": 1, "purple": 1},
        costumes={"pink": 1, "blue": 1},
    )
    assert told(d, "activate:handyman", "set:pink>b1") == [
        (0, "pink stage set on b1, a candle: +1 prestige, +1 £")
    ]
    assert told(d, "activate:handyman", "set:purple>a3")[:2] == [
        (0, "purple stage set on a3"),
        (1, "purple stage set of seat 0: mood −1"),
    ]
    assert told(d, "activate:handyman", "costume:pink>author")[0] == (
        0,
        "pink costume for Author, complete at 12: +3 prestige",
    )


def test_the_last_wager_reveals_all():
    d = wager_position(players=3, initiative=[1, 0, 2])
    assert told(d, "wager:2") == []
    assert told(d, "wager:2", "wager:2", "wager:4") == [
        (1, "wagers 2 cylinders"),
        (0, "wagers 2 cylinders"),
        (2, "wagers 4 cylinders"),
        (None, "new Order: seats 1, 0, 2"),
        (1, "first in Order: +1 prestige"),
    ]


def test_an_objective_is_named_to_its_seat_alone():
    drawn = {"drawn": ["jewels", "wardrobe", "patronage"]}
    d = position("objective", pending=drawn, seats={0: seat(used=["queen"], cylinders=1)})
    assert told_to(0, d, "objective:jewels")[0] == (
        0,
        'keeps objective "Yellow elements", 2 go under the pile',
    )
    assert told_to(1, d, "objective:jewels")[0] == (0, "keeps an objective, 2 go under the pile")


def test_the_end_of_a_day_is_told_in_its_order():
    me = ready_to_pass(mood=2)
    d = last_turn(
        players=2,
        seats={0: me, 1: finished(mood=-1, used=["queen"])},
        sets={"purple": 1, "black": 2},
        acts={"I": {4: [1]}},
    )
    assert told(d, "pass") == [
        (0, "no actor used: place 1 on the Initiative track"),
        (1, "no actor used: place 2 on the Initiative track"),
        (0, "1 purple stage set left on display: mood −1"),
        (1, "1 purple stage set left on display: mood −1"),
        (0, "mood +1 returns to 0: +1 £"),
        (1, "mood −2 returns to 0: −1 prestige"),
        (None, "upkeep: new characters and elements on display"),
        (None, "day 4 begins"),
        (0, "1 unused cylinder taken back"),
    ]


def test_a_move_that_nobody_chooses_is_told():
    # Only Act I is past space 1, and only Act III is not at its end.
    d = last_turn(
        players=2,
        seats={0: ready_to_pass(mood=-1), 1: finished(mood=2)},
        acts={"I": {3: [0], 9: [1]}, "II": {10: [1]}, "III": {2: [1]}},
    )
    texts = [text for _, text in told(d, "pass")]
    assert texts[2:6] == [
        "mood −1 returns to 0: a disc moves back",
        "mood −1: Act I back to space 2",
        "mood +2 returns to 0: a white quill",
        "white quill: Act III to space 3",
    ]


def test_the_first_rehearsal_tells_costumes_then_acts():
    me = ready_to_pass(["hamlet"], costumes={"hamlet": ["black"] * 3})
    d = last_turn(
        players=2,
        day=4,
        seats={0: me},
        acts={"I": {7: [0], 3: [1]}, "II": {4: [1, 0]}, "III": {6: [0], 5: [1]}},
    )
    texts = told(d, "pass")
    start = texts.index((0, "costume power of Hamlet: +1 prestige"))
    assert texts[start + 1 : start + 7] == [
        (0, "Act I, space 7: +3 £"),
        (0, "second on Act II: +1 prestige"),
        (0, "Act III, space 6: +1 prestige"),
        (1, "Act I, space 3: −1 prestige"),
        (1, "first on Act II: +2 prestige"),
        (None, "upkeep: new characters and elements on display"),
    ]


def last_evening():
    """Day 6, seat 0 has only to pass: 3 objectives, 6 pounds, wages of 5 and 3."""
    me = ready_to_pass(
        ["othello", "hamlet"],
        objectives=["great_company", "patronage", "wardrobe"],
        pounds=6,
        stage={"a3": "yellow"},
    )
    return last_turn(players=2, day=6, seats={0: me}, acts=everyone_on(4, 2))


def test_the_end_tells_objectives_yellow_elements_and_wages():
    texts = [text for seat, text in told(last_evening(), "pass") if seat == 0]
    assert texts[-5:] == [
        'objective "Actors in the troupe" at 4: +1 prestige',
        'objective "Complete costumes" at 0: no prestige',
        'objective "Patronage: give up 2 or 5 pounds": −2 £, +1 prestige',
        "1 yellow element: +1 prestige",
        "wages of 8 £, 1 character unpaid: −3 £, −2 prestige",
    ]


def test_objectives_of_others_are_told_together():
    texts = [text for seat, text in told_to(1, last_evening(), "pass") if seat == 0]
    assert texts[-3:] == [
        "3 unknown objectives: −2 £, +2 prestige",
        "1 yellow element: +1 prestige",
        "wages of 8 £, 1 character unpaid: −3 £, −2 prestige",
    ]


@pytest.mark.parametrize(
    ("used", "words"),
    [
        (["queen"], [(0, "1 cylinder used: +1 prestige")]),
        (["queen", "author"], [(0, "2 cylinders used: +1 prestige")]),
        (["queen", "author", "falstaff"], []),
    ],
)
def test_alone_few_cylinders_are_told(used, words):
    d = turn_position(players=1, seats={0: seat(used=used, recruited=True)})
    assert [event for event in told(d, "pass") if "prestige" in event[1]] == words


def test_an_end_that_nothing_explains_is_told_as_such():
    d = turn_position(seats={0: seat(recruited=True)})
    after = play(d, "pass")
    after["seats"][2]["prestige"] += 2
    after["seats"][2]["pounds"] += 1
    *_, last = events(d, "pass", after)
    assert (last.seat, last.points, dict(last.counters)) == (2, 2, {"pounds": 1})
    assert (last.source, last.text) == ("other", "other: prestige +2, pounds +1")


def test_a_score_sheet_tells_where_prestige_came_from():
    d = last_evening()
    sheet = dict(score_sheet.from_events([5, 5], events(d, "pass", play(d, "pass"))))
    assert sheet == {
        "at the start": [5, 5],
        "Act II": [2, 1],
        "objectives": [2, 0],
        "yellow elements": [1, 0],
        "unpaid wages": [-2, 0],
    }
