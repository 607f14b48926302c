"""The numbers of Shakespeare's sentences about mistakes, in positions made for them."""

import pytest

from tests.contract.continuations import number
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
        ("prestige on Act I instead of {theirs}, 1 at", {"acts": LOW}, 1, {}, 0),
        ("prestige on Act II instead of {theirs}, 1 at", {"acts": LOW}, 1, {}, 0),
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


def test_characters_that_are_activated_on_the_day_are_counted():
    d = p.turn_position(players=2, shown=["viola", "lear", "iago", "puck"])
    first = "activate:falstaff"
    assert number("on {chapter} instead", d, first) == 1
    assert number("on {chapter} instead", d, "recruit:viola") == 0
    assert number("on {chapter} instead", d, first, "activate:falstaff", "activate:queen") == 2
