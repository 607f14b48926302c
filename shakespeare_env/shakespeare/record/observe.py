"""The rule that writes an observation: what a seat may know, as `layout.py` orders it (Rules D3).

It never reads the other seats' objectives, their wagers and rest choices before these are revealed,
the order of the objective pile (except what the observer put back), or the random state.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.shakespeare import state as s
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import Steps
from shakespeare_env.shakespeare.record.layout import HIGH, LOW, SEAT_AT, SEAT_SIZE, TABLE_AT
from shakespeare_env.shakespeare.rules.boards import standing


def _to_next(steps: Steps, most: int) -> list[int]:
    """Return how far each value from 0 to `most` is from the next threshold, 0 past the last."""
    distances = []
    for value in range(most + 1):
        ahead = [threshold for threshold, _ in steps if threshold > value]
        distances.append(min(ahead) - value if ahead else 0)
    return distances


_OFF_GREY: Steps = ((t.GREY_SPACES + 1, 0),)
"""The first space past the grey ones is a threshold, too, since grey spaces cost prestige."""
_LAST_SPACE = int(t.ACT_LENGTH.max())
_TO_REWARD = np.array([_to_next(_OFF_GREY + steps, _LAST_SPACE) for steps in t.BOX.pay], np.int8)
"""int8[act, space]: spaces to the next better result (Rules R2)."""
_TO_STEP = np.array([_to_next(card.points, HIGH) for card in t.BOX.objectives], np.int8)
"""int8[objective, value]: what the value lacks to the objective's next step (Rules F1)."""
_IS_ACTOR = (t.KIND == t.ACTOR).astype(np.int64)
_IS_CRAFTSMAN = t.IS_CRAFTSMAN.astype(np.int64)


@rule
def observe(game: Record, seat: int, out: Any) -> None:
    """Write what a seat may know into `out`, int8[D] of zeros (Rules D3)."""
    players = int(game["players"])
    other = seat
    for offset in range(players):
        block = out[offset * SEAT_SIZE : (offset + 1) * SEAT_SIZE]
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
    """Return a count cut to the layout's range."""
    return min(max(value, LOW), HIGH)


@rule
def observe_seat(game: Record, observer: int, seat: int, out: Any) -> None:
    """Write what all can see of a seat, and its wager if revealed or the observer's (D2, D3)."""
    wager = game["wager"][seat]
    out[SEAT_AT.present] = 1
    out[SEAT_AT.to_move] = game["to_move"] == seat
    out[SEAT_AT.prestige] = clipped(game["prestige"][seat])
    out[SEAT_AT.pounds] = clipped(game["pounds"][seat])
    out[SEAT_AT.tokens] = game["tokens"][seat]
    out[SEAT_AT.mood] = game["mood"][seat]
    out[SEAT_AT.has_wagered] = wager > 0
    out[SEAT_AT.wager] = wager if seat == observer or game["part"] != s.IN_WAGER else 0
    out[SEAT_AT.cylinders] = game["cylinders"][seat]
    out[SEAT_AT.recruited] = game["recruited"][seat]
    out[SEAT_AT.passed] = game["passed"][seat]
    out[SEAT_AT.has_kept] = game["kept"][seat] != s.NOBODY
    out[SEAT_AT.objectives] = game["objectives_len"][seat]
    out[SEAT_AT.metrics + t.SACRIFICE] = out[SEAT_AT.pounds]
    out[SEAT_AT.metrics + t.YELLOW_ELEMENTS] = game["yellow"][seat]


@rule
def observe_troupe(game: Record, seat: int, out: Any) -> None:
    """Write a seat's characters and costumes.

    The loop multiplies by `extra` instead of branching, since processors cannot predict which cards
    lie face down, and a wrong guess costs more than the multiplications.
    """
    cards = game["card"][seat]
    face_down = game["extra"][seat]
    cylinder = game["cylinder"][seat]
    resting = game["rest"][seat]
    elements = game["costume_len"][seat]
    values = game["costume_value"][seat]
    extras = 0
    used = 0
    wages = 0
    best = 0
    complete = 0
    actors = 0
    craftsmen = 0
    for member in range(int(game["troupe_len"][seat])):
        card = np.uint32(cards[member])
        extra = int(face_down[member])
        face_up = 1 - extra
        out[SEAT_AT.cards + card] += face_up
        out[SEAT_AT.active + card] += cylinder[member]
        out[SEAT_AT.resting + card] += resting[member]
        used += int(cylinder[member])
        wages += face_up * int(t.COST[card])
        actors += face_up * _IS_ACTOR[card]
        craftsmen += face_up * _IS_CRAFTSMAN[card]
        if elements[member]:
            # Wearers are numbered: first the actors by card, then the extras in troupe order.
            wearer = np.uint32(extra * (t.N_ACTORS + extras) + face_up * t.WEARER_OF_CARD[card])
            out[SEAT_AT.costume_elements + wearer] = elements[member]
            out[SEAT_AT.costume_value + wearer] = values[member]
            finished = int(elements[member] == t.N_SLOTS)
            complete += finished
            best = max(best, finished * int(values[member]))
        extras += extra
    out[SEAT_AT.cylinders_used] = used
    out[SEAT_AT.wages] = clipped(wages)
    out[SEAT_AT.extras] = extras
    out[SEAT_AT.metrics + t.COMPLETE_COSTUMES] = complete
    out[SEAT_AT.metrics + t.BEST_COSTUME] = best
    out[SEAT_AT.metrics + t.ACTORS_HIRED] = actors
    out[SEAT_AT.metrics + t.CRAFTSMEN_HIRED] = craftsmen


@rule
def observe_stage(game: Record, seat: int, out: Any) -> None:
    """Write a seat's stage, without branches, since processors could not predict them."""
    stage = game["stage"][seat]
    colours = 0
    filled = 0
    for space in range(t.N_SPACES):
        colour = int(stage[space])
        is_filled = int(colour >= 0)
        shift = max(colour, 0)
        out[SEAT_AT.stage + space * t.N_COLOURS + shift] = is_filled
        colours |= is_filled << shift
        filled += is_filled
    different = 0
    for colour in range(t.N_COLOURS):
        different += (colours >> colour) & 1
    out[SEAT_AT.metrics + t.STAGE_SPACES] = filled
    out[SEAT_AT.metrics + t.STAGE_COLOURS] = different


@rule
def observe_acts(game: Record, observer: int, out: Any) -> None:
    """Write the discs on the acts into the seats' blocks (Rules T7)."""
    players = int(game["players"])
    for act in range(3):
        # Five variables are faster than a loop over discs, or `boards.discs_ahead` for each seat.
        first = standing(game, act, 0)
        second = standing(game, act, 1)
        third = standing(game, act, 2)
        fourth = standing(game, act, 3)
        neutral = standing(game, act, t.NEUTRAL)
        for seat in range(players):
            own = standing(game, act, seat)
            ahead = int(first > own) + int(second > own) + int(third > own)
            ahead += int(fourth > own) + int(neutral > own)
            space = np.uint32(game["disc_space"][act, seat])
            block = block_of(game, observer, seat)
            out[block + SEAT_AT.act_space + act] = space
            out[block + SEAT_AT.act_ahead + act] = ahead
            out[block + SEAT_AT.act_to_reward + act] = _TO_REWARD[act, space]
            out[block + SEAT_AT.metrics + t.FIRST_PLACES] += int(ahead == 0)
            lowest = out[block + SEAT_AT.metrics + t.LOWEST_ACT]
            out[block + SEAT_AT.metrics + t.LOWEST_ACT] = space if act == 0 else min(lowest, space)


@rule
def block_of(game: Record, observer: int, seat: int) -> int:
    """Return where a seat's block begins in the observer's observation."""
    offset = seat - observer
    return (offset if offset >= 0 else offset + int(game["players"])) * SEAT_SIZE


@rule
def observe_places(game: Record, observer: int, out: Any) -> None:
    """Write places in Order, on the Initiative track and in the queue into the seats' blocks."""
    for place in range(int(game["players"])):
        out[block_of(game, observer, game["order"][place]) + SEAT_AT.order + place] = 1
    for place in range(int(game["initiative_len"])):
        out[block_of(game, observer, game["initiative"][place]) + SEAT_AT.initiative + place] = 1
    for place in range(int(game["queue_len"])):
        out[block_of(game, observer, game["queue"][place]) + SEAT_AT.queue] = place + 1


@rule
def observe_table(game: Record, out: Any) -> None:
    """Write what everybody can see on the table."""
    day = int(game["day"])
    out[TABLE_AT.players + int(game["players"]) - 1] = 1
    out[TABLE_AT.strategic_rest] = game["strategic_rest"]
    out[TABLE_AT.day + day - 1] = 1
    rehearsal = t.FIRST_REHEARSAL if day <= t.FIRST_REHEARSAL else t.N_DAYS
    out[TABLE_AT.days_to_rehearsal] = rehearsal - day
    out[TABLE_AT.phase + int(game["phase"])] = 1
    out[TABLE_AT.part + int(game["part"])] = 1
    out[TABLE_AT.quills] = game["quills"]
    out[TABLE_AT.craft_value] = game["craft_value"]
    out[TABLE_AT.craft_costumes] = game["craft_costumes"]
    out[TABLE_AT.craft_sets] = game["craft_sets"]
    out[TABLE_AT.craft_optional] = game["craft_optional"]
    for colour in range(t.N_COLOURS):
        out[TABLE_AT.craft_colours + colour] = (game["craft_colours"] >> colour) & 1
    for card in range(t.N_DECK):
        out[TABLE_AT.shown + card] = game["shown"][card]
        out[TABLE_AT.deck + card] = game["deck"][card]
        out[TABLE_AT.discarded_cards + card] = game["discarded_cards"][card]
    for kind in range(2):
        for colour in range(t.N_COLOURS):
            index = kind * t.N_COLOURS + colour
            out[TABLE_AT.display + index] = game["display"][kind, colour]
            out[TABLE_AT.bag + index] = game["bag"][kind, colour]
            out[TABLE_AT.discarded + index] = game["discarded"][kind, colour]
    out[TABLE_AT.supply_tokens] = game["supply_tokens"]
    for act in range(3):
        out[TABLE_AT.neutral_space + act] = game["disc_space"][act, t.NEUTRAL]
    out[TABLE_AT.objective_deck] = game["objective_deck_len"]
    out[TABLE_AT.drawn] = game["drawn_len"]


@rule
def observe_own(game: Record, seat: int, out: Any) -> None:
    """Write what the observer alone knows: its objectives, those it put back, its rest choice."""
    if game["to_move"] == seat:
        for place in range(int(game["drawn_len"])):
            out[TABLE_AT.own_drawn + int(game["drawn"][place])] = 1
    objectives = game["objectives"][seat]
    for place in range(int(game["objectives_len"][seat])):
        out[TABLE_AT.own_objectives + int(objectives[place])] = 1
    for place in range(int(game["objective_deck_len"])):
        if game["objective_known"][place] == seat:
            out[TABLE_AT.known_in_pile + int(game["objective_deck"][place])] = place + 1
    if game["kept"][seat] != s.NOBODY:
        out[TABLE_AT.own_kept + int(game["kept"][seat])] = 1
    # The observer's own block comes first, at 0.
    for objective in range(t.N_OBJECTIVES):
        value = out[SEAT_AT.metrics + int(t.METRIC[objective])]
        out[TABLE_AT.own_reward + objective] = t.OBJECTIVE_PRESTIGE[objective, value]
        out[TABLE_AT.own_to_step + objective] = _TO_STEP[objective, value]
