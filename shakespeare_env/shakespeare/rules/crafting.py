"""What a seat may take from the display.

During play, only this file writes `craft_*`.
"""

from __future__ import annotations

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.shakespeare.box.tables import CRAFT_COLOURS, ELEMENT_VALUE, N_COLOURS


@rule
def open_craft(game: Record, costumes: bool, sets: bool, value: int) -> None:
    """Allow elements up to a value, any but yellow, or none (Rules T10)."""
    if value > 0:
        set_craft(game, costumes, sets, value, CRAFT_COLOURS, 1)


@rule
def open_one(game: Record, costumes: bool, sets: bool, colour: int) -> None:
    """Require one element of a colour (Rules T16, T18)."""
    set_craft(game, costumes, sets, ELEMENT_VALUE[colour], 1 << colour, 0)


@rule
def close_craft(game: Record) -> None:
    """End the craft."""
    set_craft(game, False, False, 0, 0, 0)


@rule
def set_craft(
    game: Record, costumes: bool, sets: bool, value: int, colours: int, optional: int
) -> None:
    """Write the `craft_*` fields."""
    game["craft_value"] = value
    game["craft_costumes"] = costumes
    game["craft_sets"] = sets
    game["craft_colours"] = colours
    game["craft_optional"] = optional


@rule
def spend(game: Record, kind: int, colour: int) -> None:
    """Take a displayed element; a mandatory one, or no value left, ends the craft (T10)."""
    game["display"][kind, colour] -= 1
    game["craft_value"] -= ELEMENT_VALUE[colour]
    if game["craft_value"] == 0 or not game["craft_optional"]:
        close_craft(game)


@rule
def is_craft_open(game: Record) -> bool:
    """Whether a seat may take elements, placeable or not."""
    return game["craft_value"] > 0


@rule
def can_take(game: Record, kind: int, colour: int) -> bool:
    """Whether an element is displayed, permitted and affordable (Rules T10)."""
    return (
        game["display"][kind, colour] > 0
        and (game["craft_colours"] >> colour) & 1 == 1
        and ELEMENT_VALUE[colour] <= game["craft_value"]
    )


@rule
def can_take_colours(game: Record, kind: int) -> int:
    """Bits of the takeable colours of a kind."""
    colours = 0
    for colour in range(N_COLOURS):
        if can_take(game, kind, colour):
            colours |= 1 << colour
    return colours
