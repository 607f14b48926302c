"""Reading and checking box files: the bundled one, or SHAKESPEARE_BOX."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from shakespeare_env.checks.box_entries import SOURCES, Entry, Wanted, ignore_entry
from shakespeare_env.checks.box_files import box_paths, read_box
from shakespeare_env.errors import BoxError
from shakespeare_env.shakespeare.box import checks as box_checks
from shakespeare_env.shakespeare.box.facts import (
    ACTS,
    COLOURS,
    CRAFTSMEN,
    KINDS,
    METRIC_NAMES,
    Box,
    Character,
    Gain,
    Objective,
    Power,
    Rehearsals,
    Space,
    Steps,
)

# What the engine's int8 and int16 state can hold. At most 9 wearers (two of the board, one from the
# draft, six recruits) use their costume powers in one rehearsal, so 10 quills of a colour on each
# stay below 128.
MOST_BOXES = 10_000
"""The most boxes in force, by the width of what observations say of them."""
_PACKAGE = Path(__file__).parents[1]
_MAX_VALUE = 100
_MAX_GAIN = 50
_MAX_DAYS = 6
_LIMITS = {
    **dict.fromkeys(("red", "gold", "blue", "white"), (0, 10)),
    "pounds": (0, _MAX_GAIN),
    "prestige": (-_MAX_GAIN, _MAX_GAIN),
    **dict.fromkeys(("mood", "others_mood"), (-5, 5)),
}
_TAKES = ("take_set", "take_costume")
_ACTIVATION = ((*_LIMITS, *_TAKES), "quill or gain")
_COSTUME = (("red", "gold", "blue", "white", "pounds", "prestige"), "gain of a costume power")

_LATER = {
    "wager": ("cylinders",),
    "mood": ("lowest", "highest"),
    "queen": ("pounds", "objectives"),
    "elements": ("value",),
    "rehearsal": ("days", "grey_spaces", "act_1_pounds", "act_2_prestige", "act_3_prestige"),
    "solo": ("neutral_start", "neutral_later"),
    "good_scores": ("1", "2", "3", "4"),
}
"""Tables that older boxes lack."""
_TABLES = {
    "board": ("starting", "starting_prestige"),
    "supply": ("plus3_tokens",),
    "acts": ("length",),
    "bag": ("costumes", "sets"),
    "costume_gain": None,  # keys are numbers
    "extra": ("costume_power",),
    "stage": ("space",),
    **_LATER,
}
_LISTS = ("character", "objective")
_POWERS = ("activation", "costume_power")
_CHARACTER_KEYS = ("id", "name", "kind", "copies", "cost", "value", *_POWERS, "source")


def load_boxes() -> tuple[Box, ...]:
    """Read and check the boxes in force; one, unless SHAKESPEARE_BOX names several.

    Raises:
        BoxError: as `load_box`, or they differ in what is the same for all boxes of a process:
            everything but powers, costs, copies, candles, lengths, pay of costumes, objectives'
            steps and bags.
    """
    boxes = tuple(map(load_box, box_paths(_PACKAGE, "SHAKESPEARE_BOX")))
    if len(boxes) > MOST_BOXES:
        raise BoxError(f"{len(boxes)} boxes are in force; name at most {MOST_BOXES}")
    first = _structure(boxes[0])
    for box in boxes[1:]:
        other = _structure(box)
        for field in fields(Box):
            if getattr(first, field.name) != getattr(other, field.name):
                raise BoxError(
                    f"{box.source}: {field.name} cannot differ from {boxes[0].source} in one "
                    "process; play it alone"
                )
    return boxes


def _structure(box: Box) -> Box:
    """A box without what may differ between boxes in force."""
    nothing = Power()
    return replace(
        box,
        act_lengths=(0, 0, 0),
        rehearsals=replace(box.rehearsals, act_1_pounds=(), act_3_prestige=()),
        bags={},
        costume_gain={},
        extra_power=nothing,
        spaces=tuple(replace(space, candle=False) for space in box.spaces),
        characters=tuple(
            replace(card, copies=0, cost=0, activation=nothing, costume_power=nothing)
            for card in box.characters
        ),
        objectives=tuple(replace(card, points=()) for card in box.objectives),
        good_scores={},
        source=Path(),
        digest="",
    )


def load_box(path: Path | None = None, noted: Callable[[Wanted], None] = ignore_entry) -> Box:
    """Read and check a box file, by default the one in force.

    `noted` is called with every entry that it may hold.

    Raises:
        BoxError: Unreadable file, or an entry missing, unknown, mistyped, out of range or against
            the rules; names file, entry, value and remedy.
    """
    root = read_box(_PACKAGE, "SHAKESPEARE_BOX", path, _LATER, noted)
    root.only((*_TABLES, *_LISTS, SOURCES), "table")
    tables = {name: root.section(name) for name in _TABLES}
    for name, keys in _TABLES.items():
        if keys is not None:
            tables[name].only(("source", *keys))
    board, queen, mood = tables["board"], tables["queen"], tables["mood"]

    starting, entries = board.texts("starting"), root.tables("character", "[[character]] ")
    box_checks.check_starting(board, starting, entries)
    characters = tuple(_character(entry, starting) for entry in entries)
    box_checks.check_list(root, "[[character]]", [card.id for card in characters], 5, 60)
    box_checks.check_starting_kinds(board, [card for card in characters if card.id in starting])
    box_checks.check_deck(root, characters)

    objectives = tuple(map(_objective, root.tables("objective", "[[objective]] ")))
    box_checks.check_list(root, "[[objective]]", [card.id for card in objectives], 3, 16)
    box_checks.check_sacrifices(root, objectives)

    lengths = _act_lengths(tables["acts"])
    box = Box(
        starting=starting,
        starting_prestige=board.integer("starting_prestige", 0, 50),
        cylinders=tables["wager"].integer("cylinders", 1, 10),
        mood=(mood.integer("lowest", -2, 0), mood.integer("highest", 0, 3)),
        plus3_tokens=tables["supply"].integer("plus3_tokens", 0, 30),
        act_lengths=lengths,
        rehearsals=_rehearsals(tables["rehearsal"], lengths),
        neutral_spaces=_neutral_spaces(tables["solo"]),
        bags=_bags(tables["bag"]),
        element_values=_by_colour(tables["elements"].table("value"), 1, 5),
        costume_gain=_costume_gain(tables["costume_gain"]),
        extra_power=_power(tables["extra"], "costume_power", *_COSTUME),
        queen_pounds=queen.integer("pounds", 0, _MAX_GAIN),
        queen_objectives=queen.integer("objectives", 1, 10),
        spaces=_spaces(tables["stage"]),
        characters=characters,
        objectives=objectives,
        good_scores={
            seats: tables["good_scores"].integer(str(seats), 1, _MAX_VALUE) for seats in range(1, 5)
        },
        source=root.path,
        digest=root.digest,
    )
    box_checks.check_act_lengths(tables["acts"], box)
    box_checks.check_bags(tables["bag"], box)
    return box


def _act_lengths(acts: Entry) -> tuple[int, int, int]:
    first, second, third = acts.integers("length", len(ACTS), 1, 30)
    return first, second, third


def _rehearsals(table: Entry, lengths: tuple[int, int, int]) -> Rehearsals:
    first, last = table.integers("days", 2, 1, _MAX_DAYS)
    box_checks.check_days(table, first, last)
    places = table.integers("act_2_prestige", 2, 0, _MAX_GAIN)
    return Rehearsals(
        days=(first, last),
        grey_spaces=table.integer("grey_spaces", 0, 30),
        act_1_pounds=_to_last_space(table.table("act_1_pounds"), lengths[0]),
        act_2_prestige=tuple(places),
        act_3_prestige=_to_last_space(table.table("act_3_prestige"), lengths[2]),
    )


def _to_last_space(table: Entry, length: int) -> Steps:
    """Gains by space reached; "last" is the act's last space."""
    last = table.integer("last", 0, _MAX_GAIN)
    steps = _steps(table, table.numbered(1, 30, "space", but=("last",)), _MAX_GAIN)
    return *steps, (length, last)


def _neutral_spaces(solo: Entry) -> tuple[int, int]:
    return solo.integer("neutral_start", 1, 30), solo.integer("neutral_later", 1, 30)


def _bags(bag: Entry) -> dict[int, dict[str, dict[str, int]]]:
    bags: dict[int, dict[str, dict[str, int]]] = {2: {}, 3: {}, 4: {}}
    for kind in ("costumes", "sets"):
        by_seats = bag.table(kind)
        by_seats.only(tuple(map(str, bags)), "number of seats")
        for seats, elements in bags.items():
            elements[kind] = _by_colour(by_seats.table(str(seats)), 0, _MAX_VALUE)
    return bags


def _by_colour(table: Entry, low: int, high: int) -> dict[str, int]:
    table.only(COLOURS, "colour")
    return {colour: table.integer(colour, low, high) for colour in COLOURS}


def _steps(table: Entry, keys: Mapping[int, str], most: int) -> Steps:
    steps = {number: table.integer(key, 0, most) for number, key in keys.items()}
    return tuple(sorted(steps.items()))


def _costume_gain(table: Entry) -> dict[int, Gain]:
    if "source" in table.data:
        table.check_source()
    gains = {}
    for value, key in table.numbered(3, 15, "sum of three element values", ("source",)).items():
        gain = table.table(key)
        names = gain.given(("pounds", "prestige"), "gain")
        gains[value] = Gain(**{name: gain.integer(name, 0, _MAX_GAIN) for name in names})
    return dict(sorted(gains.items()))


def _spaces(stage: Entry) -> tuple[Space, ...]:
    entries = stage.tables("space", "[stage] space ")
    spaces = []
    for entry in entries:
        entry.only(("id", "row", "mirror", "on", "candle", "source"))
        own = entry.identifier("id")
        spaces.append(
            Space(
                id=own,
                row=entry.integer("row", 1, 30),
                mirror=entry.text("mirror", default=own),
                on=entry.texts("on", default=()),
                candle=entry.truth("candle", default=False),
            )
        )
    box_checks.check_list(stage, "space", [space.id for space in spaces], 1, 30)
    box_checks.check_stage(dict(zip((space.id for space in spaces), entries, strict=True)), spaces)
    return tuple(spaces)


def _character(entry: Entry, starting: tuple[str, ...]) -> Character:
    entry.only(_CHARACTER_KEYS)
    own = box_checks.card_id(entry)
    kind = entry.choice("kind", KINDS, "kind")
    craftsman, actor, card = kind in CRAFTSMEN, kind == "actor", own not in starting
    if not craftsman:
        entry.without(("value",), f"the kind {kind} has no value (only {', '.join(CRAFTSMEN)})")
    if not actor:
        entry.without(_POWERS, f"the kind {kind} has no powers of its own")
    if not card:
        entry.without(("copies", "cost"), "a character of [board] starting is no card and is free")
    return Character(
        id=own,
        name=entry.text("name"),
        kind=kind,
        copies=entry.integer("copies", 1, 30) if card else 0,
        cost=entry.integer("cost", 0, _MAX_VALUE) if card else 0,
        value=entry.integer("value", 0, _MAX_VALUE) if craftsman else 0,
        activation=_power(entry, "activation", *_ACTIVATION) if actor else Power(),
        costume_power=_power(entry, "costume_power", *_COSTUME) if actor else Power(),
    )


def _power(entry: Entry, key: str, known: tuple[str, ...], noun: str) -> Power:
    power = entry.table(key)
    given: dict[str, Any] = {}
    for name in power.given(known, noun):
        if name in _TAKES:
            given[name] = power.choice(name, COLOURS, "colour")
        else:
            given[name] = power.integer(name, *_LIMITS[name])
    if all(name in given for name in _TAKES):
        power.refuse(_TAKES[1], "a power takes one element, not two", f"remove it or {_TAKES[0]}")
    return Power(**given)


def _objective(entry: Entry) -> Objective:
    entry.only(("id", "name", "metric", "points", "source"))
    by_value = entry.table("points")
    points = _steps(by_value, by_value.numbered(1, _MAX_VALUE, "threshold"), 3)
    box_checks.check_points(entry, points)
    return Objective(
        id=entry.identifier("id"),
        name=entry.text("name"),
        metric=entry.choice("metric", METRIC_NAMES, "metric"),
        points=points,
    )
