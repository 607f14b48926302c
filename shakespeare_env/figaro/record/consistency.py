"""Fields of a record that follow from others: lengths, padding, sums.

Text cannot get these wrong; saved records that were changed can.
"""

from __future__ import annotations

from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.figaro import state as s
from shakespeare_env.figaro.box import tables as t

NONE = -1
_AT = {field.name: place for place, field in enumerate(s.FIELDS)}
# fmt: off
(
    _PLAYERS, _ROUND, _TO_MOVE, _KING, _PIECES, _HAND_SIZE, _FRONT, _TOTAL, _COLOUR, _TAKEN_COUNT,
    _ROAD, _WINNERS,
) = (
    _AT[name]
    for name in (
        "players", "round", "to_move", "king", "pieces", "hand_size", "front", "total", "colour",
        "taken_count", "road", "winners",
    )
)
# fmt: on


@rule
def odd_field(game: Record) -> int:
    """The place in `FIELDS` of a field at odds with the others, or NONE."""
    players = game["players"]
    over = game["to_move"] == s.NOBODY
    if game["to_move"] >= players:
        return _TO_MOVE
    if game["king"] >= players:
        return _KING
    if over and game["round"] != t.N_ROUNDS - 1:
        return _ROUND
    odd = odd_pieces(game, over)
    for seat in range(t.N_SEATS):
        if odd == NONE:
            odd = odd_seat(game, seat)
        if odd == NONE:
            odd = odd_front(game, seat)
        if odd == NONE and game["winners"][seat] and not over:
            odd = _WINNERS
    return odd


@rule
def is_falling(lengths: Any) -> bool:
    """Whether lengths go from long to short, zeros last."""
    rises = 0
    for place in range(1, len(lengths)):
        rises += lengths[place] > lengths[place - 1]
    return rises == 0


@rule
def odd_pieces(game: Record, over: bool) -> int:
    """Every round to come has its pieces, long to short; scored ones have none (A3)."""
    for number in range(t.N_ROUNDS):
        scored = over or number < game["round"]
        pieces = 0 if scored else game["players"] - 1
        lengths = game["pieces"][number]
        for place in range(t.N_PIECES):
            if (lengths[place] > 0) != (place < pieces):
                return _PIECES
        if not is_falling(lengths):
            return _PIECES
    return NONE


@rule
def odd_seat(game: Record, seat: int) -> int:
    """Sums and order of what a seat has; absent seats have nothing."""
    held, taken = 0, 0
    for kind in range(t.N_KINDS):
        held += int(game["hand"][seat, kind])
        taken += int(game["taken"][seat, kind])
    if game["hand_size"][seat] != held or held > t.HAND[game["players"]]:
        return _HAND_SIZE
    if game["taken_count"][seat] != taken:
        return _TAKEN_COUNT
    if not is_falling(game["road"][seat]):
        return _ROAD
    anything = held | taken | game["front_len"][seat] | game["road"][seat, 0]
    if seat >= game["players"] and (anything | game["winners"][seat]):
        return _PLAYERS
    return NONE


@rule
def odd_front(game: Record, seat: int) -> int:
    """Cards before a seat: one colour, and their total (B2, B3, B6)."""
    total, colour = 0, t.NO_COLOUR
    for place in range(t.MAX_FRONT):
        kind = game["front"][seat, place]
        if (kind != s.NOTHING) != (place < game["front_len"][seat]):
            return _FRONT
        if kind == s.NOTHING:
            continue
        total += t.VALUE[kind]
        if t.COLOUR[kind] != t.NO_COLOUR:
            if colour != t.NO_COLOUR and colour != t.COLOUR[kind]:
                return _COLOUR
            colour = t.COLOUR[kind]
    if game["total"][seat] != total:
        return _TOTAL
    return NONE if game["colour"][seat] == colour else _COLOUR
