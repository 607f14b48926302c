"""One game as a record: shape, range and meaning of every field.

Indices are those of `tables.py`. A batch is an array of records; copying a record copies a game.
"""

from __future__ import annotations

import numpy as np

from shakespeare_env.shakespeare.tables import (
    MAX_TROUPE,
    N_COLOURS,
    N_DECK,
    N_DISCS,
    N_OBJECTIVES,
    N_SEATS,
    N_SLOTS,
    N_SPACES,
    QUEEN_OBJECTIVES,
)

# What is being decided: the phases of the notation, in its order.
DRAFT, WAGER, TURN, CRAFT, QUILL, BACK, CHOOSE_QUEEN, OBJECTIVE, REST, OVER = range(10)
PHASE_NAMES = (
    *("draft", "wager", "turn", "craft", "quill", "back", "queen", "objective", "rest", "over"),
)

# The part of the game a decision belongs to; `flow.py` says what follows it.
IN_DRAFT, IN_WAGER, IN_TURNS, IN_MOOD, IN_REHEARSAL, IN_REST, IN_END = range(7)
PART_NAMES = ("draft", "wager", "turn", "mood", "rehearsal", "rest", "over")

NOBODY = -1

# fmt: off
STATE = np.dtype(
    [
        ("random", np.uint64),  # the game's generator (rng.py)
        # ---- the table ---------------------------------------------------------------------------
        ("stage_filled", np.int32, N_SEATS),  # bits by space: what is filled on each seat's stage
        ("prestige", np.int16, N_SEATS),  # can fall below 0 (F4)
        ("pounds", np.int16, N_SEATS),  # 0 or more
        ("players", np.int8),  # 1 .. 4
        ("strategic_rest", np.int8),  # 0 or 1 (P4)
        ("day", np.int8),  # 1 .. N_DAYS
        ("phase", np.int8),  # DRAFT .. OVER
        ("part", np.int8),  # IN_DRAFT .. IN_END
        ("to_move", np.int8),  # the seat that decides; NOBODY when over
        ("order", np.int8, N_SEATS),  # seats, first place first; NOBODY past the last
        ("initiative", np.int8, N_SEATS),  # likewise, filled up to initiative_len
        ("initiative_len", np.int8),
        # seats still to be served in phases 3, 4 and 6, next first; NOBODY past the last
        ("queue", np.int8, N_SEATS),
        ("queue_len", np.int8),
        ("disc_space", np.int8, (3, N_DISCS)),  # 1 .. length of the act; 0 if not in play
        ("disc_height", np.int8, (3, N_DISCS)),  # place in its space's pile, 0 at the bottom (T7)
        ("display", np.int8, (2, N_COLOURS)),  # elements shown, by kind and colour
        ("bag", np.int8, (2, N_COLOURS)),  # elements still in the bags
        ("discarded", np.int8, (2, N_COLOURS)),  # elements out of the game (U2)
        ("shown", np.int8, N_DECK),  # character cards shown, copies by deck index
        ("deck", np.int8, N_DECK),  # character cards still to come
        ("discarded_cards", np.int8, N_DECK),  # character cards discarded
        ("objective_deck", np.int8, N_OBJECTIVES),  # top first; NOBODY past the last
        ("objective_deck_len", np.int8),
        # the seat that put the card back and knows it, else NOBODY (D3)
        ("objective_known", np.int8, N_OBJECTIVES),
        ("supply_tokens", np.int8),  # "+3" tokens left
        # ---- what the current decision has opened ------------------------------------------------
        ("quills", np.int8),  # white quills still to be placed
        ("back", np.int8),  # 1 while a disc must move back (M2)
        ("queen", np.int8),  # 1 while the Queen's gift is chosen (T17)
        ("drawn", np.int8, QUEEN_OBJECTIVES),  # objectives drawn, NOBODY past the last
        ("drawn_len", np.int8),
        ("craft_value", np.int8),  # what may still be spent; 0 when no craft is open
        ("craft_costumes", np.int8),  # 1 if costumes may be taken
        ("craft_sets", np.int8),  # 1 if stage sets may be taken
        ("craft_colours", np.int8),  # bits by colour: what may be taken
        # 1 if nothing need be taken (T10), 0 for one mandatory element (T16, T18)
        ("craft_optional", np.int8),
        # ---- the seats ---------------------------------------------------------------------------
        ("tokens", np.int8, N_SEATS),  # "+3" tokens held
        ("mood", np.int8, N_SEATS),  # LOWEST_MOOD .. HIGHEST_MOOD (T15)
        ("wager", np.int8, N_SEATS),  # 1 .. N_CYLINDERS, 0 before it is chosen
        ("cylinders", np.int8, N_SEATS),  # still to be placed today
        ("recruited", np.int8, N_SEATS),  # 1 once the day's character has been taken (T2)
        ("passed", np.int8, N_SEATS),  # 1 once the seat has passed (T4)
        # the card that stays free, while secret choices are collected (P2); else NOBODY
        ("kept", np.int8, N_SEATS),
        ("unpaid", np.int8, N_SEATS),  # characters not paid, once over (F3)
        ("winners", np.int8, N_SEATS),  # 1 for each winner, once over (F4)
        # kept, in the order kept; NOBODY past the last
        ("objectives", np.int8, (N_SEATS, N_OBJECTIVES)),
        ("objectives_len", np.int8, N_SEATS),
        ("stage", np.int8, (N_SEATS, N_SPACES)),  # colour on each space, NOBODY where empty
        ("yellow", np.int8, N_SEATS),  # yellow elements on stage and costumes (F2)
        ("troupe_len", np.int8, N_SEATS),
        ("card", np.int8, (N_SEATS, MAX_TROUPE)),  # in order of arrival; NOBODY past the last
        ("extra", np.int8, (N_SEATS, MAX_TROUPE)),  # 1 for a card that lies face down (T2)
        ("cylinder", np.int8, (N_SEATS, MAX_TROUPE)),  # 1 if activated today
        ("rest", np.int8, (N_SEATS, MAX_TROUPE)),  # 1 under a rest token
        # colours, lowest first; NOBODY where open
        ("costume", np.int8, (N_SEATS, MAX_TROUPE, N_SLOTS)),
        ("costume_len", np.int8, (N_SEATS, MAX_TROUPE)),  # elements placed
        ("costume_value", np.int8, (N_SEATS, MAX_TROUPE)),  # sum of their values
    ],
    align=True,
)
# fmt: on

EMPTY_IS_NOBODY = frozenset(
    (
        *("order", "initiative", "queue", "drawn", "objective_deck", "objective_known"),
        *("kept", "objectives", "stage", "card", "costume"),
    )
)
"""Fields that hold NOBODY when empty; the others hold 0."""

HIDDEN_FROM_TEXT = ("random", "objective_known")
"""Omitted from text: future chance, and who remembers which objective."""
