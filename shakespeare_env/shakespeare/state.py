"""The record of a game: the shape, range and meaning of every field.

Indices are those of `box/tables.py`. A batch of games is an array of records, and a copy of a
record is a copy of the game.
"""

from __future__ import annotations

import numpy as np

from shakespeare_env.core.records import StateField, state_type
from shakespeare_env.shakespeare.box import tables as t

# Phases, each a kind of decision, in the order of the notation.
DRAFT, WAGER, TURN, CRAFT, QUILL, BACK, CHOOSE_QUEEN, OBJECTIVE, REST, OVER = range(10)
PHASE_NAMES = (
    "draft",
    "wager",
    "turn",
    "craft",
    "quill",
    "back",
    "queen",
    "objective",
    "rest",
    "over",
)

# Parts of the game that decisions belong to; `rules/flow.py` decides which part follows.
IN_DRAFT, IN_WAGER, IN_TURNS, IN_MOOD, IN_REHEARSAL, IN_REST, IN_END = range(7)
PART_NAMES = ("draft", "wager", "turn", "mood", "rehearsal", "rest", "over")
# A phase that is not listed here comes in turns only.
PARTS_OF_PHASE = dict.fromkeys(range(OVER), (IN_TURNS,)) | {
    DRAFT: (IN_DRAFT,),
    WAGER: (IN_WAGER,),
    QUILL: (IN_TURNS, IN_MOOD, IN_REHEARSAL),
    BACK: (IN_MOOD,),
    REST: (IN_REST,),
    OVER: (IN_END,),
}

NOBODY = -1
"""Stands for no seat, card, colour or objective."""
HIGH = 127
"""The greatest int8, for counts without a limit of their own."""

MOST = 10_000
"""The most prestige or pounds of a record; both stop there, far beyond any game."""

# fmt: off
# Name, least value, greatest value, shape (a single number if left out), type (int8 if left out).
FIELDS = (
    # ---- fields of more than one byte come first, so that alignment adds little padding ----------
    # bits by space: 1 where the seat's stage is filled
    StateField("stage_filled", 0, (1 << t.N_SPACES) - 1, t.N_SEATS, np.int32),
    StateField("prestige", -MOST, MOST, t.N_SEATS, np.int16),  # can fall below 0 (F4)
    StateField("pounds", 0, MOST, t.N_SEATS, np.int16),
    # ---- the table -------------------------------------------------------------------------------
    StateField("players", 1, t.N_SEATS),
    StateField("strategic_rest", 0, 1),  # P4
    StateField("day", 1, t.N_DAYS),
    StateField("phase", DRAFT, OVER),
    StateField("part", IN_DRAFT, IN_END),
    StateField("to_move", NOBODY, t.N_SEATS - 1),  # the seat that decides; NOBODY when over
    StateField("order", NOBODY, t.N_SEATS - 1, t.N_SEATS),  # first place first, then NOBODY
    StateField("initiative", NOBODY, t.N_SEATS - 1, t.N_SEATS),  # first place first, then NOBODY
    StateField("initiative_len", 0, t.N_SEATS),
    # seats still to be served in the parts mood, rehearsal and rest, next first; then NOBODY
    StateField("queue", NOBODY, t.N_SEATS - 1, t.N_SEATS),
    StateField("queue_len", 0, t.N_SEATS),
    StateField("disc_space", 0, int(t.ACT_LENGTH.max()), (3, t.N_DISCS)),  # 0 if not in play
    # place in its space's pile, 0 at the bottom (T7)
    StateField("disc_height", 0, t.N_DISCS - 1, (3, t.N_DISCS)),
    StateField("display", 0, t.MOST_ELEMENTS, (2, t.N_COLOURS)),  # elements shown, by kind, colour
    StateField("bag", 0, t.MOST_ELEMENTS, (2, t.N_COLOURS)),  # elements still in the bags
    StateField("discarded", 0, t.MOST_ELEMENTS, (2, t.N_COLOURS)),  # elements out of the game (U2)
    StateField("shown", 0, t.N_DECK_CARDS, t.N_DECK),  # character cards shown, copies by deck index
    StateField("deck", 0, t.N_DECK_CARDS, t.N_DECK),  # character cards still to come
    StateField("discarded_cards", 0, t.N_DECK_CARDS, t.N_DECK),  # character cards discarded
    # top first; NOBODY past the last
    StateField("objective_deck", NOBODY, t.N_OBJECTIVES - 1, t.N_OBJECTIVES),
    StateField("objective_deck_len", 0, t.N_OBJECTIVES),
    # the seat that put the card back and knows it, else NOBODY (D3)
    StateField("objective_known", NOBODY, t.N_SEATS - 1, t.N_OBJECTIVES),
    StateField("supply_tokens", 0, t.N_TOKENS),  # "+3" tokens left
    # ---- what the current decision has opened ----------------------------------------------------
    StateField("quills", 0, HIGH),  # white quills still to be placed
    StateField("back", 0, 1),  # 1 while a disc must move back (M2)
    StateField("queen", 0, 1),  # 1 while the Queen's gift is chosen (T17)
    # objectives drawn, NOBODY past the last
    StateField("drawn", NOBODY, t.N_OBJECTIVES - 1, t.QUEEN_OBJECTIVES),
    StateField("drawn_len", 0, t.QUEEN_OBJECTIVES),
    StateField("craft_value", 0, HIGH),  # what may still be spent; 0 when no craft is open
    StateField("craft_costumes", 0, 1),  # 1 if costumes may be taken
    StateField("craft_sets", 0, 1),  # 1 if stage sets may be taken
    StateField("craft_colours", 0, (1 << t.N_COLOURS) - 1),  # bits by colour: what may be taken
    # 1 if nothing need be taken (T10), 0 for one mandatory element (T16, T18)
    StateField("craft_optional", 0, 1),
    # ---- the seats -------------------------------------------------------------------------------
    StateField("tokens", 0, t.N_TOKENS, t.N_SEATS),  # "+3" tokens held
    StateField("mood", t.LOWEST_MOOD, t.HIGHEST_MOOD, t.N_SEATS),  # T15
    StateField("wager", 0, t.N_CYLINDERS, t.N_SEATS),  # 0 before it is chosen
    StateField("cylinders", 0, t.N_CYLINDERS, t.N_SEATS),  # still to be placed today
    StateField("recruited", 0, 1, t.N_SEATS),  # 1 once the seat has recruited today (T2)
    StateField("passed", 0, 1, t.N_SEATS),  # 1 once the seat has passed (T4)
    # the card that the seat keeps free of rest, while all choose in secret (P2); else NOBODY
    StateField("kept", NOBODY, t.N_CARDS - 1, t.N_SEATS),
    StateField("unpaid", 0, t.MAX_TROUPE, t.N_SEATS),  # characters not paid, once over (F3)
    StateField("winners", 0, 1, t.N_SEATS),  # 1 for each winner, once over (F4)
    # objectives in the order kept; NOBODY past the last
    StateField("objectives", NOBODY, t.N_OBJECTIVES - 1, (t.N_SEATS, t.N_OBJECTIVES)),
    StateField("objectives_len", 0, t.N_OBJECTIVES, t.N_SEATS),
    # colour on each space, NOBODY where empty
    StateField("stage", NOBODY, t.N_COLOURS - 1, (t.N_SEATS, t.N_SPACES)),
    StateField("yellow", 0, HIGH, t.N_SEATS),  # yellow elements on stage and costumes (F2)
    StateField("troupe_len", 0, t.MAX_TROUPE, t.N_SEATS),
    # characters in order of arrival; NOBODY past the last
    StateField("card", NOBODY, t.N_CARDS - 1, (t.N_SEATS, t.MAX_TROUPE)),
    StateField("extra", 0, 1, (t.N_SEATS, t.MAX_TROUPE)),  # 1 for a card that lies face down (T2)
    StateField("cylinder", 0, 1, (t.N_SEATS, t.MAX_TROUPE)),  # 1 if activated today
    StateField("rest", 0, 1, (t.N_SEATS, t.MAX_TROUPE)),  # 1 under a rest token
    # colours in ascending order; NOBODY past the last
    StateField("costume", NOBODY, t.N_COLOURS - 1, (t.N_SEATS, t.MAX_TROUPE, t.N_SLOTS)),
    StateField("costume_len", 0, t.N_SLOTS, (t.N_SEATS, t.MAX_TROUPE)),  # elements placed
    # sum of the elements' values; 3 is `t.N_SLOTS`
    StateField("costume_value", 0, 3 * int(t.ELEMENT_VALUE.max()), (t.N_SEATS, t.MAX_TROUPE)),
)
# fmt: on
STATE = state_type(FIELDS)
RANGES = {field.name: field for field in FIELDS}
"""The fields by name, to look up their ranges."""

HIDDEN_FROM_TEXT = ("objective_known",)
"""Fields that text leaves out. This one says which seat knows an objective of the pile."""
