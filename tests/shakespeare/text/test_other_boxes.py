"""Games of several boxes in one process: each is drawn and explained with the facts of its own."""

from dataclasses import replace

import numpy as np
import pytest

from shakespeare_env import Position
from shakespeare_env.errors import PositionError
from shakespeare_env.shakespeare.box.facts import Gain, Power
from shakespeare_env.shakespeare.box.printed import PRINTED, Printed
from shakespeare_env.shakespeare.box.tables import BOX
from shakespeare_env.shakespeare.drawing.board import picture
from shakespeare_env.shakespeare.rules.objective_values import counted
from shakespeare_env.shakespeare.text.drawing import draw, draw_compact
from shakespeare_env.shakespeare.text.wording import asked
from shakespeare_env.shakespeare.words.events import events
from shakespeare_env.shakespeare.words.glossary import topics
from tests.drawings import words
from tests.shakespeare.positions import position, seat, turn_position


def changed(known, **entries):
    """Cards, objectives or spaces with entries replaced by their ids."""
    return tuple(replace(one, **entries.get(one.id, {})) for one in known)


@pytest.fixture
def other(monkeypatch):
    """The name of a second box, in which nearly every kind of fact differs."""
    box = replace(
        BOX,
        act_lengths=(8, 11, 12),
        rehearsals=replace(BOX.rehearsals, act_1_pounds=((5, 9),), act_2_prestige=(6, 4)),
        element_values=BOX.element_values | {"black": 5},
        costume_gain={7: Gain(prestige=8)},
        extra_power=Power(pounds=7),
        queen_pounds=17,
        good_scores=BOX.good_scores | {1: 41},
        spaces=changed(BOX.spaces, a1={"candle": True}),
        characters=changed(
            BOX.characters,
            hamlet={"cost": 9, "activation": Power(gold=2), "costume_power": Power(red=1)},
            jeweler={"copies": 6},
            set_dresser_8={"value": 11},
        ),
        objectives=changed(BOX.objectives, great_company={"points": ((1, 2), (3, 3))}),
    )
    monkeypatch.setitem(PRINTED, "other", Printed(box))
    return "other"


def table(**fields):
    mine = seat(
        ["hamlet", "set_dresser_8", "extra:puck"],
        costumes={"hamlet": ["black", "pink"]},
        objectives=["great_company"],
    )
    given = {"players": 2, "seats": {0: mine}, "shown": ["jeweler", "lear"]} | fields
    return turn_position(**given)


def test_topics_are_those_of_the_positions_own_box(other):
    known = topics(table(box=other))
    assert known["hamlet"].split("\n")[:2] == [
        "Hamlet: actor, wage 9 £. Activated: Act II +2.",
        "Complete costume, at a rehearsal: Act I +1.",
    ]
    said = {
        "jeweler": "6 copies",
        "set_dresser_8": "up to value 11",
        "great_company": "2 for 1, 3 for 3.\nNow: seat 0: kept, 3 so far, +3 prestige",
        "objective": "seat 0 keeps great_company +3",
        "black": "Value 5",
        "a1": "with a candle",
        "act_i": "up to space 8. At a rehearsal: −1 prestige on spaces 1 to 3, +9 £ from space 5.",
        "act_ii": "+6 prestige for the first disc, +4 for the second",
        "queen": "she gives 17 £",
        "costume": "+8 prestige for 7",
        "extra": "at a rehearsal: +7 £",
        "wages": "seat 0: 12 £ due",
    }
    ours = topics(table())
    for name, words_of_other in said.items():
        assert words_of_other in known[name], name
        assert words_of_other not in ours[name], name
    assert "passes 41 prestige" in topics(table(players=1, box=other))["solo"]
    # What no box may change is said of both.
    assert {name for name in ours if ours[name] == known[name]} >= {"rest", "mood", "b2", "viola"}


def test_drawings_are_of_the_positions_own_box_whatever_was_drawn_before(other):
    ours, theirs = table(), table(box=other)
    before = picture(ours)
    changes = {"9£", "black 5", "=7", "+9£"}
    assert changes <= {*words(picture(theirs))}
    assert changes.isdisjoint(words(before))
    assert picture(ours) == before
    for drawing in (draw, draw_compact):
        drawn = drawing(theirs)
        assert max(map(len, drawn.split("\n"))) <= 80  # Act III has 12 spaces here
        for part in ("Hamlet 9£", "black 5", "+9£", "Act II +6/+4★", "the troupe: +3★"):
            assert part in drawn.replace("\N{NO-BREAK SPACE}", " "), part
            assert part not in drawing(ours).replace("\N{NO-BREAK SPACE}", " "), part
    queen = position("queen", box=other)
    assert asked(queen) == "Seat 0: 17 pounds, or one of 3 objectives."
    assert {"17£", "17 pounds"} <= {*words(picture(queen))}


def test_a_complete_costume_counts_what_its_own_box_says(other):
    worn = seat(["hamlet"], costumes={"hamlet": ["black", "black", "pink"]})
    both = (turn_position(seats={0: worn}, **named) for named in ({}, {"box": other}))
    assert [counted(one, 0, "best_costume") for one in both] == [4, 12]


def test_events_are_of_the_records_own_box(other):
    game = Position.from_dict(turn_position())
    record = game.record()
    boxed = np.zeros(1, [*record.dtype.descr, ("box", np.int8)])[0]
    for name in record.dtype.names:
        boxed[name] = record[name]
    boxed["box"] = list(PRINTED).index(other)
    queen = game.action_id("activate:queen")
    said = [events(one, queen, one, None)[0].text for one in (record, boxed)]
    assert said == [f"Queen: {pounds} £, or an objective" for pounds in (BOX.queen_pounds, 17)]


def test_a_box_that_is_not_in_force_is_refused(other):
    with pytest.raises(PositionError, match=r"^box: 'nobody' is not in force; .*'box, other'"):
        draw(table(box="nobody"))
