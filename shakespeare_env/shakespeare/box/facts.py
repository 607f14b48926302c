"""The schema of a box file, which holds the printed facts.

Limits keep the engine's int8 and int16 fields from overflowing. At most 9 wearers (two of the
board, one from the draft, six recruits) use their costume powers in one rehearsal. Each gives at
most 10 quills of a colour, so all together stay below 128.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import AliasPath, Field, StringConstraints, model_validator

from shakespeare_env.checks.box_files import Facts, Identifier, Ids, Text

COLOURS = ("black", "pink", "purple", "blue", "green", "yellow")
Colour = Annotated[str, StringConstraints(pattern=f"^({'|'.join(COLOURS)})$")]
ACTS = ("I", "II", "III")
CRAFTSMEN = ("costume_mistress", "set_dresser", "handyman")
Kind = Literal[
    "actor", "costume_mistress", "set_dresser", "handyman", "jeweler", "assistant", "queen"
]
KINDS = get_args(Kind)
METRIC_NAMES = (
    "first_places",
    "complete_costumes",
    "sacrifice",  # pounds given up at the end
    "stage_spaces",
    "stage_colours",
    "best_costume",
    "lowest_act",
    "yellow_elements",
    "actors",
    "craftsmen",
)
"""The metrics that an objective can count (Rules F1a)."""

Metric = Annotated[str, StringConstraints(pattern=f"^({'|'.join(METRIC_NAMES)})$")]
Steps = tuple[tuple[int, int], ...]
"""Pairs of a threshold and the gain from it on, in order of the thresholds."""

_DECK_SIZE = 30
"""The number of cards in the deck (Rules S5)."""
_COSTUME_GIFTS = ("red", "gold", "blue", "white", "pounds", "prestige")
"""The fields of a `Power` that a costume power may have (Rules T18)."""
_STARTING_KINDS = ["actor", "actor", "handyman", "queen"]

Quills = Annotated[int, Field(ge=0, le=10)]
Pounds = Annotated[int, Field(ge=0, le=50)]
Prestige = Annotated[int, Field(ge=-50, le=50)]
Mood = Annotated[int, Field(ge=-5, le=5)]
UpTo100 = Annotated[int, Field(ge=0, le=100)]
Score = Annotated[int, Field(ge=1, le=100)]
Seats = Annotated[int, Field(ge=1, le=4)]
Space30 = Annotated[int, Field(ge=1, le=30)]
Day = Annotated[int, Field(ge=1, le=6)]
ElementValues = Annotated[dict[Colour, Annotated[int, Field(ge=1, le=5)]], Field(min_length=6)]
Bag = Annotated[dict[Colour, UpTo100], Field(min_length=6)]
BagSeats = Annotated[int, Field(ge=2, le=4)]
Bags = dict[Literal["costumes", "sets"], Annotated[dict[BagSeats, Bag], Field(min_length=3)]]
Paid = dict[Annotated[str, StringConstraints(pattern="^([1-9]|[12][0-9]|30|last)$")], Pounds]
"""Pounds or prestige by space. The key "last" stands for an act's last space."""


class Power(Facts):
    """The effects of an activation or a complete costume (Rules T6, T8, T14, T18).

    `red`, `gold`, `blue` and `white` count quills; `mood` and `others_mood` are in steps.
    `take_set` and `take_costume` are the colour of the one element to take.
    """

    red: Quills = 0
    gold: Quills = 0
    blue: Quills = 0
    white: Quills = 0
    mood: Mood = 0
    others_mood: Mood = 0
    pounds: Pounds = 0
    prestige: Prestige = 0
    take_set: Colour | None = None
    take_costume: Colour | None = None

    @model_validator(mode="after")
    def _takes_one(self) -> Self:
        if self.take_set and self.take_costume:
            raise ValueError("a power takes one element; give take_set or take_costume, not both")
        return self


class Character(Facts):
    """A character card, or a character of the board, which has no copies and no cost."""

    id: Identifier
    name: Text
    kind: Kind
    copies: Annotated[int, Field(ge=0, le=30)] = 0
    cost: UpTo100 = 0
    value: UpTo100 = 0
    activation: Power = Power()
    costume_power: Power = Power()

    @model_validator(mode="after")
    def _fits_its_kind(self) -> Self:
        given = self.model_fields_set
        if ("value" in given) != (self.kind in CRAFTSMEN):
            raise ValueError(f"value: give one to {', '.join(CRAFTSMEN)}, and to no other kind")
        powers = {"activation", "costume_power"}
        if given & powers != (powers if self.kind == "actor" else set()):
            raise ValueError("activation, costume_power: give both to actors, and to no other kind")
        if self.id.startswith("extra") and self.id[5:].isdecimal():
            raise ValueError(f"id: moves name an extra {self.id!r}; choose another id")
        if any(gift for name, gift in self.costume_power if name not in _COSTUME_GIFTS):
            raise ValueError(f"costume_power: give only {', '.join(_COSTUME_GIFTS)}")
        return self


class Space(Facts):
    """A space of the stage (Rules T13).

    `on` names the spaces underneath that it rests on. A space in the middle of its row is its own
    `mirror`, which is the default.
    """

    id: Identifier
    row: Space30
    mirror: Identifier = Field(default_factory=lambda given: given.get("id", ""))
    on: tuple[Identifier, ...] = ()
    candle: bool = False


class Objective(Facts):
    """An objective card (Rules F1)."""

    id: Identifier
    name: Text
    metric: Metric
    prestige_from: Annotated[
        dict[Score, Annotated[int, Field(ge=0, le=3)]],
        Field(min_length=1, validation_alias="points"),
    ]
    """Prestige by the value of the metric that is reached."""

    @property
    def points(self) -> Steps:
        """Return pairs of a threshold of the metric and the prestige from it on."""
        return tuple(sorted(self.prestige_from.items()))

    @model_validator(mode="after")
    def _rises(self) -> Self:
        if any(more < less for (_, less), (_, more) in pairwise(self.points)):
            raise ValueError("points: prestige falls at a higher threshold; let it rise")
        return self


class Gain(Facts):
    """The pounds and prestige that a complete costume pays at once (Rules T12)."""

    pounds: Pounds = 0
    prestige: Pounds = 0


class Rehearsals(Facts):
    """The facts of dress rehearsals (section R).

    Act II pays its first and its second disc. The other acts pay by the space that a disc has
    reached, where the key "last" stands for an act's last space. The first `grey_spaces` spaces of
    each act cost prestige.
    """

    days: tuple[Day, Day]
    grey_spaces: Annotated[int, Field(ge=0, le=30)]
    act_1_pounds: Paid
    act_2_prestige: tuple[Pounds, Pounds]
    act_3_prestige: Paid

    @model_validator(mode="after")
    def _days_rise(self) -> Self:
        if self.days[0] >= self.days[1]:
            raise ValueError("days: give the earlier day first")
        return self


def _at(*keys: str, **limits: Any) -> Any:
    """Return a field that is read from a nested entry of the box file."""
    return Field(validation_alias=AliasPath(*keys), **limits)


class Box(Facts):
    """The facts of a box file.

    Bags are by kind, number of seats and colour. `costume_gain` is by the sum of three element
    values; sums that are not listed pay nothing.
    """

    starting: Ids = _at("board", "starting")
    starting_prestige: Pounds = _at("board", "starting_prestige")
    cylinders: int = _at("wager", "cylinders", ge=1, le=10)
    lowest_mood: int = _at("mood", "lowest", ge=-2, le=0)
    highest_mood: int = _at("mood", "highest", ge=0, le=3)
    plus3_tokens: int = _at("supply", "plus3_tokens", ge=0, le=30)
    act_lengths: tuple[Space30, Space30, Space30] = _at("acts", "length")
    rehearsals: Rehearsals = Field(validation_alias="rehearsal")
    neutral_start: Space30 = _at("solo", "neutral_start")
    """The neutral discs' space up to the first rehearsal (Rules V2)."""
    neutral_later: Space30 = _at("solo", "neutral_later")
    """The neutral discs' space after the first rehearsal (Rules V2)."""
    bags: Bags = Field(min_length=2, validation_alias="bag")
    element_values: ElementValues = _at("elements", "value")
    costume_gain: dict[Annotated[int, Field(ge=3, le=15)], Gain]
    extra_power: Power = _at("extra", "costume_power")
    queen_pounds: Pounds = _at("queen", "pounds")
    queen_objectives: int = _at("queen", "objectives", ge=1, le=10)
    spaces: tuple[Space, ...] = _at("stage", "space", min_length=1, max_length=30)
    characters: tuple[Character, ...] = _at("character", min_length=5, max_length=60)
    objectives: tuple[Objective, ...] = _at("objective", min_length=3, max_length=16)
    good_scores: dict[Seats, Score] = Field(min_length=4)

    @property
    def pay(self) -> tuple[Steps, Steps, Steps]:
        """Return the pay by space of each act: pounds, nothing for Act II, prestige."""
        first = _steps(self.rehearsals.act_1_pounds, self.act_lengths[0])
        third = _steps(self.rehearsals.act_3_prestige, self.act_lengths[2])
        return first, (), third

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        for fault in _faults(self):  # the first one, if there is any
            raise ValueError(fault)
        return self


def _steps(paid: Mapping[str, int], length: int) -> Steps:
    """Return what spaces pay, in order of the spaces; `length` is the last one."""
    steps = sorted((int(space), gain) for space, gain in paid.items() if space != "last")
    if "last" in paid:
        steps.append((length, paid["last"]))
    return tuple(steps)


def _faults(box: Box) -> Iterator[str]:
    """Yield the contradictions between entries, each with the entry to correct and the remedy."""
    for entries in (box.characters, box.objectives, box.spaces):
        for identifier, count in Counter(entry.id for entry in entries).items():
            if count > 1:
                yield f"the id {identifier!r} is used {count} times; rename all but one"
    yield from _faults_of_characters(box)
    yield from _faults_of_spaces(box)
    for name, length, paid in zip(ACTS, box.act_lengths, box.pay, strict=True):
        # An act's last space lies beyond all other spaces that pay.
        beyond_thresholds = [space + 1 for space, _ in paid[:-1]]
        least = max(box.neutral_start, box.neutral_later, *beyond_thresholds)
        if length < least:
            yield f"acts.length: {length} spaces of Act {name}; give it at least {least}"
    for kind, by_seats in box.bags.items():
        for seats, elements in by_seats.items():
            # Every day draws three elements a seat.
            drawn = 3 * seats * box.rehearsals.days[1]
            held = sum(elements.values())
            if held < drawn:
                yield f"bag.{kind}.{seats}: {held} elements; put in the {drawn} that a game draws"
    if sum(objective.metric == "sacrifice" for objective in box.objectives) > 1:
        yield "objective: two objectives count pounds given up; keep one"


def _faults_of_characters(box: Box) -> Iterator[str]:
    """Yield faults of the board (Rules S2), the deck (S5) and the actors (T12)."""
    kinds = sorted(card.kind for card in box.characters if card.id in box.starting)
    if kinds != _STARTING_KINDS or len(box.starting) != len(_STARTING_KINDS):
        yield f"board.starting: {list(box.starting)}: list two actors, a handyman and the queen"
    for card in box.characters:
        if card.id in box.starting and card.model_fields_set & {"copies", "cost"}:
            yield f"character.{card.id}: a character of the board; remove its copies and its cost"
        if card.id not in box.starting and not {"copies", "cost"} <= card.model_fields_set:
            yield f"character.{card.id}: a card of the deck; give its copies and its cost"
        if card.kind == "actor" and card.copies > 1:
            yield f"character.{card.id}.copies: {card.copies} copies of an actor; write 1"
    total = sum(card.copies for card in box.characters)
    if total != _DECK_SIZE:
        yield f"character: the copies add up to {total} cards; make them {_DECK_SIZE}"


def _faults_of_spaces(box: Box) -> Iterator[str]:
    """Yield mirrors that are not a pair, and supports not in the row underneath (Rules T13)."""
    by_id = {space.id: space for space in box.spaces}
    for space in box.spaces:
        mirror = by_id.get(space.mirror)
        if mirror is None or mirror.mirror != space.id or mirror.row != space.row:
            yield f"stage.space.{space.id}.mirror: {space.mirror!r}: pair two spaces of one row"
        for support in space.on:
            if support not in by_id or by_id[support].row != space.row - 1:
                yield f"stage.space.{space.id}.on: {support!r}: name spaces of the row underneath"
