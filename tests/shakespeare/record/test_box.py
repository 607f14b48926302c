"""Wrong box files are refused with the name of the entry; others are read."""

import pickle
from pathlib import Path

import pytest

from shakespeare_env.checks.box_files import read_box
from shakespeare_env.core import registry
from shakespeare_env.errors import BoxError
from shakespeare_env.shakespeare.box.facts import Box
from tests.wrong_boxes import write_box

pytestmark = pytest.mark.slow
REFUSED = {
    # a table or a key
    "stages = {}": "stages",
    "del board.starting_prestige": "board.starting_prestige",
    "del character.hamlet.id": "character.5.id",
    "bag.costumes.2.red = 3": "bag.costumes.2.red",
    "costume_gain.16 = { pounds = 1 }": "costume_gain.16",
    "rehearsal.act_3_prestige.six = 1": "rehearsal.act_3_prestige.six",
    "character.hamlet.activation.whites = 1": "character.hamlet.activation.whites",
    # a value
    "board.starting_prestige = 51": "board.starting_prestige: 51",
    "board.starting = 'author'": "board.starting",
    "acts.length = [9, '10', 10]": "acts.length.1",
    "stage.space.a3.id = 'A3'": "stage.space.A3.id",
    "character.hamlet.activation.take_set = 'gren'": "character.hamlet.activation.take_set",
    "objective.wardrobe.metric = 'complete_costume'": "objective.wardrobe.metric",
    # a value against the rules, or against others
    "board.starting = ['author', 'author', 'handyman_board', 'queen']": "board.starting",
    "rehearsal.days = [6, 4]": "days",
    "rehearsal.act_3_prestige.10 = 1": "acts.length",
    "acts.length = [7, 10, 10]": "acts.length: 7",
    "bag.sets.2.black = 7": "bag.sets.2: 35",
    "stage.space.a3.id = 'a2'": "'a2'",
    "stage.space.a1.mirror = 'a6'": "stage.space.a1.mirror: 'a6'",
    "stage.space.a1.on = ['a2']": "stage.space.a1.on: 'a2'",
    "stage.space.b1.on = ['a1', 'a22']": "stage.space.b1.on: 'a22'",
    "character.hamlet.id = 'extra2'": "character.extra2",
    "character.jeweler.copies = 2": "29 cards",
    "character.hamlet.copies = 2": "character.hamlet.copies: 2",
    "character.author.copies = 1": "character.author",
    "del character.handyman.value": "character.handyman",
    "character.queen.activation = {}": "character.queen",
    "character.hamlet.costume_power.mood = 1": "character.hamlet",
    "character.hamlet.activation = { take_set = 'blue', take_costume = 'green' }": "hamlet",
    "objective.wardrobe.points = { 5 = 1, 4 = 2 }": "objective.wardrobe",
    "objective.wardrobe.metric = 'sacrifice'": "objective",
}
"""What the message names, by edit of the box."""


def load_box(path):
    return read_box(Box, registry.folder("shakespeare"), path)


@pytest.mark.parametrize("edit", REFUSED)
def test_a_wrong_entry_is_refused_by_its_name(edit, tmp_path):
    path = write_box(tmp_path, "shakespeare", edit)
    with pytest.raises(BoxError) as caught:
        load_box(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert REFUSED[edit] in message
    assert str(pickle.loads(pickle.dumps(caught.value))) == message


@pytest.mark.parametrize("content", [None, b"[board\n", b"\xff\xfe", b"a = " + b"[" * 10_000])
def test_a_file_that_is_missing_or_not_toml_is_refused(content, tmp_path):
    path = Path(tmp_path / "mine.toml")
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BoxError, match=r"mine\.toml: "):
        load_box(path)


def test_missing_tables_are_the_packages_own_and_steps_are_sorted(tmp_path):
    own = load_box(registry.own_box("shakespeare"))
    assert load_box(write_box(tmp_path, "shakespeare", "del wager", "del rehearsal")) == own
    edits = (
        "acts.length = [10, 8, 9]",  # the last two are as short as can be
        "board.starting_prestige = 0",
        "objective.wardrobe.points = { 11 = 3, 5 = 2, 4 = 2 }",
        "rehearsal.act_3_prestige = { 8 = 2, 6 = 1, last = 3 }",
    )
    box = load_box(write_box(tmp_path, "shakespeare", *edits))
    assert box.pay == (((5, 1), (7, 3), (10, 5)), (), ((6, 1), (8, 2), (9, 3)))
    objectives = {objective.id: objective for objective in box.objectives}
    assert objectives["wardrobe"].points == ((4, 2), (5, 2), (11, 3))
