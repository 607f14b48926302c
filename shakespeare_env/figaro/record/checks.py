"""Conditions that relate the fields of a position, and that the rules rely on.

`define` derives further checks from `state.py`: of ranges, and of fields that follow from others.
"""

from __future__ import annotations

from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.derived.rules import Check, count
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.rules.boards import face_up
from shakespeare_env.figaro.rules.scoring import next_by_road
from shakespeare_env.figaro.state import NOBODY


@rule
def is_out_of_order(lengths: Any) -> bool:
    """Return whether any length is greater than the one before it; zeros come last."""
    for place in range(1, len(lengths)):
        if lengths[place] > lengths[place - 1]:
            return True
    return False


@rule
def rounds_scored(game: Record) -> int:
    """Return the number of rounds that have been scored."""
    # Rounds are numbered from 0, so the current round's number is how many are over.
    return t.N_ROUNDS if game["to_move"] == NOBODY else int(game["round"])


@rule
def has_wrong_pieces(game: Record) -> bool:
    """Return whether an unscored round lacks pieces or a scored round has some (Rules A3)."""
    for number in range(t.N_ROUNDS):
        lengths = game["pieces"][number]
        wanted = 0 if number < rounds_scored(game) else game["players"] - 1
        # Places without a piece hold the length 0.
        if t.N_PIECES - count(lengths, 0) != wanted or is_out_of_order(lengths):
            return True
    return False


@rule
def has_wrong_roads(game: Record) -> bool:
    """Return whether a road is out of order, or has more pieces than the rounds so far gave out."""
    pieces = 0
    for seat in range(len(game["road"])):
        pieces_of_seat = t.N_ROUNDS - count(game["road"][seat], 0)
        most = rounds_scored(game) if seat < game["players"] else 0
        if pieces_of_seat > most or is_out_of_order(game["road"][seat]):
            return True
        pieces += pieces_of_seat
    return pieces > rounds_scored(game) * (game["players"] - 1)


@rule
def has_duplicate_pieces(game: Record) -> bool:
    """Return whether a road piece lies in two places, or is not in the box."""
    for length in range(1, t.LENGTHS[0] + 1):
        found = count(game["pieces"], length) + count(game["road"], length)
        if found > count(t.LENGTHS, length):
            return True
    return False


@rule
def shares_colour(game: Record) -> bool:
    """Return whether two seats have the same colour before them."""
    for colour in range(t.N_COLOURS):
        if count(game["colour"], colour) > 1:
            return True
    return False


@rule
def has_wrong_cards(game: Record) -> bool:
    """Return whether there are too many cards, or some are missing before the end."""
    for kind in range(t.N_KINDS):
        found = count(game["front"], kind)
        for seat in range(game["players"]):
            found += int(game["hand"][seat, kind]) + int(game["taken"][seat, kind])
        dealt = t.COPIES[game["players"], kind]
        if found > dealt or (found < dealt and game["to_move"] != NOBODY):
            return True
    return False


@rule
def moves_without_cards(game: Record) -> bool:
    """Return whether the seat to move has no cards, which would have ended the round."""
    return game["to_move"] != NOBODY and game["hand_size"][game["to_move"]] == 0


@rule
def ends_early(game: Record) -> bool:
    """Return whether the game is over before its last round, or with cards in hand or face up."""
    cards = face_up(game)
    for seat in range(game["players"]):
        cards += game["hand_size"][seat]
    return game["to_move"] == NOBODY and (cards > 0 or game["round"] < t.N_ROUNDS - 1)


@rule
def has_wrong_winner(game: Record) -> bool:
    """Return whether the game is over and the winner is not the seat with the shortest road."""
    if game["to_move"] != NOBODY:
        return False
    winner = next_by_road(game, 0)
    for seat in range(t.N_SEATS):
        if (game["winners"][seat] == 1) != (seat == winner):
            return True
    return False


CHECKS = (
    Check("front", "a colour lies before one seat at most (Rules B2)", shares_colour),
    Check("hands", "each card dealt is in hand, face up or taken (Rules A1)", has_wrong_cards),
    Check("roads", "each road piece is in one place at most (Rules A2)", has_duplicate_pieces),
    Check(
        "pieces", "a round to come has one piece fewer than seats, long to short", has_wrong_pieces
    ),
    Check("roads", "a round gives a seat one piece at most, laid long to short", has_wrong_roads),
    Check("to_move", "a round ends when a seat without cards would move", moves_without_cards),
    Check(
        "to_move", "the game ends with its last round, without cards in hand or face up", ends_early
    ),
    Check("winners", "the shortest road wins (Rules C4)", has_wrong_winner),
)
