"""What a seat may know, as the numbers of `layout.py` (Rules D3).

Never read: others' objectives, unrevealed wagers and rest choices, the order of objectives (except
those the observer put back) and the random state.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.shakespeare import state as s
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import Steps
from shakespeare_env.shakespeare.box.printed import reward
from shakespeare_env.shakespeare.record import layout as at
from shakespeare_env.shakespeare.rules.boards import standing


def _to_next(value: int, steps: Steps) -> int:
    """What a value lacks to the next threshold; 0 if there is none."""
    return min((at - value for at, _ in steps if at > value), default=0)


_GREY: Steps = ((t.GREY_SPACES + 1, 0),)
_SPACES, _VALUES = range(int(t.ACT_LENGTH.max()) + 1), range(at.HIGH + 1)
_TO_REWARD = np.array(
    [[_to_next(space, _GREY + steps) for space in _SPACES] for steps in t.BOX.pay], np.int8
)
"""int8[act, space]: spaces to the next better result (Rules R2)."""
_PRESTIGE_AT = np.array(
    [[reward(card, value) for value in _VALUES] for card in t.BOX.objectives], np.int8
)
"""int8[objective, value]: its prestige, and what the value lacks to its next step (Rules F1)."""
_LACK_AT = np.array(
    [[_to_next(value, card.points) for value in _VALUES] for card in t.BOX.objectives], np.int8
)
_IS_ACTOR = (t.KIND == t.ACTOR).astype(np.int64)
_IS_CRAFTSMAN = t.IS_CRAFTSMAN.astype(np.int64)


@rule
def observe(game: Record, seat: int, out: Any) -> None:
    """Write what a seat may know into int8[D], all 0 before (Rules D3)."""
    players = int(game["players"])
    other = seat
    for offset in range(players):
        block = out[offset * at.SEAT_SIZE : (offset + 1) * at.SEAT_SIZE]
        observe_seat(game, seat, other, block)
        observe_troupe(game, other, block)
        observe_stage(game, other, block)
        other = other + 1 if other + 1 < players else 0
    observe_acts(game, seat, out)
    observe_places(game, seat, out)
    observe_table(game, out)
    observe_own(game, seat, out)


@rule
def clipped(value: int) -> int:
    """A count within the layout's range."""
    return min(max(value, at.LOW), at.HIGH)


@rule
def observe_seat(game: Record, observer: int, seat: int, out: Any) -> None:
    """A seat's public side; its wager only once public or to itself (Rules D2, D3)."""
    wager = game["wager"][seat]
    out[at.PRESENT] = 1
    out[at.TO_MOVE] = game["to_move"] == seat
    out[at.PRESTIGE] = clipped(game["prestige"][seat])
    out[at.POUNDS] = clipped(game["pounds"][seat])
    out[at.TOKENS] = game["tokens"][seat]
    out[at.MOOD] = game["mood"][seat]
    out[at.HAS_WAGERED] = wager > 0
    out[at.WAGER] = wager if seat == observer or game["part"] != s.IN_WAGER else 0
    out[at.CYLINDERS] = game["cylinders"][seat]
    out[at.RECRUITED] = game["recruited"][seat]
    out[at.PASSED] = game["passed"][seat]
    out[at.HAS_KEPT] = game["kept"][seat] != s.NOBODY
    out[at.OBJECTIVES_HELD] = game["objectives_len"][seat]
    out[at.METRICS + t.SACRIFICE] = out[at.POUNDS]
    out[at.METRICS + t.YELLOW_ELEMENTS] = game["yellow"][seat]


@rule
def observe_troupe(game: Record, seat: int, out: Any) -> None:
    """A seat's characters and costumes.

    Face-down cards are too irregular to predict: multiply instead of branching.
    """
    cards, face_down = game["card"][seat], game["extra"][seat]
    cylinder, resting = game["cylinder"][seat], game["rest"][seat]
    elements, values = game["costume_len"][seat], game["costume_value"][seat]
    extras = used = wages = best = complete = actors = craftsmen = 0
    for member in range(int(game["troupe_len"][seat])):
        card = np.uint32(cards[member])
        extra = int(face_down[member])
        face_up = 1 - extra
        out[at.CARDS + card] += face_up
        out[at.ACTIVE + card] += cylinder[member]
        out[at.RESTING + card] += resting[member]
        used += int(cylinder[member])
        wages += face_up * int(t.COST[card])
        actors += face_up * _IS_ACTOR[card]
        craftsmen += face_up * _IS_CRAFTSMAN[card]
        if elements[member]:
            wearer = np.uint32(extra * (t.N_ACTORS + extras) + face_up * t.WEARER_OF_CARD[card])
            out[at.ELEMENTS + wearer] = elements[member]
            out[at.VALUES + wearer] = values[member]
            finished = int(elements[member] == t.N_SLOTS)
            complete += finished
            best = max(best, finished * int(values[member]))
        extras += extra
    out[at.USED] = used
    out[at.WAGES] = clipped(wages)
    out[at.EXTRAS] = extras
    out[at.METRICS + t.COMPLETE_COSTUMES] = complete
    out[at.METRICS + t.BEST_COSTUME] = best
    out[at.METRICS + t.ACTORS_HIRED] = actors
    out[at.METRICS + t.CRAFTSMEN_HIRED] = craftsmen


@rule
def observe_stage(game: Record, seat: int, out: Any) -> None:
    """A seat's stage, branch-free: what is filled is too irregular to predict."""
    stage = game["stage"][seat]
    colours = 0
    filled = 0
    for space in range(t.N_SPACES):
        colour = int(stage[space])
        there = int(colour >= 0)
        shift = max(colour, 0)
        out[at.STAGE + space * t.N_COLOURS + shift] = there
        colours |= there << shift
        filled += there
    different = 0
    for colour in range(t.N_COLOURS):
        different += (colours >> colour) & 1
    out[at.METRICS + t.STAGE_SPACES] = filled
    out[at.METRICS + t.STAGE_COLOURS] = different


@rule
def observe_acts(game: Record, observer: int, out: Any) -> None:
    """All discs on the acts, in the seats' blocks (Rules T7)."""
    players = int(game["players"])
    for act in range(3):
        a, b = standing(game, act, 0), standing(game, act, 1)
        c, d = standing(game, act, 2), standing(game, act, 3)
        neutral = standing(game, act, t.NEUTRAL)
        for seat in range(players):
            own = standing(game, act, seat)
            before = int(a > own) + int(b > own) + int(c > own) + int(d > own) + int(neutral > own)
            space = np.uint32(game["disc_space"][act, seat])
            block = block_of(game, observer, seat)
            out[block + at.ACT_SPACE + act] = space
            out[block + at.ACT_AHEAD + act] = before
            out[block + at.ACT_TO_REWARD + act] = _TO_REWARD[act, space]
            out[block + at.METRICS + t.FIRST_PLACES] += int(before == 0)
            lowest = out[block + at.METRICS + t.LOWEST_ACT]
            out[block + at.METRICS + t.LOWEST_ACT] = space if act == 0 else min(lowest, space)


@rule
def block_of(game: Record, observer: int, seat: int) -> int:
    """Where a seat's block begins for the observer."""
    offset = seat - observer
    return (offset if offset >= 0 else offset + int(game["players"])) * at.SEAT_SIZE


@rule
def observe_places(game: Record, observer: int, out: Any) -> None:
    """Places on the tracks, in the seats' blocks."""
    for place in range(int(game["players"])):
        out[block_of(game, observer, game["order"][place]) + at.ORDER + place] = 1
    for place in range(int(game["initiative_len"])):
        out[block_of(game, observer, game["initiative"][place]) + at.INITIATIVE + place] = 1
    for place in range(int(game["queue_len"])):
        out[block_of(game, observer, game["queue"][place]) + at.QUEUE] = place + 1


@rule
def observe_table(game: Record, out: Any) -> None:
    """The public middle of the table."""
    day = int(game["day"])
    out[at.PLAYERS + int(game["players"]) - 1] = 1
    out[at.STRATEGIC] = game["strategic_rest"]
    out[at.DAY + day - 1] = 1
    out[at.TO_REHEARSAL] = (t.FIRST_REHEARSAL if day <= t.FIRST_REHEARSAL else t.N_DAYS) - day
    out[at.PHASE + int(game["phase"])] = 1
    out[at.PART + int(game["part"])] = 1
    out[at.QUILLS] = game["quills"]
    out[at.CRAFT] = game["craft_value"]
    out[at.CRAFT + 1] = game["craft_costumes"]
    out[at.CRAFT + 2] = game["craft_sets"]
    out[at.CRAFT + 3] = game["craft_optional"]
    for colour in range(t.N_COLOURS):
        out[at.CRAFT_COLOURS + colour] = (game["craft_colours"] >> colour) & 1
    for card in range(t.N_DECK):
        out[at.SHOWN + card] = game["shown"][card]
        out[at.DECK + card] = game["deck"][card]
        out[at.DISCARDED_CARDS + card] = game["discarded_cards"][card]
    for kind in range(2):
        for colour in range(t.N_COLOURS):
            here = kind * t.N_COLOURS + colour
            out[at.DISPLAY + here] = game["display"][kind, colour]
            out[at.BAG + here] = game["bag"][kind, colour]
            out[at.DISCARDED + here] = game["discarded"][kind, colour]
    out[at.SUPPLY] = game["supply_tokens"]
    for act in range(3):
        out[at.NEUTRAL + act] = game["disc_space"][act, t.NEUTRAL]
    out[at.PILE] = game["objective_deck_len"]
    out[at.DRAWN] = game["drawn_len"]


@rule
def observe_own(game: Record, seat: int, out: Any) -> None:
    """The observer's objectives, cards it put back and secret choice."""
    if game["to_move"] == seat:
        for place in range(int(game["drawn_len"])):
            out[at.OWN_DRAWN + int(game["drawn"][place])] = 1
    kept = game["objectives"][seat]
    for place in range(int(game["objectives_len"][seat])):
        out[at.OWN + int(kept[place])] = 1
    for place in range(int(game["objective_deck_len"])):
        if game["objective_known"][place] == seat:
            out[at.KNOWN + int(game["objective_deck"][place])] = place + 1
    if game["kept"][seat] != s.NOBODY:
        out[at.OWN_KEPT + int(game["kept"][seat])] = 1
    for objective in range(t.N_OBJECTIVES):
        value = out[at.METRICS + int(t.METRIC[objective])]
        out[at.OWN_REWARD + objective] = _PRESTIGE_AT[objective, value]
        out[at.OWN_TO_STEP + objective] = _LACK_AT[objective, value]
