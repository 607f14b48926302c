"""What is wrong with a record, if anything: invariants that the compiled rules rely on.

Fields are within their ranges (`state.py`).  Positions that cannot be reached are let in where the
rules have an answer for them: bags and deck of any size (an empty bag yields nothing, U2), fewer
characters than days, cylinders unlike the wager.

Functions return the number of a field that does not go with the others, or 0.
"""

from __future__ import annotations

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
from shakespeare_env.shakespeare.state import FaultCode

_PARTS = np.array([sum(1 << part for part in parts) for parts in s.PARTS_OF_PHASE.values()])
"""By phase, the bits of the parts of the day in which it comes."""


@rule
def fault(game: Record) -> int:
    """A record's first fault."""
    found = odd_list(game) or odd_decision(game) or odd_disc(game)
    for seat in range(t.N_SEATS):
        found = found or stage_fault(game, seat) or troupe_fault(game, seat)
        found = found or absence_fault(game, seat)
    found = found or supply_fault(game) or day_fault(game) or track_fault(game)
    found = found or rest_fault(game) or decision_fault(game) or room_fault(game)
    return found or winner_fault(game)


# ---- fields that follow from others: lengths, padding, sums, what is pending ---------------------
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
    for place in range(length):
        if seats[place] >= players:
            return False
        for before in range(place):
            if seats[place] == seats[before]:
                return False
    return is_list(seats, length)


@rule
def odd_list(game: Record) -> int:
    """Tracks and objectives."""
    players = game["players"]
    if not is_ranking(game["order"], players, players):
        return FaultCode.order
    if not is_ranking(game["initiative"], game["initiative_len"], players):
        return FaultCode.initiative
    if not is_ranking(game["queue"], game["queue_len"], players):
        return FaultCode.queue
    if not is_list(game["objective_deck"], game["objective_deck_len"]):
        return FaultCode.objective_deck
    if not is_list(game["drawn"], game["drawn_len"]):
        return FaultCode.drawn
    for place in range(t.N_OBJECTIVES):
        known = game["objective_known"][place]
        if known >= (players if place < game["objective_deck_len"] else 0):
            return FaultCode.objective_known
    for seat in range(t.N_SEATS):
        if not is_list(game["objectives"][seat], game["objectives_len"][seat]):
            return FaultCode.objectives
    return 0


@rule
def odd_decision(game: Record) -> int:
    """The phase, its part and seat, and what is pending in it."""
    phase, part = game["phase"], game["part"]
    if not (_PARTS[phase] >> part) & 1:
        return FaultCode.part
    if game["to_move"] >= game["players"] or (game["to_move"] == s.NOBODY) != (phase == s.OVER):
        return FaultCode.to_move
    if (game["quills"] > 0) != (phase == s.QUILL):
        return FaultCode.quills
    if (game["back"] == 1) != (phase == s.BACK):
        return FaultCode.back
    if (game["queen"] == 1) != (phase == s.CHOOSE_QUEEN):
        return FaultCode.queen
    if game["drawn_len"] > 0 and phase != s.OBJECTIVE:
        return FaultCode.drawn
    may_craft = phase == s.CRAFT or (phase == s.QUILL and part == s.IN_TURNS)
    if is_craft_open(game):
        return 0 if may_craft and game["craft_colours"] else FaultCode.craft_value
    rest_of_it = game["craft_costumes"] | game["craft_sets"] | game["craft_optional"]
    return FaultCode.craft_value if phase == s.CRAFT or rest_of_it | game["craft_colours"] else 0


@rule
def odd_disc(game: Record) -> int:
    """Discs: on a space if in play, one at each height of a pile (Rules T7)."""
    for act in range(3):
        spaces, heights = game["disc_space"][act], game["disc_height"][act]
        for disc in range(t.N_DISCS):
            in_play = disc < game["players"] or (disc == t.NEUTRAL and game["players"] == 1)
            if (spaces[disc] > 0) != in_play or spaces[disc] > t.ACT_LENGTH[act]:
                return FaultCode.disc_space
            beside = 0
            for other in range(t.N_DISCS):
                if in_play and other != disc and spaces[other] == spaces[disc]:
                    beside += 1
                    if heights[other] == heights[disc]:
                        return FaultCode.disc_height
            if heights[disc] > beside:
                return FaultCode.disc_height
    return 0


@rule
def absence_fault(game: Record, seat: int) -> int:
    """Absent seats have nothing."""
    if seat < game["players"]:
        return 0
    anything = game["prestige"][seat] | game["pounds"][seat] | game["tokens"][seat]
    anything |= game["mood"][seat] | game["wager"][seat] | game["cylinders"][seat]
    anything |= game["recruited"][seat] | game["passed"][seat] | game["kept"][seat] + 1
    anything |= game["objectives_len"][seat] | game["troupe_len"][seat]
    return FaultCode.players if anything or game["stage_filled"][seat] else 0


# ---- what the rules say --------------------------------------------------------------------------
@rule
def stage_fault(game: Record, seat: int) -> int:
    """Everything is supported and symmetric (T13)."""
    filled = 0
    for space in range(t.N_SPACES):
        filled |= int(game["stage"][seat, space] != s.NOBODY) << space
    if game["stage_filled"][seat] != filled:
        return FaultCode.stage_filled
    for space in range(t.N_SPACES):
        colour = game["stage"][seat, space]
        if colour == s.NOBODY:
            continue
        supported = filled & t.SUPPORTS[space] == t.SUPPORTS[space]
        if not supported or not keeps_symmetry(game, seat, space, colour):
            return FaultCode.stage
    return 0


@rule
def troupe_fault(game: Record, seat: int) -> int:
    """The board's characters come first; costumes, cylinders, tokens fit (S2, T3, T12, P2)."""
    size = game["troupe_len"][seat]
    if not is_list(game["card"][seat], size) or (size < t.N_BOARD and seat < game["players"]):
        return FaultCode.card
    yellow = count(game["stage"][seat], t.YELLOW) + count(game["costume"][seat], t.YELLOW)
    if game["yellow"][seat] != yellow:
        return FaultCode.yellow
    for member in range(t.MAX_TROUPE):
        card, extra = game["card"][seat, member], game["extra"][seat, member]
        used = game["cylinder"][seat, member] | game["rest"][seat, member]
        elements, costume = game["costume_len"][seat, member], game["costume"][seat, member]
        if not is_list(costume, elements):
            return FaultCode.costume
        value = 0
        for slot in range(elements):
            value += t.ELEMENT_VALUE[costume[slot]]
            if slot > 0 and costume[slot] < costume[slot - 1]:
                return FaultCode.costume
        if game["costume_value"][seat, member] != value:
            return FaultCode.costume_value
        if member >= size:
            if extra | used | elements:
                return FaultCode.extra
            continue
        of_board = member < t.N_BOARD
        if (card < t.N_BOARD) != of_board or (of_board and (card != member or extra)):
            return FaultCode.card
        if elements and not wears_costumes(game, seat, member):
            return FaultCode.costume
        if used and (extra or t.KIND[card] == t.ASSISTANT):
            return FaultCode.cylinder
    return 0


@rule
def room_fault(game: Record) -> int:
    """Troupes have room for all characters still to come (Rules S5, T2)."""
    for seat in range(game["players"]):
        recruits = recruits_to_come(game, seat)
        if count(game["extra"][seat], 1) + recruits > t.N_EXTRAS:
            return FaultCode.extra
        room = t.MAX_TROUPE - recruits - drafts_to_come(game, seat)
        if game["troupe_len"][seat] > room:
            return FaultCode.troupe_len
    return 0


@rule
def recruits_to_come(game: Record, seat: int) -> int:
    """Characters that a seat may still recruit, one a day (Rules T2)."""
    part, days = game["part"], t.N_DAYS - game["day"]
    if part == s.IN_END:
        return 0
    if part in (s.IN_WAGER, s.IN_TURNS):
        return days + 1 - game["recruited"][seat]
    # In rest the day is already the next one (U3).
    return days + int(part in (s.IN_DRAFT, s.IN_REST))


@rule
def drafts_to_come(game: Record, seat: int) -> int:
    """1 while a seat still has to draft, as all before the mover in Order do (Rules S5)."""
    if game["part"] != s.IN_DRAFT:
        return 0
    place = 0
    while game["order"][place] != game["to_move"] and game["order"][place] != seat:
        place += 1
    return int(game["order"][place] == seat)


@rule
def supply_fault(game: Record) -> int:
    """Nothing is missing or there twice (S4 to S6, T17, U2)."""
    for deck in range(t.N_DECK):
        found = game["shown"][deck] + game["deck"][deck] + game["discarded_cards"][deck]
        if found + count(game["card"], t.N_BOARD + deck) != t.COPIES[deck]:
            return FaultCode.deck
    for kind in range(2):
        for colour in range(t.N_COLOURS):
            found = int(game["bag"][kind, colour]) + int(game["display"][kind, colour])
            found += int(game["discarded"][kind, colour])
            if kind == t.SET:
                found += count(game["stage"], colour)
            else:
                found += count(game["costume"], colour)
            if found != t.BAG[game["players"], kind, colour]:
                return FaultCode.bag
    for objective in range(t.N_OBJECTIVES):
        found = count(game["objective_deck"], objective) + count(game["drawn"], objective)
        if found + count(game["objectives"], objective) != 1:
            return FaultCode.objective_deck
    tokens = int(game["supply_tokens"])
    for seat in range(game["players"]):
        tokens += int(game["tokens"][seat])
    return 0 if tokens == t.N_TOKENS else FaultCode.supply_tokens


@rule
def day_fault(game: Record) -> int:
    """Wagers follow Order and last the day, none in draft or solo (W1, D2, V1); cylinders."""
    part = game["part"]
    expected = game["players"] > 1 and part != s.IN_DRAFT
    for place in range(game["players"]):
        seat = game["order"][place]
        if seat == game["to_move"] and part == s.IN_WAGER:
            expected = False  # from here on
        if (game["wager"][seat] > 0) != expected:
            return FaultCode.wager
        used, left = rest.used(game, seat), game["cylinders"][seat]
        most = 0 if part in (s.IN_DRAFT, s.IN_WAGER) else t.N_CYLINDERS
        if used + left > most:
            return FaultCode.cylinders
    return 0


@rule
def track_fault(game: Record) -> int:
    """Initiative is complete outside turns; the queue is what is left of its track (T5)."""
    players, part = game["players"], game["part"]
    if part != s.IN_TURNS and game["initiative_len"] != players:
        return FaultCode.initiative
    if players == 1 and game["strategic_rest"]:
        return FaultCode.strategic_rest
    if players == 1 and part == s.IN_WAGER:
        return FaultCode.phase
    by_initiative = part == s.IN_REHEARSAL or (part == s.IN_REST and game["strategic_rest"] == 1)
    track = game["initiative"] if by_initiative else game["order"]  # (M2, R1, P4)
    served = players  # places of the track
    if part in (s.IN_MOOD, s.IN_REHEARSAL, s.IN_REST):
        served = 1
        while track[served - 1] != game["to_move"]:
            served += 1
    if game["queue_len"] != players - served:
        return FaultCode.queue
    for place in range(game["queue_len"]):
        if game["queue"][place] != track[served + place]:
            return FaultCode.queue
    return 0


@rule
def rest_fault(game: Record) -> int:
    """Exactly those asked before the mover have made secret rest choices (P2, P4, D2)."""
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
            return FaultCode.kept
    return 0


@rule
def decision_fault(game: Record) -> int:
    """The phase comes on this day and to this seat, and what seats will take is there (D1)."""
    phase, seat, day = game["phase"], game["to_move"], game["day"]
    if phase == s.OVER:
        return 0 if day == t.N_DAYS else FaultCode.day
    if (phase == s.DRAFT and day != 1) or (phase == s.REST and day == 1):
        return FaultCode.day
    asleep = phase == s.REST and rest.used(game, seat) < 2
    if asleep or (phase == s.TURN and turn.is_finished(game, seat)):
        return FaultCode.to_move
    if game["part"] == s.IN_REHEARSAL and not rehearsal.is_today(game):
        return FaultCode.day
    shown = 0
    for deck in range(t.N_DECK):
        shown += game["shown"][deck]
    wanted = 0
    for other in range(game["players"]):
        wanted += takes_shown(game, other)
    return 0 if shown >= wanted else FaultCode.shown


@rule
def takes_shown(game: Record, seat: int) -> int:
    """1 if a seat still takes one of the characters shown (Rules S5, T2)."""
    if game["part"] in (s.IN_WAGER, s.IN_TURNS):
        return int(game["recruited"][seat] == 0 and game["passed"][seat] == 0)
    if game["part"] == s.IN_REST:
        return 1  # on the next day, whose characters are shown already (U1)
    return drafts_to_come(game, seat)


@rule
def winner_fault(game: Record) -> int:
    """At the end, most prestige wins, then most pounds (F4)."""
    over = game["phase"] == s.OVER
    for seat in range(t.N_SEATS):
        ends = over and seat < game["players"]
        wins = ends and not is_beaten(game, seat)
        if (game["winners"][seat] == 1) != wins or (game["unpaid"][seat] and not ends):
            return FaultCode.winners
    return 0
