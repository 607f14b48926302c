"""Events of activations: powers, and elements taken and placed (Rules T3 to T18)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shakespeare_env.shakespeare.box import Gain
from shakespeare_env.shakespeare.drawing.wording import extra_names
from shakespeare_env.shakespeare.ledger import Ledger, plural, quills_of
from shakespeare_env.shakespeare.objective_values import costume_value, is_complete, is_face_up
from shakespeare_env.shakespeare.printed import CARDS, VALUES
from shakespeare_env.shakespeare.tables import BOX, QUEEN_POUNDS, WEARER_IDS, WEARER_NAMES

PLUS_3 = 3
"""What a token adds (T9)."""
SET_GAINS = {"pink": {"pounds": 1}, "blue": {"mood": 2}, "green": {"tokens": 1}}
"""What a stage set gives at once, by colour (T14)."""
PURPLE_MOOD = -1
"""Steps by which a purple one moves every other mood (T14)."""
CANDLES = {space.id for space in BOX.spaces if space.candle}
"""Spaces that score 1 prestige (T13)."""
_WEARERS = dict(zip(WEARER_IDS, WEARER_NAMES, strict=True))


@dataclass
class Opened:
    """The choices that a move has opened, in the order in which they are made.

    Attributes:
        quills: White quills still to be placed.
        craft: `pending` of the notation; None if nothing may be taken.
        back: Whether a disc must move back.
        queen: Whether the Queen's gift is chosen.
        drawn: Objectives to choose from.
    """

    quills: int = 0
    craft: dict[str, Any] | None = None
    back: bool = False
    queen: bool = False
    drawn: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, position: Mapping[str, Any]) -> Opened:
        """The choices that a position has opened."""
        phase, pending = position["phase"], position["pending"]
        opened = cls(back=phase == "back", queen=phase == "queen")
        if phase == "craft":
            opened.craft = dict(pending)
        elif phase == "objective":
            opened.drawn = list(pending["drawn"])
        elif phase == "quill":
            opened.quills, then = pending["quills"], pending["then"]
            opened.craft = dict(then) if isinstance(then, dict) else None
        return opened

    def spend(self, colour: str) -> None:
        """Take an element; a mandatory one, or no value left, ends the craft (T10)."""
        assert self.craft is not None
        self.craft["value"] -= VALUES[colour]
        if not self.craft["value"] or not self.craft["optional"]:
            self.craft = None


def can_activate(member: Mapping[str, Any]) -> bool:
    """No cylinder or rest token; no extra or assistant (T3)."""
    waits = not member["cylinder"] and not member["rest"]
    return waits and is_face_up(member) and not is_assistant(member)


def is_assistant(member: Mapping[str, Any]) -> bool:
    """Whether a member adds to the seat's craftsmen (T9)."""
    return is_face_up(member) and CARDS[member["card"]].kind == "assistant"


def activate(ledger: Ledger, seat: int, activated: str, opened: Opened) -> None:
    """A character is used; `opened` gets the choices that follow (T3, T9, T16, T18)."""
    card, mine = CARDS[activated.removesuffix("+3")], ledger.seats[seat]
    next(m for m in mine["troupe"] if m["card"] == card.id and can_activate(m))["cylinder"] = True
    mine["cylinders"] -= 1
    used = {"cylinders": -1}
    if card.kind == "actor":
        _act(ledger, seat, card.id, opened)
    elif card.kind == "queen":
        opened.queen = True
        ledger.tell(seat, f"{card.name}: {QUEEN_POUNDS} £, or an objective", used)
    elif card.kind == "jeweler":
        opened.craft = _one("yellow", costumes=True, sets=True)
        ledger.tell(seat, f"{card.name}: one yellow element", used)
    else:
        helpers = sum(map(is_assistant, mine["troupe"]))
        token = int(activated != card.id)
        mine["tokens"] -= token
        ledger.now["supply_tokens"] += token
        value = card.value + helpers + PLUS_3 * token
        if value:
            opened.craft = {
                "value": value,
                "costumes": card.kind != "set_dresser",
                "sets": card.kind != "costume_mistress",
                "optional": True,
            }
        words = [plural(helpers, "assistant")] if helpers else []
        words += ['a token "+3"'] if token else []
        extra = f", with {' and '.join(words)}" if words else ""
        ledger.tell(seat, f"{card.name}: value {value}{extra}", used | {"tokens": -token})


def _act(ledger: Ledger, seat: int, actor: str, opened: Opened) -> None:
    """An actor's power, and its place on the Initiative track (T5, T8, T18)."""
    card, initiative = CARDS[actor], ledger.now["initiative"]
    power, notes = card.activation, []
    if power.white:
        notes.append(plural(power.white, "white quill"))
    if power.take_set or power.take_costume:
        kind = "stage set" if power.take_set else "costume"
        notes.append(f"one {power.take_set or power.take_costume} {kind} element")
    if seat not in initiative:
        initiative.append(seat)
        notes.append(f"place {len(initiative)} on the Initiative track")
    ledger.effect(
        seat,
        card.name,
        {"mood": power.mood, "pounds": power.pounds, "prestige": power.prestige},
        source="actors",
        quills={act: count for act, count in quills_of(power).items() if count},
        note=", ".join(notes),
        counters={"cylinders": -1},
    )
    lower_others(ledger, seat, card.name, power.others_mood)
    opened.quills = power.white
    if power.take_set or power.take_costume:
        colour = power.take_set or power.take_costume or ""
        opened.craft = _one(colour, costumes=not power.take_set, sets=bool(power.take_set))


def _one(colour: str, *, costumes: bool, sets: bool) -> dict[str, Any]:
    return {"value": VALUES[colour], "costumes": costumes, "sets": sets, "optional": False}


def lower_others(ledger: Ledger, seat: int, cause: str, steps: int) -> None:
    """Move the mood of all other seats (T14)."""
    if steps:
        for other in range(ledger.now["players"]):
            if other != seat:
                ledger.effect(other, f"{cause} of seat {seat}", {"mood": steps})


def add_costume(ledger: Ledger, seat: int, colour: str, wearer: str) -> None:
    """A costume element for good; the third pays (T11, T12)."""
    troupe = ledger.seats[seat]["troupe"]
    names = extra_names(troupe)
    place = next(
        place
        for place, member in enumerate(troupe)
        if names[place] == wearer or (is_face_up(member) and member["card"] == wearer)
    )
    costume = troupe[place]["costume"]
    costume.append(colour)
    ledger.now["display"]["costumes"][colour] -= 1
    cause, gain = f"{colour} costume for {_WEARERS[wearer]}", Gain()
    if is_complete(troupe[place]):
        value = costume_value(costume)
        cause += f", complete at {value}"
        gain = BOX.costume_gain.get(value, gain)
    ledger.effect(
        seat,
        cause,
        {"pounds": gain.pounds, "prestige": gain.prestige},
        source="costumes",
        counters={"costumes": 1},
    )


def add_set(ledger: Ledger, seat: int, colour: str, space: str) -> None:
    """A stage set for good: a candle scores, the element acts (T11, T13, T14)."""
    ledger.seats[seat]["stage"][space] = colour
    ledger.now["display"]["sets"][colour] -= 1
    candle = space in CANDLES
    cause = f"{colour} stage set on {space}{', a candle' if candle else ''}"
    ledger.effect(
        seat,
        cause,
        {"prestige": int(candle), **SET_GAINS.get(colour, {})},
        source="candles",
        counters={"stage": 1},
    )
    if colour == "purple":
        lower_others(ledger, seat, f"{colour} stage set", PURPLE_MOOD)
