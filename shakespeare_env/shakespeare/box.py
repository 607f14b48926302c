"""The printed facts of the game (`box.toml`), read, checked and held in plain dataclasses.

Boards, cards, bags and rewards only; the rules are elsewhere. Owners of the game replace values
with the environment variable SHAKESPEARE_BOX, the path of a box file of their own.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shakespeare_env.box_reading import Entry, read_box
from shakespeare_env.shakespeare import box_checks
from shakespeare_env.shakespeare.box_checks import CRAFTSMEN

COLOURS = ("black", "pink", "purple", "blue", "green", "yellow")
ACTS = ("I", "II", "III")
METRICS = (
    "first_places",
    "complete_costumes",
    "sacrifice",
    "stage_spaces",
    "stage_colours",
    "best_costume",
    "lowest_act",
    "yellow_elements",
    "actors",
    "craftsmen",
)
KINDS = ("actor", *CRAFTSMEN, "jeweler", "assistant", "queen")

# What the engine's int8 and int16 state can hold. At most 9 wearers (two of the board, one from the
# draft, six recruits) use their costume powers in one rehearsal, so 10 quills of a colour on each
# stay below 128.
_MAX_VALUE = 100
_MAX_GAIN = 50
_LIMITS = {
    **dict.fromkeys(("red", "gold", "blue", "white"), (0, 10)),
    "pounds": (0, _MAX_GAIN),
    "prestige": (-_MAX_GAIN, _MAX_GAIN),
    **dict.fromkeys(("mood", "others_mood"), (-5, 5)),
}
_TAKES = ("take_set", "take_costume")
_ACTIVATION = ((*_LIMITS, *_TAKES), "quill or gain")
_COSTUME = (("red", "gold", "blue", "white", "pounds", "prestige"), "gain of a costume power")

_SECTIONS = ("board", "supply", "acts", "bag", "costume_gain", "extra", "stage")
_LISTS = ("character", "objective")
_POWERS = ("activation", "costume_power")
_CHARACTER_KEYS = ("id", "name", "kind", "copies", "cost", "value", *_POWERS, "source")


@dataclass(frozen=True)
class Power:
    """What an activation or a complete costume gives (Rules T6, T8, T14, T18).

    `red`, `gold`, `blue` and `white` count quills, `mood` and `others_mood` are steps, `take_set`
    and `take_costume` are the colour of the one element to take, or None.
    """

    red: int = 0
    gold: int = 0
    blue: int = 0
    white: int = 0
    mood: int = 0
    others_mood: int = 0
    pounds: int = 0
    prestige: int = 0
    take_set: str | None = None
    take_costume: str | None = None


@dataclass(frozen=True)
class Character:
    """A character of the board (copies and cost 0) or a card; `value` is 0 unless a craftsman."""

    id: str
    name: str
    kind: str
    copies: int
    cost: int
    value: int
    activation: Power
    costume_power: Power


@dataclass(frozen=True)
class Space:
    """A space of the stage (Rules T13); `mirror` is its own id for a space of the middle."""

    id: str
    row: int
    mirror: str
    on: tuple[str, ...]
    candle: bool


@dataclass(frozen=True)
class Objective:
    """An objective card (Rules F1); `points` are (threshold, prestige) pairs, thresholds rising."""

    id: str
    name: str
    metric: str
    points: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Gain:
    """What a complete costume pays at once (Rules T12)."""

    pounds: int = 0
    prestige: int = 0


@dataclass(frozen=True)
class Box:
    """A checked box file.

    Attributes:
        starting: Ids of the four characters of every board (Rules S2).
        starting_prestige: Prestige at the start.
        plus3_tokens: "+3" tokens in the supply (Rules S6).
        act_lengths: Spaces of Act I, II and III.
        bags: Seats (2, 3, 4) -> "costumes" or "sets" -> colour -> elements (Rules S4).
        costume_gain: Sum of three element values -> gain; a sum not listed pays nothing.
        extra_power: Costume power of an extra.
        spaces: Spaces of the stage, in file order.
        characters: Characters, in file order.
        objectives: Objective cards, in file order.
        source: The file that was read.
    """

    starting: tuple[str, ...]
    starting_prestige: int
    plus3_tokens: int
    act_lengths: tuple[int, int, int]
    bags: dict[int, dict[str, dict[str, int]]]
    costume_gain: dict[int, Gain]
    extra_power: Power
    spaces: tuple[Space, ...]
    characters: tuple[Character, ...]
    objectives: tuple[Objective, ...]
    source: Path


def load_box(path: Path | None = None) -> Box:
    """Reads and checks a box file (by default the one in force).

    Raises:
        BoxError: The file cannot be read, or an entry is missing, unknown, of the wrong type, out
            of range or against the rules; the message names file, entry, value and remedy.
    """
    root = read_box(Path(__file__).parent, "SHAKESPEARE_BOX", path)
    root.only((*_SECTIONS, *_LISTS), "table")
    sections = {name: root.section(name) for name in _SECTIONS}
    board, supply, extra = sections["board"], sections["supply"], sections["extra"]
    board.only(("source", "starting", "starting_prestige"))
    supply.only(("source", "plus3_tokens"))
    extra.only(("source", "costume_power"))

    starting, entries = board.texts("starting"), root.tables("character", "[[character]] ")
    box_checks.check_starting(board, starting, entries)
    characters = tuple(_character(entry, starting) for entry in entries)
    box_checks.check_list(root, "[[character]]", [card.id for card in characters], 5, 60)
    box_checks.check_starting_kinds(board, [card for card in characters if card.id in starting])
    box_checks.check_deck(root, characters)

    objectives = tuple(map(_objective, root.tables("objective", "[[objective]] ")))
    box_checks.check_list(root, "[[objective]]", [card.id for card in objectives], 3, 16)

    return Box(
        starting=starting,
        starting_prestige=board.integer("starting_prestige", 0, 50),
        plus3_tokens=supply.integer("plus3_tokens", 0, 30),
        act_lengths=_act_lengths(sections["acts"]),
        bags=_bags(sections["bag"]),
        costume_gain=_costume_gain(sections["costume_gain"]),
        extra_power=_power(extra, "costume_power", *_COSTUME),
        spaces=_spaces(sections["stage"]),
        characters=characters,
        objectives=objectives,
        source=root.path,
    )


def _act_lengths(acts: Entry) -> tuple[int, int, int]:
    acts.only(("source", "length"))
    lengths = acts.integers("length", len(ACTS), 1, 30)
    box_checks.check_act_lengths(acts, lengths)
    return lengths[0], lengths[1], lengths[2]


def _bags(bag: Entry) -> dict[int, dict[str, dict[str, int]]]:
    bags: dict[int, dict[str, dict[str, int]]] = {2: {}, 3: {}, 4: {}}
    kinds = ("costumes", "sets")
    bag.only(("source", *kinds))
    for kind in kinds:
        by_seats = bag.table(kind)
        by_seats.only(tuple(map(str, bags)), "number of seats")
        for seats in bags:
            counts = by_seats.table(str(seats))
            counts.only(COLOURS, "colour")
            elements = {colour: counts.integer(colour, 0, _MAX_VALUE) for colour in COLOURS}
            box_checks.check_bag(by_seats, seats, sum(elements.values()))
            bags[seats][kind] = elements
    return bags


def _costume_gain(table: Entry) -> dict[int, Gain]:
    gains = {}
    for key in table.data:
        if key == "source":
            table.text(key)
            continue
        value = table.number(key, 3, 15, "sum of three element values")
        gain = table.table(key)
        gain.only(("pounds", "prestige"), "gain")
        gains[value] = Gain(**{name: gain.integer(name, 0, _MAX_GAIN) for name in gain.data})
    return dict(sorted(gains.items()))


def _spaces(stage: Entry) -> tuple[Space, ...]:
    stage.only(("source", "space"))
    entries = stage.tables("space", "[stage] space ")
    spaces = []
    for entry in entries:
        entry.only(("id", "row", "mirror", "on", "candle", "source"))
        own = entry.identifier("id")
        spaces.append(
            Space(
                id=own,
                row=entry.integer("row", 1, 30),
                mirror=entry.text("mirror") if "mirror" in entry.data else own,
                on=entry.texts("on") if "on" in entry.data else (),
                candle=entry.truth("candle") if "candle" in entry.data else False,
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
    power.only(known, noun)
    given: dict[str, Any] = {}
    for name in power.data:
        if name in _TAKES:
            given[name] = power.choice(name, COLOURS, "colour")
        else:
            given[name] = power.integer(name, *_LIMITS[name])
    if all(name in given for name in _TAKES):
        power.refuse(_TAKES[1], "a power takes one element, not two", f"remove it or {_TAKES[0]}")
    return Power(**given)


def _objective(entry: Entry) -> Objective:
    entry.only(("id", "name", "metric", "points", "source"))
    points = entry.table("points")
    steps = {
        points.number(key, 1, _MAX_VALUE, "threshold"): points.integer(key, 0, 3)
        for key in points.data
    }
    ordered = tuple(sorted(steps.items()))
    box_checks.check_points(entry, ordered)
    return Objective(
        id=entry.identifier("id"),
        name=entry.text("name"),
        metric=entry.choice("metric", METRICS, "metric"),
        points=ordered,
    )
