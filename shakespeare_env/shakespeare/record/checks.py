"""What is wrong with a record, if anything: invariants that the compiled rules rely on.

Fields are within their ranges (`state.py`); `words.toml` has the words for faults.  Positions that
cannot be reached are let in where the rules have an answer for them: bags and deck of any size (an
empty bag yields nothing, U2), fewer characters than days, cylinders unlike the wager.
"""

from __future__ import annotations

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.derived.fault_words import tell
from shakespeare_env.shakespeare import state as s
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.record import faults as f
from shakespeare_env.shakespeare.record.consistency import NONE, odd_field
from shakespeare_env.shakespeare.rules.phases import mood, quill, rehearsal, rest, turn
from shakespeare_env.shakespeare.rules.scoring import is_beaten
from shakespeare_env.shakespeare.rules.stage import keeps_symmetry
from shakespeare_env.shakespeare.rules.troupe import wears_costumes


@rule
def fault(game: Record) -> int:
    """A record's first fault, as `tell` writes it; 0 if it has none."""
    odd = odd_field(game)
    if odd != NONE:
        return tell(f.AT_ODDS, odd, 0)
    for seat in range(game["players"]):
        found = troupe_fault(game, seat)
        if found:
            return found
    for seat in range(game["players"]):
        found = stage_fault(game, seat)
        if found:
            return found
    return (
        supply_fault(game)
        or day_fault(game)
        or track_fault(game)
        or rest_fault(game)
        or decision_fault(game)
        or room_fault(game)
        or winner_fault(game)
    )


@rule
def troupe_fault(game: Record, seat: int) -> int:
    """The board's characters come first; costumes, cylinders, tokens fit (S2, T3, T12, P2)."""
    for member in range(t.N_BOARD):
        if game["card"][seat, member] != member or game["extra"][seat, member]:
            return tell(f.BOARD_FIRST, seat, 0)
    for member in range(game["troupe_len"][seat]):
        card, extra = game["card"][seat, member], game["extra"][seat, member]
        if card < t.N_BOARD <= member:
            return tell(f.BOARD_CARD, seat, member)
        if game["costume_len"][seat, member] and not wears_costumes(game, seat, member):
            return tell(f.COSTUMED, seat, member)
        used = game["cylinder"][seat, member] or game["rest"][seat, member]
        if used and (extra or t.KIND[card] == t.ASSISTANT):
            return tell(f.IDLE, seat, member)
    return 0


@rule
def room_fault(game: Record) -> int:
    """Troupes have room for all characters still to come (Rules S5, T2)."""
    for seat in range(game["players"]):
        recruits, extras = recruits_to_come(game, seat), 0
        for member in range(game["troupe_len"][seat]):
            extras += game["extra"][seat, member]
        if extras + recruits > t.N_EXTRAS:
            return tell(f.EXTRAS, seat, t.N_EXTRAS - recruits)
        room = t.MAX_TROUPE - recruits - drafts_to_come(game, seat)
        if game["troupe_len"][seat] > room:
            return tell(f.ROOM, seat, room - t.N_BOARD)
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
def stage_fault(game: Record, seat: int) -> int:
    """Everything is supported and symmetric (T13)."""
    filled = game["stage_filled"][seat]
    for space in range(t.N_SPACES):
        colour = game["stage"][seat, space]
        if colour == s.NOBODY:
            continue
        if filled & t.SUPPORTS[space] != t.SUPPORTS[space]:
            return tell(f.UNSUPPORTED, seat, space)
        if not keeps_symmetry(game, seat, space, colour):
            return tell(f.ASYMMETRIC, seat, space)
    return 0


@rule
def supply_fault(game: Record) -> int:
    """Nothing is missing or there twice (S4 to S6, T17, U2)."""
    players = game["players"]
    for deck in range(t.N_DECK):
        count = game["shown"][deck] + game["deck"][deck] + game["discarded_cards"][deck]
        for seat in range(players):
            for member in range(game["troupe_len"][seat]):
                count += game["card"][seat, member] == t.N_BOARD + deck
        if count != t.COPIES[deck]:
            return tell(f.CARDS, deck, 0)
    for kind in range(2):
        for colour in range(t.N_COLOURS):
            if elements_of(game, kind, colour) != t.BAG[players, kind, colour]:
                return tell(f.ELEMENTS, kind, colour)
    for objective in range(t.N_OBJECTIVES):
        if places_of(game, objective) != 1:
            return tell(f.OBJECTIVES, objective, 0)
    tokens = int(game["supply_tokens"])
    for seat in range(players):
        tokens += int(game["tokens"][seat])
    return 0 if tokens == t.N_TOKENS else tell(f.TOKENS, 0, 0)


@rule
def elements_of(game: Record, kind: int, colour: int) -> int:
    """Elements of a kind and colour in bag, display and discards and on seats."""
    count = int(game["bag"][kind, colour]) + int(game["display"][kind, colour])
    count += int(game["discarded"][kind, colour])
    for seat in range(game["players"]):
        if kind == t.SET:
            for space in range(t.N_SPACES):
                count += game["stage"][seat, space] == colour
            continue
        for member in range(game["troupe_len"][seat]):
            for slot in range(game["costume_len"][seat, member]):
                count += game["costume"][seat, member, slot] == colour
    return count


@rule
def places_of(game: Record, objective: int) -> int:
    """How many places an objective lies in."""
    count = 0
    for place in range(t.N_OBJECTIVES):
        count += game["objective_deck"][place] == objective
        for seat in range(game["players"]):
            count += game["objectives"][seat, place] == objective
    for place in range(game["drawn_len"]):
        count += game["drawn"][place] == objective
    return count


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
            return tell(f.WAGER if expected else f.NO_WAGER, seat, 0)
        used, left = rest.used(game, seat), game["cylinders"][seat]
        if (used or left) and part in (s.IN_DRAFT, s.IN_WAGER):
            return tell(f.OUT_EARLY, seat, 0)
        if used + left > t.N_CYLINDERS:
            return tell(f.CYLINDERS, seat, used)
    return 0


@rule
def track_fault(game: Record) -> int:
    """Initiative is complete outside turns; the queue is what is left of its track (T5)."""
    players, part = game["players"], game["part"]
    if part != s.IN_TURNS and game["initiative_len"] != players:
        return tell(f.INITIATIVE, 0, 0)
    if players == 1 and game["strategic_rest"]:
        return tell(f.SOLO_REST, 0, 0)
    if players == 1 and part == s.IN_WAGER:
        return tell(f.SOLO_WAGER, 0, 0)
    served = players  # places of the track
    by_initiative = is_by_initiative(game)
    if part in (s.IN_MOOD, s.IN_REHEARSAL, s.IN_REST):
        served = 0
        while served_at(game, served, by_initiative) != game["to_move"]:
            served += 1
        served += 1
    if game["queue_len"] != players - served:
        return tell(f.QUEUE, int(by_initiative), served)
    for place in range(game["queue_len"]):
        if game["queue"][place] != served_at(game, served + place, by_initiative):
            return tell(f.QUEUE, int(by_initiative), served)
    return 0


@rule
def is_by_initiative(game: Record) -> bool:
    """Whether seats are served by Initiative, not in Order (Rules M2, R1, P4)."""
    rests_openly = game["part"] == s.IN_REST and game["strategic_rest"] == 1
    return game["part"] == s.IN_REHEARSAL or rests_openly


@rule
def served_at(game: Record, place: int, by_initiative: bool) -> int:
    """The seat at a place of the track."""
    return game["initiative"][place] if by_initiative else game["order"][place]


@rule
def rest_fault(game: Record) -> int:
    """Exactly those asked before the mover have made secret rest choices (P2, P4, D2)."""
    secret = game["part"] == s.IN_REST and not game["strategic_rest"]
    for seat in range(game["players"]):
        waits = seat == game["to_move"]
        for place in range(game["queue_len"]):
            waits = waits or game["queue"][place] == seat
        kept = game["kept"][seat]
        asked = secret and not waits and rest.used(game, seat) >= 2
        if asked != (kept != s.NOBODY):
            return tell(f.KEPT if asked else f.NOT_KEPT, seat, 0)
        active = False
        for member in range(game["troupe_len"][seat]):
            if game["card"][seat, member] == kept and game["cylinder"][seat, member]:
                active = True
        if asked and not active:
            return tell(f.KEPT_IDLE, seat, 0)
    return 0


@rule
def decision_fault(game: Record) -> int:
    """The mover has a decision in this phase, and what it may take is there (D1)."""
    phase, seat, day = game["phase"], game["to_move"], game["day"]
    if phase == s.OVER:
        return 0 if day == t.N_DAYS else tell(f.LAST_DAY, 0, 0)
    if phase == s.DRAFT and day != 1:
        return tell(f.DRAFT_DAY, 0, 0)
    if phase == s.REST and day == 1:
        return tell(f.REST_DAY, 0, 0)
    if phase == s.REST and rest.used(game, seat) < 2:
        return tell(f.REST_MOVER, 0, 0)
    if phase == s.TURN and turn.is_finished(game, seat):
        return tell(f.ACTED_ALREADY, 0, 0)
    if game["part"] == s.IN_REHEARSAL and not rehearsal.is_today(game):
        return tell(f.REHEARSAL_DAY, 0, 0)
    if phase == s.QUILL and not quill.is_possible(game):
        return tell(f.NO_QUILL, 0, 0)
    if phase == s.BACK and not mood.is_possible(game):
        return tell(f.NO_BACK, 0, 0)
    if phase == s.OBJECTIVE and game["drawn_len"] == 0:
        return tell(f.NO_DRAWN, 0, 0)
    shown = 0
    for deck in range(t.N_DECK):
        shown += game["shown"][deck]
    wanted = 0
    for other in range(game["players"]):
        wanted += takes_shown(game, other)
    return 0 if shown >= wanted else tell(f.SHOWN, wanted, 0)


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
    """Most prestige wins, then most pounds (F4)."""
    for seat in range(game["players"]):
        if game["phase"] == s.OVER and (game["winners"][seat] == 1) == is_beaten(game, seat):
            return tell(f.WINNERS, 0, 0)
    return 0
