"""The box file: the bundled one loads, and every wrong one is refused with entry and remedy."""

import copy
import json
import os
import pickle
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shakespeare_env.errors import BoxError, ShakespeareEnvError
from shakespeare_env.shakespeare import box as box_module
from shakespeare_env.shakespeare.box import COLOURS, METRIC_NAMES, Gain, Power, Rehearsals
from shakespeare_env.shakespeare.box_loading import load_box

Data = dict[str, Any]

ROOT = Path(__file__).parents[2]
BUNDLED = Path(box_module.__file__).with_name("box.toml")
BUNDLED_DATA = tomllib.loads(BUNDLED.read_text(encoding="utf-8"))

# A line with what is edited in a copy of the bundled box, then what the message says of it: entry,
# fault and remedy, with " ..." in the place of words left out.
# "a.b = value" sets, "del a.b" removes, "a.b += value" adds to a list; " & " parts several edits.
REFUSED = """
# tables and keys
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
acts.source = { length = 3 }
    [acts]: source: 3 is not a text; write a text between quotes
bag.source = { sets = { 2 = " " } }
    [bag]: source: ' ' is not a text; write a text between quotes
sources.public = 3
    [sources]: public: 3 is not a text; write a text between quotes

# board and supply
del board.starting_prestige
    [board]: starting_prestige: missing; add starting_prestige (a whole number from 0 to 50)
board.starting_prestig = 5
    [board]: starting_prestig: 'starting_prestig' is no key; did you mean 'starting_prestige'? ...
board.starting_prestige = 51
    [board]: starting_prestige: 51 is out of range; write a whole number from 0 to 50
supply.plus3_tokens = -1
    [supply]: plus3_tokens: -1 is out of range; write a whole number from 0 to 30
supply.plus3_tokens = 31
    [supply]: plus3_tokens: 31 is out of range; write a whole number from 0 to 30
supply.plus3_tokens = true
    [supply]: plus3_tokens: true is not a whole number; write a whole number from 0 to 30
supply.plus3_tokens = 7.5
    [supply]: plus3_tokens: 7.5 is not a whole number; write a whole number from 0 to 30
board.starting = "author"
    [board]: starting: 'author' is not a list of ids; write e.g. ["a1", "a2"]
board.starting = ["author", "falstaf", "handyman_board", "queen"]
    [board]: starting: 'falstaf' is no character; ... did you mean 'falstaff'? use one of ...
del character.queen
    [board]: starting: 'queen' is no character; add its [[character]] table; use one of ...
board.starting = ["author", "author", "handyman_board", "queen"]
    [board]: starting: 'author' is listed twice; list it once
character.queen.kind = "jeweler"
    [board]: starting: ... jeweler are not the four of a board; list two actors, a handyman ...
board.starting = ["author", "falstaff", "handyman_board"]
    [board]: starting: 3 characters; list two actors, a handyman and the queen

# wagers, mood, the Queen, elements
wager.cylinders = 0
    [wager]: cylinders: 0 is out of range; write a whole number from 1 to 10
mood.lowest = -3
    [mood]: lowest: -3 is out of range; write a whole number from -2 to 0
mood.highest = 4
    [mood]: highest: 4 is out of range; write a whole number from 0 to 3
queen.objectives = 0
    [queen]: objectives: 0 is out of range; write a whole number from 1 to 10
queen.pound = 4
    [queen]: pound: 'pound' is no key; did you mean 'pounds'? use one of source, pounds, objectives
del elements.value.pink
    [elements]: value.pink: missing; add pink (a whole number from 1 to 5)
elements.value.green = 6
    [elements]: value.green: 6 is out of range; write a whole number from 1 to 5

# rehearsals, neutral discs, good scores
rehearsal.days = [4, 7]
    [rehearsal]: days: 7 is out of range; write a whole number from 1 to 6
rehearsal.days = [6, 4]
    [rehearsal]: days: day 6 is not before day 4; let the days rise
rehearsal.act_2_prestige = [2]
    [rehearsal]: act_2_prestige: [2] is not a list of 2 whole numbers from 0 to 50; write ...
del rehearsal.act_1_pounds.last
    [rehearsal]: act_1_pounds.last: missing; add last (a whole number from 0 to 50)
rehearsal.act_3_prestige.six = 1
    [rehearsal]: act_3_prestige.six: 'six' is no space; write a whole number from 1 to 30
rehearsal.act_3_prestige.10 = 1
    [acts]: length: Act III has 10 spaces, shorter than its thresholds; give it at least 11
solo.neutral_later = 11
    [acts]: length: Act I has 9 spaces, shorter than its thresholds; give it at least 11
del good_scores.1
    [good_scores]: 1: missing; add 1 (a whole number from 1 to 100)

# acts
acts.length = 9
    [acts]: length: 9 is not a list of 3 whole numbers from 1 to 30; write a list of 3 whole ...
acts.length = [9, 10]
    [acts]: length: [9, 10] is not a list of 3 whole numbers from 1 to 30; write a list of 3 ...
acts.length = [9, "10", 10]
    [acts]: length: '10' is not a whole number; write a whole number from 1 to 30
acts.length = [9, 10, 31]
    [acts]: length: 31 is out of range; write a whole number from 1 to 30
acts.length = [7, 10, 10]
    [acts]: length: Act I has 7 spaces, shorter than its thresholds; give it at least 8
acts.length = [9, 7, 10]
    [acts]: length: Act II has 7 spaces, shorter than its thresholds; give it at least 8
acts.length = [9, 10, 8]
    [acts]: length: Act III has 8 spaces, shorter than its thresholds; give it at least 9

# bags
del bag.sets
    [bag]: sets: missing; add sets (a table)
bag.set = {}
    [bag]: set: 'set' is no key; did you mean 'sets'? use one of source, costumes, sets
del bag.sets.3
    [bag]: sets.3: missing; add 3 (a table)
bag.costumes.5 = {}
    [bag]: costumes.5: '5' is no number of seats; use one of 2, 3, 4
bag.sets.2 = 36
    [bag]: sets.2: 36 is not a table; write 2 = { ... }
del bag.costumes.2.pink
    [bag]: costumes.2.pink: missing; add pink (a whole number from 0 to 100)
bag.costumes.2.red = 3
    [bag]: costumes.2.red: 'red' is no colour; use one of black, pink, purple, blue, green, yellow
bag.sets.4.blue = -1
    [bag]: sets.4.blue: -1 is out of range; write a whole number from 0 to 100
bag.sets.4.blue = 101
    [bag]: sets.4.blue: 101 is out of range; write a whole number from 0 to 100
bag.sets.2.black = 7
    [bag]: sets.2: 35 elements, but 6 days draw 36; add at least 1
bag.costumes.4.green = 0
    [bag]: costumes.4: 64 elements, but 6 days draw 72; add at least 8

# costume gains and extras
costume_gain.2 = { pounds = 1 }
    [costume_gain]: 2: '2' is no sum of three element values; write a whole number from 3 to 15
costume_gain.16 = { pounds = 1 }
    [costume_gain]: 16: '16' is no sum of three element values; write a whole number from 3 to 15
costume_gain.06 = { pounds = 1 }
    [costume_gain]: 06: '06' is no sum of three element values; write a whole number from 3 to 15
costume_gain.six = { pounds = 1 }
    [costume_gain]: six: 'six' is no sum of three element values; write a whole number ...
costume_gain.6 = 2
    [costume_gain]: 6: 2 is not a table; write 6 = { ... }
costume_gain.6 = { pound = 1 }
    [costume_gain]: 6.pound: 'pound' is no gain; did you mean 'pounds'? use one of pounds, prestige
costume_gain.6 = { pounds = -2 }
    [costume_gain]: 6.pounds: -2 is out of range; write a whole number from 0 to 50
costume_gain.source = 1
    [costume_gain]: source: 1 is not a text; write a text between quotes
del extra.costume_power
    [extra]: costume_power: missing; add costume_power (a table)
extra.costume_power.take_set = "blue"
    [extra]: costume_power.take_set: 'take_set' is no gain of a costume power; use one of red, ...
extra.activation = {}
    [extra]: activation: 'activation' is no key; use one of source, costume_power

# stage
del stage.space
    [stage]: space: missing; add space (a list of tables)
stage.space = []
    [stage]: space: 0 of them; give 1 to 30
stage.space.a3.id = "a2"
    [stage]: space a2: the id 'a2' is used twice; rename one of the two
del stage.space.a3.id
    [stage] space number 3: id: missing; add id (a text)
stage.space.a3.id = "A3"
    [stage] space A3: id: 'A3' is not an id; use only a to z, 0 to 9 and _
del stage.space.a3.row
    [stage] space a3: row: missing; add row (a whole number from 1 to 30)
stage.space.a3.row = 0
    [stage] space a3: row: 0 is out of range; write a whole number from 1 to 30
stage.space.a3.candel = true
    [stage] space a3: candel: 'candel' is no key; did you mean 'candle'? use one of id, row, ...
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
stage.space.b1.on = "a1"
    [stage] space b1: on: 'a1' is not a list of ids; write e.g. ["a1", "a2"]

# characters
del character.hamlet.id
    [[character]] number 6: id: missing; add id (a text)
character.hamlet.name = " "
    [[character]] hamlet: name: ' ' is not a text; write a text between quotes
character.hamlet.id = "viola"
    [[character]] viola: the id 'viola' is used twice; rename one of the two
character.hamlet.id = "hamlet+3"
    [[character]] hamlet+3: id: 'hamlet+3' is not an id; use only a to z, 0 to 9 and _
character.hamlet.id = "extra2"
    [[character]] extra2: id: 'extra2' is how moves name an extra; choose another id
character.hamlet.activaton = {}
    [[character]] hamlet: activaton: 'activaton' is no key; did you mean 'activation'? use ...
character.hamlet.kind = "actress"
    [[character]] hamlet: kind: 'actress' is no kind; did you mean 'actor'? use one of actor, ...
character.jeweler.copies = 2
    [[character]]: the copies add up to 29 cards; change copies so that they add up to 30
character.jeweler.copies = 4
    [[character]]: the copies add up to 31 cards; change copies so that they add up to 30
character.hamlet.copies = 2
    [[character]] hamlet: copies: 2 copies of an actor, which moves name by its card; write 1
character.jeweler.copies = 0
    [[character]] jeweler: copies: 0 is out of range; write a whole number from 1 to 30
del character.hamlet.copies
    [[character]] hamlet: copies: missing; add copies (a whole number from 1 to 30)
del character.hamlet.cost
    [[character]] hamlet: cost: missing; add cost (a whole number from 0 to 100)
character.hamlet.cost = -1
    [[character]] hamlet: cost: -1 is out of range; write a whole number from 0 to 100
character.author.copies = 1
    [[character]] author: copies: 1: a character of [board] starting is no card ... remove copies
character.queen.cost = 2
    [[character]] queen: cost: 2: a character of [board] starting is no card ... remove cost
del character.handyman.value
    [[character]] handyman: value: missing; add value (a whole number from 0 to 100)
character.handyman.value = 101
    [[character]] handyman: value: 101 is out of range; write a whole number from 0 to 100
character.hamlet.value = 4
    [[character]] hamlet: value: 4: the kind actor has no value ... remove value
character.jeweler.value = 4
    [[character]] jeweler: value: 4: the kind jeweler has no value ... remove value

# powers
del character.hamlet.activation
    [[character]] hamlet: activation: missing; add activation (a table)
del character.hamlet.costume_power
    [[character]] hamlet: costume_power: missing; add costume_power (a table)
character.queen.activation = {}
    [[character]] queen: activation: {}: the kind queen has no powers ... remove activation
character.jeweler.costume_power = {}
    [[character]] jeweler: costume_power: {}: the kind jeweler ... remove costume_power
character.assistant.activation = {}
    [[character]] assistant: activation: {}: the kind assistant has no powers ... remove activation
character.handyman.activation = {}
    [[character]] handyman: activation: {}: the kind handyman has no powers ... remove activation
character.hamlet.activation = 2
    [[character]] hamlet: activation: 2 is not a table; write activation = { ... }
character.hamlet.activation.purple = 1
    [[character]] hamlet: activation.purple: 'purple' is no quill or gain; use one of red, gold, ...
character.hamlet.costume_power.purple = 1
    [[character]] hamlet: costume_power.purple: 'purple' is no ... costume power; use one of ...
character.hamlet.costume_power.mood = 1
    [[character]] hamlet: costume_power.mood: 'mood' is no ... costume power; use one of ...
character.hamlet.activation.whites = 1
    [[character]] hamlet: activation.whites: 'whites' is no quill or gain; did you mean 'white'? ...
character.hamlet.activation.red = -1
    [[character]] hamlet: activation.red: -1 is out of range; write a whole number from 0 to 10
character.hamlet.activation.white = 200
    [[character]] hamlet: activation.white: 200 is out of range; write a whole number from 0 to 10
character.hamlet.activation.white = true
    [[character]] hamlet: activation.white: true is not a whole number; write a whole number ...
character.hamlet.activation.mood = 6
    [[character]] hamlet: activation.mood: 6 is out of range; write a whole number from -5 to 5
character.hamlet.activation.pounds = 51
    [[character]] hamlet: activation.pounds: 51 is out of range; ... number from 0 to 50
character.hamlet.costume_power.prestige = -51
    [[character]] hamlet: costume_power.prestige: -51 is out of range; ... number from -50 to 50
character.hamlet.activation.take_set = "gren"
    [[character]] hamlet: activation.take_set: 'gren' is no colour; did you mean 'green'? use ...
character.hamlet.activation.take_costume = 5
    [[character]] hamlet: activation.take_costume: 5 is not a text; write a text between quotes
character.hamlet.activation = { take_set = "blue", take_costume = "green" }
    [[character]] hamlet: activation.take_costume: ... one element, not two; remove it or take_set

# objectives
objective.wardrobe.id = "jewels"
    [[objective]] jewels: the id 'jewels' is used twice; rename one of the two
objective.wardrobe.id = "ward-robe"
    [[objective]] ward-robe: id: 'ward-robe' is not an id; use only a to z, 0 to 9 and _
objective.wardrobe.cost = 3
    [[objective]] wardrobe: cost: 'cost' is no key; use one of id, name, metric, points, source
objective.wardrobe.metric = "complete_costume"
    [[objective]] wardrobe: metric: ... is no metric; did you mean 'complete_costumes'? ...
del objective.wardrobe.points
    [[objective]] wardrobe: points: missing; add points (a table)
objective.wardrobe.points = {}
    [[objective]] wardrobe: points: no step; write e.g. points = { 4 = 2, 5 = 3 }
objective.wardrobe.points = { 0 = 1 }
    [[objective]] wardrobe: points.0: '0' is no threshold; write a whole number from 1 to 100
objective.wardrobe.points = { 4 = 1, 04 = 2 }
    [[objective]] wardrobe: points.04: '04' is no threshold; write a whole number from 1 to 100
objective.wardrobe.points = { four = 1 }
    [[objective]] wardrobe: points.four: 'four' is no threshold; write a whole number ...
objective.wardrobe.points = { 4 = 4 }
    [[objective]] wardrobe: points.4: 4 is out of range; write a whole number from 0 to 3
objective.wardrobe.points = { 5 = 1, 4 = 2 }
    [[objective]] wardrobe: points.5: 1 prestige from 5, but 2 from 4; let prestige rise ...
"""
SHORTENED = re.escape(" ...")
LINES = [line for line in REFUSED.splitlines() if line and not line.startswith("#")]


def in_toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {in_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(in_toml, value)) + "]"
    return json.dumps(value)


def place(data: Any, key: str) -> Any:
    """The index of the table with an id in a list of tables; a key of a table is its own place."""
    if isinstance(data, list):
        return next(place for place, table in enumerate(data) if table["id"] == key)
    return key


def apply(edit: str, data: Data) -> None:
    if edit.startswith("del "):
        where, value = edit.removeprefix("del "), None
    else:
        where, _, text = edit.partition("= ")
        value = tomllib.loads(f"value = {text}")["value"]
    *path, last = where.rstrip(" +").split(".")
    table: Any = data
    for key in path:
        table = table[place(table, key)]
    if value is None:
        del table[place(table, last)]
    elif where.endswith("+"):
        table[last].append(value)
    else:
        table[last] = value


def write_box(folder: Path, *edits: str | Callable[[Data], object]) -> Path:
    data = copy.deepcopy(BUNDLED_DATA)
    for edit in edits:
        if isinstance(edit, str):
            apply(edit, data)
        else:
            edit(data)
    path = folder / "mine.toml"
    lines = [f"{json.dumps(key)} = {in_toml(value)}\n" for key, value in data.items()]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def refusal(path: Path) -> str:
    with pytest.raises(BoxError) as caught:
        load_box(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    return message.removeprefix(f"{path}: ")


@pytest.mark.parametrize(
    ("edit", "expected"), list(zip(LINES[::2], LINES[1::2], strict=True)), ids=LINES[::2]
)
def test_a_wrong_entry_is_refused_with_its_name_and_a_remedy(
    edit: str, expected: str, tmp_path: Path
) -> None:
    message = refusal(write_box(tmp_path, *edit.split(" & ")))
    pattern = re.escape(expected.strip()).replace(SHORTENED, ".*")
    assert re.fullmatch(pattern, message), message


@pytest.mark.parametrize(
    ("key", "count", "fault"),
    [
        ("character", 38, "[[character]]: 61 of them; give 5 to 60"),
        ("objective", 7, "[[objective]]: 17 of them; give 3 to 16"),
    ],
)
def test_more_tables_than_the_engine_holds_are_refused(
    key: str, count: int, fault: str, tmp_path: Path
) -> None:
    last = BUNDLED_DATA[key][-1]
    more = [last | {"id": f"n{number}"} for number in range(count)]
    assert refusal(write_box(tmp_path, lambda data: data[key].extend(more))) == fault


def test_more_than_30_spaces_are_refused(tmp_path: Path) -> None:
    more = [{"id": f"z{number}", "row": 1} for number in range(17)]
    path = write_box(tmp_path, lambda data: data["stage"]["space"].extend(more))
    assert refusal(path) == "[stage]: space: 31 of them; give 1 to 30"


def test_a_refusal_says_which_entry_is_at_fault_in_other_processes_too(tmp_path: Path) -> None:
    path = write_box(tmp_path, "stage.space.b1.row = 40")
    with pytest.raises(BoxError) as caught:
        load_box(path)
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.keys == ("stage", "space", 5, "row")
    assert str(again) == f"{path}: [stage] space b1: row: {again.fault}; {again.remedy}"


def test_fewer_than_three_objectives_are_refused(tmp_path: Path) -> None:
    path = write_box(tmp_path, lambda data: data.update(objective=data["objective"][:2]))
    assert refusal(path) == "[[objective]]: 2 of them; give 3 to 16"


def test_more_ways_to_give_up_pounds_than_can_be_tried_are_refused(tmp_path: Path) -> None:
    def all_of_pounds(data: Data) -> None:
        for objective in data["objective"]:
            objective["metric"] = "sacrifice"

    assert refusal(write_box(tmp_path, all_of_pounds)) == (
        "[[objective]]: 10 objectives of pounds, and 3 steps; have fewer of them, or fewer steps: "
        "every combination is tried at the end"
    )


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
def test_craftsmen_without_value_open_nothing(tmp_path: Path) -> None:
    """What the fuzzer found: the last craft of the game stayed half open."""

    def worthless(data: Data) -> None:
        for character in data["character"]:
            if "value" in character:
                character["value"] = 0
            if character["kind"] in ("assistant", "jeweler"):
                character["kind"] = "set_dresser"
                character["value"] = 0
            for name in ("take_set", "take_costume"):
                character.get("activation", {}).pop(name, None)
        data["supply"]["plus3_tokens"] = 0

    path = write_box(tmp_path, worthless)
    done = subprocess.run(
        [sys.executable, "-c", PLAY_WITHOUT_VALUES],
        env=os.environ | {"SHAKESPEARE_BOX": str(path), "NUMBA_DISABLE_JIT": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "played to the end\n"), done.stderr


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BoxError, match=r"lost\.toml: cannot be read .*unset SHAKESPEARE_BOX"):
        load_box(tmp_path / "lost.toml")


@pytest.mark.parametrize("content", [b"[board\n", b"\xff\xfe", b"a = 1\na = 2\n"])
def test_a_file_that_is_not_toml_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(content)
    with pytest.raises(BoxError, match=r"mine\.toml: not a TOML file .*start again from"):
        load_box(path)


def test_a_box_error_can_be_caught_as_a_value_error_and_as_the_packages_own() -> None:
    assert issubclass(BoxError, ValueError)
    assert issubclass(BoxError, ShakespeareEnvError)


def test_the_bundled_box_loads() -> None:
    box = load_box(BUNDLED)
    assert sum(character.copies for character in box.characters) == 30
    assert len(box.spaces) == 14
    assert len(box.objectives) == 10
    assert {objective.metric for objective in box.objectives} == set(METRIC_NAMES)
    assert box.starting == ("author", "falstaff", "handyman_board", "queen")
    assert (box.starting_prestige, box.plus3_tokens, box.act_lengths) == (5, 8, (9, 10, 10))
    assert box.source == BUNDLED


def test_the_bundled_box_reads_as_written() -> None:
    box = load_box(BUNDLED)
    characters = {character.id: character for character in box.characters}
    assert [character.id for character in box.characters[:5]] == [*box.starting, "lady_macbeth"]
    assert characters["hamlet"].activation == Power(blue=1, white=1, others_mood=-1)
    assert characters["hamlet"].costume_power == Power(prestige=1)
    assert characters["lear"].activation == Power(white=1, take_set="blue")
    assert characters["portia"].activation == Power(white=1, take_costume="green")
    assert (characters["handyman_board"].copies, characters["handyman_board"].cost) == (0, 0)
    assert characters["set_dresser_8"].value == 8
    assert characters["queen"].activation == Power()
    assert box.extra_power == Power(white=1)
    spaces = {space.id: space for space in box.spaces}
    assert (spaces["a3"].mirror, spaces["a3"].on, spaces["a3"].candle) == ("a3", (), False)
    assert (spaces["c2"].mirror, spaces["c2"].on, spaces["c2"].candle) == ("c4", ("b1", "b2"), True)
    assert box.costume_gain[6] == Gain(pounds=2)
    assert box.costume_gain[15] == Gain(prestige=5)
    assert 5 not in box.costume_gain
    assert box.bags[4]["sets"] == dict(zip(COLOURS, (16, 16, 12, 12, 8, 8), strict=True))
    assert {seats: set(bags) for seats, bags in box.bags.items()} == {
        seats: {"costumes", "sets"} for seats in (2, 3, 4)
    }


def test_the_facts_on_boards_and_in_the_rule_book_read_as_written() -> None:
    box = load_box(BUNDLED)
    assert (box.cylinders, box.mood, box.queen_pounds, box.queen_objectives) == (5, (-2, 3), 4, 3)
    assert tuple(box.element_values.values()) == (1, 2, 3, 4, 5, 3)
    assert box.rehearsals == Rehearsals(
        days=(4, 6),
        grey_spaces=3,
        act_1_pounds=((5, 1), (7, 3), (9, 5)),
        act_2_prestige=(2, 1),
        act_3_prestige=((6, 1), (8, 2), (10, 3)),
    )
    assert box.neutral_spaces == (4, 8)
    assert box.good_scores == {1: 30, 2: 26, 3: 24, 4: 22}


LATER = ("wager", "mood", "queen", "elements", "rehearsal", "solo", "good_scores")


def test_a_box_of_an_earlier_version_gets_the_packages_own_facts(tmp_path: Path) -> None:
    path = write_box(tmp_path, "acts.length = [10, 10, 10]", *(f"del {name}" for name in LATER))
    box = load_box(path)
    assert box.rehearsals.act_1_pounds == ((5, 1), (7, 3), (10, 5))
    assert (box.cylinders, box.good_scores) == (5, load_box(BUNDLED).good_scores)
    unchanged = write_box(tmp_path, *(f"del {name}" for name in LATER))
    assert replace(load_box(unchanged), source=BUNDLED) == load_box(BUNDLED)


def test_objective_steps_are_sorted_whatever_their_order_in_the_file(tmp_path: Path) -> None:
    path = write_box(tmp_path, "objective.wardrobe.points = { 11 = 3, 5 = 2, 4 = 2 }")
    objectives = {objective.id: objective for objective in load_box(path).objectives}
    assert objectives["wardrobe"].points == ((4, 2), (5, 2), (11, 3))


def test_a_box_at_its_limits_is_accepted(tmp_path: Path) -> None:
    edits = (
        "acts.length = [8, 8, 9]",
        "board.starting_prestige = 0",
        "supply.plus3_tokens = 0",
        "character.hamlet.cost = 0",
        'character.hamlet.source = "seen"',
        'character.hamlet.activation = { take_set = "yellow" }',
    )
    box = load_box(write_box(tmp_path, *edits))
    assert box.act_lengths == (8, 8, 9)


def test_shakespeare_box_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_box(tmp_path, "board.starting_prestige = 6")
    monkeypatch.setenv("SHAKESPEARE_BOX", str(path))
    assert load_box().starting_prestige == 6
    assert load_box().source == path
    assert load_box(BUNDLED).starting_prestige == 5


def test_an_empty_or_absent_shakespeare_box_means_the_packages_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SHAKESPEARE_BOX", "")
    assert load_box().source == BUNDLED
    monkeypatch.delenv("SHAKESPEARE_BOX")
    assert load_box().source == BUNDLED
    assert load_box() == load_box(BUNDLED)
