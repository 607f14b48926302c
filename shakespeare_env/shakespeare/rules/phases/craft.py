"""Taking elements from the display and placing them (Rules T10 to T14).

A craft is a permission to take elements. It is open from the activation that gives it until it is
used up, and the `craft_*` fields describe it. During a game, only this module writes them.
"""

from __future__ import annotations

from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.shakespeare import actions
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.rules import boards


@rule
def open_craft(game: Record, costumes: bool, sets: bool, value: int) -> None:
    """Let the mover take elements up to a total value, of any colour but yellow (Rules T10)."""
    if value > 0:
        optional = 1
        set_craft(game, costumes, sets, value, t.CRAFT_COLOURS, optional)


@rule
def open_one(game: Record, costumes: bool, sets: bool, colour: int) -> None:
    """Make the mover take one element of a colour (Rules T16, T18)."""
    optional = 0
    set_craft(game, costumes, sets, t.ELEMENT_VALUE[colour], 1 << colour, optional)


@rule
def close_craft(game: Record) -> None:
    """End the taking of elements."""
    set_craft(game, False, False, 0, 0, 0)


@rule
def set_craft(
    game: Record, costumes: bool, sets: bool, value: int, colours: int, optional: int
) -> None:
    """Write the `craft_*` fields.

    `colours` has a bit for each colour that may be taken. `optional` is 1 if the mover may stop at
    any time, and 0 if it has to take one element.
    """
    game["craft_value"] = value
    game["craft_costumes"] = costumes
    game["craft_sets"] = sets
    game["craft_colours"] = colours
    game["craft_optional"] = optional


@rule
def spend(game: Record, kind: int, colour: int) -> None:
    """Take an element from the display and pay its value (Rules T10).

    The craft ends after a mandatory element, or when no value is left.
    """
    game["display"][kind, colour] -= 1
    game["craft_value"] -= t.ELEMENT_VALUE[colour]
    if game["craft_value"] == 0 or not game["craft_optional"]:
        close_craft(game)


@rule
def is_craft_open(game: Record) -> bool:
    """Return whether the mover may take elements, whether or not one can be placed."""
    return game["craft_value"] > 0


@rule
def can_take(game: Record, kind: int, colour: int) -> bool:
    """Return whether an element is displayed, permitted and affordable (Rules T10)."""
    return (
        game["display"][kind, colour] > 0
        and (game["craft_colours"] >> colour) & 1 == 1
        and t.ELEMENT_VALUE[colour] <= game["craft_value"]
    )


@rule
def takeable_colours(game: Record, kind: int) -> int:
    """Return the colours of a kind that can be taken, as bits."""
    colours = 0
    for colour in range(t.N_COLOURS):
        if can_take(game, kind, colour):
            colours |= 1 << colour
    return colours


@rule
def legal(game: Record, mask: Any) -> int:
    """Mark the elements that can be taken and placed, and `done` unless one must be taken (T10)."""
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
    """Mark costume elements for the mover's actors and extras with an open slot (T11, T12)."""
    seat = game["to_move"]
    colours = takeable_colours(game, t.COSTUME)
    if colours == 0:
        return 0
    count = 0
    extras = 0
    for member in range(game["troupe_len"][seat]):
        if not boards.wears_costumes(game, seat, member):
            continue
        if game["extra"][seat, member]:
            # Among wearers, extras come after the actors and are numbered by hiring order (T12).
            wearer = t.N_ACTORS + extras
            extras += 1
        else:
            wearer = t.WEARER_OF_CARD[game["card"][seat, member]]
        if game["costume_len"][seat, member] == t.N_SLOTS:
            continue
        for colour in range(t.N_COLOURS):
            if (colours >> colour) & 1:
                mask[actions.COSTUME + colour * t.N_WEARERS + wearer] = True
                count += 1
    return count


@rule
def legal_sets(game: Record, mask: Any) -> int:
    """Mark stage set elements for open spaces where they keep symmetry (Rules T11, T13)."""
    seat = game["to_move"]
    colours = takeable_colours(game, t.SET)
    if colours == 0:
        return 0
    count = 0
    for space in range(t.N_SPACES):
        if not boards.is_open(game, seat, space):
            continue
        for colour in range(t.N_COLOURS):
            if (colours >> colour) & 1 and boards.keeps_symmetry(game, seat, space, colour):
                mask[actions.SET + colour * t.N_SPACES + space] = True
                count += 1
    return count


@rule
def play(game: Record, action: int) -> None:
    """Take and place one element, or stop (Rules T10, T11, T14)."""
    seat = game["to_move"]
    if action == actions.DONE:
        close_craft(game)
    elif action < actions.SET:
        colour, wearer = divmod(action - actions.COSTUME, t.N_WEARERS)
        spend(game, t.COSTUME, colour)
        boards.add_costume(game, seat, boards.member_of_wearer(game, seat, wearer), colour)
    else:
        colour, space = divmod(action - actions.SET, t.N_SPACES)
        spend(game, t.SET, colour)
        boards.add_set(game, seat, space, colour)


@rule
def is_possible(game: Record) -> bool:
    """Return whether any element can be taken and placed.

    If none can, a mandatory element is lost (Rules T16, T18).
    """
    seat = game["to_move"]
    if game["craft_costumes"] and takeable_colours(game, t.COSTUME):
        for member in range(game["troupe_len"][seat]):
            is_open = game["costume_len"][seat, member] < t.N_SLOTS
            if is_open and boards.wears_costumes(game, seat, member):
                return True
    if game["craft_sets"]:
        for colour in range(t.N_COLOURS):
            if not can_take(game, t.SET, colour):
                continue
            for space in range(t.N_SPACES):
                symmetric = boards.keeps_symmetry(game, seat, space, colour)
                if symmetric and boards.is_open(game, seat, space):
                    return True
    return False
