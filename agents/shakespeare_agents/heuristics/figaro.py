"""The heuristic for Figaro: a careful beginner, who looks no further than the end of the round.

It takes few cards, lets others take many, passes on piles that are about to fill, and saves jesters
and rings. In all functions, `seen` is the deciding seat's observation, int8[D].
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from shakespeare_agents.heuristics.best_action import BestAction, HeuristicEvaluator
from shakespeare_env.compile.decorators import rule
from shakespeare_env.figaro import actions as a
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.record.layout import SEAT_AT, SEAT_SIZE, TABLE_AT
from shakespeare_env.figaro.state import NOBODY

_OWNER = "heuristic-figaro"

RISK = np.array([0.05, 0.08, 0.12, 0.2, 0.4, 0.55])
"""float64[total]: the chance that a seat must take the cards face up; an untuned guess.

It depends on the total value of the cards in front of the seat.
"""
PRICE = np.array([*([0.0] * t.JESTER), 0.3, 0.5, 0.6])
"""float64[kind]: the worth of a card in hand, in road length; an untuned guess.

Only special cards have a worth, since they can be played when others cannot.
"""
assert len(PRICE) == t.N_KINDS


@rule
def seats(seen: Any) -> int:
    """Return the number of seats at the table."""
    count = t.MIN_SEATS
    # The number is one-hot in the observation.
    while not seen[TABLE_AT.players + count - t.MIN_SEATS]:
        count += 1
    return count


@rule
def total(seen: Any, place: int) -> int:
    """Return the total value of the cards in front of a seat, one-hot in the observation."""
    first = place * SEAT_SIZE + SEAT_AT.total
    value = 0
    while value < t.FULL - 1 and not seen[first + value]:
        value += 1
    return value


@rule
def outlook(seen: Any, taker: int, face_up: int, passed: int, target: int, more: int) -> float:
    """Return minus the length of the road piece that the seat may expect from the round.

    The number of cards that the seat has taken, or is likely to take, is compared with that of
    every other seat. The longer the round will go on, the less a difference counts.

    Args:
        seen: The observation. A seat's place in it counts clockwise from the deciding seat.
        taker: The place that surely takes the cards face up, or NOBODY. Without a taker, each place
            takes them with a chance of `RISK`.
        face_up: The number of cards face up.
        passed: 1 if every pile moves to the next seat, else 0.
        target: The place at which a card is played, or NOBODY.
        more: The value of that card, which adds to the total there.
    """
    players = seats(seen)
    cards_left = 0.0
    for place in range(players):
        cards_left += seen[place * SEAT_SIZE + SEAT_AT.hand_size]
    width = 1.0 + 0.5 * cards_left / players
    mine = 0.0
    rank = 0.0
    for place in range(players):
        taken = float(seen[place * SEAT_SIZE + SEAT_AT.taken_count])
        if taker == NOBODY:
            # The pile that lies here after the move came from the place `before`.
            before = place - passed if place >= passed else players - 1
            height = total(seen, before) + (more if place == target else 0)
            taken += RISK[min(height, len(RISK) - 1)] * face_up
        elif place == taker:
            taken += face_up
        if place == 0:
            mine = taken
        else:
            # Add the chance that this seat ends the round with more cards than the deciding seat.
            rank += 1.0 / (1.0 + math.exp((mine - taken) / width))
    # Rank 0, with the most cards, gets the longest piece, and the last rank gets none. Between two
    # ranks, interpolate their pieces.
    upper = int(rank)
    share = rank - upper
    longer = float(seen[TABLE_AT.pieces + upper]) if upper < players - 1 else 0.0
    shorter = float(seen[TABLE_AT.pieces + upper + 1]) if upper + 1 < players - 1 else 0.0
    return -(longer * (1.0 - share) + shorter * share)


@rule
def score(seen: Any, action: int) -> float:
    """Return the worth of an action in road length, comparable within a decision."""
    face_up = int(seen[TABLE_AT.face_up])
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
    """Return the worth of a seat's position: of its road, its outlook and its special cards."""
    worth = -float(seen[SEAT_AT.road_length])
    worth += outlook(seen, NOBODY, int(seen[TABLE_AT.face_up]), 0, NOBODY, 0)
    for kind in range(t.JESTER, t.N_KINDS):
        worth += PRICE[kind] * seen[TABLE_AT.own_hand + kind]
    return worth


evaluate = HeuristicEvaluator(_OWNER, position)
"""Evaluate positions in road length: int8[n, D] -> float64[n]."""
HeuristicAgent = partial(BestAction, _OWNER, score)
"""Make the agent `heuristic` for Figaro."""
