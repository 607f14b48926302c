"""What a seat may know, as named int8 numbers, and what it may not, drawn anew (Rules D2).

Block `seat0` is the observer's, `seat1` the next seat's clockwise, and so on; absent seats are
zero, so 3 to 6 seats share a layout. Capital names are offsets, in a seat's block or overall. The
other hands form one heap, which the observer can reckon from the cards it has seen; who holds what
never shows, nor does the random state.
"""

from __future__ import annotations

from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import ObservationLayout, Record
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.box.tables import COLOURS
from shakespeare_env.figaro.rules import face_up, fits, give, has_choice, road_length, seat_at
from shakespeare_env.figaro.state import NOBODY

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


@rule
def observe(game: Record, seat: int, out: Any) -> None:
    """Write what a seat may know into int8[D], all 0 before (Rules D2)."""
    players = game["players"]
    for place in range(players):
        block = out[place * SEAT_SIZE : (place + 1) * SEAT_SIZE]
        observe_seat(game, seat_at(seat, place, players), block)
    for other in range(players):
        heap = OWN_HAND if other == seat else OWN_UNSEEN
        for kind in range(t.N_KINDS):
            out[heap + kind] += game["hand"][other, kind]
    observe_table(game, out)
    observe_fillers(game, seat, out)


@rule
def observe_seat(game: Record, seat: int, out: Any) -> None:
    """All of a seat but its hand: the table forgets nothing (Rules D2)."""
    out[PRESENT] = 1
    out[TO_MOVE] = game["to_move"] == seat
    out[KING] = game["king"] == seat
    out[HAND_SIZE] = game["hand_size"][seat]
    out[TAKEN_COUNT] = game["taken_count"][seat]
    out[ROAD_LENGTH] = min(road_length(game, seat), HIGH)
    for piece in range(t.N_ROUNDS):
        out[ROAD + piece] = game["road"][seat, piece]
    out[TOTAL + game["total"][seat]] = 1
    if game["colour"][seat] != t.NO_COLOUR:
        out[COLOUR + game["colour"][seat]] = 1
    for card in range(game["front_len"][seat]):
        out[FRONT + game["front"][seat, card]] += 1
    for kind in range(t.N_KINDS):
        out[TAKEN + kind] = game["taken"][seat, kind]


@rule
def observe_table(game: Record, out: Any) -> None:
    """Table size, round and pieces to be had (Rules A3)."""
    later = int(game["round"])
    out[PLAYERS + int(game["players"]) - t.MIN_SEATS] = 1
    out[ROUND + later] = 1
    out[FACE_UP] = face_up(game)
    for place in range(t.N_ROUNDS - later):
        for piece in range(t.N_PIECES):
            out[PIECES + place * t.N_PIECES + piece] = game["pieces"][later, piece]
        later += 1


@rule
def observe_fillers(game: Record, seat: int, out: Any) -> None:
    """Who could be made to take, and by how many remaining cards (Rules B6)."""
    players = game["players"]
    for place in range(players):
        target = seat_at(seat, place, players)
        lacks = t.FULL - game["total"][target]
        if lacks > t.N_VALUES:
            continue
        for kind in range(t.RING):
            if t.VALUE[kind] >= lacks and fits(game, kind, target):
                out[OWN_FILLERS + place] += out[OWN_HAND + kind]
                out[OWN_THREATS + place] += out[OWN_UNSEEN + kind]


@rule
def determinize(game: Record, seat: int) -> None:
    """Redraw, from game["random"], all that a seat does not know.

    Every deal of the unseen cards that leaves the mover a choice is equally likely: the observer
    knows that who is asked has one (Rules D1). The random state decides future deals. Cards are
    gathered by kind before dealing, so their true holders have no influence.
    """
    mover = game["to_move"]
    left = 0
    for other in range(game["players"]):
        if other != seat:
            left += game["hand_size"][other]
            put_back(game, other)
    if mover != seat and mover != NOBODY:
        # A position in text may hold a decision with one legal move: then no deal may leave two.
        can_choose = has_choice(game, game["dealt"])
        cards = game["hand_size"][mover]
        deal_again(game, mover, left)
        while can_choose and not has_choice(game, game["hand"][mover]):
            put_back(game, mover)
            deal_again(game, mover, left)
        left -= cards
    for other in range(game["players"]):
        if other != seat and other != mover:
            deal_again(game, other, left)
            left -= game["hand_size"][other]


@rule
def put_back(game: Record, seat: int) -> None:
    """Return a hand to the cards to be dealt; its size stays."""
    for kind in range(t.N_KINDS):
        game["dealt"][kind] += game["hand"][seat, kind]
        game["hand"][seat, kind] = 0


@rule
def deal_again(game: Record, seat: int, left: int) -> None:
    """Deal a seat as many of the `left` undealt cards as it had."""
    cards = game["hand_size"][seat]
    game["hand_size"][seat] = 0
    give(game, seat, cards, left)
