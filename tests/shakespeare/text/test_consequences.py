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
        ("cannot pay", {"cards": ["viola", "hamlet"], "pounds": 1}, 1, {"cards": ["viola"]}, 1),
        ("cannot pay", {"cards": ["viola"], "pounds": 1}, 0, {}, 0),
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
