"""The printed facts, as `loading.py` reads them from `box.toml`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

COLOURS = ("black", "pink", "purple", "blue", "green", "yellow")
ACTS = ("I", "II", "III")
CRAFTSMEN = ("costume_mistress", "set_dresser", "handyman")
KINDS = ("actor", *CRAFTSMEN, "jeweler", "assistant", "queen")
METRIC_NAMES = (
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
"""What an objective can count (Rules F1a)."""

Steps = tuple[tuple[int, int], ...]
"""(threshold, gain from there on), thresholds rising."""


@dataclass(frozen=True)
class Power:
    """What an activation or a complete costume gives (Rules T6, T8, T14, T18).

    Quills are by colour, moods in steps; `take_set` and `take_costume` are the colour of the one
    element to take.
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
    """A card or a board character (copies and cost 0); `value` is 0 unless a craftsman."""

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
    """A stage space (Rules T13); one in the middle is its own `mirror`."""

    id: str
    row: int
    mirror: str
    on: tuple[str, ...]
    candle: bool


@dataclass(frozen=True)
class Objective:
    """An objective card (Rules F1); `points` are prestige by metric value."""

    id: str
    name: str
    metric: str
    points: Steps


@dataclass(frozen=True)
class Gain:
    """What a complete costume pays at once (Rules T12)."""

    pounds: int = 0
    prestige: int = 0


@dataclass(frozen=True)
class Rehearsals:
    """The dress rehearsals (Rules R).

    Attributes:
        days: The second is the game's last.
        grey_spaces: First spaces of each act, which cost prestige (Rules R2).
        act_1_pounds: By space reached.
        act_2_prestige: By place, of the discs furthest ahead.
        act_3_prestige: By space reached.
    """

    days: tuple[int, int]
    grey_spaces: int
    act_1_pounds: Steps
    act_2_prestige: tuple[int, ...]
    act_3_prestige: Steps


@dataclass(frozen=True)
class Box:
    """A checked box file.

    Attributes:
        starting: Ids of the four board characters (Rules S2).
        cylinders: Per seat; also the highest wager (Rules W1).
        mood: Ends of the mood track (Rules T15).
        plus3_tokens: In the supply (Rules S6).
        act_lengths: Spaces of Act I, II and III.
        neutral_spaces: Of neutral discs, before the first rehearsal and after (Rules V2).
        bags: Seats (2, 3, 4) -> "costumes" or "sets" -> colour -> elements (Rules S4).
        element_values: By colour (Rules T10, T12).
        costume_gain: By the sum of three element values; others pay nothing.
        queen_pounds: The Queen's gift (Rules T17).
        queen_objectives: Drawn instead; one is kept.
        spaces: In file order, like characters and objectives.
        good_scores: By seats, the winning score the rule book calls good.
        source: The file read.
        digest: SHA-256 of its facts, as they were read.
    """

    starting: tuple[str, ...]
    starting_prestige: int
    cylinders: int
    mood: tuple[int, int]
    plus3_tokens: int
    act_lengths: tuple[int, int, int]
    rehearsals: Rehearsals
    neutral_spaces: tuple[int, int]
    bags: dict[int, dict[str, dict[str, int]]]
    element_values: dict[str, int]
    costume_gain: dict[int, Gain]
    extra_power: Power
    queen_pounds: int
    queen_objectives: int
    spaces: tuple[Space, ...]
    characters: tuple[Character, ...]
    objectives: tuple[Objective, ...]
    good_scores: dict[int, int]
    source: Path
    digest: str
