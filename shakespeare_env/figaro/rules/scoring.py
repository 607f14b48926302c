"""The road pieces of a round, and the winner (Rules C2 to C4)."""

from __future__ import annotations

from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.rules.boards import seat_at
from shakespeare_env.figaro.state import NOBODY

LAST_ROUND = t.N_ROUNDS - 1


@rule
def score_round(game: Record) -> None:
    """Award the round's pieces (Rules C2, C3)."""
    if game["round"] == LAST_ROUND:
        swap(game, seat_with_fewest_cards(game))
    pieces = game["pieces"][game["round"]]
    players = game["players"]
    ranked = 0  # seats already ranked, as bits
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
    """Return the seat that took the most cards among those not ranked yet (Rules C2).

    `ranked` has a bit set for each ranked seat. Of tied seats, the first one clockwise after
    the King's seat comes first, and the King's seat comes last.
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
def seat_with_fewest_cards(game: Record) -> int:
    """Return the seat that took the fewest cards; ties go clockwise from the King's seat (C3)."""
    best = game["king"]
    for place in range(1, game["players"]):
        seat = seat_at(game["king"], place, game["players"])
        if game["taken_count"][seat] < game["taken_count"][best]:
            best = seat
    return best


@rule
def swap(game: Record, seat: int) -> None:
    """Swap a seat's longest piece for the round's shortest, unless the seat's is shorter (C3)."""
    pieces = game["pieces"][game["round"]]
    last = game["players"] - 2  # the place of the shortest piece
    longest = game["road"][seat, 0]
    offered = pieces[last]
    if longest < offered:
        return
    for place in range(LAST_ROUND):
        game["road"][seat, place] = game["road"][seat, place + 1]
    game["road"][seat, LAST_ROUND] = 0
    add_piece(game, seat, offered)
    insert(pieces, last, longest)


@rule
def add_piece(game: Record, seat: int, length: int) -> None:
    """Add a piece to a road, whose pieces are sorted long to short."""
    road = game["road"][seat]
    free = 0
    while road[free]:
        free += 1
    insert(road, free, length)


@rule
def insert(lengths: Any, free: int, length: int) -> None:
    """Insert a length into lengths sorted long to short, where place `free` is free."""
    place = free
    while place > 0 and lengths[place - 1] < length:
        lengths[place] = lengths[place - 1]
        place -= 1
    lengths[place] = length


@rule
def road_length(game: Record, seat: int) -> int:
    """Return the length of a road."""
    length = 0
    for place in range(t.N_ROUNDS):
        length += int(game["road"][seat, place])
    return length


@rule
def next_by_road(game: Record, ranked: int) -> int:
    """Return the seat with the shortest road among those not ranked yet (Rules C4).

    `ranked` has a bit set for each ranked seat. Ties go clockwise from the King's seat. With nobody
    ranked, this is the winner.
    """
    best = NOBODY
    for place in range(game["players"]):
        seat = seat_at(game["king"], place, game["players"])
        if (ranked >> seat) & 1:
            continue
        if best == NOBODY or road_length(game, seat) < road_length(game, best):
            best = seat
    return best


@rule
def scores(game: Record, out: Any) -> None:
    """Write negated road lengths, so that more is better, into int16[seats] (Rules C4)."""
    for seat in range(t.N_SEATS):
        out[seat] = -road_length(game, seat)
