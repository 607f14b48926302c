"""Putting right what one change of a Shakespeare position leaves wrong elsewhere."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from shakespeare_env.shakespeare import tables as t
from shakespeare_env.shakespeare.box import COLOURS

Dict = dict[str, Any]
_KINDS = ("costumes", "sets")
_HEAPS = ("bags", "display", "discarded")


def balance(case: random.Random, d: Dict) -> None:
    """Counts, tracks and who has chosen."""
    _balance_cards(case, d)
    _balance_elements(case, d)
    _balance_objectives(d)
    d["supply_tokens"] = t.N_TOKENS - sum(seat["tokens"] for seat in d["seats"])
    part = _part(d)
    if part != "turn":
        rest = [seat for seat in range(d["players"]) if seat not in d["initiative"]]
        d["initiative"] = d["initiative"] + rest
    if d["players"] == 1:
        d["strategic_rest"] = False
    if case.random() < 0.9:
        _balance_seats(case, d, part)


def _part(d: Dict) -> str:
    if d["phase"] == "quill" and isinstance(d["pending"], dict):
        then = d["pending"]["then"]
        return then if isinstance(then, str) else "turn"
    return {"back": "mood"}.get(
        d["phase"], d["phase"] if d["phase"] in ("draft", "wager", "rest", "over") else "turn"
    )


def _balance_cards(case: random.Random, d: Dict) -> None:
    missing = Counter(dict(zip(t.DECK_IDS, t.COPIES.tolist(), strict=True)))
    for seat in d["seats"]:
        missing.subtract(member["card"] for member in seat["troupe"][t.N_BOARD :])
    heaps = [d["deck"], d["display"]["characters"], d["discarded_characters"]]
    for heap in heaps:
        missing.subtract(heap)
    for card, count in missing.items():
        for _ in range(count):
            case.choice(heaps).append(card)
        for heap in heaps:
            while count < 0 and card in heap:
                heap.remove(card)
                count += 1
    for heap in heaps:
        heap.sort()


def _balance_elements(case: random.Random, d: Dict) -> None:
    if not 1 <= d["players"] <= t.N_SEATS:
        return
    for kind, name in enumerate(_KINDS):
        for colour, colour_name in enumerate(COLOURS):
            placed = sum(_placed(seat, name).count(colour_name) for seat in d["seats"])
            heaps = [d[heap][name] for heap in _HEAPS]
            missing = int(t.BAG[d["players"], kind, colour]) - placed
            missing -= sum(heap[colour_name] for heap in heaps)
            case.shuffle(heaps)
            if missing > 0:
                heaps[0][colour_name] += missing
            for heap in heaps:
                taken = min(heap[colour_name], max(-missing, 0))
                heap[colour_name] -= taken
                missing += taken


def _placed(seat: Dict, kind: str) -> list[str]:
    if kind == "sets":
        return list(seat["stage"].values())
    return [colour for member in seat["troupe"] for colour in member["costume"]]


def _balance_objectives(d: Dict) -> None:
    places = [seat["objectives"] for seat in d["seats"]]
    if isinstance(d["pending"], dict) and "drawn" in d["pending"]:
        places.append(d["pending"]["drawn"])
    elsewhere = [name for place in places for name in place]
    d["objective_deck"] = [name for name in d["objective_deck"] if name not in elsewhere]
    d["objective_deck"] += [
        name
        for name in t.OBJECTIVE_IDS
        if name not in elsewhere and name not in d["objective_deck"]
    ]


def _balance_seats(case: random.Random, d: Dict, part: str) -> None:
    """Troupes, wagers, cylinders, the queue and who has chosen what stays free."""
    for seat in d["seats"]:
        extras = 0
        for member in seat["troupe"]:
            if member["card"] in t.CARD_IDS[: t.N_BOARD]:
                member["face"] = "character"
            kind = t.KIND[t.CARD_IDS.index(member["card"])]
            extra = member["face"] == "extra"
            extras += extra
            if extra and extras > t.N_EXTRAS:
                member["face"] = "character"
                extra = False
            if extra or kind == t.ASSISTANT:
                member["cylinder"] = member["rest"] = False
            if part in ("draft", "wager"):
                member["cylinder"] = False
        used = sum(member["cylinder"] for member in seat["troupe"])
        seat["cylinders"] = max(0, min(seat["cylinders"], t.N_CYLINDERS - used))
        if part in ("draft", "wager"):
            seat["cylinders"] = 0
    waiting = d["order"].index(d["to_move"]) if d["to_move"] in d["order"] else 0
    for place, number in enumerate(d["order"]):
        if number >= len(d["seats"]):
            continue
        seat = d["seats"][number]
        wagers = d["players"] > 1 and part != "draft" and (part != "wager" or place < waiting)
        seat["wager"] = (seat["wager"] or case.randint(1, t.N_CYLINDERS)) if wagers else None
    by = {"mood": "order", "rehearsal": "initiative", "rest": "order"}.get(part)
    if part == "rest" and d["strategic_rest"]:
        by = "initiative"
    d["queue"] = d[by][d[by].index(d["to_move"]) + 1 :] if by and d["to_move"] in d[by] else []
    for number, seat in enumerate(d["seats"]):
        used_cards = [member["card"] for member in seat["troupe"] if member["cylinder"]]
        served = number != d["to_move"] and number not in d["queue"]
        if part == "rest" and not d["strategic_rest"] and served and len(used_cards) > 1:
            seat["kept"] = seat["kept"] if seat["kept"] in used_cards else case.choice(used_cards)
        else:
            seat["kept"] = None
        if part == "over":
            seat.setdefault("unpaid", 0)
        else:
            seat.pop("unpaid", None)
    if part == "over":
        results = [(seat["prestige"], seat["pounds"]) for seat in d["seats"]]
        d["winners"] = [n for n, result in enumerate(results) if result == max(results)]
    else:
        d["winners"] = None
