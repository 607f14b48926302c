"""A seat's troupe with its costumes, its stage with its elements' effects, and its mood."""

from __future__ import annotations

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.rules.supply import gain_pounds, gain_prestige
from shakespeare_env.shakespeare.state import NOBODY


@rule
def join(game: Record, seat: int, card: int, face_down: int) -> None:
    """Add a character free of charge, face up or face down as an extra (Rules T2)."""
    member = game["troupe_len"][seat]
    game["card"][seat, member] = card
    game["extra"][seat, member] = face_down
    game["troupe_len"][seat] = member + 1


@rule
def assistants(game: Record, seat: int) -> int:
    """Face-up assistants; each adds 1 to the seat's craftsmen (Rules T9)."""
    count = 0
    for member in range(game["troupe_len"][seat]):
        if t.KIND[game["card"][seat, member]] == t.ASSISTANT and game["extra"][seat, member] == 0:
            count += 1
    return count


@rule
def wears_costumes(game: Record, seat: int, member: int) -> bool:
    """Whether a member can wear costumes: actors and extras (Rules T12)."""
    return game["extra"][seat, member] == 1 or t.KIND[game["card"][seat, member]] == t.ACTOR


@rule
def member_of_wearer(game: Record, seat: int, wearer: int) -> int:
    """A costume move's member, or NOBODY: actors by card, extras by hiring order."""
    extras = 0
    for member in range(game["troupe_len"][seat]):
        if game["extra"][seat, member] == 1:
            if wearer == t.N_ACTORS + extras:
                return member
            extras += 1
        elif t.WEARER_OF_CARD[game["card"][seat, member]] == wearer:
            return member
    return NOBODY


@rule
def add_costume(game: Record, seat: int, member: int, colour: int) -> None:
    """Place a costume element for good; the third completes it and pays (T11, T12)."""
    slots = game["costume"][seat, member]
    slot = game["costume_len"][seat, member]
    while slot > 0 and slots[slot - 1] > colour:  # kept in colour order, as the notation lists them
        slots[slot] = slots[slot - 1]
        slot -= 1
    slots[slot] = colour
    if colour == t.YELLOW:
        game["yellow"][seat] += 1
    game["costume_len"][seat, member] += 1
    game["costume_value"][seat, member] += t.ELEMENT_VALUE[colour]
    if game["costume_len"][seat, member] == t.N_SLOTS:
        value = game["costume_value"][seat, member]
        gain_pounds(game, seat, t.GAIN_POUNDS[value])
        gain_prestige(game, seat, t.GAIN_PRESTIGE[value])


@rule
def shift_mood(game: Record, seat: int, steps: int) -> None:
    """Move a seat's mood within its track (Rules T15)."""
    game["mood"][seat] = min(max(game["mood"][seat] + steps, t.LOWEST_MOOD), t.HIGHEST_MOOD)


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
    return (filled >> space) & 1 == 0 and (filled & t.SUPPORTS[space]) == t.SUPPORTS[space]


@rule
def keeps_symmetry(game: Record, seat: int, space: int, colour: int) -> bool:
    """Whether the mirror is empty or matches, or either is yellow (T13)."""
    mirror = t.MIRROR[space]
    if mirror == space or colour == t.YELLOW:
        return True
    opposite = game["stage"][seat, mirror]
    return opposite in (NOBODY, colour, t.YELLOW)


@rule
def add_set(game: Record, seat: int, space: int, colour: int) -> None:
    """Place a set for good: a candle scores, then the element acts (T11, T13, T14)."""
    game["stage"][seat, space] = colour
    game["stage_filled"][seat] |= 1 << space
    if t.CANDLE[space]:
        gain_prestige(game, seat, 1)
    if colour == t.PINK:
        gain_pounds(game, seat, t.PINK_POUNDS)
    elif colour == t.PURPLE:
        shift_mood_of_others(game, seat, t.PURPLE_MOOD)
    elif colour == t.BLUE:
        shift_mood(game, seat, t.BLUE_MOOD)
    elif colour == t.YELLOW:
        game["yellow"][seat] += 1
    elif colour == t.GREEN and game["supply_tokens"] > 0:
        game["supply_tokens"] -= 1
        game["tokens"][seat] += 1
