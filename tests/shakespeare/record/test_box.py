"""The box file: every wrong one is refused with entry and remedy, others are read and played."""

import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from shakespeare_env.shakespeare.box.loading import load_box

from shakespeare_env.errors import BoxError, ShakespeareEnvError
from shakespeare_env.shakespeare.box import facts as box_module
from tests import wrong_boxes
from tests.contract.processes import said_by

BUNDLED = Path(box_module.__file__).parents[1] / "box.toml"

REFUSED = """
del acts
    [acts]: missing; add the table [acts]; the package's box.toml has one
stages = {}
    stages: 'stages' is no table; did you mean 'stage'? use one of board, supply, acts, bag, ...
supply = 8
    [supply]: 8 is not a table; write it under [supply]
del objective
    objective: missing; add objective (a list of tables)
character = 30
    character: 30 is not a list of tables; write one table for each
objective += 3
    objective: 3 is not a table; write one table for each
acts.source = 3
    [acts]: source: 3 is not a text; write a text between quotes
bag.source = { sets = { 2 = " " } }
    [bag]: source: ' ' is not a text; write a text between quotes
sources.public = 3
    [sources]: public: 3 is not a text; write a text between quotes
del board.starting_prestige
    [board]: starting_prestige: missing; add starting_prestige (a whole number from 0 to 50)
board.starting_prestig = 5
    [board]: starting_prestig: 'starting_prestig' is no key; did you mean 'starting_prestige'? ...
board.starting_prestige = 51
    [board]: starting_prestige: 51 is out of range; write a whole number from 0 to 50
supply.plus3_tokens = -1
    [supply]: plus3_tokens: -1 is out of range; write a whole number from 0 to 30
supply.plus3_tokens = true
    [supply]: plus3_tokens: true is not a whole number; write a whole number from 0 to 30
supply.plus3_tokens = 7.5
    [supply]: plus3_tokens: 7.5 is not a whole number; write a whole number from 0 to 30
board.starting = "author"
    [board]: starting: 'author' is not a list of ids; write e.g. ["a1", "a2"]
board.starting = ["author", "falstaf", "handyman_board", "queen"]
    [board]: starting: 'falstaf' is no character; ... did you mean 'falstaff'? use one of ...
board.starting = ["author", "author", "handyman_board", "queen"]
    [board]: starting: 'author' is listed twice; list it once
character.queen.kind = "jeweler"
    [board]: starting: ... jeweler are not the four of a board; list two actors, a handyman ...
del elements.value.pink
    [elements]: value.pink: missing; add pink (a whole number from 1 to 5)
rehearsal.days = [6, 4]
    [rehearsal]: days: day 6 is not before day 4; let the days rise
rehearsal.act_2_prestige = [2]
    [rehearsal]: act_2_prestige: [2] is not a list of 2 whole numbers from 0 to 50; write ...
rehearsal.act_3_prestige.six = 1
    [rehearsal]: act_3_prestige.six: 'six' is no space; write a whole number from 1 to 30
rehearsal.act_3_prestige.10 = 1
    [acts]: length: Act III has 10 spaces, shorter than its thresholds; give it at least 11
acts.length = [9, "10", 10]
    [acts]: length: '10' is not a whole number; write a whole number from 1 to 30
acts.length = [7, 10, 10]
    [acts]: length: Act I has 7 spaces, shorter than its thresholds; give it at least 8
acts.length = [9, 7, 10]
    [acts]: length: Act II has 7 spaces, shorter than its thresholds; give it at least 8
bag.costumes.5 = {}
    [bag]: costumes.5: '5' is no number of seats; use one of 2, 3, 4
bag.sets.2 = 36
    [bag]: sets.2: 36 is not a table; write 2 = { ... }
bag.costumes.2.red = 3
    [bag]: costumes.2.red: 'red' is no colour; use one of black, pink, purple, blue, green, yellow
bag.sets.2.black = 7
    [bag]: sets.2: 35 elements, but 6 days draw 36; add at least 1
costume_gain.16 = { pounds = 1 }
    [costume_gain]: 16: '16' is no sum of three element values; write a whole number from 3 to 15
costume_gain.06 = { pounds = 1 }
    [costume_gain]: 06: '06' is no sum of three element values; write a whole number from 3 to 15
costume_gain.6 = { pound = 1 }
    [costume_gain]: 6.pound: 'pound' is no gain; did you mean 'pounds'? use one of pounds, prestige
stage.space = []
    [stage]: space: 0 of them; give 1 to 30
stage.space.a3.id = "a2"
    [stage]: space a2: the id 'a2' is used twice; rename one of the two
stage.space.a3.id = "A3"
    [stage] space A3: id: 'A3' is not an id; use only a to z, 0 to 9 and _
stage.space.a3.candle = 1
    [stage] space a3: candle: 1 is not true or false; write true or false
stage.space.a1.mirror = "a6"
    [stage] space a1: mirror: 'a6' is no space; use one of a1, a2, a3, a4, a5, b1, b2, ...
del stage.space.a5.mirror
    [stage] space a1: mirror: 'a5', but the mirror of a5 is 'a5'; let a1 and a5 name each other
stage.space.a3.mirror = "c3" & stage.space.c3.mirror = "a3"
    [stage] space a3: mirror: 'c3' is in row 3, not 1; pair spaces of one row
stage.space.a1.on = ["a2"]
    [stage] space a1: on: ['a2'], but nothing is underneath row 1; remove on, or correct row
stage.space.b1.on = ["a1", "a22"]
    [stage] space b1: on: 'a22' is no space; did you mean 'a2'? use one of a1, a2, a3, a4, ...
stage.space.c1.on = ["a1"]
    [stage] space c1: on: 'a1' is in row 1; name spaces of row 2, underneath
stage.space.b1.on = ["a1", "a1"]
    [stage] space b1: on: 'a1' is listed twice; list it once
del character.hamlet.id
    [[character]] number 6: id: missing; add id (a to z, 0 to 9 and _)
character.hamlet.id = "extra2"
    [[character]] extra2: id: 'extra2' is how moves name an extra; choose another id
character.hamlet.kind = "actress"
    [[character]] hamlet: kind: 'actress' is no kind; did you mean 'actor'? use one of actor, ...
character.jeweler.copies = 2
    [[character]]: the copies add up to 29 cards; change copies so that they add up to 30
character.hamlet.copies = 2
    [[character]] hamlet: copies: 2 copies of an actor, which moves name by its card; write 1
character.author.copies = 1
    [[character]] author: copies: 1: a character of [board] starting is no card ... remove copies
del character.handyman.value
    [[character]] handyman: value: missing; add value (a whole number from 0 to 100)
character.hamlet.value = 4
    [[character]] hamlet: value: 4: the kind actor has no value ... remove value
character.queen.activation = {}
    [[character]] queen: activation: {}: the kind queen has no powers ... remove activation
character.hamlet.activation.whites = 1
    [[character]] hamlet: activation.whites: 'whites' is no quill or gain; did you mean 'white'? ...
character.hamlet.costume_power.mood = 1
    [[character]] hamlet: costume_power.mood: 'mood' is no ... costume power; use one of ...
character.hamlet.activation.take_set = "gren"
    [[character]] hamlet: activation.take_set: 'gren' is no colour; did you mean 'green'? use ...
character.hamlet.activation = { take_set = "blue", take_costume = "green" }
    [[character]] hamlet: activation.take_costume: ... one element, not two; remove it or take_set
objective.wardrobe.metric = "complete_costume"
    [[objective]] wardrobe: metric: ... is no metric; did you mean 'complete_costumes'? ...
objective.wardrobe.points = {}
    [[objective]] wardrobe: points: no step; write e.g. points = { 4 = 2, 5 = 3 }
objective.wardrobe.points = { 5 = 1, 4 = 2 }
    [[objective]] wardrobe: points.5: 1 prestige from 5, but 2 from 4; let prestige rise ...
"""


def written(folder, *edits):
    """A copy of the bundled box with these edits."""
    return wrong_boxes.write_box(folder, BUNDLED, *edits)


@pytest.mark.parametrize(("edits", "said"), wrong_boxes.cases(REFUSED))
def test_a_wrong_entry_is_refused_with_its_name_and_a_remedy(edits, said, tmp_path):
    wrong_boxes.assert_refused(load_box, written(tmp_path, *edits), said)


def all_of_pounds(data):
    for objective in data["objective"]:
        objective["metric"] = "sacrifice"


def extended(key, more):
    """An edit that repeats the last of some tables under other ids."""

    def edit(data):
        data[key] += [data[key][-1] | {"id": f"n{number}"} for number in range(more)]

    return edit


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (extended("character", 38), "[[character]]: 61 of them; give 5 to 60"),
        (extended("objective", 7), "[[objective]]: 17 of them; give 3 to 16"),
        (
            all_of_pounds,
            "[[objective]]: 10 objectives of pounds, and 3 steps; have fewer of them, or fewer "
            "steps: every combination is tried at the end",
        ),
    ],
)
def test_more_than_the_engine_holds_is_refused(edit, said, tmp_path):
    wrong_boxes.assert_refused(load_box, written(tmp_path, edit), said)


def test_a_refusal_says_which_entry_is_at_fault_in_other_processes_too(tmp_path):
    with pytest.raises(BoxError) as caught:
        load_box(written(tmp_path, "stage.space.b1.row = 40"))
    again = pickle.loads(pickle.dumps(caught.value))
    assert {ValueError, ShakespeareEnvError} < {*BoxError.__mro__}
    assert again.keys == ("stage", "space", 5, "row")
    assert str(again) == str(caught.value)


@pytest.mark.parametrize("content", [None, b"[board\n", b"\xff\xfe"])
def test_a_file_that_is_no_toml_or_not_there_is_refused(content, tmp_path):
    path = tmp_path / "mine.toml"
    if content is not None:
        path.write_bytes(content)
    said = "cannot be read .*unset" if content is None else "not a TOML file .*start again from"
    with pytest.raises(BoxError, match=rf"mine\.toml: {said}"):
        load_box(path)


def test_what_an_earlier_box_lacks_and_what_is_out_of_order_is_filled_in_and_sorted(tmp_path):
    later = ("wager", "mood", "queen", "elements", "rehearsal", "solo", "good_scores")
    path = written(tmp_path, *(f"del {name}" for name in later))
    assert replace(load_box(path), source=BUNDLED) == load_box(BUNDLED)
    edits = (
        "acts.length = [10, 8, 9]",  # as short as can be, but for the first
        "board.starting_prestige = 0",
        "supply.plus3_tokens = 0",
        "character.hamlet.cost = 0",
        'character.hamlet.activation = { take_set = "yellow" }',
        "objective.wardrobe.points = { 11 = 3, 5 = 2, 4 = 2 }",
        "rehearsal.act_3_prestige = { 8 = 2, 6 = 1, last = 3 }",
    )
    box = load_box(written(tmp_path, *edits))
    assert box.rehearsals.act_1_pounds == ((5, 1), (7, 3), (10, 5))  # the last space
    objectives = {objective.id: objective for objective in box.objectives}
    assert objectives["wardrobe"].points == ((4, 2), (5, 2), (11, 3))


PLAY_WITHOUT_VALUES = """
from shakespeare_env import Position

position = Position.new(players=2, seed=1)
step = 0
while position.to_move is not None:
    assert position.phase != "craft", "a craftsman without value takes nothing"
    moves = position.moves()
    crafts = [move for move in moves if move == "activate:handyman_board"]
    position.push((crafts or moves)[step % len(crafts or moves)])
    assert Position.from_dict(position.to_dict()) == position
    step += 1
print("played to the end")
"""


@pytest.mark.slow
def test_craftsmen_without_value_open_nothing(tmp_path):
    """What the fuzzer found: the last craft of the game stayed half open."""

    def worthless(data):
        for character in data["character"]:
            if character["kind"] in ("assistant", "jeweler"):
                character |= {"kind": "set_dresser", "value": 0}
            if "value" in character:
                character["value"] = 0
            for name in ("take_set", "take_costume"):
                character.get("activation", {}).pop(name, None)
        data["supply"]["plus3_tokens"] = 0

    box = str(written(tmp_path, worthless))
    said = said_by(PLAY_WITHOUT_VALUES, SHAKESPEARE_BOX=box, NUMBA_DISABLE_JIT="1")
    assert said == "played to the end\n"
