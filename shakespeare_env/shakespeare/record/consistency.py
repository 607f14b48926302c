"""Fields of a record that follow from others: lengths, padding, sums, what is pending.

Text cannot get these wrong; saved records that were changed can.
"""

from __future__ import annotations

from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.shakespeare import state as s
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.rules.crafting import is_craft_open

NONE = -1
_AT = {field.name: place for place, field in enumerate(s.FIELDS)}
# fmt: off
(
    _PLAYERS, _ORDER, _INITIATIVE, _QUEUE, _PILE, _KNOWN, _DRAWN, _OBJECTIVES, _PART, _TO_MOVE,
    _QUILLS, _BACK, _QUEEN, _CRAFT, _WINNERS, _SPACE, _HEIGHT, _STAGE, _YELLOW, _CARD, _MEMBER,
    _COSTUME, _VALUE,
) = (
    _AT[name]
    for name in (
        "players", "order", "initiative", "queue", "objective_deck", "objective_known", "drawn",
        "objectives", "part", "to_move", "quills", "back", "queen", "craft_value", "winners",
        "disc_space", "disc_height", "stage_filled", "yellow", "card", "extra", "costume",
        "costume_value",
    )
)
# fmt: on


@rule
def odd_field(game: Record) -> int:
    """The place in `FIELDS` of a field at odds with the others, or NONE."""
    odd = odd_list(game)
    if odd == NONE:
        odd = odd_decision(game)
    if odd == NONE:
        odd = odd_disc(game)
    for seat in range(t.N_SEATS):
        if odd == NONE:
            odd = odd_seat(game, seat)
        if odd == NONE:
            odd = odd_troupe(game, seat)
    return odd


@rule
def is_list(values: Any, length: int) -> bool:
    """Whether values are filled up to a length, and NOBODY from there on."""
    odd = 0
    for place in range(len(values)):
        odd += (values[place] != s.NOBODY) != (place < length)
    return odd == 0


@rule
def is_ranking(seats: Any, length: int, players: int) -> bool:
    """Whether a list names `length` different seats at the table."""
    found = 0
    for place in range(length):
        if seats[place] >= players:
            return False
        found |= 1 << max(seats[place], 0)
    count = 0
    for seat in range(players):
        count += (found >> seat) & 1
    return count == length and is_list(seats, length)


@rule
def odd_list(game: Record) -> int:
    """Tracks and objectives."""
    players = game["players"]
    if not is_ranking(game["order"], players, players):
        return _ORDER
    if not is_ranking(game["initiative"], game["initiative_len"], players):
        return _INITIATIVE
    if not is_ranking(game["queue"], game["queue_len"], players):
        return _QUEUE
    if not is_list(game["objective_deck"], game["objective_deck_len"]):
        return _PILE
    if not is_list(game["drawn"], game["drawn_len"]):
        return _DRAWN
    for place in range(t.N_OBJECTIVES):
        known = game["objective_known"][place]
        if known >= (players if place < game["objective_deck_len"] else 0):
            return _KNOWN
    for seat in range(t.N_SEATS):
        if not is_list(game["objectives"][seat], game["objectives_len"][seat]):
            return _OBJECTIVES
    return NONE


@rule
def part_fits(phase: int, part: int) -> bool:
    """Whether a phase comes in a part of the day."""
    if phase == s.DRAFT:
        return part == s.IN_DRAFT
    if phase == s.WAGER:
        return part == s.IN_WAGER
    if phase == s.BACK:
        return part == s.IN_MOOD
    if phase == s.REST:
        return part == s.IN_REST
    if phase == s.OVER:
        return part == s.IN_END
    if phase == s.QUILL and part in (s.IN_MOOD, s.IN_REHEARSAL):
        return True
    return part == s.IN_TURNS


@rule
def odd_decision(game: Record) -> int:
    """The phase, its part and seat, and what is pending in it."""
    phase, part = game["phase"], game["part"]
    over = phase == s.OVER
    if not part_fits(phase, part):
        return _PART
    if game["to_move"] >= game["players"] or (game["to_move"] == s.NOBODY) != over:
        return _TO_MOVE
    if (game["quills"] > 0) != (phase == s.QUILL):
        return _QUILLS
    if (game["back"] == 1) != (phase == s.BACK):
        return _BACK
    if (game["queen"] == 1) != (phase == s.CHOOSE_QUEEN):
        return _QUEEN
    if game["drawn_len"] > 0 and phase != s.OBJECTIVE:
        return _DRAWN
    if is_craft_open(game):
        if (phase != s.CRAFT and phase != s.QUILL) or part != s.IN_TURNS:
            return _CRAFT
        if game["craft_colours"] == 0:
            return _CRAFT
    elif phase == s.CRAFT or (
        game["craft_costumes"] | game["craft_sets"] | game["craft_colours"] | game["craft_optional"]
    ):
        return _CRAFT
    for seat in range(t.N_SEATS):
        if not over and (game["winners"][seat] or game["unpaid"][seat]):
            return _WINNERS
    return NONE


@rule
def odd_disc(game: Record) -> int:
    """Discs: on a space if in play, one at each height of a pile (Rules T7)."""
    for act in range(3):
        spaces, heights = game["disc_space"][act], game["disc_height"][act]
        for disc in range(t.N_DISCS):
            in_play = disc < game["players"] or (disc == t.NEUTRAL and game["players"] == 1)
            if (spaces[disc] > 0) != in_play or spaces[disc] > t.ACT_LENGTH[act]:
                return _SPACE
            beside = 0
            for other in range(t.N_DISCS):
                if in_play and other != disc and spaces[other] == spaces[disc]:
                    beside += 1
                    if heights[other] == heights[disc]:
                        return _HEIGHT
            if heights[disc] > beside:
                return _HEIGHT
    return NONE


@rule
def odd_seat(game: Record, seat: int) -> int:
    """What a stage amounts to; absent seats have nothing."""
    filled = 0
    yellow = 0
    for space in range(t.N_SPACES):
        filled |= int(game["stage"][seat, space] != s.NOBODY) << space
        yellow += game["stage"][seat, space] == t.YELLOW
    if game["stage_filled"][seat] != filled:
        return _STAGE
    for member in range(t.MAX_TROUPE):
        for slot in range(t.N_SLOTS):
            yellow += game["costume"][seat, member, slot] == t.YELLOW
    if game["yellow"][seat] != yellow:
        return _YELLOW
    if seat < game["players"]:
        return NONE
    anything = game["prestige"][seat] | game["pounds"][seat] | game["tokens"][seat]
    anything |= game["mood"][seat] | game["wager"][seat] | game["cylinders"][seat]
    anything |= game["recruited"][seat] | game["passed"][seat] | game["kept"][seat] + 1
    anything |= game["unpaid"][seat] | game["winners"][seat] | game["objectives_len"][seat]
    anything |= game["troupe_len"][seat] | filled
    return NONE if anything == 0 else _PLAYERS


@rule
def odd_troupe(game: Record, seat: int) -> int:
    """Members up to the troupe's length, elements up to a costume's, in colour order."""
    size = game["troupe_len"][seat]
    if not is_list(game["card"][seat], size):
        return _CARD
    for member in range(t.MAX_TROUPE):
        elements = game["costume_len"][seat, member]
        there = game["extra"][seat, member] | game["cylinder"][seat, member]
        if member >= size and (there | game["rest"][seat, member] | elements):
            return _MEMBER
        costume = game["costume"][seat, member]
        if not is_list(costume, elements):
            return _COSTUME
        value = 0
        for slot in range(elements):
            value += t.ELEMENT_VALUE[costume[slot]]
            if slot > 0 and costume[slot] < costume[slot - 1]:
                return _COSTUME
        if game["costume_value"][seat, member] != value:
            return _VALUE
    return NONE
