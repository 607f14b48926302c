"""The end of a round and of the game (section C)."""

from __future__ import annotations

from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.figaro.box.tables import N_ROUNDS, N_SEATS
from shakespeare_env.figaro.rules.moves import seat_at
from shakespeare_env.figaro.state import NOBODY

_LAST = N_ROUNDS - 1


@rule
def score_round(game: Record) -> None:
    """Award the round's pieces (Rules C2, C3)."""
    if game["round"] == _LAST:
        swap(game, fewest(game))
    pieces = game["pieces"][game["round"]]
    players = game["players"]
    ranked = 0  # seats that have had their turn, as bits
    for rank in range(players):
        seat = next_in_rank(game, ranked)
        ranked |= 1 << seat
        award(game, seat, pieces[rank] if rank < players - 1 else 0)
    pieces[:] = 0


@rule
def award(game: Record, seat: int, length: int) -> None:
    """Give a seat its piece; the last seat, and one that took nothing, get none (Rules C2)."""
    if length > 0 and game["taken_count"][seat] > 0:
        add_piece(game, seat, length)


@rule
def next_in_rank(game: Record, ranked: int) -> int:
    """Who gets the next piece: most taken, of those unranked (Rules C2).

    Ties go clockwise, the King's seat last.
    """
    best = NOBODY
    for place in range(1, game["players"] + 1):
        seat = seat_at(game["king"], place, game["players"])
        if (ranked >> seat) & 1:
            continue
        if best == NOBODY or game["taken_count"][seat] > game["taken_count"][best]:
            best = seat
    return best


@rule
def fewest(game: Record) -> int:
    """Who took least; ties go clockwise from the King's seat (Rules C3)."""
    best = game["king"]
    for place in range(1, game["players"]):
        seat = seat_at(game["king"], place, game["players"])
        if game["taken_count"][seat] < game["taken_count"][best]:
            best = seat
    return best


@rule
def swap(game: Record, seat: int) -> None:
    """Swap a seat's longest piece if longer than the shortest on offer (Rules C3)."""
    pieces = game["pieces"][game["round"]]
    shortest = game["players"] - 2
    longest = game["road"][seat, 0]
    offered = pieces[shortest]
    if longest < offered:
        return
    for place in range(_LAST):
        game["road"][seat, place] = game["road"][seat, place + 1]
    game["road"][seat, _LAST] = 0
    add_piece(game, seat, offered)
    insert(pieces, shortest, longest)


@rule
def add_piece(game: Record, seat: int, length: int) -> None:
    """Add a piece to a road, long to short."""
    road = game["road"][seat]
    free = 0
    while road[free]:
        free += 1
    insert(road, free, length)


@rule
def insert(lengths: Any, free: int, length: int) -> None:
    """Insert into lengths sorted long to short, where place `free` is free."""
    place = free
    while place > 0 and lengths[place - 1] < length:
        lengths[place] = lengths[place - 1]
        place -= 1
    lengths[place] = length


@rule
def road_length(game: Record, seat: int) -> int:
    """A road's length."""
    length = 0
    for place in range(N_ROUNDS):
        length += int(game["road"][seat, place])
    return length


@rule
def winner_of(game: Record) -> int:
    """Whose road is shortest; ties go clockwise from the King's seat (Rules C4)."""
    winner = game["king"]
    for place in range(1, game["players"]):
        seat = seat_at(game["king"], place, game["players"])
        if road_length(game, seat) < road_length(game, winner):
            winner = seat
    return winner


@rule
def scores(game: Record, out: Any) -> None:
    """Write negated road lengths, so that more is better, into int16[seats] (Rules C4)."""
    for seat in range(N_SEATS):
        out[seat] = -road_length(game, seat)
