"""Legal moves, their effects, and the end of a round (Rules B and C1)."""

from __future__ import annotations

from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.figaro import actions as a
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.rules.boards import clear_front, face_up, owner_of, place_of, seat_at
from shakespeare_env.figaro.rules.scoring import LAST_ROUND, next_by_road, score_round
from shakespeare_env.figaro.rules.setup import deal
from shakespeare_env.figaro.state import NOBODY


@rule
def legal(game: Record, mask: Any) -> int:
    """Mark the legal actions in bool[A], and return their number (Rules B1 to B5)."""
    mover = game["to_move"]
    players = game["players"]
    hand = game["hand"][mover]
    count = 0
    # Coloured cards go where their colour lies, otherwise where no colour lies (B2).
    for colour in range(t.N_COLOURS):
        owner = owner_of(game, colour)
        # the kinds of this colour, one for each value
        for kind in range(colour * t.N_VALUES, colour * t.N_VALUES + t.N_VALUES):
            if hand[kind] == 0:
                continue
            first = a.PLAY + kind * t.N_SEATS
            if owner != NOBODY:
                mask[first + place_of(mover, owner, players)] = True
                count += 1
                continue
            for place in range(players):
                if game["colour"][seat_at(mover, place, players)] == t.NO_COLOUR:
                    mask[first + place] = True
                    count += 1
    for kind in range(t.JESTER, t.RING):  # B3
        if hand[kind]:
            for place in range(players):
                mask[a.PLAY + kind * t.N_SEATS + place] = True
            count += players
    if hand[t.RING]:  # B4
        mask[a.RING] = True
        count += 1
    if face_up(game):  # B5
        mask[a.TAKE] = True
        count += 1
    return count


@rule
def play_move(game: Record, action: int) -> None:
    """Play a legal action and pass the turn (Rules B1 to B6)."""
    mover = game["to_move"]
    players = game["players"]
    if action == a.TAKE:
        take(game, mover)  # the mover still has to play a card (B5)
        return
    if action == a.RING:
        lay(game, mover, mover, t.RING)
        pass_left(game)
    else:
        kind = (action - a.PLAY) // t.N_SEATS
        target = seat_at(mover, (action - a.PLAY) % t.N_SEATS, players)
        lay(game, mover, target, kind)
        if game["total"][target] >= t.FULL:
            take(game, target)
            game["to_move"] = target  # the seat that takes plays next (B6)
            return
    game["to_move"] = seat_at(mover, 1, players)


@rule
def lay(game: Record, mover: int, seat: int, kind: int) -> None:
    """Lay a card from the mover's hand before a seat.

    If the pile reaches a full total, the seat takes the card at once (Rules B1 to B3, B6).
    """
    game["hand"][mover, kind] -= 1
    game["hand_size"][mover] -= 1
    game["total"][seat] += t.VALUE[kind]
    if t.COLOUR[kind] != t.NO_COLOUR:
        game["colour"][seat] = t.COLOUR[kind]
    if game["total"][seat] < t.FULL:
        game["front"][seat, game["front_len"][seat]] = kind
        game["front_len"][seat] += 1
    else:
        game["taken"][seat, kind] += 1
        game["taken_count"][seat] += 1


@rule
def take(game: Record, seat: int) -> None:
    """Give a seat all face-up cards (Rules B5, B6)."""
    for other in range(game["players"]):
        for card in range(game["front_len"][other]):
            game["taken"][seat, game["front"][other, card]] += 1
        game["taken_count"][seat] += game["front_len"][other]
    clear_front(game)


@rule
def pass_left(game: Record) -> None:
    """Pass every pile to the next seat clockwise; totals stay as they are (Rules B4, B6)."""
    last = game["players"] - 1
    for card in range(t.MAX_FRONT):
        carried = game["front"][last, card]
        for seat in range(last, 0, -1):
            game["front"][seat, card] = game["front"][seat - 1, card]
        game["front"][0, card] = carried
    rotate(game["front_len"], last)
    rotate(game["total"], last)
    rotate(game["colour"], last)


@rule
def rotate(values: Any, last: int) -> None:
    """Pass every seat's value to the next seat, and that of the `last` seat to seat 0."""
    carried = values[last]
    for seat in range(last, 0, -1):
        values[seat] = values[seat - 1]
    values[0] = carried


@rule
def play(game: Record, action: int) -> None:
    """Play a legal action and find the next decision."""
    play_move(game, action)
    if game["hand_size"][game["to_move"]] == 0:
        end_round(game)


@rule
def end_round(game: Record) -> None:
    """Give the King to the seat without cards, score the round, and deal the next (C1, A3, A4).

    After the last round the game ends instead.
    """
    game["king"] = game["to_move"]
    score_round(game)
    if game["round"] == LAST_ROUND:
        end(game)
    else:
        game["round"] += 1
        deal(game)


@rule
def end(game: Record) -> None:
    """End the game; the taken cards stay visible (Rules C1, C4)."""
    game["winners"][next_by_road(game, 0)] = 1  # 0: no seat is ranked yet
    clear_front(game)
    game["hand"][:, :] = 0
    game["hand_size"][:] = 0
    game["to_move"] = NOBODY
