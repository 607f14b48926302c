"""The numbers of Shakespeare's sentences about mistakes, in positions made for them."""

import pytest

from tests.contract.continuations import number
from tests.contract.playing import play
from tests.shakespeare import positions as p

LOW = {act: {2: [0], 4: [1]} for act in ("I", "II", "III")}
"""Seat 0 is on space 2 of every act, and seat 1 is ahead of it."""


def last_turn(*, acts=None, **fields):
    """Return the last turn of a game of two seats, in which seat 0 has only to pass."""
    me = p.ready_to_pass(fields.pop("cards", ()), **fields)
    return p.last_turn(players=2, day=6, seats={0: me}, acts=acts or p.everyone_on(4, 2))


@pytest.mark.parametrize(
    ("words", "fields", "expected", "other", "otherwise"),
    [
        (
            "unpaid at the end",
            {"cards": ["viola", "hamlet"], "pounds": 1},
            1,
            {"cards": ["viola"]},
            1,
        ),
        ("unpaid at the end", {"cards": ["viola"], "pounds": 1}, 0, {}, 0),
        ("prestige on Act I instead of {theirs}, since each", {"acts": LOW}, 1, {}, 0),
        ("prestige on Act II instead of {theirs}, since each", {"acts": LOW}, 1, {}, 0),
        ("prestige on Act II at", {}, 2, {"acts": LOW}, 1),
        ("to space {ours} of Act III", {"acts": LOW}, 2, {}, 4),
        ("prestige for objectives", {"objectives": ["grand_stage"]}, 0, {}, 0),
        ("prestige for objectives", {"objectives": ["even_play"]}, 0, {}, 0),
        (
            "worn costumes",
            {"cards": ["hamlet"], "costumes": {"hamlet": ["black"] * 3}},
            1,
            {"cards": ["hamlet"], "costumes": {"hamlet": ["black"] * 2}},
            0,
        ),
        ("bad mood", {"mood": -2}, 1, {"mood": 3}, 0),
        ("good mood", {"mood": 3}, 1, {"mood": -2}, 0),
    ],
)
def test_what_a_seat_scores_at_the_end(words, fields, expected, other, otherwise):
    assert number(words, last_turn(**fields), "pass") == expected
    assert number(words, last_turn(**other), "pass") == otherwise


def building(**sets):
    """Return the last turn of the game, with a set dresser and two spaces of the stage filled."""
    me = p.ready_to_pass(["set_dresser_6"], stage={"a1": "black", "a2": "black"})
    return p.last_turn(players=2, day=6, seats={0: me}, sets=sets, acts=p.everyone_on(4, 2))


@pytest.mark.parametrize(
    ("words", "built", "passed"),
    [
        ("{ours character} on {chapter}", 1, 0),
        ("candle space} of the stage on", 1, 0),
        ("candle space} of the stage by", 1, 0),
        ("{ours space} of the stage", 1, 0),
        ("{ours yellow element}", 0, 0),
        ("{ours objective}", 0, 0),
        ("{ours costume} by the end", 0, 0),
    ],
)
def test_what_a_seat_does_is_counted(words, built, passed):
    d = building(black=1)
    moves = ("activate:set_dresser_6", "set:black>b1")
    assert number(words, d, *moves) == built
    assert number(words, d, "pass") == passed


def test_pounds_and_costumes_that_come_at_once():
    d = play(building(pink=1, black=1), "activate:set_dresser_6")
    assert number("pound} at once", d, "set:pink>b1") == 1
    assert number("pound} at once", d, "set:black>b1") == 0
    seats = {0: p.seat(["costume_mistress_6"], costumes={"author": ["black", "black"]})}
    d = play(p.turn_position(seats=seats, costumes={"black": 1}), "activate:costume_mistress_6")
    assert number("costume} at once", d, "costume:black>author") == 1
    assert number("costume} at once", d, "costume:black>falstaff") == 0
    assert number("prestige for completing", d, "costume:black>author") == 0  # of value 3


def test_wages_are_named_where_a_character_is_recruited():
    d = p.turn_position(shown=["viola", "othello", "iago", "puck", "lear", "jeweler"])
    assert number("of wages", d, "recruit:viola") == 1
    assert number("of wages", d, "recruit:othello") == 5
    assert number("of wages", d, "extra:othello") == 0
    assert number("of wages", d, "activate:falstaff") is None


def test_the_first_in_order_is_counted_by_days():
    d = p.wager_position(players=2, order=[0, 1])
    assert number("first in Order", d, "wager:1", "wager:2") == 1
    assert number("first in Order", d, "wager:2", "wager:1") == 0


def test_a_wager_gives_cylinders_and_a_place_in_order():
    d = p.wager_position(players=2, order=[0, 1])
    assert number("cylinder} for characters", d, "wager:4", "wager:2") == 4
    assert number("{wager} {ours cylinder}", d, "wager:4", "wager:2") == 4
    recruited = ("recruit:viola", "recruit:hamlet")
    shown = ["viola", "hamlet", "iago", "puck"]
    d = p.wager_position(players=2, order=[0, 1], shown=shown)
    assert number("place {ours} in Order", d, "wager:1", "wager:2", *recruited) == 1
    assert number("place {ours} in Order", d, "wager:3", "wager:2", *recruited[::-1]) == 2
    d = building(black=1)
    assert number("place {ours} in Order", d, "pass") is None


def test_cylinders_that_are_left_on_passing_are_unused():
    d = building(black=1)
    left = d["seats"][0]["cylinders"]
    assert left > 0
    assert number("unused", d, "pass") == left
    assert number("unused", d, "activate:set_dresser_6", "set:black>b1") == left - 1
    d = p.wager_position(players=2, order=[0, 1])
    assert number("unused", d, "wager:4", "wager:2") is None


def test_a_hired_character_is_counted_by_what_it_can_do():
    shown = ["viola", "set_dresser_6", "costume_mistress_6", "handyman", "assistant", "jeweler"]
    d = p.turn_position(shown=shown)
    before = {"stage sets": 1, "take costumes": 1, "{ours actor}": 2, "character} to activate": 4}
    more = {
        "recruit:viola": {"{ours actor}", "character} to activate"},
        "recruit:set_dresser_6": {"stage sets", "character} to activate"},
        "recruit:costume_mistress_6": {"take costumes", "character} to activate"},
        "recruit:handyman": {"stage sets", "take costumes", "character} to activate"},
        "recruit:assistant": set(),
        "extra:viola": set(),
    }
    for move, topics in more.items():
        for words, count in before.items():
            assert number(words, d, move) == count + (words in topics), (move, words)
    assert number("character} to activate", d, "activate:falstaff") is None


def test_elements_that_a_craftsman_takes_are_counted_from_its_activation_on():
    d = building(black=2)
    activation = "activate:set_dresser_6"
    assert number("with the activated character", d, activation, "set:black>b1", "done") == 1
    assert number("with the activated character", d, activation, "done") == 0
    assert number("with the activated character", d, "pass") is None
    d = play(d, activation)
    assert number("with the activated character", d, "done") == 0
    assert number("with the activated character", d, "set:black>b1", "done") == 1


def test_begun_costumes_are_counted_until_they_are_complete():
    costumes = {"author": ["black", "black"]}
    seats = {0: p.seat(["costume_mistress_6"], costumes=costumes)}
    d = play(p.turn_position(seats=seats, costumes={"black": 1}), "activate:costume_mistress_6")
    assert number("begun and not complete", d, "costume:black>author") == 0
    assert number("begun and not complete", d, "costume:black>falstaff") == 2
    assert number("begun and not complete", d, "done") is None


def test_discs_advance_by_an_activation_and_its_white_quills():
    d = p.turn_position(acts=p.everyone_on(3))
    moves = ("activate:author", "quill:I", "quill:II")
    assert number("discs advance", d, *moves) == 2
    assert number("discs advance", d, "activate:queen", "queen:money") == 0
    d = play(d, "activate:author")
    assert number("{ours disc} on the first", d, "quill:I") == 2


def test_the_queen_gives_an_objective_or_pounds():
    d = play(p.turn_position(), "activate:queen")
    assert number("an objective, which", d, "queen:objectives") == 1
    assert number("an objective, which", d, "queen:money") == 0
    assert number("an objective, which", p.turn_position(), "activate:falstaff") is None
