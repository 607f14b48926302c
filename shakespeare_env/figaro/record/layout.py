"""The layout of an observation: named int8 numbers (Rules D2).

The observer's block of numbers, `seat0`, comes first, then that of the next seat clockwise,
`seat1`, and so on. The blocks of absent seats are zero, so that tables of 3 to 6 seats share a
layout.
"""

from __future__ import annotations

from shakespeare_env.core.game import LayoutEntry, ObservationLayout, seat_blocks
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.box.tables import COLOURS

HIGH = 127
"""The greatest int8. Numbers without an upper limit of their own are clipped to it."""
_MOST_COPIES = int(t.COPIES.max())
_LARGEST_HAND = int(t.HAND.max())
_LONGEST = int(t.LENGTHS[0])
_LONGEST_ROAD = min(HIGH, t.N_ROUNDS * _LONGEST)
_SEAT_COUNTS = tuple(str(seats) for seats in range(t.MIN_SEATS, t.N_SEATS + 1))
_TOTALS = tuple(str(total) for total in range(t.FULL))
_ROUNDS = tuple(str(number) for number in range(1, t.N_ROUNDS + 1))

# fmt: off
_SEAT_FIELDS = (
    LayoutEntry("present", 1, 0, 1, "1 if the seat is at the table"),
    LayoutEntry("to_move", 1, 0, 1, "1 if it decides now"),
    LayoutEntry("king", 1, 0, 1, "1 if it has the King"),
    LayoutEntry("hand_size", 1, 0, _LARGEST_HAND, "cards in its hand"),
    LayoutEntry("taken_count", 1, 0, t.MAX_DEALT, "cards it has taken this round"),
    LayoutEntry("road_length", 1, 0, _LONGEST_ROAD, "length of its road"),
    LayoutEntry("road", t.N_ROUNDS, 0, _LONGEST,
                "pieces of its road, long to short, 0 past the last"),
    LayoutEntry("total", t.FULL, 0, 1, "total of the cards in front of it", _TOTALS,
                is_one_hot=True),
    LayoutEntry("colour", t.N_COLOURS, 0, 1, "colour of the cards in front of it", COLOURS,
                is_one_hot=True),
    LayoutEntry("front", t.N_KINDS, 0, _MOST_COPIES, "cards in front of it", t.KIND_IDS),
    LayoutEntry("taken", t.N_KINDS, 0, _MOST_COPIES, "cards it has taken this round", t.KIND_IDS),
)
_TABLE_FIELDS = (
    LayoutEntry("players", len(_SEAT_COUNTS), 0, 1, "number of seats", _SEAT_COUNTS,
                is_one_hot=True),
    LayoutEntry("round", t.N_ROUNDS, 0, 1, "round", _ROUNDS, is_one_hot=True),
    LayoutEntry("pieces", t.N_ROUNDS * t.N_PIECES, 0, _LONGEST,
                "road pieces of the round under way, of the next one and of the one after it, each "
                "long to short, 0 past the last"),
    LayoutEntry("face_up", 1, 0, t.MAX_DEALT,
                "face-up cards of all seats, which a take would bring"),
    LayoutEntry("own_hand", t.N_KINDS, 0, _MOST_COPIES, "cards in the observer's hand", t.KIND_IDS),
    LayoutEntry("own_unseen", t.N_KINDS, 0, _MOST_COPIES, "cards in the other hands, all together",
                t.KIND_IDS),
    LayoutEntry("own_fillers", t.N_SEATS, 0, t.MAX_DEALT,
                "by seat, clockwise from the observer: cards in the observer's hand that would "
                "make that seat take (B6)"),
    LayoutEntry("own_threats", t.N_SEATS, 0, t.MAX_DEALT,
                "by seat, clockwise from the observer: cards in the other hands, all together, "
                "that would make that seat take (B6)"),
)
# fmt: on

LAYOUT = ObservationLayout([*seat_blocks(_SEAT_FIELDS, t.N_SEATS), *_TABLE_FIELDS])
SEAT_SIZE = sum(entry.size for entry in _SEAT_FIELDS)
SEAT_AT = LAYOUT.offsets("seat0.")
"""Where a seat's numbers start in its block, by field."""
TABLE_AT = LAYOUT.offsets()
"""Where the numbers of the table and of the observer's own fields start, by field."""
