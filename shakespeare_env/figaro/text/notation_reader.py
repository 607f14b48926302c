"""Reading text into records; `record/checks.py` finds impossible ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.checks import position_entries as read
from shakespeare_env.checks.values import shown
from shakespeare_env.core.game import Record
from shakespeare_env.figaro import state as s
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.text import notation as n

_KEYS = (
    *("game", "players", "round", "to_move", "king", "hands", "front", "taken", "pieces"),
    *("roads", "winners"),
)
_LAST = t.N_ROUNDS - 1


def from_dict(position: Mapping[str, Any], game: Record) -> None:
    """Write a text position into a record, keeping its random state.

    Raises:
        PositionError: Impossible position; names the place, value and remedy.
    """
    given = read.table(position, "position", _KEYS)
    read.choice(given["game"], "game", (n.NAME,))
    players = read.integer(given["players"], "players", t.MIN_SEATS, t.N_SEATS)
    for name in s.STATE.names or ():
        if name != "random":
            game[name] = s.NOTHING if name in s.EMPTY_IS_NOTHING else 0
    game["players"] = players
    game["round"] = read.integer(given["round"], "round", 1, t.N_ROUNDS) - 1
    game["king"] = read.integer(given["king"], "king", 0, players - 1)
    over = given["to_move"] is None
    game["to_move"] = (
        s.NOBODY if over else read.integer(given["to_move"], "to_move", 0, players - 1)
    )
    for key, read_seat in (
        ("hands", _read_hand),
        ("front", _read_front),
        ("taken", _read_taken),
        ("roads", _read_road),
    ):
        for seat, entry in enumerate(_by_seat(given[key], key, players)):
            read_seat(entry, f"{key}[{seat}]", game, seat)
    _read_pieces(given["pieces"], game)
    _read_winners(given["winners"], game, players, over)


def _by_seat(value: object, where: str, players: int) -> list[Any]:
    entries = read.items(value, where, players)
    if len(entries) < players:
        read.refuse(where, f"{len(entries)} seats", f"describe all {players}")
    return entries


def _read_hand(entry: object, where: str, game: Record, seat: int) -> None:
    if not isinstance(entry, Mapping):
        read.refuse(where, f"{shown(entry)} is not an object", "write card -> count")
    for card, count in entry.items():
        kind = read.choice(card, where, t.KIND_IDS)
        most = int(t.COPIES[game["players"], kind])
        if most == 0:
            read.refuse(
                where,
                f"{shown(card)} is not dealt to {game['players']} seats",
                "leave the card out",
            )
        game["hand"][seat, kind] = read.integer(count, f"{where}.{card}", 1, most)
    cards = int(game["hand"][seat].sum())
    if cards > t.HAND[game["players"]]:
        read.refuse(
            where, f"{cards} cards", f"at most {t.HAND[game['players']]} are dealt to a seat"
        )
    game["hand_size"][seat] = cards


def _read_front(entry: object, where: str, game: Record, seat: int) -> None:
    """Cards as played: one colour, below the total that makes a seat take."""
    kinds = read.choices(entry, where, t.KIND_IDS, t.MAX_FRONT)
    game["front"][seat, : len(kinds)] = kinds
    game["front_len"][seat] = len(kinds)
    total = sum(int(t.VALUE[kind]) for kind in kinds)
    if total >= t.FULL:
        read.refuse(where, f"a total of {total}", f"at {t.FULL} the seat takes everything")
    colours = {int(t.COLOUR[kind]) for kind in kinds} - {t.NO_COLOUR}
    if len(colours) > 1:
        read.refuse(where, f"{shown(entry)} has several colours", "leave one colour before a seat")
    game["total"][seat] = total
    game["colour"][seat] = colours.pop() if colours else t.NO_COLOUR


def _read_taken(entry: object, where: str, game: Record, seat: int) -> None:
    for kind in read.choices(entry, where, t.KIND_IDS, t.MAX_DEALT):
        game["taken"][seat, kind] += 1
    game["taken_count"][seat] = game["taken"][seat].sum()


def _read_road(entry: object, where: str, game: Record, seat: int) -> None:
    """Pieces, long to short."""
    lengths = _lengths(entry, where, t.N_ROUNDS)
    game["road"][seat, : len(lengths)] = lengths


def _read_pieces(value: object, game: Record) -> None:
    """Pieces of every round; scored rounds are empty."""
    rounds = read.items(value, "pieces", t.N_ROUNDS)
    if len(rounds) < t.N_ROUNDS:
        read.refuse("pieces", f"{len(rounds)} rounds", f"describe all {t.N_ROUNDS}")
    a_round = game["players"] - 1
    for number, entry in enumerate(rounds):
        where = f"pieces[{number}]"
        lengths = _lengths(entry, where, t.N_PIECES)
        scored = number < game["round"] or game["to_move"] == s.NOBODY
        if len(lengths) != (0 if scored else a_round):
            remedy = "empty the list, the round is scored" if scored else f"list {a_round} pieces"
            fault = f"{len(lengths)} pieces, and the game is in round {game['round'] + 1}"
            read.refuse(where, fault, remedy)
        game["pieces"][number, : len(lengths)] = lengths


def _lengths(value: object, where: str, most: int) -> list[int]:
    longest = int(t.LENGTHS[0])
    lengths = [
        read.integer(entry, f"{where}[{i}]", 1, longest)
        for i, entry in enumerate(read.items(value, where, most))
    ]
    if lengths != sorted(lengths, reverse=True):
        read.refuse(where, f"{shown(value)} is out of order", "list the pieces long to short")
    return lengths


def _read_winners(value: object, game: Record, players: int, over: bool) -> None:
    if not over:
        if value is not None:
            read.refuse("winners", f"{shown(value)} before the end", "write null")
        return
    if game["round"] != _LAST:
        read.refuse("to_move", f"null in round {game['round'] + 1}", "name the seat to move")
    for seat in read.seats(value, "winners", players):
        game["winners"][seat] = 1
