"""Random changes to what a seat may not know of a position (Rules D2): the other hands.

Everybody knows that a seat to move has two legal moves or more (D1), so it gets no hand that leaves
it fewer.
"""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

import numpy as np

from tests.contract.knowledge import OwnChange
from tests.figaro.cards import JESTERS, KINDS, RING, colour_named

NO_COLOURS = {"jester", RING}


def change_in_dict(position: dict[str, Any], seat: int, rng: random.Random) -> dict[str, Any]:
    """Deal the other hands anew among their seats; every hand keeps its size."""
    changed = copy.deepcopy(position)
    others = [other for other in range(position["players"]) if other != seat]
    hands = [list(Counter(position["hands"][other]).elements()) for other in others]
    decides = can_decide(position["front"])
    dealt = _dealt(hands, others, position["to_move"], decides, rng)
    for other, hand in zip(others, dealt, strict=True):
        changed["hands"][other] = dict(Counter(hand))
    return changed


def change_in_record(record: Any, seat: int, rng: random.Random) -> Any:
    """Change a record likewise, and the chance to come."""
    game = record.copy()
    others = [other for other in range(game["players"]) if other != seat]
    hands = [_cards(game, other) for other in others]
    decides = can_decide(_fronts(game))
    dealt = _dealt(hands, others, int(game["to_move"]), decides, rng)
    for other, hand in zip(others, dealt, strict=True):
        game["hand"][other] = [hand.count(kind) for kind in KINDS]
    game["random"] = np.uint64(rng.getrandbits(64))
    return game


def own_changes(record: Any, seat: int) -> Iterator[OwnChange]:
    """Exchange a card of the seat for one of another seat, which sees the change, too."""
    decides = can_decide(_fronts(record))
    for other in set(range(record["players"])) - {seat}:
        for mine, theirs in product(_cards(record, seat), _cards(record, other)):
            changed = record.copy()
            for holder, given, taken in ((seat, mine, theirs), (other, theirs, mine)):
                changed["hand"][holder][KINDS.index(given)] -= 1
                changed["hand"][holder][KINDS.index(taken)] += 1
            if mine != theirs and decides(_cards(changed, int(record["to_move"]))):
                yield OwnChange("hand", changed, {seat, other})
                return


def _dealt(hands: Any, seats: Any, to_move: Any, decides: Any, rng: random.Random) -> Any:
    """Return the cards of hands dealt anew, so that the mover still has a choice."""
    unseen = [card for hand in hands for card in hand]
    for _ in range(1000):  # the hands as they are would do, so a few tries are enough
        rng.shuffle(unseen)
        rest = iter(unseen)
        dealt = [[next(rest) for _ in hand] for hand in hands]
        if to_move not in seats or decides(dealt[seats.index(to_move)]):
            return dealt
    return hands


def can_decide(fronts: list[list[str]]) -> Callable[[Iterable[str]], bool]:
    """Return a function that says whether a hand has two legal moves or more (B1 to B5)."""
    colours = [{colour_named(card) for card in front} - NO_COLOURS for front in fronts]
    is_any_face_up = any(fronts)

    def is_playable(card: str) -> bool:
        if card in JESTERS:
            return True
        if card == RING:
            return is_any_face_up  # on an empty table, rings are a single move
        return any(not found or colour_named(card) in found for found in colours)

    return lambda hand: any(is_playable(card) for card in hand)


def _cards(game: Any, seat: int) -> list[str]:
    """Return the cards in a hand; nobody has none."""
    counts = game["hand"][seat] if seat >= 0 else 0
    cards: list[str] = np.repeat(KINDS, counts).tolist()
    return cards


def _fronts(game: Any) -> list[list[str]]:
    """Return the cards before each seat."""
    return [
        [KINDS[kind] for kind in game["front"][seat][: game["front_len"][seat]]]
        for seat in range(game["players"])
    ]
