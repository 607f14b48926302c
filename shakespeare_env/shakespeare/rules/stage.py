"""A seat's stage, its elements' effects, and mood."""

from __future__ import annotations

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.shakespeare.box.tables import (
    BLUE,
    BLUE_MOOD,
    CANDLE,
    GREEN,
    HIGHEST_MOOD,
    LOWEST_MOOD,
    MIRROR,
    PINK,
    PINK_POUNDS,
    PURPLE,
    PURPLE_MOOD,
    SUPPORTS,
    YELLOW,
)
from shakespeare_env.shakespeare.rules.gains import gain_pounds, gain_prestige
from shakespeare_env.shakespeare.state import NOBODY


@rule
def shift_mood(game: Record, seat: int, steps: int) -> None:
    """Move a seat's mood within its track (Rules T15)."""
    game["mood"][seat] = min(max(game["mood"][seat] + steps, LOWEST_MOOD), HIGHEST_MOOD)


@rule
def shift_mood_of_others(game: Record, seat: int, steps: int) -> None:
    """Move all other moods."""
    for other in range(game["players"]):
        if other != seat:
            shift_mood(game, other, steps)


@rule
def is_open(game: Record, seat: int, space: int) -> bool:
    """Whether a space is empty and fully supported (Rules T13)."""
    filled = game["stage_filled"][seat]
    return (filled >> space) & 1 == 0 and (filled & SUPPORTS[space]) == SUPPORTS[space]


@rule
def keeps_symmetry(game: Record, seat: int, space: int, colour: int) -> bool:
    """Whether the mirror is empty or matches, or either is yellow (T13)."""
    mirror = MIRROR[space]
    if mirror == space or colour == YELLOW:
        return True
    opposite = game["stage"][seat, mirror]
    return opposite in (NOBODY, colour, YELLOW)


@rule
def add_set(game: Record, seat: int, space: int, colour: int) -> None:
    """Place a set for good: a candle scores, then the element acts (T11, T13, T14)."""
    game["stage"][seat, space] = colour
    game["stage_filled"][seat] |= 1 << space
    if CANDLE[space]:
        gain_prestige(game, seat, 1)
    if colour == PINK:
        gain_pounds(game, seat, PINK_POUNDS)
    elif colour == PURPLE:
        shift_mood_of_others(game, seat, PURPLE_MOOD)
    elif colour == BLUE:
        shift_mood(game, seat, BLUE_MOOD)
    elif colour == YELLOW:
        game["yellow"][seat] += 1
    elif colour == GREEN and game["supply_tokens"] > 0:
        game["supply_tokens"] -= 1
        game["tokens"][seat] += 1
