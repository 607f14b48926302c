"""Figaro positions with their pieces elsewhere, which still look legal."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from shakespeare_env.figaro import tables as t

Dict = dict[str, Any]


def rearranged(case: random.Random, d: Dict) -> Dict:
    """1 to 6 changes; then, mostly, what must add up is made to add up."""
    cards = _cards(d)
    for _ in range(case.randint(1, 6)):
        case.choice(_CHANGES)(case, d)
    if case.random() < 0.8:
        _balance(case, d, cards)
    return d


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


def _move_cards(case: random.Random, d: Dict) -> None:
    """One card or all, from a hand, a front or what was taken, to another."""
    places = ("hands", "front", "taken")
    source, target = case.choice(places), case.choice(places)
    giver, taker = _seat(case, d), _seat(case, d)
    held = _held(d, source, giver)
    if not held:
        return
    chosen = list(held.items()) if case.random() < 0.3 else [(case.choice(list(held)), 1)]
    for card, count in chosen:
        _give(d, source, giver, card, -count)
        _give(d, target, taker, card, count)


def _swap_seats(case: random.Random, d: Dict) -> None:
    key = case.choice(("hands", "front", "taken", "roads"))
    one, other = _seat(case, d), _seat(case, d)
    d[key][one], d[key][other] = d[key][other], d[key][one]


def _drop_seat(case: random.Random, d: Dict) -> None:
    if len(d["hands"]) == 1:
        return
    seat = _seat(case, d)
    for key in ("hands", "front", "taken", "roads"):
        del d[key][seat]
    d["players"] -= 1
    for key in ("to_move", "king"):
        if d[key]:
            d[key] -= 1
    for pieces in d["pieces"]:
        if pieces:
            pieces.pop(case.randrange(len(pieces)))


def _add_seat(case: random.Random, d: Dict) -> None:
    for key, empty in (("hands", {}), ("front", []), ("taken", []), ("roads", [])):
        d[key].insert(_seat(case, d), type(empty)())
    d["players"] += 1


def _name_another(case: random.Random, d: Dict) -> None:
    d[case.choice(("to_move", "king"))] = case.choice((None, 0, _seat(case, d), _seat(case, d)))


def _other_round(case: random.Random, d: Dict) -> None:
    d["round"] = case.randint(1, t.N_ROUNDS)
    for number, pieces in enumerate(d["pieces"]):
        if number < d["round"] - 1:
            pieces.clear()


def _move_pieces(case: random.Random, d: Dict) -> None:
    piles = d["pieces"] + d["roads"]
    source, target = case.choice(piles), case.choice(piles)
    if source:
        target.append(source.pop(case.randrange(len(source))))
        target.sort(reverse=True)


def _end(case: random.Random, d: Dict) -> None:
    d["to_move"], d["round"] = None, t.N_ROUNDS
    d["pieces"] = [[] for _ in d["pieces"]]
    d["winners"] = [_seat(case, d)]
    if case.random() < 0.7:
        for key in ("hands", "front"):
            d[key] = [type(entry)() for entry in d[key]]


_CHANGES = (
    *(_move_cards, _move_cards, _move_cards, _move_pieces, _swap_seats, _name_another),
    *(_other_round, _drop_seat, _add_seat, _end),
)


def _balance(case: random.Random, d: Dict, cards: Counter[str]) -> None:
    """The cards of the table, each once; pieces for the rounds to come."""
    players = len(d["hands"])
    if t.MIN_SEATS <= players <= t.N_SEATS:
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
