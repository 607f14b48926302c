"""A careful beginner at Figaro, who looks no further than the end of the round.

Take little, let others take much, pass on piles about to fill, save jesters and rings.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from shakespeare_agents.heuristics.best_action import BestAction, make_evaluator
from shakespeare_env.compile.decorators import rule
from shakespeare_env.figaro import actions as a
from shakespeare_env.figaro import observe as at
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.state import NOBODY

_OWNER = "heuristic-figaro"

RISK = np.array([0.05, 0.08, 0.12, 0.2, 0.4, 0.55])
"""The chance that a seat must take the cards face up, by its total."""
PRICE = np.array([*([0.0] * t.JESTER), 0.3, 0.5, 0.6])
"""Worth of a kind in hand, in road length: it can be played when others cannot.

Both tables are untuned guesses.
"""
assert len(PRICE) == t.N_KINDS


@rule
def seats(seen: Any) -> int:
    """Seats at the table."""
    count = t.MIN_SEATS
    while not seen[at.PLAYERS + count - t.MIN_SEATS]:
        count += 1
    return count


@rule
def total(seen: Any, place: int) -> int:
    """The total before a seat."""
    first = place * at.SEAT_SIZE + at.TOTAL
    value = 0
    while value < t.FULL - 1 and not seen[first + value]:
        value += 1
    return value


@rule
def outlook(seen: Any, taker: int, face_up: int, passed: int, target: int, more: int) -> float:
    """The road piece a seat may expect of the round, as a loss.

    Its cards, taken or likely to be, are compared with every other seat's; the longer the round has
    to go, the less that means. `taker` is the place that takes the cards `face_up`, or NOBODY;
    `passed` is 1 if every pile moves to the next seat; a card of value `more` is played before the
    place `target`, or NOBODY.
    """
    players = seats(seen)
    to_come = 0.0
    for place in range(players):
        to_come += seen[place * at.SEAT_SIZE + at.HAND_SIZE]
    width = 1.0 + 0.5 * to_come / players
    mine = 0.0
    rank = 0.0
    for place in range(players):
        taken = float(seen[place * at.SEAT_SIZE + at.TAKEN_COUNT])
        if taker == NOBODY:
            before = place - passed if place >= passed else players - 1
            height = total(seen, before) + (more if place == target else 0)
            taken += RISK[min(height, len(RISK) - 1)] * face_up
        elif place == taker:
            taken += face_up
        if place == 0:
            mine = taken
        else:
            rank += 1.0 / (1.0 + math.exp((mine - taken) / width))
    # Between two ranks, interpolate their pieces; the last rank gets none.
    upper = int(rank)
    share = rank - upper
    longer = float(seen[at.PIECES + upper]) if upper < players - 1 else 0.0
    shorter = float(seen[at.PIECES + upper + 1]) if upper + 1 < players - 1 else 0.0
    return -(longer * (1.0 - share) + shorter * share)


@rule
def score(seen: Any, action: int) -> float:
    """An action's worth, comparable within a decision."""
    face_up = int(seen[at.FACE_UP])
    if action == a.TAKE:
        return outlook(seen, 0, face_up, 0, NOBODY, 0)
    if action == a.RING:
        return outlook(seen, NOBODY, face_up + 1, 1, NOBODY, 0) - PRICE[t.RING]
    kind = (action - a.PLAY) // t.N_SEATS
    place = (action - a.PLAY) % t.N_SEATS
    value = int(t.VALUE[kind])
    taker = place if total(seen, place) + value >= t.FULL else NOBODY
    return outlook(seen, taker, face_up + 1, 0, place, value) - PRICE[kind]


@rule
def position(seen: Any) -> float:
    """A seat's standing: its road, its outlook, its special cards."""
    worth = -float(seen[at.ROAD_LENGTH])
    worth += outlook(seen, NOBODY, int(seen[at.FACE_UP]), 0, NOBODY, 0)
    for kind in range(t.JESTER, t.N_KINDS):
        worth += PRICE[kind] * seen[at.OWN_HAND + kind]
    return worth


evaluate = make_evaluator(_OWNER, position)
"""Standings in road length: int8[n, D] -> float64[n]."""
HeuristicAgent = partial(BestAction, _OWNER, score)
"""Makes a careful beginner."""
