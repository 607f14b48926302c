"""Taking elements from the display and placing them."""

from __future__ import annotations

from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.shakespeare import actions
from shakespeare_env.shakespeare.box.tables import (
    COSTUME,
    N_ACTORS,
    N_COLOURS,
    N_SLOTS,
    N_SPACES,
    N_WEARERS,
    SET,
    WEARER_OF_CARD,
)
from shakespeare_env.shakespeare.rules.crafting import (
    can_take,
    can_take_colours,
    close_craft,
    spend,
)
from shakespeare_env.shakespeare.rules.stage import add_set, is_open, keeps_symmetry
from shakespeare_env.shakespeare.rules.troupe import add_costume, member_of_wearer, wears_costumes


@rule
def legal(game: Record, mask: Any) -> int:
    """Affordable elements that can be placed; `done` unless one is mandatory (Rules T10)."""
    count = 0
    if game["craft_costumes"]:
        count += legal_costumes(game, mask)
    if game["craft_sets"]:
        count += legal_sets(game, mask)
    if game["craft_optional"]:
        mask[actions.DONE] = True
        count += 1
    return count


@rule
def legal_costumes(game: Record, mask: Any) -> int:
    """Costumes for own actors and extras with an open slot (Rules T11, T12)."""
    seat = game["to_move"]
    colours = can_take_colours(game, COSTUME)
    if colours == 0:
        return 0
    count = 0
    extras = 0
    for member in range(game["troupe_len"][seat]):
        if not wears_costumes(game, seat, member):
            continue
        if game["extra"][seat, member]:
            wearer = N_ACTORS + extras
            extras += 1
        else:
            wearer = WEARER_OF_CARD[game["card"][seat, member]]
        if game["costume_len"][seat, member] == N_SLOTS:
            continue
        for colour in range(N_COLOURS):
            if (colours >> colour) & 1:
                mask[actions.COSTUME + colour * N_WEARERS + wearer] = True
                count += 1
    return count


@rule
def legal_sets(game: Record, mask: Any) -> int:
    """Stage sets for open spaces, keeping symmetry (Rules T11, T13)."""
    seat = game["to_move"]
    colours = can_take_colours(game, SET)
    if colours == 0:
        return 0
    count = 0
    for space in range(N_SPACES):
        if not is_open(game, seat, space):
            continue
        for colour in range(N_COLOURS):
            if (colours >> colour) & 1 and keeps_symmetry(game, seat, space, colour):
                mask[actions.SET + colour * N_SPACES + space] = True
                count += 1
    return count


@rule
def play(game: Record, action: int) -> None:
    """Take and place one element, or stop (Rules T10, T11, T14)."""
    seat = game["to_move"]
    if action == actions.DONE:
        close_craft(game)
    elif action < actions.SET:
        colour, wearer = divmod(action - actions.COSTUME, N_WEARERS)
        spend(game, COSTUME, colour)
        add_costume(game, seat, member_of_wearer(game, seat, wearer), colour)
    else:
        colour, space = divmod(action - actions.SET, N_SPACES)
        spend(game, SET, colour)
        add_set(game, seat, space, colour)


@rule
def is_possible(game: Record) -> bool:
    """Whether anything can be taken; mandatory elements without a place are lost (T16, T18)."""
    seat = game["to_move"]
    if game["craft_costumes"]:
        wearers = 0
        for member in range(game["troupe_len"][seat]):
            if wears_costumes(game, seat, member) and game["costume_len"][seat, member] < N_SLOTS:
                wearers += 1
        for colour in range(N_COLOURS):
            if wearers > 0 and can_take(game, COSTUME, colour):
                return True
    if game["craft_sets"]:
        for colour in range(N_COLOURS):
            if can_take(game, SET, colour):
                for space in range(N_SPACES):
                    if is_open(game, seat, space) and keeps_symmetry(game, seat, space, colour):
                        return True
    return False
