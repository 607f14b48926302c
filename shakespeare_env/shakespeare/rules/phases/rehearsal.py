"""Phase 4, dress rehearsal, on days 4 and 6 (section R)."""

from __future__ import annotations

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.rules import boards


@rule
def is_today(game: Record) -> bool:
    """Return whether today ends with a rehearsal (section R)."""
    return game["day"] == t.FIRST_REHEARSAL or game["day"] == t.N_DAYS


@rule
def serve(game: Record) -> None:
    """Use the powers of the mover's complete costumes; their wearers may be resting (Rules R1).

    Coloured quills and gains come first (Rules T8). Then the seat places its white quills one by
    one; `quills` counts those left.
    """
    seat = game["to_move"]
    white_quills = 0
    for member in range(game["troupe_len"][seat]):
        if game["costume_len"][seat, member] == t.N_SLOTS:
            white_quills += use_costume(game, seat, member)
    game["quills"] = white_quills


@rule
def use_costume(game: Record, seat: int, member: int) -> int:
    """Use the power of a complete costume, and return its white quills (Rules R1)."""
    # The row of the costume tables: all extras share one, and each other card has its own.
    row = t.EXTRA if game["extra"][seat, member] else game["card"][seat, member]
    for act in range(3):
        boards.advance(game, act, seat, t.COSTUME_QUILLS[row, act])
    boards.gain_pounds(game, seat, t.COSTUME_POUNDS[row])
    boards.gain_prestige(game, seat, t.COSTUME_PRESTIGE[row])
    return t.COSTUME_WHITE[row]


@rule
def score_acts(game: Record) -> None:
    """Score the acts for all seats; neutral discs take places but score nothing (R2, V4)."""
    for seat in range(game["players"]):
        for act in range(3):
            score_grey_space(game, seat, act)
            if act == t.ACT_II:
                score_place(game, seat, boards.discs_ahead(game, act, seat))
            else:
                score_space(game, seat, act)


@rule
def score_grey_space(game: Record, seat: int, act: int) -> None:
    """Take prestige from a seat on the first spaces of an act, the grey ones (Rules R2)."""
    if game["disc_space"][act, seat] <= t.GREY_SPACES:
        boards.gain_prestige(game, seat, t.GREY_PRESTIGE)


@rule
def score_space(game: Record, seat: int, act: int) -> None:
    """Give a seat the pounds of its space on Act I, or the prestige on Act III (Rules R2)."""
    space = game["disc_space"][act, seat]
    if act == t.ACT_I:
        boards.gain_pounds(game, seat, t.ACT_I_POUNDS[space])
    else:
        boards.gain_prestige(game, seat, t.ACT_III_PRESTIGE[space])


@rule
def score_place(game: Record, seat: int, place: int) -> None:
    """Give a seat the prestige of its place on Act II, 0 being first (Rules R2)."""
    if place < len(t.ACT_II_PRESTIGE):
        boards.gain_prestige(game, seat, t.ACT_II_PRESTIGE[place])


@rule
def move_neutral_discs(game: Record) -> None:
    """Move the neutral discs on after the first rehearsal, to the tops of piles (Rules V2)."""
    for act in range(3):
        boards.place(game, act, t.NEUTRAL, t.NEUTRAL_LATER)
