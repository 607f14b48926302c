"""Putting right what one change of a Figaro position leaves wrong elsewhere."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from shakespeare_env.figaro import tables as t

Dict = dict[str, Any]


def balance(case: random.Random, d: Dict) -> None:
    """The cards of the table, each once; pieces for the rounds to come."""
    players = len(d["hands"])
    cards = Counter(dict(zip(t.KIND_IDS, t.COPIES[players].tolist(), strict=True)))
    found = _cards(d)
    hands, taken = d["hands"], d["taken"]
    for card in {*found, *cards}:
        missing = cards[card] - found[card]
        while missing > 0:
            place = "taken" if d["to_move"] is None or case.random() < 0.5 else "hands"
            _give(d, place, _seat(case, d), card, 1)
            missing -= 1
        for place in ("taken", "hands", "front"):
            for seat in range(players):
                while missing < 0 and _held(d, place, seat)[card]:
                    _give(d, place, seat, card, -1)
                    missing += 1
    if d["to_move"] is not None and not hands[d["to_move"] % players]:
        pile = taken[case.randrange(players)]
        if pile:
            hands[d["to_move"] % players][pile.pop()] = 1
    pieces = [piece for pile in d["pieces"] + d["roads"] for piece in pile]
    spare = [length for length in range(1, 16) if length not in pieces]
    case.shuffle(spare)
    for number, pile in enumerate(d["pieces"]):
        wanted = 0 if d["to_move"] is None or number < d["round"] - 1 else players - 1
        while len(pile) < wanted and spare:
            pile.append(spare.pop())
        del pile[wanted:]
        pile.sort(reverse=True)
    if d["to_move"] is None:
        lengths = [sum(road) for road in d["roads"]]
        order = [((d["king"] or 0) + place) % players for place in range(players)]
        d["winners"] = [min(order, key=lambda seat: lengths[seat])]
    else:
        d["winners"] = None


def _cards(d: Dict) -> Counter[str]:
    found: Counter[str] = Counter()
    for hand in d["hands"]:
        found.update(hand)
    for pile in d["front"] + d["taken"]:
        found.update(pile)
    return found


def _seat(case: random.Random, d: Dict) -> int:
    return case.randrange(len(d["hands"]) or 1)


def _give(d: Dict, place: str, seat: int, card: str, count: int) -> None:
    if place == "hands":
        d["hands"][seat][card] = d["hands"][seat].get(card, 0) + count
        if d["hands"][seat][card] <= 0:
            del d["hands"][seat][card]
    elif count > 0:
        d[place][seat] = d[place][seat] + [card] * count
        if place == "taken":
            d[place][seat].sort()
    else:
        for _ in range(-count):
            d[place][seat].remove(card)


def _held(d: Dict, place: str, seat: int) -> Counter[str]:
    return Counter(d[place][seat])
