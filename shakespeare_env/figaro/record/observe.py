"""What a seat may know, as the numbers of `layout.py` (Rules D2).

The other hands form one heap, which the observer can reckon from the cards it has seen; who holds
what never shows, nor does the random state.
"""

from __future__ import annotations

from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.record import layout as at
from shakespeare_env.figaro.rules.moves import face_up, fits, seat_at
from shakespeare_env.figaro.rules.scoring import road_length


@rule
def observe(game: Record, seat: int, out: Any) -> None:
    """Write what a seat may know into int8[D], all 0 before (Rules D2)."""
    players = game["players"]
    for place in range(players):
        block = out[place * at.SEAT_SIZE : (place + 1) * at.SEAT_SIZE]
        observe_seat(game, seat_at(seat, place, players), block)
    observe_table(game, out)
    observe_cards(game, seat, out)
    observe_fillers(game, seat, out)


@rule
def observe_seat(game: Record, seat: int, out: Any) -> None:
    """All of a seat but its hand: the table forgets nothing (Rules D2)."""
    out[at.PRESENT] = 1
    out[at.TO_MOVE] = game["to_move"] == seat
    out[at.KING] = game["king"] == seat
    out[at.HAND_SIZE] = game["hand_size"][seat]
    out[at.TAKEN_COUNT] = game["taken_count"][seat]
    out[at.ROAD_LENGTH] = min(road_length(game, seat), at.HIGH)
    for piece in range(t.N_ROUNDS):
        out[at.ROAD + piece] = game["road"][seat, piece]
    out[at.TOTAL + game["total"][seat]] = 1
    if game["colour"][seat] != t.NO_COLOUR:
        out[at.COLOUR + game["colour"][seat]] = 1
    for card in range(game["front_len"][seat]):
        out[at.FRONT + game["front"][seat, card]] += 1
    for kind in range(t.N_KINDS):
        out[at.TAKEN + kind] = game["taken"][seat, kind]


@rule
def observe_table(game: Record, out: Any) -> None:
    """Table size, round and pieces to be had (Rules A3)."""
    later = int(game["round"])
    out[at.PLAYERS + int(game["players"]) - t.MIN_SEATS] = 1
    out[at.ROUND + later] = 1
    out[at.FACE_UP] = face_up(game)
    for place in range(t.N_ROUNDS - later):
        for piece in range(t.N_PIECES):
            out[at.PIECES + place * t.N_PIECES + piece] = game["pieces"][later, piece]
        later += 1


@rule
def observe_cards(game: Record, seat: int, out: Any) -> None:
    """The observer's hand, and the others' together (Rules D2)."""
    for kind in range(t.N_KINDS):
        out[at.OWN_HAND + kind] = game["hand"][seat, kind]
    for other in range(game["players"]):
        if other != seat:
            for kind in range(t.N_KINDS):
                out[at.OWN_UNSEEN + kind] += game["hand"][other, kind]


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
                out[at.OWN_FILLERS + place] += out[at.OWN_HAND + kind]
                out[at.OWN_THREATS + place] += out[at.OWN_UNSEEN + kind]
