"""What is wrong with a record, if anything: invariants that the compiled rules rely on.

Fields are within their ranges (`state.py`); `words.toml` has the words for faults.
"""

from __future__ import annotations

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.derived.fault_words import tell
from shakespeare_env.figaro import state as s
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.record import faults as f
from shakespeare_env.figaro.record.consistency import NONE, odd_field
from shakespeare_env.figaro.rules.moves import face_up
from shakespeare_env.figaro.rules.scoring import winner_of


@rule
def fault(game: Record) -> int:
    """A record's first fault, as `tell` writes it; 0 if it has none."""
    odd = odd_field(game)
    if odd != NONE:
        return tell(f.AT_ODDS, odd, 0)
    found = colour_fault(game) or card_fault(game) or piece_fault(game) or road_fault(game)
    if found:
        return found
    if game["to_move"] == s.NOBODY:
        return end_fault(game)
    return tell(f.NO_CARDS, 0, 0) if game["hand_size"][game["to_move"]] == 0 else 0


@rule
def colour_fault(game: Record) -> int:
    """Seats have different colours before them (B2)."""
    for seat in range(game["players"]):
        for other in range(seat):
            if game["colour"][seat] != t.NO_COLOUR and (
                game["colour"][seat] == game["colour"][other]
            ):
                return tell(f.SAME_COLOUR, other, seat)
    return 0


@rule
def card_fault(game: Record) -> int:
    """Every dealt card is held, face up or taken; at the end, only taken (Rules A1, C1)."""
    for kind in range(t.N_KINDS):
        count = 0
        for seat in range(game["players"]):
            count += int(game["hand"][seat, kind]) + int(game["taken"][seat, kind])
            for card in range(game["front_len"][seat]):
                count += game["front"][seat, card] == kind
        dealt = t.COPIES[game["players"], kind]
        if count > dealt or (count < dealt and game["to_move"] != s.NOBODY):
            return tell(f.CARDS, kind, 0)
    return 0


@rule
def piece_fault(game: Record) -> int:
    """Every piece is in one place (A2, A3)."""
    longest = t.LENGTHS[0]
    for length in range(1, longest + 1):
        count = 0
        for number in range(t.N_ROUNDS):
            for place in range(t.N_PIECES):
                count += game["pieces"][number, place] == length
            for seat in range(game["players"]):
                count += game["road"][seat, number] == length
        if count > 1:
            return tell(f.SAME_PIECE, length, 0)
        if count == 1 and not is_piece(length):
            return tell(f.NO_PIECE, length, 0)
    return 0


@rule
def is_piece(length: int) -> bool:
    """Whether the box has a road piece of a length."""
    found = 0
    for piece in range(len(t.LENGTHS)):
        found += t.LENGTHS[piece] == length
    return found > 0


@rule
def road_fault(game: Record) -> int:
    """No seat won two pieces in a round (C2)."""
    scored = t.N_ROUNDS if game["to_move"] == s.NOBODY else game["round"]
    given = 0
    for seat in range(game["players"]):
        pieces = 0
        for place in range(t.N_ROUNDS):
            pieces += game["road"][seat, place] > 0
        if pieces > scored:
            return tell(f.ROAD, seat, scored)
        given += pieces
    most = scored * (game["players"] - 1)
    return tell(f.ROADS, most, scored) if given > most else 0


@rule
def end_fault(game: Record) -> int:
    """Hands and fronts are empty; the shortest road has won (C1, C4)."""
    winner = winner_of(game)
    for seat in range(game["players"]):
        if game["hand_size"][seat]:
            return tell(f.HELD, 0, 0)
    if face_up(game):
        return tell(f.FACE_UP, 0, 0)
    for seat in range(game["players"]):
        if (game["winners"][seat] == 1) != (seat == winner):
            return tell(f.WINNERS, winner, 0)
    return 0
