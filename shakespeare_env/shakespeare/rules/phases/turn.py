"""Phase 2, recruitment and activation (section T)."""

from __future__ import annotations

from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.shakespeare import actions
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.rules import boards
from shakespeare_env.shakespeare.rules.phases import rest
from shakespeare_env.shakespeare.rules.phases.craft import open_craft, open_one
from shakespeare_env.shakespeare.state import NOBODY


@rule
def legal(game: Record, mask: Any) -> int:
    """Mark recruiting or, once that is done, passing; and activating (Rules T2 to T4)."""
    seat = game["to_move"]
    count = 0
    if game["recruited"][seat]:
        mask[actions.PASS] = True
        count += 1
    else:
        for index in range(t.N_DECK):
            if game["shown"][index] > 0:
                mask[actions.RECRUIT + index] = True
                mask[actions.EXTRA + index] = True
                count += 2
    if game["cylinders"][seat] > 0:
        for member in range(game["troupe_len"][seat]):
            if can_activate(game, seat, member):
                card = game["card"][seat, member]
                action = actions.ACTIVATE + actions.ACTIVATE_INDEX[card]
                if not mask[action]:  # copies of a card share one move
                    mask[action] = True
                    count += 1
                    if t.IS_CRAFTSMAN[card] and game["tokens"][seat] > 0:
                        mask[actions.ACTIVATE_PLUS_3 + actions.PLUS_3_INDEX[card]] = True
                        count += 1
    return count


@rule
def can_activate(game: Record, seat: int, member: int) -> bool:
    """Return whether a member has no cylinder or rest token, and a power to use (Rules T3)."""
    return (
        game["cylinder"][seat, member] == 0
        and game["rest"][seat, member] == 0
        and game["extra"][seat, member] == 0
        and t.KIND[game["card"][seat, member]] != t.ASSISTANT
    )


@rule
def play(game: Record, action: int) -> None:
    """Recruit, activate or pass (Rules T2 to T4, T9)."""
    seat = game["to_move"]
    if action == actions.PASS:
        game["passed"][seat] = 1
    elif action < actions.EXTRA:
        recruit(game, seat, action - actions.RECRUIT, 0)
    elif action < actions.ACTIVATE:
        recruit(game, seat, action - actions.EXTRA, 1)
    elif action < actions.ACTIVATE_PLUS_3:
        activate(game, seat, actions.ACTIVATE_CARD[action - actions.ACTIVATE], 0)
    else:
        # The token is returned first, since a green set that the action adds to the stage may bring
        # it back to the seat (T9).
        game["tokens"][seat] -= 1
        game["supply_tokens"] += 1
        activate(game, seat, actions.PLUS_3_CARD[action - actions.ACTIVATE_PLUS_3], t.PLUS_3)


@rule
def recruit(game: Record, seat: int, index: int, face_down: int) -> None:
    """Take a shown card, given by deck index, as itself or as an extra, free for now (T2)."""
    game["shown"][index] -= 1
    game["recruited"][seat] = 1
    boards.join(game, seat, t.N_BOARD + index, face_down)


@rule
def activate(game: Record, seat: int, card: int, bonus: int) -> None:
    """Put a cylinder on the first copy of a card that can be activated, and use it (Rules T3)."""
    member = 0
    while game["card"][seat, member] != card or not can_activate(game, seat, member):
        member += 1
    game["cylinder"][seat, member] = 1
    game["cylinders"][seat] -= 1
    kind = t.KIND[card]
    if kind == t.ACTOR:
        take_initiative(game, seat)
        act(game, seat, card)
    elif kind == t.QUEEN:
        game["queen"] = 1  # T17, queen.py
    elif kind == t.JEWELER:
        open_one(game, True, True, t.YELLOW)  # T16, a costume or a set
    else:
        value = t.VALUE[card] + boards.count_assistants(game, seat) + bonus  # T9
        costumes = kind != t.SET_DRESSER
        sets = kind != t.COSTUME_MISTRESS
        open_craft(game, costumes, sets, value)  # T10


@rule
def act(game: Record, seat: int, card: int) -> None:
    """Use an actor's power (Rules T8, T18).

    Coloured quills and other gains come at once. White quills and an element to take are choices
    that the seat makes next.
    """
    for number in range(3):  # the three acts
        boards.advance(game, number, seat, t.QUILLS[card, number])
    boards.shift_mood(game, seat, t.MOOD[card])
    boards.shift_mood_of_others(game, seat, t.OTHERS_MOOD[card])
    boards.gain_pounds(game, seat, t.POUNDS[card])
    boards.gain_prestige(game, seat, t.PRESTIGE[card])
    game["quills"] = t.WHITE[card]
    kind = t.TAKE_KIND[card]
    if kind >= 0:
        open_one(game, kind == t.COSTUME, kind == t.SET, t.TAKE_COLOUR[card])


@rule
def take_initiative(game: Record, seat: int) -> None:
    """Put a seat on the next place of the Initiative track, unless it has one (Rules T5)."""
    placed = game["initiative_len"]
    for rank in range(placed):
        if game["initiative"][rank] == seat:
            return
    game["initiative"][placed] = seat
    game["initiative_len"] = placed + 1


@rule
def complete_initiative(game: Record) -> None:
    """Put the seats that activated no actor on the Initiative track, in Order (Rules T5)."""
    for place in range(game["players"]):
        take_initiative(game, game["order"][place])


@rule
def is_finished(game: Record, seat: int) -> bool:
    """Return whether a seat has passed, or recruited with no cylinder left (Rules T4)."""
    return game["passed"][seat] == 1 or (
        game["recruited"][seat] == 1 and game["cylinders"][seat] == 0
    )


@rule
def next_seat(game: Record) -> int:
    """Return the seat with the next turn, cycling in Order; NOBODY once all are finished (T1)."""
    players = game["players"]
    place = 0
    while game["order"][place] != game["to_move"]:
        place += 1
    for step in range(1, players + 1):
        seat = game["order"][(place + step) % players]
        if not is_finished(game, seat):
            return seat
    return NOBODY


@rule
def score_solo(game: Record) -> None:
    """Score 1 prestige in solo for using only 1 or 2 cylinders (Rules V3)."""
    if 1 <= rest.cylinders_used(game, 0) <= 2:
        boards.gain_prestige(game, 0, 1)
