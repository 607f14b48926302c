"""The moves of a turn: what is legal, what they do (section B)."""

from __future__ import annotations

from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.figaro import actions as a
from shakespeare_env.figaro.box.tables import (
    COLOUR,
    FULL,
    JESTER,
    N_COLOURS,
    N_SEATS,
    N_VALUES,
    NO_COLOUR,
    RING,
    VALUE,
)
from shakespeare_env.figaro.rules.setup import clear_front
from shakespeare_env.figaro.state import NOBODY


@rule
def legal(game: Record, mask: Any) -> int:
    """Mark legal actions in bool[A]; count them (Rules B1 to B5)."""
    mover = game["to_move"]
    players = game["players"]
    hand = game["hand"][mover]
    count = 0
    for colour in range(N_COLOURS):
        owner = owner_of(game, colour)
        for kind in range(colour * N_VALUES, colour * N_VALUES + N_VALUES):
            if hand[kind] == 0:
                continue
            first = a.PLAY + kind * N_SEATS
            if owner != NOBODY:
                mask[first + place_of(mover, owner, players)] = True
                count += 1
                continue
            for place in range(players):
                if game["colour"][seat_at(mover, place, players)] == NO_COLOUR:
                    mask[first + place] = True
                    count += 1
    for kind in range(JESTER, RING):
        if hand[kind]:
            for place in range(players):
                mask[a.PLAY + kind * N_SEATS + place] = True
            count += players
    if hand[RING]:
        mask[a.RING] = True
        count += 1
    if face_up(game):  # B5
        mask[a.TAKE] = True
        count += 1
    return count


@rule
def seat_at(seat: int, place: int, players: int) -> int:
    """The seat `place` seats clockwise."""
    seat += place
    return seat - players if seat >= players else seat


@rule
def place_of(seat: int, other: int, players: int) -> int:
    """Clockwise distance to another seat."""
    return other - seat if other >= seat else other - seat + players


@rule
def owner_of(game: Record, colour: int) -> int:
    """First seat with a colour, or NO_COLOUR, before it; else NOBODY (Rules B2)."""
    for seat in range(game["players"]):
        if game["colour"][seat] == colour:
            return seat
    return NOBODY


@rule
def face_up(game: Record) -> int:
    """Number of face-up cards."""
    cards = 0
    for seat in range(game["players"]):
        cards += game["front_len"][seat]
    return cards


@rule
def play(game: Record, action: int) -> None:
    """Play a legal action and pass the turn (Rules B1 to B6)."""
    mover = game["to_move"]
    players = game["players"]
    if action == a.TAKE:
        take(game, mover)  # and it plays a card at once (B5)
        return
    if action == a.RING:
        lay(game, mover, RING)
        spend(game, mover, RING)
        pass_left(game)
    else:
        kind = (action - a.PLAY) // N_SEATS
        target = seat_at(mover, (action - a.PLAY) % N_SEATS, players)
        lay(game, target, kind)
        spend(game, mover, kind)
        if game["total"][target] >= FULL:
            take(game, target)
            game["to_move"] = target  # it leads (B6)
            return
    game["to_move"] = seat_at(mover, 1, players)


@rule
def spend(game: Record, seat: int, kind: int) -> None:
    """Remove a card from a hand."""
    game["hand"][seat, kind] -= 1
    game["hand_size"][seat] -= 1


@rule
def lay(game: Record, seat: int, kind: int) -> None:
    """Lay a card before a seat; coloured cards colour the pile (Rules B2, B3).

    A card that fills the pile is taken at once instead.
    """
    game["total"][seat] += VALUE[kind]
    if COLOUR[kind] != NO_COLOUR:
        game["colour"][seat] = COLOUR[kind]
    if game["total"][seat] < FULL:
        game["front"][seat, game["front_len"][seat]] = kind
        game["front_len"][seat] += 1
    else:
        game["taken"][seat, kind] += 1
        game["taken_count"][seat] += 1


@rule
def take(game: Record, seat: int) -> None:
    """A seat takes all face-up cards (Rules B5, B6)."""
    for other in range(game["players"]):
        for card in range(game["front_len"][other]):
            game["taken"][seat, game["front"][other, card]] += 1
        game["taken_count"][seat] += game["front_len"][other]
    clear_front(game)


@rule
def pass_left(game: Record) -> None:
    """Pass all face-up cards to the next seats clockwise (Rules B4).

    Totals and colours move along, so nobody has to take (Rules B6).
    """
    last = game["players"] - 1
    for card in range(game["front"].shape[1]):
        carried = game["front"][last, card]
        for seat in range(last, 0, -1):
            game["front"][seat, card] = game["front"][seat - 1, card]
        game["front"][0, card] = carried
    rotate(game["front_len"], last)
    rotate(game["total"], last)
    rotate(game["colour"], last)


@rule
def rotate(values: Any, last: int) -> None:
    """Shift every seat's value to the next seat."""
    carried = values[last]
    for seat in range(last, 0, -1):
        values[seat] = values[seat - 1]
    values[0] = carried


@rule
def has_choice(game: Record, cards: Any) -> bool:
    """Whether a hand, int8[kinds], gives two or more legal moves (Rules D1).

    A playable card is an alternative to taking; on an empty table, any but a ring fits before all.
    """
    playable = 0
    for kind in range(RING + (face_up(game) > 0)):
        playable += cards[kind] > 0 and is_playable(game, kind)
    return bool(playable)


@rule
def fits(game: Record, kind: int, seat: int) -> bool:
    """Whether a coloured card or a jester fits before a seat (Rules B2, B3)."""
    colour = COLOUR[kind]
    if colour == NO_COLOUR or game["colour"][seat] == colour:
        return True
    return game["colour"][seat] == NO_COLOUR and owner_of(game, colour) == NOBODY


@rule
def is_playable(game: Record, kind: int) -> bool:
    """Whether a card fits before any seat (Rules B2 to B4)."""
    if COLOUR[kind] == NO_COLOUR or owner_of(game, COLOUR[kind]) != NOBODY:
        return True
    return owner_of(game, NO_COLOUR) != NOBODY
