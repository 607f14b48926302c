"""The layout of an observation: named int8 numbers (Rules D3).

Block `seat0` is the observer's, `seat1` the next seat's, and so on; absent seats are zero, so 1 to
4 seats share a layout. Capital names are offsets, in a seat's block or overall.
"""

from __future__ import annotations

from shakespeare_env.core.game import ObservationLayout
from shakespeare_env.shakespeare import state as s
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import ACTS, COLOURS, METRIC_NAMES

LOW, HIGH = -128, 127
_COUNT = 100

_acts = ", ".join(f"Act {act}" for act in ACTS)
_cards = ", ".join(t.CARD_IDS)
_deck = ", ".join(t.DECK_IDS)
_wearers = ", ".join(t.WEARER_IDS)
_colours = ", ".join(COLOURS)
_objectives = ", ".join(t.OBJECTIVE_IDS)
_two_kinds = f"costumes then stage sets, each by colour: {_colours}"

# fmt: off
_SEAT_FIELDS = (
    ("present", 1, 0, 1, "1 if the seat is at the table"),
    ("to_move", 1, 0, 1, "1 if it decides now"),
    ("prestige", 1, LOW, HIGH, "prestige so far"),
    ("pounds", 1, 0, HIGH, "pounds"),
    ("tokens", 1, 0, 30, '"+3" tokens'),
    ("mood", 1, -2, 3, "mood"),
    ("wager", 1, 0, t.N_CYLINDERS, "wager of the day; 0 while it is a secret or not chosen"),
    ("has_wagered", 1, 0, 1, "1 once the wager is chosen, seen or not"),
    ("cylinders", 1, 0, t.N_CYLINDERS, "cylinders still to be placed today"),
    ("cylinders_used", 1, 0, t.N_CYLINDERS, "characters activated today"),
    ("recruited", 1, 0, 1, "1 once it has recruited today"),
    ("passed", 1, 0, 1, "1 once it has passed today"),
    ("has_kept", 1, 0, 1, "1 once its secret rest choice is made"),
    ("queue", 1, 0, t.N_SEATS,
     "place among the seats still to be served in phases 3, 4 and 6; 0 if not waiting"),
    ("wages", 1, 0, HIGH, "pounds it would take to pay every character (F3)"),
    ("extras", 1, 0, t.N_EXTRAS, "extras in the troupe"),
    ("objectives", 1, 0, t.N_OBJECTIVES, "objectives kept, unseen"),
    ("metrics", t.N_METRICS, 0, HIGH,
     f"what objectives count, as it stands (F1a): {', '.join(METRIC_NAMES)}"),
    ("order", t.N_SEATS, 0, 1, "one-hot: place in Order"),
    ("initiative", t.N_SEATS, 0, 1,
     "one-hot: place on the Initiative track; none before it is on it"),
    ("act_space", 3, 0, 30, f"space of the disc: {_acts}"),
    ("act_ahead", 3, 0, t.N_DISCS - 1,
     f"discs ahead of it, the neutral one included (T7): {_acts}"),
    ("act_to_reward", 3, 0, 30,
     f"spaces to the next better result of a scoring (R2), 0 if none: {_acts}"),
    ("cards", t.N_CARDS, 0, 8, f"characters face up: {_cards}"),
    ("active", t.N_CARDS, 0, 8, f"of these, with a cylinder: {_cards}"),
    ("resting", t.N_CARDS, 0, 8, f"of these, with a rest token: {_cards}"),
    ("costume_elements", t.N_WEARERS, 0, t.N_SLOTS, f"elements on each costume: {_wearers}"),
    ("costume_value", t.N_WEARERS, 0, 15, f"value of each costume so far: {_wearers}"),
    ("stage", t.N_SPACES * t.N_COLOURS, 0, 1,
     f"one-hot colour ({_colours}) of each space: {', '.join(t.SPACE_IDS)}"),
)
_TABLE_FIELDS = (
    ("players", t.N_SEATS, 0, 1, "one-hot: number of seats, 1 to 4"),
    ("strategic_rest", 1, 0, 1, "1 with strategic rest (P4)"),
    ("day", t.N_DAYS, 0, 1, "one-hot: day, 1 to 6"),
    ("days_to_rehearsal", 1, 0, t.N_DAYS, "days to the next rehearsal, 0 on its day"),
    ("phase", len(s.PHASE_NAMES), 0, 1, "one-hot: " + ", ".join(s.PHASE_NAMES)),
    ("part", len(s.PART_NAMES), 0, 1,
     "one-hot, the part of the day under way: " + ", ".join(s.PART_NAMES)),
    ("quills", 1, 0, HIGH, "white quills still to be placed"),
    ("craft_value", 1, 0, HIGH, "what may still be spent on elements"),
    ("craft_costumes", 1, 0, 1, "1 if costumes may be taken"),
    ("craft_sets", 1, 0, 1, "1 if stage sets may be taken"),
    ("craft_optional", 1, 0, 1, "1 if no element need be taken"),
    ("craft_colours", t.N_COLOURS, 0, 1, f"1 if the colour may be taken: {_colours}"),
    ("shown", t.N_DECK, 0, 8, f"characters shown: {_deck}"),
    ("deck", t.N_DECK, 0, 8, f"characters not yet seen, still in the deck: {_deck}"),
    ("discarded_cards", t.N_DECK, 0, 8, f"characters discarded: {_deck}"),
    ("display", 2 * t.N_COLOURS, 0, _COUNT, f"elements on display, {_two_kinds}"),
    ("bag", 2 * t.N_COLOURS, 0, _COUNT, f"elements left in the bags, {_two_kinds}"),
    ("discarded", 2 * t.N_COLOURS, 0, _COUNT, f"elements out of the game, {_two_kinds}"),
    ("supply_tokens", 1, 0, 30, '"+3" tokens in the supply'),
    ("neutral_space", 3, 0, 30, f"space of the neutral disc, 0 but in solo: {_acts}"),
    ("objective_deck", 1, 0, t.N_OBJECTIVES, "objectives in the pile"),
    ("drawn", 1, 0, t.QUEEN_OBJECTIVES, "objectives the seat to move has drawn"),
    ("own_drawn", t.N_OBJECTIVES, 0, 1,
     f"1 if the observer has drawn it and chooses now: {_objectives}"),
    ("own_objectives", t.N_OBJECTIVES, 0, 1, f"1 if the observer keeps it: {_objectives}"),
    ("known_in_pile", t.N_OBJECTIVES, 0, t.N_OBJECTIVES,
     f"depth in the pile if the observer put it there: {_objectives}"),
    ("own_reward", t.N_OBJECTIVES, 0, 3,
     f"prestige each objective would bring the observer now: {_objectives}"),
    ("own_to_step", t.N_OBJECTIVES, 0, HIGH,
     f"what the observer lacks to each one's next step, 0 if none: {_objectives}"),
    ("own_kept", t.N_CARDS, 0, 1, f"one-hot: the observer's secret rest choice: {_cards}"),
)
# fmt: on

LAYOUT = ObservationLayout(
    [*((f"seat{i}.{f[0]}", *f[1:]) for i in range(t.N_SEATS) for f in _SEAT_FIELDS), *_TABLE_FIELDS]
)
SEAT_SIZE = sum(f[1] for f in _SEAT_FIELDS)
# fmt: off
(
    PRESENT, TO_MOVE, PRESTIGE, POUNDS, TOKENS, MOOD, WAGER, HAS_WAGERED, CYLINDERS, USED,
    RECRUITED, PASSED, HAS_KEPT, QUEUE, WAGES, EXTRAS, OBJECTIVES_HELD, METRICS, ORDER, INITIATIVE,
    ACT_SPACE, ACT_AHEAD, ACT_TO_REWARD, CARDS, ACTIVE, RESTING, ELEMENTS, VALUES, STAGE,
) = (LAYOUT[f"seat0.{f[0]}"].start for f in _SEAT_FIELDS)
(
    PLAYERS, STRATEGIC, DAY, TO_REHEARSAL, PHASE, PART, QUILLS, CRAFT, _, _, _, CRAFT_COLOURS,
    SHOWN, DECK, DISCARDED_CARDS, DISPLAY, BAG, DISCARDED, SUPPLY, NEUTRAL, PILE, DRAWN, OWN_DRAWN,
    OWN, KNOWN, OWN_REWARD, OWN_TO_STEP, OWN_KEPT,
) = (LAYOUT[f[0]].start for f in _TABLE_FIELDS)
# fmt: on
