"""The rule that finds the first fault of a record, a breach of what the compiled rules rely on.

Fields are taken to be within their ranges (`state.py`). Positions that no game reaches pass where
the rules have an answer for them: bags and a deck of any size (an empty bag yields nothing, U2),
fewer characters than days, cylinders unlike the wager.

Functions named `..._fault` return a `FaultCode`, or 0 if they find nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, auto
from typing import Any

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
"""int[phase]: bits of the parts of the game in which the phase comes."""


class FaultCode(IntEnum):
    """The faults that a record may have; `FAULTS` words them."""

    ODD_ORDER = auto()
    ODD_INITIATIVE = auto()
    ODD_QUEUE = auto()
    GAP_IN_PILE = auto()
    GAP_IN_DRAWN = auto()
    ODD_KNOWLEDGE = auto()
    GAP_IN_OBJECTIVES = auto()
    WRONG_PART = auto()
    WRONG_MOVER = auto()
    QUILLS_OUT_OF_PHASE = auto()
    BACK_OUT_OF_PHASE = auto()
    QUEEN_OUT_OF_PHASE = auto()
    DRAWN_OUT_OF_PHASE = auto()
    CRAFT_OUT_OF_PHASE = auto()
    CRAFT_WITHOUT_VALUE = auto()
    DISC_OFF_ACT = auto()
    ODD_PILE_OF_DISCS = auto()
    ABSENT_SEAT_HAS_SOMETHING = auto()
    WRONG_FILLED_SPACES = auto()
    ODD_STAGE = auto()
    ODD_TROUPE = auto()
    WRONG_YELLOW = auto()
    UNSORTED_COSTUME = auto()
    WRONG_COSTUME_VALUE = auto()
    NOBODY_HAS_SOMETHING = auto()
    WRONG_BOARD = auto()
    CANNOT_WEAR = auto()
    CANNOT_BE_USED = auto()
    TOO_MANY_EXTRAS = auto()
    TROUPE_TOO_LARGE = auto()
    WRONG_CARDS = auto()
    WRONG_ELEMENTS = auto()
    WRONG_OBJECTIVES = auto()
    WRONG_TOKENS = auto()
    ODD_WAGERS = auto()
    TOO_MANY_CYLINDERS = auto()
    INITIATIVE_INCOMPLETE = auto()
    STRATEGIC_ALONE = auto()
    WAGER_ALONE = auto()
    WRONG_QUEUE = auto()
    WRONG_KEPT = auto()
    ENDS_EARLY = auto()
    PHASE_ON_WRONG_DAY = auto()
    MOVER_HAS_NO_CHOICE = auto()
    REHEARSAL_ON_WRONG_DAY = auto()
    TOO_FEW_SHOWN = auto()
    WRONG_WINNERS = auto()
    UNPAID_BEFORE_END = auto()


FAULTS: Mapping[IntEnum, tuple[str, str]] = {
    FaultCode.ODD_ORDER: ("order", "each seat has one place in Order"),
    FaultCode.ODD_INITIATIVE: ("initiative", "a seat has one place on the Initiative track"),
    FaultCode.ODD_QUEUE: ("queue", "a seat waits once in the queue"),
    FaultCode.GAP_IN_PILE: ("objective_deck", "the pile of objectives has no gaps"),
    FaultCode.GAP_IN_DRAWN: ("drawn", "the objectives drawn have no gaps"),
    FaultCode.ODD_KNOWLEDGE: (
        "objective_known",
        "only a seat at the table knows an objective of the pile (Rules D3)",
    ),
    FaultCode.GAP_IN_OBJECTIVES: ("objectives", "a seat's objectives have no gaps"),
    FaultCode.WRONG_PART: ("part", "every phase belongs to certain parts of the game"),
    FaultCode.WRONG_MOVER: ("to_move", "a seat at the table decides, and nobody once it is over"),
    FaultCode.QUILLS_OUT_OF_PHASE: ("quills", "white quills are placed in the phase 'quill'"),
    FaultCode.BACK_OUT_OF_PHASE: ("back", "a disc moves back in the phase 'back'"),
    FaultCode.QUEEN_OUT_OF_PHASE: ("queen", "the Queen's gift is chosen in the phase 'queen'"),
    FaultCode.DRAWN_OUT_OF_PHASE: ("drawn", "objectives are drawn in the phase 'objective'"),
    FaultCode.CRAFT_OUT_OF_PHASE: (
        "craft_value",
        "elements of some colour are taken in the phase 'craft', or after an actor's white quills",
    ),
    FaultCode.CRAFT_WITHOUT_VALUE: (
        "craft_value",
        "the phase 'craft' has a value to spend; without one, nothing may be taken",
    ),
    FaultCode.DISC_OFF_ACT: ("disc_space", "discs in play are on a space of each act"),
    FaultCode.ODD_PILE_OF_DISCS: ("disc_height", "discs on a space lie in one pile (Rules T7)"),
    FaultCode.ABSENT_SEAT_HAS_SOMETHING: ("players", "a seat that is not at the table has nothing"),
    FaultCode.WRONG_FILLED_SPACES: ("stage_filled", "its bits are the spaces that are filled"),
    FaultCode.ODD_STAGE: (
        "stage",
        "an element rests on filled spaces and matches its mirror, or is yellow (Rules T13)",
    ),
    FaultCode.ODD_TROUPE: ("card", "a troupe has the board's characters, and no gaps (Rules S2)"),
    FaultCode.WRONG_YELLOW: ("yellow", "it counts yellow elements on stage and costumes"),
    FaultCode.UNSORTED_COSTUME: ("costume", "the elements of a costume are in order of colour"),
    FaultCode.WRONG_COSTUME_VALUE: ("costume_value", "it is the sum of the elements' values"),
    FaultCode.NOBODY_HAS_SOMETHING: ("extra", "places without a character are empty"),
    FaultCode.WRONG_BOARD: ("card", "the board's characters come first, face up (Rules S2)"),
    FaultCode.CANNOT_WEAR: ("costume", "only actors and extras wear costumes (Rules T12)"),
    FaultCode.CANNOT_BE_USED: (
        "cylinder",
        "extras and assistants have no cylinder and no rest token (Rules T3, P2)",
    ),
    FaultCode.TOO_MANY_EXTRAS: ("extra", "there is room for an extra on every day to come"),
    FaultCode.TROUPE_TOO_LARGE: ("troupe_len", "there is room for all characters still to come"),
    FaultCode.WRONG_CARDS: (
        "deck",
        "every character card is in the deck, shown, discarded or in a troupe (Rules S5)",
    ),
    FaultCode.WRONG_ELEMENTS: (
        "bag",
        "every element is in a bag, on display, discarded, on a stage or a costume (Rules S4)",
    ),
    FaultCode.WRONG_OBJECTIVES: (
        "objective_deck",
        "every objective is in the pile, drawn or with a seat (Rules S6, T17)",
    ),
    FaultCode.WRONG_TOKENS: ("supply_tokens", 'every "+3" token is in the supply or with a seat'),
    FaultCode.ODD_WAGERS: (
        "wager",
        "seats wager in Order, for the day; not in the draft or alone (Rules W1, D2, V1)",
    ),
    FaultCode.TOO_MANY_CYLINDERS: (
        "cylinders",
        f"a seat has {t.N_CYLINDERS} cylinders, used ones included, and none before wagers are "
        "revealed",
    ),
    FaultCode.INITIATIVE_INCOMPLETE: (
        "initiative",
        "all seats are on the Initiative track, except during turns (Rules T5)",
    ),
    FaultCode.STRATEGIC_ALONE: ("strategic_rest", "strategic rest needs two seats (Rules P4)"),
    FaultCode.WAGER_ALONE: ("phase", "nobody wagers alone (Rules V1)"),
    FaultCode.WRONG_QUEUE: (
        "queue",
        "the seats after the mover in Order, or by Initiative, wait (Rules M2, R1, P4)",
    ),
    FaultCode.WRONG_KEPT: (
        "kept",
        "seats before the mover that used two characters or more have chosen one (Rules P2, D2)",
    ),
    FaultCode.ENDS_EARLY: ("day", f"the game ends on day {t.N_DAYS}"),
    FaultCode.PHASE_ON_WRONG_DAY: ("day", "the draft comes on day 1, rest on a later one"),
    FaultCode.MOVER_HAS_NO_CHOICE: ("to_move", "the seat to move is not done (Rules T4, P2)"),
    FaultCode.REHEARSAL_ON_WRONG_DAY: (
        "day",
        f"rehearsals come on days {t.FIRST_REHEARSAL} and {t.N_DAYS}",
    ),
    FaultCode.TOO_FEW_SHOWN: ("shown", "a card is shown for each seat that still takes one"),
    FaultCode.WRONG_WINNERS: ("winners", "at the end, nobody beats a winner (Rules F4)"),
    FaultCode.UNPAID_BEFORE_END: ("unpaid", "characters go unpaid at the end (Rules F3)"),
}
"""By fault, the field to correct and what must hold for it."""


@rule
def fault(game: Record) -> int:
    """Return a record's first fault, or 0."""
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
    """Return whether values are filled up to a length, and NOBODY from there on."""
    odd = 0
    for place in range(len(values)):
        odd += (values[place] != s.NOBODY) != (place < length)
    return odd == 0


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
        return FaultCode.ODD_ORDER
    if not is_ranking(game["initiative"], game["initiative_len"], players):
        return FaultCode.ODD_INITIATIVE
    if not is_ranking(game["queue"], game["queue_len"], players):
        return FaultCode.ODD_QUEUE
    if not is_list(game["objective_deck"], game["objective_deck_len"]):
        return FaultCode.GAP_IN_PILE
    if not is_list(game["drawn"], game["drawn_len"]):
        return FaultCode.GAP_IN_DRAWN
    for place in range(t.N_OBJECTIVES):
        known = game["objective_known"][place]
        if known >= (players if place < game["objective_deck_len"] else 0):
            return FaultCode.ODD_KNOWLEDGE
    for seat in range(t.N_SEATS):
        if not is_list(game["objectives"][seat], game["objectives_len"][seat]):
            return FaultCode.GAP_IN_OBJECTIVES
    return 0


@rule
def phase_fault(game: Record) -> int:
    """Check the phase, its part and seat, and what is pending in it."""
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
                        return FaultCode.ODD_PILE_OF_DISCS
            if heights[disc] > beside:
                return FaultCode.ODD_PILE_OF_DISCS
    return 0


@rule
def absence_fault(game: Record, seat: int) -> int:
    """Check that a seat which is not at the table has nothing."""
    if seat < game["players"]:
        return 0
    anything = game["prestige"][seat] | game["pounds"][seat] | game["tokens"][seat]
    anything |= game["mood"][seat] | game["wager"][seat] | game["cylinders"][seat]
    anything |= game["recruited"][seat] | game["passed"][seat] | game["kept"][seat] + 1
    anything |= game["objectives_len"][seat] | game["troupe_len"][seat]
    return FaultCode.ABSENT_SEAT_HAS_SOMETHING if anything or game["stage_filled"][seat] else 0


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
            return FaultCode.ODD_STAGE
    return 0


@rule
def troupe_fault(game: Record, seat: int) -> int:
    """Check a troupe, its costumes, cylinders and rest tokens (Rules S2, T3, T12, P2)."""
    size = game["troupe_len"][seat]
    if not is_list(game["card"][seat], size) or (size < t.N_BOARD and seat < game["players"]):
        return FaultCode.ODD_TROUPE
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
                return FaultCode.NOBODY_HAS_SOMETHING
            continue
        of_board = member < t.N_BOARD
        if (card < t.N_BOARD) != of_board or (of_board and (card != member or extra)):
            return FaultCode.WRONG_BOARD
        if elements and not wears_costumes(game, seat, member):
            return FaultCode.CANNOT_WEAR
        if used and (extra or t.KIND[card] == t.ASSISTANT):
            return FaultCode.CANNOT_BE_USED
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
    # In rest the day is already the next one (U3).
    return days + int(part in (s.IN_DRAFT, s.IN_REST))


@rule
def drafts_to_come(game: Record, seat: int) -> int:
    """Return 1 if a seat still has to draft, as all before the mover in Order do (Rules S5)."""
    if game["part"] != s.IN_DRAFT:
        return 0
    place = 0
    while game["order"][place] != game["to_move"] and game["order"][place] != seat:
        place += 1
    return int(game["order"][place] == seat)


@rule
def supply_fault(game: Record) -> int:
    """Check that no card, element, objective or token is missing or there twice (S4 to S6)."""
    for deck in range(t.N_DECK):
        found = game["shown"][deck] + game["deck"][deck] + game["discarded_cards"][deck]
        if found + count(game["card"], t.N_BOARD + deck) != t.COPIES[deck]:
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
    """Check wagers, which follow Order and last the day, and cylinders (Rules W1, D2, V1)."""
    part = game["part"]
    expected = game["players"] > 1 and part != s.IN_DRAFT
    for place in range(game["players"]):
        seat = game["order"][place]
        if seat == game["to_move"] and part == s.IN_WAGER:
            expected = False  # from here on
        if (game["wager"][seat] > 0) != expected:
            return FaultCode.ODD_WAGERS
        cylinders = rest.used(game, seat) + game["cylinders"][seat]
        if cylinders > (0 if part in (s.IN_DRAFT, s.IN_WAGER) else t.N_CYLINDERS):
            return FaultCode.TOO_MANY_CYLINDERS
    return 0


@rule
def track_fault(game: Record) -> int:
    """Check the Initiative track, and that the queue is the rest of a track (Rules T5)."""
    players = game["players"]
    part = game["part"]
    if part != s.IN_TURNS and game["initiative_len"] != players:
        return FaultCode.INITIATIVE_INCOMPLETE
    if players == 1 and game["strategic_rest"]:
        return FaultCode.STRATEGIC_ALONE
    if players == 1 and part == s.IN_WAGER:
        return FaultCode.WAGER_ALONE
    by_initiative = part == s.IN_REHEARSAL or (part == s.IN_REST and game["strategic_rest"] == 1)
    track = game["initiative"] if by_initiative else game["order"]  # (M2, R1, P4)
    served = players  # places of the track
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
        waits = seat == game["to_move"]
        for place in range(game["queue_len"]):
            waits = waits or game["queue"][place] == seat
        kept = game["kept"][seat]
        active = False
        for member in range(game["troupe_len"][seat]):
            active = active or (
                game["card"][seat, member] == kept and game["cylinder"][seat, member] == 1
            )
        chooses = secret and not waits and rest.used(game, seat) >= 2
        if active != chooses or active != (kept != s.NOBODY):
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
    asleep = phase == s.REST and rest.used(game, seat) < 2
    if asleep or (phase == s.TURN and turn.is_finished(game, seat)):
        return FaultCode.MOVER_HAS_NO_CHOICE
    if game["part"] == s.IN_REHEARSAL and not rehearsal.is_today(game):
        return FaultCode.REHEARSAL_ON_WRONG_DAY
    shown = 0
    for deck in range(t.N_DECK):
        shown += game["shown"][deck]
    wanted = 0
    for other in range(game["players"]):
        wanted += takes_shown(game, other)
    return 0 if shown >= wanted else FaultCode.TOO_FEW_SHOWN


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
    """Check that at the end most prestige wins, then most pounds (Rules F4)."""
    over = game["phase"] == s.OVER
    for seat in range(t.N_SEATS):
        ends = over and seat < game["players"]
        wins = ends and not is_beaten(game, seat)
        if (game["winners"][seat] == 1) != wins:
            return FaultCode.WRONG_WINNERS
        if game["unpaid"][seat] and not ends:
            return FaultCode.UNPAID_BEFORE_END
    return 0
