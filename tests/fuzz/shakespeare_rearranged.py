"""Shakespeare positions with their pieces elsewhere, which still look legal."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from shakespeare_env.shakespeare import tables as t
from shakespeare_env.shakespeare.box import ACTS, COLOURS

Dict = dict[str, Any]
_KINDS = ("costumes", "sets")
_HEAPS = ("bags", "display", "discarded")
_CARD_HEAPS = ("deck", "shown", "discarded_characters")
_PHASES = ("draft", "wager", "turn", "craft", "quill", "back", "queen", "objective", "rest", "over")
_LIMITS = (-32768, -1000, -1, 0, 1, 3, 1000, 32767)


def rearranged(case: random.Random, d: Dict) -> Dict:
    """1 to 6 changes; then, mostly, what must add up is made to add up."""
    for _ in range(case.randint(1, 6)):
        case.choice(_CHANGES)(case, d)
    if case.random() < 0.85:
        _balance(case, d)
    return d


def _seat(case: random.Random, d: Dict) -> Dict:
    seat: Dict = case.choice(d["seats"])
    return seat


def _member(case: random.Random, d: Dict) -> Dict:
    member: Dict = case.choice(_seat(case, d)["troupe"])
    return member


def _sorted_colours(colours: list[str]) -> list[str]:
    return sorted(colours, key=COLOURS.index)


# ---- elements -------------------------------------------------------------------------------


def _move_elements(case: random.Random, d: Dict) -> None:
    """One, some or all, of one colour or all, among bags, display and discards."""
    source, target = case.sample(_HEAPS, 2)
    kinds = _KINDS if case.random() < 0.4 else [case.choice(_KINDS)]
    colours = COLOURS if case.random() < 0.5 else [case.choice(COLOURS)]
    for kind in kinds:
        for colour in colours:
            there = d[source][kind][colour]
            count = case.choice((min(1, there), there, there, there // 2))
            d[source][kind][colour] -= count
            d[target][kind][colour] += count


def _dress(case: random.Random, d: Dict) -> None:
    """A costume is changed at will; heaps make up for it in `_balance`."""
    length = case.randint(0, t.N_SLOTS)
    _member(case, d)["costume"] = _sorted_colours(case.choices(COLOURS, k=length))


def _build(case: random.Random, d: Dict) -> None:
    """A stage is built or cleared, space by space."""
    stage = _seat(case, d)["stage"]
    if case.random() < 0.3:
        stage.clear()
        return
    colour = case.choice(COLOURS)
    for _ in range(case.randint(1, 12)):
        space = case.randrange(t.N_SPACES)
        filled = sum(1 << t.SPACE_IDS.index(name) for name in stage)
        if filled & int(t.SUPPORTS[space]) == int(t.SUPPORTS[space]):
            mirror = stage.get(t.SPACE_IDS[t.MIRROR[space]])
            stage[t.SPACE_IDS[space]] = mirror or case.choice((colour, "yellow"))


# ---- cards ----------------------------------------------------------------------------------


def _heap(d: Dict, name: str) -> list[str]:
    heap: list[str] = d["display"]["characters"] if name == "shown" else d[name]
    return heap


def _move_cards(case: random.Random, d: Dict) -> None:
    source, target = (_heap(d, name) for name in case.sample(_CARD_HEAPS, 2))
    count = case.choice((1, 1, 3, len(source), len(source)))
    case.shuffle(source)
    target += source[:count]
    del source[:count]


def _hire(case: random.Random, d: Dict) -> None:
    """Cards move into a troupe, at times until it is full."""
    seat, heap = _seat(case, d), _heap(d, case.choice(_CARD_HEAPS))
    for _ in range(case.choice((1, 1, 2, t.MAX_TROUPE))):
        if heap and len(seat["troupe"]) < t.MAX_TROUPE + (case.random() < 0.02):
            seat["troupe"].append(
                {
                    "card": heap.pop(case.randrange(len(heap))),
                    "face": case.choice(("character", "character", "extra")),
                    "costume": [],
                    "cylinder": False,
                    "rest": False,
                }
            )


def _dismiss(case: random.Random, d: Dict) -> None:
    troupe = _seat(case, d)["troupe"]
    for _ in range(case.choice((1, 2, len(troupe)))):
        if len(troupe) > t.N_BOARD:
            member = troupe.pop(case.randrange(t.N_BOARD, len(troupe)))
            _heap(d, case.choice(_CARD_HEAPS)).append(member["card"])


def _mark(case: random.Random, d: Dict) -> None:
    """Faces, cylinders and rest tokens."""
    member = _member(case, d)
    key = case.choice(("face", "cylinder", "rest"))
    member[key] = case.choice(("character", "extra")) if key == "face" else case.random() < 0.5


# ---- the table ------------------------------------------------------------------------------


def _move_discs(case: random.Random, d: Dict) -> None:
    piles = d["piles"][case.choice(ACTS)]
    length = int(t.ACT_LENGTH[ACTS.index(next(a for a in ACTS if d["piles"][a] is piles))])
    for _ in range(case.randint(1, 5)):
        space = case.choice(list(piles))
        disc = piles[space].pop(case.randrange(len(piles[space])))
        if not piles[space]:
            del piles[space]
        place = str(case.choice((1, length, case.randint(1, length))))
        piles.setdefault(place, []).insert(case.randint(0, 5), disc)


def _move_objectives(case: random.Random, d: Dict) -> None:
    places = [d["objective_deck"], *(seat["objectives"] for seat in d["seats"])]
    if isinstance(d["pending"], dict) and isinstance(d["pending"].get("drawn"), list):
        places.append(d["pending"]["drawn"])
    source, target = case.choice(places), case.choice(places)
    for _ in range(case.choice((1, 1, 3, len(source)))):
        if source:
            target.append(source.pop(case.randrange(len(source))))


def _shuffle_seats(case: random.Random, d: Dict) -> None:
    key = case.choice(("order", "initiative", "queue", "seats"))
    case.shuffle(d[key])


def _shorten_tracks(case: random.Random, d: Dict) -> None:
    d["initiative"] = case.sample(range(d["players"]), case.randint(0, d["players"]))
    d["queue"] = d["queue"][case.randint(0, 1) :]


def _number(case: random.Random, d: Dict) -> None:
    """A seat's numbers, at their limits, too."""
    key = case.choice(("prestige", "pounds", "tokens", "mood", "wager", "cylinders"))
    values = {
        "prestige": (*_LIMITS, case.randint(-50, 200)),
        "pounds": (*_LIMITS, case.randint(0, 100)),
        "tokens": (0, 1, t.N_TOKENS, case.randint(0, t.N_TOKENS)),
        "mood": (t.LOWEST_MOOD, t.HIGHEST_MOOD, 0),
        "wager": (None, *range(1, t.N_CYLINDERS + 1)),
        "cylinders": tuple(range(t.N_CYLINDERS + 1)),
    }
    _seat(case, d)[key] = case.choice(values[key])


def _truth(case: random.Random, d: Dict) -> None:
    seat = _seat(case, d)
    key = case.choice(("recruited", "passed"))
    seat[key] = not seat[key]


def _keep(case: random.Random, d: Dict) -> None:
    seat = _seat(case, d)
    seat["kept"] = case.choice((None, case.choice(seat["troupe"])["card"]))


def _name_another(case: random.Random, d: Dict) -> None:
    d["to_move"] = case.randrange(len(d["seats"]))


def _day(case: random.Random, d: Dict) -> None:
    d["day"] = case.randint(1, t.N_DAYS)
    if case.random() < 0.3:
        d["strategic_rest"] = not d["strategic_rest"]


def _phase(case: random.Random, d: Dict) -> None:
    """Another decision is open, with what belongs to it."""
    d["phase"] = phase = case.choice(_PHASES)
    d["pending"] = None
    d["to_move"] = case.randrange(len(d["seats"]))
    if phase == "craft":
        d["pending"] = _craft(case)
    elif phase == "quill":
        then = case.choice(("turn", "mood", "rehearsal", _craft(case)))
        d["pending"] = {"quills": case.choice((1, 2, 6, 127)), "then": then}
        d["day"] = case.choice((4, 6, d["day"]))
    elif phase == "objective":
        drawn = d["objective_deck"][: case.randint(0, t.QUEEN_OBJECTIVES)]
        d["objective_deck"] = d["objective_deck"][len(drawn) :]
        d["pending"] = {"drawn": drawn}
    elif phase == "over":
        d["to_move"], d["day"] = None, t.N_DAYS
        for seat in d["seats"]:
            seat["unpaid"] = case.randint(0, t.MAX_TROUPE)
    elif phase == "rest":
        d["day"] = case.randint(2, t.N_DAYS)
    elif phase == "draft":
        d["day"] = 1


def _craft(case: random.Random) -> Dict:
    colours = case.sample(COLOURS, case.randint(1, len(COLOURS)))
    return {
        "value": case.choice((1, 2, 6, 8, 30, 127)),
        "costumes": case.random() < 0.7,
        "sets": case.random() < 0.7,
        "colours": _sorted_colours(colours),
        "optional": case.random() < 0.6,
    }


def _pending(case: random.Random, d: Dict) -> None:
    if isinstance(d["pending"], dict) and "value" in d["pending"]:
        d["pending"] = _craft(case)
    elif isinstance(d["pending"], dict) and "quills" in d["pending"]:
        d["pending"]["quills"] = case.choice((1, 3, 127))


def _drop_seat(case: random.Random, d: Dict) -> None:
    """The table loses a seat; others take the higher numbers' places."""
    if len(d["seats"]) == 1:
        return
    seat = case.randrange(len(d["seats"]))
    del d["seats"][seat]
    d["players"] -= 1
    for key in ("order", "initiative", "queue"):
        d[key] = [other - (other > seat) for other in d[key] if other != seat]
    if d["to_move"]:
        d["to_move"] -= 1
    for act in ACTS:
        kept = {
            space: [
                disc if isinstance(disc, str) else disc - (disc > seat)
                for disc in pile
                if disc != seat
            ]
            for space, pile in d["piles"][act].items()
        }
        if d["players"] == 1:
            kept.setdefault("1", []).append("neutral")
        d["piles"][act] = {space: pile for space, pile in kept.items() if pile}


def _empty(case: random.Random, d: Dict) -> None:
    """All that can move moves into the discards."""
    for kind in _KINDS:
        for colour in COLOURS:
            for heap in case.choice((("bags",), ("bags", "display"))):
                d["discarded"][kind][colour] += d[heap][kind][colour]
                d[heap][kind][colour] = 0
    if case.random() < 0.5:
        names = case.sample(_CARD_HEAPS, 3)
        _heap(d, names[0]).extend(_heap(d, names[1]) + _heap(d, names[2]))
        _heap(d, names[1]).clear()
        _heap(d, names[2]).clear()


_CHANGES = (
    *(_move_elements, _move_elements, _empty, _dress, _build, _move_cards, _move_cards),
    *(_hire, _hire, _dismiss, _mark, _mark, _move_discs, _move_objectives, _shuffle_seats),
    *(_shorten_tracks, _number, _number, _truth, _keep, _name_another, _day, _phase, _phase),
    *(_pending, _drop_seat),
)


# ---- making it add up -----------------------------------------------------------------------


def _balance(case: random.Random, d: Dict) -> None:
    """Put right what one change leaves wrong elsewhere: counts, tracks and who has chosen."""
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
    heaps = [_heap(d, name) for name in _CARD_HEAPS]
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
