"""What cards and things on the table do, in words, with the box's numbers."""

import pytest

from shakespeare_env.shakespeare.text.redaction import seen_by
from shakespeare_env.shakespeare.words.glossary import topics
from tests.shakespeare.positions import BOARD, COLOURS, COPIES, OBJECTIVES, seat, turn_position

NAMES = {*COPIES, *BOARD, *OBJECTIVES, *COLOURS, "act_i", "act_ii", "act_iii"}


def table():
    """Two seats that have a bit of everything."""
    mine = seat(["hamlet", "viola"], resting=["hamlet"], objectives=["jewels"], pounds=4, mood=2)
    theirs = seat(["set_dresser_8", "assistant", "extra:jeweler"], tokens=1, stage={"a2": "pink"})
    acts = {"II": {4: [1, 0]}}
    return turn_position(players=2, seats={0: mine, 1: theirs}, acts=acts, sets={"purple": 2})


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("hamlet", "Now: seat 0, resting."),
        ("set_dresser_8", "Now: seat 1, value 9."),
        ("jeweler", "Now: seat 1, as extra1."),
        ("great_company", "Now: seat 0 has 4: +1 prestige; seat 1 has 2: nothing."),
        ("act_ii", "Now, first to last: seat 1 on 4, seat 0 on 4."),
        ("mood", "Now: seat 0: +2; seat 1: 0; 2 purple stage sets on display."),
        ("wages", "Now: seat 0 owes 4 £ and has 4 £; seat 1 owes 4 £ and has 0 £."),
        ("token", "Now: seat 0: 0; seat 1: 1; 7 in the supply."),
        ("a2", "Now: seat 1: pink."),
    ],
)
def test_a_thing_tells_where_and_how_it_stands(name, ends):
    assert topics(table())[name].split("\n")[-1] == ends


def test_every_thing_is_a_topic_and_a_card_tells_its_powers():
    known = topics(table())
    assert set(known) >= NAMES
    assert known["hamlet"].split("\n")[:2] == [
        "Hamlet: actor, wage 3 £. Activated: Act III +1, 1 white quill, every other mood −1.",
        "Complete costume, at a rehearsal: +1 prestige.",
    ]


def test_who_keeps_an_objective_is_known_to_its_seat_alone():
    mine, other = (topics(seen_by(table(), seat)) for seat in (0, 1))
    assert "keeps this" in mine["jewels"]
    assert mine["objective"].endswith("Now: seat 0 keeps jewels 0.")
    assert "keeps this" not in other["jewels"]
    assert "Now" not in other["objective"]


def test_alone_there_is_no_wager_but_the_rules_of_solo():
    alone = topics(turn_position(players=1))
    assert "wager" not in alone
    assert "A good game passes 30 prestige." in alone["solo"]
    assert "solo" not in topics(table())
