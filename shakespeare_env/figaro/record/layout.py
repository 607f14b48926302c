"""The layout of an observation: named int8 numbers (Rules D2).

Block `seat0` is the observer's, `seat1` the next seat's clockwise, and so on; absent seats are
zero, so 3 to 6 seats share a layout. Capital names are offsets, in a seat's block or overall.
"""

from __future__ import annotations

from shakespeare_env.core.game import ObservationLayout
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.box.facts import COLOURS

HIGH = 127

_kinds = ", ".join(t.KIND_IDS)
_colours = ", ".join(COLOURS)
_COPIES = int(t.COPIES.max())
_HAND = int(t.HAND.max())
_LONGEST = int(t.LENGTHS[0])

_SEAT_FIELDS = (
    ("present", 1, 0, 1, "1 if the seat is at the table"),
    ("to_move", 1, 0, 1, "1 if it decides now"),
    ("king", 1, 0, 1, "1 if it has the King"),
    ("hand_size", 1, 0, _HAND, "cards in its hand"),
    ("taken_count", 1, 0, t.MAX_DEALT, "cards it has taken this round"),
    ("road_length", 1, 0, min(HIGH, t.N_ROUNDS * _LONGEST), "length of its road"),
    ("road", t.N_ROUNDS, 0, _LONGEST, "pieces of its road, long to short, 0 past the last"),
    ("total", t.FULL, 0, 1, "one-hot: total of the cards before it, 0 to 5"),
    ("colour", t.N_COLOURS, 0, 1, f"one-hot: colour of the cards before it: {_colours}"),
    ("front", t.N_KINDS, 0, _COPIES, f"cards before it: {_kinds}"),
    ("taken", t.N_KINDS, 0, _COPIES, f"cards it has taken this round: {_kinds}"),
)
# fmt: off
_TABLE_FIELDS = (
    ("players", len(range(t.MIN_SEATS, t.N_SEATS + 1)), 0, 1, "one-hot: number of seats, 3 to 6"),
    ("round", t.N_ROUNDS, 0, 1, "one-hot: round"),
    ("pieces", t.N_ROUNDS * t.N_PIECES, 0, _LONGEST,
     "road pieces of the round under way, of the next one and of the one after it, each long to "
     "short, 0 past the last"),
    ("face_up", 1, 0, t.MAX_DEALT, "cards face up before all seats, what a take would bring"),
    ("own_hand", t.N_KINDS, 0, _COPIES, f"cards in the observer's hand: {_kinds}"),
    ("own_unseen", t.N_KINDS, 0, _COPIES, f"cards in the other hands, all together: {_kinds}"),
    ("own_fillers", t.N_SEATS, 0, t.MAX_DEALT,
     "cards in the observer's hand that would make the seat so many places on take (B6)"),
    ("own_threats", t.N_SEATS, 0, t.MAX_DEALT,
     "cards in the other hands, all together, that would do so"),
)
# fmt: on

LAYOUT = ObservationLayout(
    [*((f"seat{i}.{f[0]}", *f[1:]) for i in range(t.N_SEATS) for f in _SEAT_FIELDS), *_TABLE_FIELDS]
)

SEAT_SIZE = sum(f[1] for f in _SEAT_FIELDS)
# fmt: off
(
    PRESENT, TO_MOVE, KING, HAND_SIZE, TAKEN_COUNT, ROAD_LENGTH, ROAD, TOTAL, COLOUR, FRONT, TAKEN,
) = (LAYOUT[f"seat0.{f[0]}"].start for f in _SEAT_FIELDS)
# fmt: on
PLAYERS, ROUND, PIECES, FACE_UP, OWN_HAND, OWN_UNSEEN, OWN_FILLERS, OWN_THREATS = (
    LAYOUT[f[0]].start for f in _TABLE_FIELDS
)
