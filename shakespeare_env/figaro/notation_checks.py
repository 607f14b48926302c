"""Invariants that the compiled rules rely on, checked on records read from text."""

from __future__ import annotations

import numpy as np

from shakespeare_env.figaro import state as s
from shakespeare_env.figaro import tables as t
from shakespeare_env.figaro.box import COLOURS
from shakespeare_env.game import Record
from shakespeare_env.reading import refuse


def check_position(game: Record) -> None:
    """Refuse an impossible record.

    Raises:
        PositionError: Names the place, value and remedy.
    """
    check_colours(game)
    check_cards(game)
    check_roads(game)
    if game["to_move"] == s.NOBODY:
        check_end(game)
    elif game["hand_size"][game["to_move"]] == 0:
        refuse(
            "to_move",
            f"seat {game['to_move']} has no cards",
            "the round ends as such a seat begins its turn; give it cards or name another seat",
        )


def check_colours(game: Record) -> None:
    """Seats have different colours before them (B2)."""
    colours = [int(colour) for colour in game["colour"] if colour != t.NO_COLOUR]
    for colour in colours:
        if colours.count(colour) > 1:
            seats = np.flatnonzero(game["colour"] == colour).tolist()
            refuse(
                "front", f"{COLOURS[colour]} before the seats {seats}", "leave it before one seat"
            )


def check_cards(game: Record) -> None:
    """Every dealt card is held, face up or taken; at the end, only taken (Rules A1, C1)."""
    found = game["hand"].sum(axis=0) + game["taken"].sum(axis=0)
    face_up = game["front"][game["front"] != s.NOTHING]
    found += np.bincount(face_up, minlength=t.N_KINDS).astype(found.dtype)
    dealt = t.COPIES[game["players"]]
    over = game["to_move"] == s.NOBODY
    wrong = np.flatnonzero(found > dealt if over else found != dealt)
    for kind in wrong:
        refuse(
            "position",
            f"{found[kind]} copies of {t.KIND_IDS[kind]!r} in hands, face up and taken",
            f"there are {dealt[kind]} with {game['players']} seats",
        )


def check_roads(game: Record) -> None:
    """Every piece is in one place; no seat won two in a round (A2, A3, C2)."""
    lengths = [int(length) for length in np.append(game["pieces"], game["road"]) if length]
    for length in lengths:
        if length not in t.LENGTHS:
            refuse("position", f"no road piece of length {length}", "use those of the box")
        if lengths.count(length) > 1:
            refuse("position", f"the road piece {length} twice", "put it in one place")
    scored = t.N_ROUNDS if game["to_move"] == s.NOBODY else int(game["round"])
    for seat in range(game["players"]):
        pieces = int((game["road"][seat] > 0).sum())
        if pieces > scored:
            refuse(
                f"roads[{seat}]", f"{pieces} pieces after {scored} rounds", "one a round at most"
            )
    given, most = int((game["road"] > 0).sum()), scored * (game["players"] - 1)
    if given > most:
        refuse("roads", f"{given} pieces after {scored} rounds", f"give out {most} at most")


def check_end(game: Record) -> None:
    """Hands and fronts are empty; the shortest road has won (C1, C4)."""
    if game["hand_size"].any():
        refuse("hands", "cards in hand at the end", "empty all hands")
    if game["front_len"].any():
        refuse("front", "cards face up at the end", "empty all fronts")
    players, king = int(game["players"]), int(game["king"])
    lengths = game["road"].sum(axis=1, dtype=int).tolist()
    clockwise = [(king + place) % players for place in range(players)]
    winner = min(clockwise, key=lengths.__getitem__)  # of equals the first
    named = np.flatnonzero(game["winners"]).tolist()
    if named != [winner]:
        refuse("winners", f"{named}", f"seat {winner} has the shortest road; write [{winner}]")
