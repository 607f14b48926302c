"""Observations: what a seat may know, as the numbers of `layout.py` (Rules D2).

The other hands are added up, since the observer can infer that sum from the cards it has seen.
An observation depends neither on how this sum is divided among the hands nor on the random state.
"""

from __future__ import annotations

from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.record.layout import HIGH, SEAT_AT, SEAT_SIZE, TABLE_AT
from shakespeare_env.figaro.rules.boards import face_up, fits, seat_at
from shakespeare_env.figaro.rules.scoring import road_length


@rule
def observe(game: Record, seat: int, out: Any) -> None:
    """Write what a seat may know into `out`, int8[D] of zeros (Rules D2)."""
    players = game["players"]
    for place in range(players):
        block = out[place * SEAT_SIZE : (place + 1) * SEAT_SIZE]
        observe_seat(game, seat_at(seat, place, players), block)
    for other in range(players):
        start = TABLE_AT.own_hand if other == seat else TABLE_AT.own_unseen
        for kind in range(t.N_KINDS):
            out[start + kind] += game["hand"][other, kind]
    observe_table(game, out)
    observe_fillers(game, seat, out)


@rule
def observe_seat(game: Record, seat: int, out: Any) -> None:
    """Write what is public about a seat, which is everything but its hand (Rules D2)."""
    out[SEAT_AT.present] = 1
    out[SEAT_AT.to_move] = game["to_move"] == seat
    out[SEAT_AT.king] = game["king"] == seat
    out[SEAT_AT.hand_size] = game["hand_size"][seat]
    out[SEAT_AT.taken_count] = game["taken_count"][seat]
    out[SEAT_AT.road_length] = min(road_length(game, seat), HIGH)
    for piece in range(t.N_ROUNDS):
        out[SEAT_AT.road + piece] = game["road"][seat, piece]
    out[SEAT_AT.total + game["total"][seat]] = 1
    if game["colour"][seat] != t.NO_COLOUR:
        out[SEAT_AT.colour + game["colour"][seat]] = 1
    for card in range(game["front_len"][seat]):
        out[SEAT_AT.front + game["front"][seat, card]] += 1
    for kind in range(t.N_KINDS):
        out[SEAT_AT.taken + kind] = game["taken"][seat, kind]


@rule
def observe_table(game: Record, out: Any) -> None:
    """Write the number of seats, the round and the road pieces still to be won (Rules A3)."""
    current = int(game["round"])
    out[TABLE_AT.players + int(game["players"]) - t.MIN_SEATS] = 1
    out[TABLE_AT.round + current] = 1
    out[TABLE_AT.face_up] = face_up(game)
    for place in range(t.N_ROUNDS - current):
        for piece in range(t.N_PIECES):
            length = game["pieces"][current + place, piece]
            out[TABLE_AT.pieces + place * t.N_PIECES + piece] = length


@rule
def observe_fillers(game: Record, seat: int, out: Any) -> None:
    """Write how many cards would bring each seat to a full total, so that it takes (Rules B6).

    `own_fillers` counts those in the observer's hand. `own_threats` counts those in the other
    hands. Both begin with `own` because they depend on the observer's own hand.
    """
    players = game["players"]
    for place in range(players):
        target = seat_at(seat, place, players)
        missing = t.FULL - game["total"][target]
        if missing > t.N_VALUES:  # more than any single card adds
            continue
        for kind in range(t.RING):  # every kind but the ring, which is the last
            if t.VALUE[kind] >= missing and fits(game, kind, target):
                out[TABLE_AT.own_fillers + place] += out[TABLE_AT.own_hand + kind]
                out[TABLE_AT.own_threats + place] += out[TABLE_AT.own_unseen + kind]
