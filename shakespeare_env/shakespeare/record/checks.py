"""The rule that finds the first fault of a record. A fault breaks what the other rules rely on.

Fields are taken to be within their ranges (`state.py`). Some positions that no game reaches pass,
since the rules can play them: with bags and a deck of any size (an empty bag yields nothing, U2),
with fewer characters than days, or with other cylinders than were wagered.

Functions named `..._fault` return a `FaultCode`, or 0 if they find nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Self

import numpy as np

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.derived.rules import count
from shakespeare_env.shakespeare import state as s
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.rules.boards import keeps_symmetry, wears_costumes
from shakespeare_env.shakespeare.rules.phases import rehearsal, rest, turn
from shakespeare_env.shakespeare.rules.phases.craft import is_craft_open
from shakespeare_env.shakespeare.rules.scoring import is_beaten

_PARTS = np.array([sum(1 << part for part in parts) for parts in s.PARTS_OF_PHASE.values()])
"""int[phase]: a bit mask of the parts of the game in which the phase comes."""


class FaultCode(IntEnum):
    """The faults that a record may have.

    Attributes:
        field: The field to correct.
        says: What must hold for the field.
    """

    field: str
    says: str

    def __new__(cls, field: str, says: str) -> Self:
        """Return the next code; codes count from 1, since 0 stands for no fault."""
        number = len(cls.__members__) + 1
        code = int.__new__(cls, number)
        code._value_ = number
        code.field = field
        code.says = says
        return code

    INVALID_ORDER = "order", "each seat has one place in Order"
    INVALID_INITIATIVE = "initiative", "a seat has one place at most on the Initiative track"
    INVALID_QUEUE = "queue", "a seat waits once at most in the queue"
    GAP_IN_PILE = "objective_deck", "the pile of objectives has no gaps"
    GAP_IN_DRAWN = "drawn", "the objectives drawn have no gaps"
    KNOWN_BY_ABSENT_SEAT = (
        "objective_known",
        "only a seat at the table knows an objective of the pile (Rules D3)",
    )
    GAP_IN_OBJECTIVES = "objectives", "a seat's objectives have no gaps"
    WRONG_PART = "part", "every phase belongs to certain parts of the game"
    WRONG_MOVER = "to_move", "a seat at the table decides, and nobody once the game is over"
    QUILLS_OUT_OF_PHASE = "quills", "white quills are placed in the phase 'quill'"
    BACK_OUT_OF_PHASE = "back", "a disc moves back in the phase 'back'"
    QUEEN_OUT_OF_PHASE = "queen", "the Queen's gift is chosen in the phase 'queen'"
    DRAWN_OUT_OF_PHASE = "drawn", "objectives are drawn in the phase 'objective'"
    CRAFT_OUT_OF_PHASE = (
        "craft_value",
        "elements of some colour are taken in the phase 'craft', or after an actor's white quills",
    )
    CRAFT_WITHOUT_VALUE = (
        "craft_value",
        "the phase 'craft' has a value to spend; without one, nothing may be taken",
    )
    DISC_OFF_ACT = "disc_space", "discs in play are on a space of each act"
    INVALID_DISC_PILE = "disc_height", "discs on a space lie in one pile (Rules T7)"
    ABSENT_SEAT_NOT_EMPTY = "players", "a seat that is not at the table has nothing"
    WRONG_FILLED_SPACES = "stage_filled", "its bits are the spaces of the stage that are filled"
    INVALID_STAGE = (
        "stage",
        "an element rests on filled spaces and matches its mirror, or is yellow (Rules T13)",
    )
    INVALID_TROUPE = "card", "a troupe has the board's characters, and no gaps (Rules S2)"
    WRONG_YELLOW = "yellow", "it counts the yellow elements on stage and costumes"
    UNSORTED_COSTUME = "costume", "the elements of a costume are in order of colour"
    WRONG_COSTUME_VALUE = "costume_value", "it is the sum of the elements' values"
    UNUSED_PLACE_NOT_EMPTY = "extra", "places of a troupe without a character are empty"
    WRONG_BOARD = "card", "the board's characters come first, face up (Rules S2)"
    CANNOT_WEAR = "costume", "only actors and extras wear costumes (Rules T12)"
    CANNOT_BE_ACTIVATED = (
        "cylinder",
        "extras and assistants have no cylinder and no rest token (Rules T3, P2)",
    )
    TOO_MANY_EXTRAS = "extra", "there is room for an extra on every day to come"
    TROUPE_TOO_LARGE = "troupe_len", "there is room for all characters still to come"
    WRONG_CARDS = (
        "deck",
        "every character card is in the deck, shown, discarded or in a troupe (Rules S5)",
    )
    WRONG_ELEMENTS = (
        "bag",
        "every element is in a bag, on display, discarded, on a stage or on a costume (Rules S4)",
    )
    WRONG_OBJECTIVES = (
        "objective_deck",
        "every objective is in the pile, drawn or with a seat (Rules S6, T17)",
    )
    WRONG_TOKENS = "supply_tokens", 'every "+3" token is in the supply or with a seat'
    INVALID_WAGERS = (
        "wager",
        "seats wager in Order, for the day; not in the draft or in solo (Rules W1, D2, V1)",
    )
    TOO_MANY_CYLINDERS = (
        "cylinders",
        f"a seat has {t.N_CYLINDERS} cylinders, used ones included, and none before wagers are "
        "revealed",
    )
    INITIATIVE_INCOMPLETE = (
        "initiative",
        "all seats are on the Initiative track, except during turns (Rules T5)",
    )
    STRATEGIC_REST_IN_SOLO = "strategic_rest", "strategic rest needs two seats (Rules P4)"
    WAGER_IN_SOLO = "phase", "there is no wager in solo (Rules V1)"
    WRONG_QUEUE = (
        "queue",
        "the seats after the mover in Order, or by Initiative, wait (Rules M2, R1, P4)",
    )
    WRONG_KEPT = (
        "kept",
        "seats before the mover that used two characters or more have chosen one (Rules P2, D2)",
    )
    ENDS_EARLY = "day", f"the game ends on day {t.N_DAYS}"
    PHASE_ON_WRONG_DAY = "day", "the draft comes on day 1, rest on a later one"
    MOVER_HAS_NO_CHOICE = "to_move", "the seat to move still has a choice (Rules T4, P2)"
    REHEARSAL_ON_WRONG_DAY = ("day", f"rehearsals come on days {t.FIRST_REHEARSAL} and {t.N_DAYS}")
    TOO_FEW_SHOWN = "shown", "a card is shown for each seat that still takes one"
    WRONG_WINNERS = "winners", "at the end, nobody beats a winner (Rules F4)"
    UNPAID_BEFORE_END = "unpaid", "characters go unpaid at the end (Rules F3)"


FAULTS: Mapping[IntEnum, tuple[str, str]] = {code: (code.field, code.says) for code in FaultCode}
"""The field to correct and what must hold for it, by fault."""


@rule
def fault(game: Record) -> int:
    """Return a record's first fault, or 0.

    A check runs only if those before it found nothing, since it may rely on what they check.
    """
    found = list_fault(game) or phase_fault(game) or disc_fault(game)
    for seat in range(t.N_SEATS):
        found = found or stage_fault(game, seat) or troupe_fault(game, seat)
        found = found or absence_fault(game, seat)
    found = found or supply_fault(game) or day_fault(game) or track_fault(game)
    found = found or rest_fault(game) or decision_fault(game) or room_fault(game)
    return found or winner_fault(game)


# ---- fields that follow from others: lengths, padding, sums, what is pending ---------------------
@rule
def is_list(values: Any, length: int) -> bool:
    """Return whether values are filled up to a length, and NOBODY (nothing) from there on."""
    wrong = 0
    for place in range(len(values)):
        wrong += (values[place] != s.NOBODY) != (place < length)
    return wrong == 0


@rule
def is_ranking(seats: Any, length: int, players: int) -> bool:
    """Return whether a list names `length` different seats at the table."""
    for place in range(length):
        if seats[place] >= players:
            return False
        for before in range(place):
            if seats[place] == seats[before]:
                return False
    return is_list(seats, length)


@rule
def list_fault(game: Record) -> int:
    """Check the tracks and the lists of objectives."""
    players = game["players"]
    if not is_ranking(game["order"], players, players):
        return FaultCode.INVALID_ORDER
    if not is_ranking(game["initiative"], game["initiative_len"], players):
        return FaultCode.INVALID_INITIATIVE
    if not is_ranking(game["queue"], game["queue_len"], players):
        return FaultCode.INVALID_QUEUE
    if not is_list(game["objective_deck"], game["objective_deck_len"]):
        return FaultCode.GAP_IN_PILE
    if not is_list(game["drawn"], game["drawn_len"]):
        return FaultCode.GAP_IN_DRAWN
    for place in range(t.N_OBJECTIVES):
        # Past the end of the pile, no seat may be named: only NOBODY is below 0.
        known = game["objective_known"][place]
        if known >= (players if place < game["objective_deck_len"] else 0):
            return FaultCode.KNOWN_BY_ABSENT_SEAT
    for seat in range(t.N_SEATS):
        if not is_list(game["objectives"][seat], game["objectives_len"][seat]):
            return FaultCode.GAP_IN_OBJECTIVES
    return 0


@rule
def phase_fault(game: Record) -> int:
    """Check the phase, its part of the game, the seat to move, and what is pending."""
    phase = game["phase"]
    part = game["part"]
    if not (_PARTS[phase] >> part) & 1:
        return FaultCode.WRONG_PART
    if game["to_move"] >= game["players"] or (game["to_move"] == s.NOBODY) != (phase == s.OVER):
        return FaultCode.WRONG_MOVER
    if (game["quills"] > 0) != (phase == s.QUILL):
        return FaultCode.QUILLS_OUT_OF_PHASE
    if (game["back"] == 1) != (phase == s.BACK):
        return FaultCode.BACK_OUT_OF_PHASE
    if (game["queen"] == 1) != (phase == s.CHOOSE_QUEEN):
        return FaultCode.QUEEN_OUT_OF_PHASE
    if game["drawn_len"] > 0 and phase != s.OBJECTIVE:
        return FaultCode.DRAWN_OUT_OF_PHASE
    may_craft = phase == s.CRAFT or (phase == s.QUILL and part == s.IN_TURNS)
    may_take = game["craft_costumes"] | game["craft_sets"] | game["craft_optional"]
    if is_craft_open(game):
        if not may_craft or not game["craft_colours"]:
            return FaultCode.CRAFT_OUT_OF_PHASE
    elif phase == s.CRAFT or may_take | game["craft_colours"]:
        return FaultCode.CRAFT_WITHOUT_VALUE
    return 0


@rule
def disc_fault(game: Record) -> int:
    """Check that discs in play are on a space, one at each height of a pile (Rules T7)."""
    for act in range(3):
        spaces = game["disc_space"][act]
        heights = game["disc_height"][act]
        for disc in range(t.N_DISCS):
            in_play = disc < game["players"] or (disc == t.NEUTRAL and game["players"] == 1)
            if (spaces[disc] > 0) != in_play or spaces[disc] > t.ACT_LENGTH[act]:
                return FaultCode.DISC_OFF_ACT
            beside = 0
            for other in range(t.N_DISCS):
                if in_play and other != disc and spaces[other] == spaces[disc]:
                    beside += 1
                    if heights[other] == heights[disc]:
                        return FaultCode.INVALID_DISC_PILE
            if heights[disc] > beside:
                return FaultCode.INVALID_DISC_PILE
    return 0


@rule
def absence_fault(game: Record, seat: int) -> int:
    """Check that an absent seat has nothing."""
    if seat < game["players"]:
        return 0
    anything = game["prestige"][seat] | game["pounds"][seat] | game["tokens"][seat]
    anything |= game["mood"][seat] | game["wager"][seat] | game["cylinders"][seat]
    # `kept` is NOBODY, -1, where nothing is kept.
    anything |= game["recruited"][seat] | game["passed"][seat] | game["kept"][seat] + 1
    anything |= game["objectives_len"][seat] | game["troupe_len"][seat]
    return FaultCode.ABSENT_SEAT_NOT_EMPTY if anything or game["stage_filled"][seat] else 0


# ---- what the rules say --------------------------------------------------------------------------
@rule
def stage_fault(game: Record, seat: int) -> int:
    """Check that a stage is supported and symmetric (Rules T13)."""
    filled = 0
    for space in range(t.N_SPACES):
        filled |= int(game["stage"][seat, space] != s.NOBODY) << space
    if game["stage_filled"][seat] != filled:
        return FaultCode.WRONG_FILLED_SPACES
    for space in range(t.N_SPACES):
        colour = game["stage"][seat, space]
        if colour == s.NOBODY:
            continue
        supported = filled & t.SUPPORTS[space] == t.SUPPORTS[space]
        if not supported or not keeps_symmetry(game, seat, space, colour):
            return FaultCode.INVALID_STAGE
    return 0


@rule
def troupe_fault(game: Record, seat: int) -> int:
    """Check a troupe, its costumes, cylinders and rest tokens (Rules S2, T3, T12, P2)."""
    size = game["troupe_len"][seat]
    if not is_list(game["card"][seat], size) or (size < t.N_BOARD and seat < game["players"]):
        return FaultCode.INVALID_TROUPE
    yellow = count(game["stage"][seat], t.YELLOW) + count(game["costume"][seat], t.YELLOW)
    if game["yellow"][seat] != yellow:
        return FaultCode.WRONG_YELLOW
    for member in range(t.MAX_TROUPE):
        card = game["card"][seat, member]
        extra = game["extra"][seat, member]
        used = game["cylinder"][seat, member] | game["rest"][seat, member]
        costume = game["costume"][seat, member]
        elements = game["costume_len"][seat, member]
        if not is_list(costume, elements):
            return FaultCode.UNSORTED_COSTUME
        value = 0
        for slot in range(elements):
            value += t.ELEMENT_VALUE[costume[slot]]
            if slot > 0 and costume[slot] < costume[slot - 1]:
                return FaultCode.UNSORTED_COSTUME
        if game["costume_value"][seat, member] != value:
            return FaultCode.WRONG_COSTUME_VALUE
        if member >= size:
            if extra | used | elements:
                return FaultCode.UNUSED_PLACE_NOT_EMPTY
            continue
        of_board = member < t.N_BOARD
        if (card < t.N_BOARD) != of_board or (of_board and (card != member or extra)):
            return FaultCode.WRONG_BOARD
        if elements and not wears_costumes(game, seat, member):
            return FaultCode.CANNOT_WEAR
        if used and (extra or t.KIND[card] == t.ASSISTANT):
            return FaultCode.CANNOT_BE_ACTIVATED
    return 0


@rule
def room_fault(game: Record) -> int:
    """Check that troupes have room for all characters still to come (Rules S5, T2)."""
    for seat in range(game["players"]):
        recruits = recruits_to_come(game, seat)
        if count(game["extra"][seat], 1) + recruits > t.N_EXTRAS:
            return FaultCode.TOO_MANY_EXTRAS
        room = t.MAX_TROUPE - recruits - drafts_to_come(game, seat)
        if game["troupe_len"][seat] > room:
            return FaultCode.TROUPE_TOO_LARGE
    return 0


@rule
def recruits_to_come(game: Record, seat: int) -> int:
    """Return how many characters a seat may still recruit, one a day (Rules T2)."""
    part = game["part"]
    days = t.N_DAYS - game["day"]
    if part == s.IN_END:
        return 0
    if part in (s.IN_WAGER, s.IN_TURNS):
        return days + 1 - game["recruited"][seat]
    # In rest the day is already the next one (U3), whose recruit is still to come. In the draft it
    # is day 1, with no recruit yet. In the other parts the day's recruits are over.
    return days + int(part in (s.IN_DRAFT, s.IN_REST))


@rule
def drafts_to_come(game: Record, seat: int) -> int:
    """Return 1 if a seat still has to draft (Rules S5).

    The draft goes in reverse Order, so these are the mover and the seats before it in Order.
    """
    if game["part"] != s.IN_DRAFT:
        return 0
    place = 0
    while game["order"][place] != game["to_move"] and game["order"][place] != seat:
        place += 1
    return int(game["order"][place] == seat)


@rule
def supply_fault(game: Record) -> int:
    """Check that each card, element, objective and token is in one place (Rules S4 to S6)."""
    for index in range(t.N_DECK):
        found = game["shown"][index] + game["deck"][index] + game["discarded_cards"][index]
        if found + count(game["card"], t.N_BOARD + index) != t.COPIES[index]:
            return FaultCode.WRONG_CARDS
    for kind in range(2):
        for colour in range(t.N_COLOURS):
            found = int(game["bag"][kind, colour]) + int(game["display"][kind, colour])
            found += int(game["discarded"][kind, colour])
            if kind == t.SET:
                found += count(game["stage"], colour)
            else:
                found += count(game["costume"], colour)
            if found != t.BAG[game["players"], kind, colour]:
                return FaultCode.WRONG_ELEMENTS
    for objective in range(t.N_OBJECTIVES):
        found = count(game["objective_deck"], objective) + count(game["drawn"], objective)
        if found + count(game["objectives"], objective) != 1:
            return FaultCode.WRONG_OBJECTIVES
    tokens = int(game["supply_tokens"])
    for seat in range(game["players"]):
        tokens += int(game["tokens"][seat])
    return 0 if tokens == t.N_TOKENS else FaultCode.WRONG_TOKENS


@rule
def day_fault(game: Record) -> int:
    """Check wagers, which are made in Order and last the day, and cylinders (W1, D2, V1)."""
    part = game["part"]
    expected = game["players"] > 1 and part != s.IN_DRAFT
    for place in range(game["players"]):
        seat = game["order"][place]
        if seat == game["to_move"] and part == s.IN_WAGER:
            expected = False  # this seat and those after it have not wagered yet
        if (game["wager"][seat] > 0) != expected:
            return FaultCode.INVALID_WAGERS
        cylinders = rest.cylinders_used(game, seat) + game["cylinders"][seat]
        if cylinders > (0 if part in (s.IN_DRAFT, s.IN_WAGER) else t.N_CYLINDERS):
            return FaultCode.TOO_MANY_CYLINDERS
    return 0


@rule
def track_fault(game: Record) -> int:
    """Check the Initiative track, and that the queue has the seats left of a track (Rules T5)."""
    players = game["players"]
    part = game["part"]
    if part != s.IN_TURNS and game["initiative_len"] != players:
        return FaultCode.INITIATIVE_INCOMPLETE
    if players == 1 and game["strategic_rest"]:
        return FaultCode.STRATEGIC_REST_IN_SOLO
    if players == 1 and part == s.IN_WAGER:
        return FaultCode.WAGER_IN_SOLO
    by_initiative = part == s.IN_REHEARSAL or (part == s.IN_REST and game["strategic_rest"] == 1)
    track = game["initiative"] if by_initiative else game["order"]  # (M2, R1, P4)
    served = players  # seats of the track that no longer wait, the mover included
    if part in (s.IN_MOOD, s.IN_REHEARSAL, s.IN_REST):
        served = 1
        while track[served - 1] != game["to_move"]:
            served += 1
    if game["queue_len"] != players - served:
        return FaultCode.WRONG_QUEUE
    for place in range(game["queue_len"]):
        if game["queue"][place] != track[served + place]:
            return FaultCode.WRONG_QUEUE
    return 0


@rule
def rest_fault(game: Record) -> int:
    """Check that the seats before the mover, and no others, have chosen in secret (P2, P4, D2)."""
    secret = game["part"] == s.IN_REST and not game["strategic_rest"]
    for seat in range(game["players"]):
        waits = seat == game["to_move"]  # the seats that have not chosen yet
        for place in range(game["queue_len"]):
            waits = waits or game["queue"][place] == seat
        kept = game["kept"][seat]
        kept_was_used = False
        for member in range(game["troupe_len"][seat]):
            kept_was_used = kept_was_used or (
                game["card"][seat, member] == kept and game["cylinder"][seat, member] == 1
            )
        # A seat has a card in `kept` if and only if it has chosen, and this card was used today.
        has_chosen = secret and not waits and rest.cylinders_used(game, seat) >= 2
        if kept_was_used != has_chosen or kept_was_used != (kept != s.NOBODY):
            return FaultCode.WRONG_KEPT
    return 0


@rule
def decision_fault(game: Record) -> int:
    """Check that the phase comes on this day and to this seat, with cards to take (Rules D1)."""
    phase = game["phase"]
    seat = game["to_move"]
    day = game["day"]
    if phase == s.OVER:
        return 0 if day == t.N_DAYS else FaultCode.ENDS_EARLY
    if (phase == s.DRAFT and day != 1) or (phase == s.REST and day == 1):
        return FaultCode.PHASE_ON_WRONG_DAY
    has_no_rest_choice = phase == s.REST and rest.cylinders_used(game, seat) < 2
    if has_no_rest_choice or (phase == s.TURN and turn.is_finished(game, seat)):
        return FaultCode.MOVER_HAS_NO_CHOICE
    if game["part"] == s.IN_REHEARSAL and not rehearsal.is_today(game):
        return FaultCode.REHEARSAL_ON_WRONG_DAY
    shown = 0
    for index in range(t.N_DECK):
        shown += game["shown"][index]
    needed = 0
    for other in range(game["players"]):
        needed += takes_shown(game, other)
    return 0 if shown >= needed else FaultCode.TOO_FEW_SHOWN


@rule
def takes_shown(game: Record, seat: int) -> int:
    """Return 1 if a seat still takes one of the characters shown (Rules S5, T2)."""
    if game["part"] in (s.IN_WAGER, s.IN_TURNS):
        return int(game["recruited"][seat] == 0 and game["passed"][seat] == 0)
    if game["part"] == s.IN_REST:
        return 1  # on the next day, whose characters are shown already (U1)
    return drafts_to_come(game, seat)


@rule
def winner_fault(game: Record) -> int:
    """Check that at the end the most prestige wins, then the most pounds (Rules F4)."""
    over = game["phase"] == s.OVER
    for seat in range(t.N_SEATS):
        can_win = over and seat < game["players"]
        wins = can_win and not is_beaten(game, seat)
        if (game["winners"][seat] == 1) != wins:
            return FaultCode.WRONG_WINNERS
        if game["unpaid"][seat] and not can_win:
            return FaultCode.UNPAID_BEFORE_END
    return 0
