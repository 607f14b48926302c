"""Changes of what a seat may not know of a position (Rules D2): the hands of the others.

Whoever is to decide has two legal moves or more (D1), and everybody knows that: a seat to move gets
no hand with which it could not decide.
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
    """The hands of the others dealt anew among them; every hand keeps its size."""
    changed = copy.deepcopy(position)
    others = [other for other in range(position["players"]) if other != seat]
    hands = [list(Counter(position["hands"][other]).elements()) for other in others]
    decides = can_decide(position["front"])
    dealt = _dealt(hands, others, position["to_move"], decides, rng)
    for other, hand in zip(others, dealt, strict=True):
        changed["hands"][other] = dict(Counter(hand))
    return changed


def change_in_record(record: Any, seat: int, rng: random.Random) -> Any:
    """Change a record in the same way, and its chance to come."""
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
    """A card of the seat exchanged for one of another seat, which sees it, too."""
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
    """The cards of these hands in other hands of the same sizes, with which the mover decides."""
    unseen = [card for hand in hands for card in hand]
    for _ in range(1000):  # the hands as they are would do, so hardly ever more than a few
        rng.shuffle(unseen)
        rest = iter(unseen)
        dealt = [[next(rest) for _ in hand] for hand in hands]
        if to_move not in seats or decides(dealt[seats.index(to_move)]):
            return dealt
    return hands


def can_decide(fronts: list[list[str]]) -> Callable[[Iterable[str]], bool]:
    """Whether a hand has two legal moves or more, before these fronts (B1 to B5)."""
    colours = [{colour_named(card) for card in front} - NO_COLOURS for front in fronts]
    lying = any(fronts)

    def is_playable(card: str) -> bool:
        if card in JESTERS:
            return True
        if card == RING:
            return lying  # the only move of a hand of rings where there is nothing to take
        return any(colour_named(card) in colour or not colour for colour in colours)

    return lambda hand: any(is_playable(card) for card in hand)


def _cards(game: Any, seat: int) -> list[str]:
    """The cards in a hand; none for nobody."""
    counts = game["hand"][seat] if seat >= 0 else 0
    cards: list[str] = np.repeat(KINDS, counts).tolist()
    return cards


def _fronts(game: Any) -> list[list[str]]:
    """The cards before each seat."""
    return [
        [KINDS[kind] for kind in game["front"][seat][: game["front_len"][seat]]]
        for seat in range(game["players"])
    ]
