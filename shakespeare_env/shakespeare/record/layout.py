"""The layout of an observation: named int8 numbers (Rules D3).

The observer's block of numbers, `seat0`, comes first, then that of the next seat, `seat1`, and so
on. The blocks of absent seats are zero, so that games of 1 to 4 seats share a layout.
"""

from __future__ import annotations

from shakespeare_env.core.game import LayoutEntry, ObservationLayout, seat_blocks
from shakespeare_env.shakespeare import state as s
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import ACTS, COLOURS, METRIC_NAMES

LOW = -128
HIGH = 127
"""`LOW` and `HIGH` are those of int8. Numbers without a limit in the rules are clipped to them."""
_MOST_ELEMENTS = 100
_MOST_SPACES = 30
_MOST_TOKENS = 30
_MOST_COPIES = 8
_MOST_VALUE = 15

_ACT_NAMES = tuple(f"Act {act}" for act in ACTS)
_COLOUR_LIST = ", ".join(COLOURS)
_ELEMENTS = f"costumes then stage sets, each by colour: {_COLOUR_LIST}"

# fmt: off
_SEAT_FIELDS = (
    LayoutEntry("present", 1, 0, 1, "1 if the seat is at the table"),
    LayoutEntry("to_move", 1, 0, 1, "1 if it decides now"),
    LayoutEntry("prestige", 1, LOW, HIGH, "prestige so far"),
    LayoutEntry("pounds", 1, 0, HIGH, "pounds"),
    LayoutEntry("tokens", 1, 0, _MOST_TOKENS, '"+3" tokens'),
    LayoutEntry("mood", 1, -2, 3, "mood"),
    LayoutEntry("wager", 1, 0, t.N_CYLINDERS,
                "wager of the day; 0 while it is secret or not chosen"),
    LayoutEntry("has_wagered", 1, 0, 1, "1 once the wager is chosen, secret or not"),
    LayoutEntry("cylinders", 1, 0, t.N_CYLINDERS, "cylinders still to be placed today"),
    LayoutEntry("cylinders_used", 1, 0, t.N_CYLINDERS, "characters activated today"),
    LayoutEntry("recruited", 1, 0, 1, "1 once it has recruited today"),
    LayoutEntry("passed", 1, 0, 1, "1 once it has passed today"),
    LayoutEntry("has_kept", 1, 0, 1, "1 once its secret rest choice is made"),
    LayoutEntry("queue", 1, 0, t.N_SEATS,
                "place among the seats still to be served in phases 3, 4 and 6; 0 if not waiting"),
    LayoutEntry("wages", 1, 0, HIGH, "pounds it would take to pay every character (F3)"),
    LayoutEntry("extras", 1, 0, t.N_EXTRAS, "extras in the troupe"),
    LayoutEntry("objectives", 1, 0, t.N_OBJECTIVES, "number of objectives kept"),
    LayoutEntry("metrics", t.N_METRICS, 0, HIGH,
                "present value of each metric that objectives score (F1a)", METRIC_NAMES),
    LayoutEntry("order", t.N_SEATS, 0, 1, "place in Order", is_one_hot=True),
    LayoutEntry("initiative", t.N_SEATS, 0, 1,
                "place on the Initiative track; none before it has one", is_one_hot=True),
    LayoutEntry("act_space", 3, 0, _MOST_SPACES, "space of the disc", _ACT_NAMES),
    LayoutEntry("act_ahead", 3, 0, t.N_DISCS - 1,
                "discs ahead of it, the neutral one included (T7)", _ACT_NAMES),
    LayoutEntry("act_to_reward", 3, 0, _MOST_SPACES,
                "spaces to the next better result of a scoring (R2), 0 if none", _ACT_NAMES),
    LayoutEntry("cards", t.N_CARDS, 0, _MOST_COPIES, "characters face up", t.CARD_IDS),
    LayoutEntry("active", t.N_CARDS, 0, _MOST_COPIES, "characters with a cylinder", t.CARD_IDS),
    LayoutEntry("resting", t.N_CARDS, 0, _MOST_COPIES, "characters with a rest token", t.CARD_IDS),
    LayoutEntry("costume_elements", t.N_WEARERS, 0, t.N_SLOTS, "elements on each costume",
                t.WEARER_IDS),
    LayoutEntry("costume_value", t.N_WEARERS, 0, _MOST_VALUE, "value of each costume so far",
                t.WEARER_IDS),
    LayoutEntry("stage", t.N_SPACES * t.N_COLOURS, 0, 1,
                f"one-hot colour ({_COLOUR_LIST}) of each space: {', '.join(t.SPACE_IDS)}"),
)
_TABLE_FIELDS = (
    LayoutEntry("players", t.N_SEATS, 0, 1, "number of seats, 1 to 4", is_one_hot=True),
    LayoutEntry("strategic_rest", 1, 0, 1, "1 with strategic rest (P4)"),
    LayoutEntry("day", t.N_DAYS, 0, 1, "day, 1 to 6", is_one_hot=True),
    LayoutEntry("days_to_rehearsal", 1, 0, t.N_DAYS, "days to the next rehearsal, 0 on its day"),
    LayoutEntry("phase", len(s.PHASE_NAMES), 0, 1, "what is being decided", s.PHASE_NAMES,
                is_one_hot=True),
    LayoutEntry("part", len(s.PART_NAMES), 0, 1, "the part of the day under way", s.PART_NAMES,
                is_one_hot=True),
    LayoutEntry("quills", 1, 0, HIGH, "white quills still to be placed"),
    LayoutEntry("craft_value", 1, 0, HIGH, "what may still be spent on elements"),
    LayoutEntry("craft_costumes", 1, 0, 1, "1 if costumes may be taken"),
    LayoutEntry("craft_sets", 1, 0, 1, "1 if stage sets may be taken"),
    LayoutEntry("craft_optional", 1, 0, 1, "1 if no element need be taken"),
    LayoutEntry("craft_colours", t.N_COLOURS, 0, 1, "1 if the colour may be taken", COLOURS),
    LayoutEntry("shown", t.N_DECK, 0, _MOST_COPIES, "characters shown", t.DECK_IDS),
    LayoutEntry("deck", t.N_DECK, 0, _MOST_COPIES, "characters not yet seen, still in the deck",
                t.DECK_IDS),
    LayoutEntry("discarded_cards", t.N_DECK, 0, _MOST_COPIES, "characters discarded", t.DECK_IDS),
    LayoutEntry("display", 2 * t.N_COLOURS, 0, _MOST_ELEMENTS, f"elements on display, {_ELEMENTS}"),
    LayoutEntry("bag", 2 * t.N_COLOURS, 0, _MOST_ELEMENTS,
                f"elements left in the bags, {_ELEMENTS}"),
    LayoutEntry("discarded", 2 * t.N_COLOURS, 0, _MOST_ELEMENTS,
                f"elements out of the game, {_ELEMENTS}"),
    LayoutEntry("supply_tokens", 1, 0, _MOST_TOKENS, '"+3" tokens in the supply'),
    LayoutEntry("neutral_space", 3, 0, _MOST_SPACES, "space of the neutral disc, 0 except in solo",
                _ACT_NAMES),
    LayoutEntry("objective_deck", 1, 0, t.N_OBJECTIVES, "number of objectives in the pile"),
    LayoutEntry("drawn", 1, 0, t.QUEEN_OBJECTIVES, "number of objectives drawn to choose from"),
    LayoutEntry("own_drawn", t.N_OBJECTIVES, 0, 1, "1 if the observer has drawn it and chooses now",
                t.OBJECTIVE_IDS),
    LayoutEntry("own_objectives", t.N_OBJECTIVES, 0, 1, "1 if the observer keeps it",
                t.OBJECTIVE_IDS),
    LayoutEntry("known_in_pile", t.N_OBJECTIVES, 0, t.N_OBJECTIVES,
                "place in the pile from 1 on top, if the observer put it there", t.OBJECTIVE_IDS),
    LayoutEntry("own_reward", t.N_OBJECTIVES, 0, 3,
                "prestige each objective would bring the observer now", t.OBJECTIVE_IDS),
    LayoutEntry("own_to_step", t.N_OBJECTIVES, 0, HIGH,
                "what the observer lacks to the next step of each, 0 if none", t.OBJECTIVE_IDS),
    LayoutEntry("own_kept", t.N_CARDS, 0, 1, "the observer's secret rest choice", t.CARD_IDS,
                is_one_hot=True),
)
# fmt: on

LAYOUT = ObservationLayout([*seat_blocks(_SEAT_FIELDS, t.N_SEATS), *_TABLE_FIELDS])
SEAT_SIZE = sum(entry.size for entry in _SEAT_FIELDS)
SEAT_AT = LAYOUT.offsets("seat0.")
"""Where a seat's numbers start in its block, by field."""
TABLE_AT = LAYOUT.offsets()
"""Where the numbers of the table, and those of the observer alone, start, by field."""
