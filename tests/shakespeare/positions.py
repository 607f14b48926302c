"""Positions for the rule tests, written so that a test states only what matters to it.

`turn_position(sets={"blue": 1}, seats={0: seat(cards=["set_dresser_8"])})` is a complete position
in the notation: what the test does not name is filled in so that everything adds up (elements to
the box, 30 cards, 8 tokens, 10 objectives, cylinders to the wager, the Initiative track to the
actors used).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import cycle
from typing import Any

COLOURS = ("black", "pink", "purple", "blue", "green", "yellow")
BOARD = ("author", "falstaff", "handyman_board", "queen")
ACTS = ("I", "II", "III")
ACTOR_CARDS = (
    "lady_macbeth", "hamlet", "viola", "romeo", "juliet", "beatrice",
    "iago", "othello", "puck", "titania", "lear", "portia",
)  # fmt: skip
COPIES = dict.fromkeys(ACTOR_CARDS, 1) | {
    "costume_mistress_6": 3, "costume_mistress_8": 2, "set_dresser_6": 3, "set_dresser_8": 2,
    "handyman": 2, "jeweler": 3, "assistant": 3,
}  # fmt: skip
OBJECTIVES = (
    "leading_acts", "wardrobe", "patronage", "grand_stage", "colourful_stage",
    "masterpiece", "even_play", "jewels", "great_company", "full_workshop",
)  # fmt: skip
# For 2, 3 and 4 seats, in the order of COLOURS.
BOX = {
    "sets": {2: (8, 8, 7, 5, 4, 4), 3: (12, 12, 10, 8, 6, 6), 4: (16, 16, 12, 12, 8, 8)},
    "costumes": {2: (8, 8, 6, 6, 4, 4), 3: (12, 12, 9, 9, 6, 6), 4: (16, 16, 12, 12, 8, 8)},
}

Dict = dict[str, Any]
ColourCounts = Mapping[str, int]


def counts(some: ColourCounts | None = None) -> dict[str, int]:
    """Return counts with every colour listed, as the notation wants them."""
    return {colour: (some or {}).get(colour, 0) for colour in COLOURS}


# ---- seats ---------------------------------------------------------------------------------------


def seat(
    cards: Iterable[str] = (),
    *,
    used: Iterable[str] = (),
    resting: Iterable[str] = (),
    costumes: Mapping[str, Sequence[str]] | None = None,
    **fields: Any,
) -> Dict:
    """Return a seat: by default 2 cylinders left, nobody recruited, only the board's characters.

    `cards` follow the board characters in order of hiring; `"extra:CARD"` lies face down. `used`
    have a cylinder, `resting` a rest token (of copies the first still free one); `costumes` maps a
    wearer (CARD or extraN) to its elements. `fields` replace fields of the notation.
    """
    troupe = [_member(card) for card in (*BOARD, *cards)]
    for card in resting:
        _first_free(troupe, card)["rest"] = True
    for card in used:
        _first_free(troupe, card)["cylinder"] = True
    made: Dict = {"prestige": 5, "pounds": 0, "tokens": 0, "mood": 0, "wager": None}
    made |= {"cylinders": None, "recruited": False, "passed": False, "kept": None}
    made |= {"objectives": [], "stage": {}, "troupe": troupe} | fields
    for wearer, elements in (costumes or {}).items():
        character_in(troupe, wearer)["costume"] = sorted(elements, key=COLOURS.index)
    return made


def finished(cards: Iterable[str] = (), *, used: Iterable[str] = ("queen",), **fields: Any) -> Dict:
    """Return a seat that has finished its day: it has recruited and used its only cylinder."""
    return seat(cards, used=used, **({"cylinders": 0, "recruited": True} | fields))


def ready_to_pass(cards: Iterable[str] = (), **fields: Any) -> Dict:
    """Return a seat that has recruited and has one cylinder left, so that `pass` ends its day."""
    return seat(cards, **({"cylinders": 1, "recruited": True} | fields))


def _member(text: str) -> Dict:
    card = text.removeprefix("extra:")
    face = "extra" if text.startswith("extra:") else "character"
    return {"card": card, "face": face, "costume": [], "cylinder": False, "rest": False}


def _first_free(troupe: list[Dict], card: str) -> Dict:
    free = (m for m in troupe if m["face"] == "character" and not m["cylinder"] and not m["rest"])
    return next(m for m in free if m["card"] == card)


# ---- positions -----------------------------------------------------------------------------------


def position(
    phase: str,
    *,
    players: int = 4,
    day: int = 3,
    to_move: int = 0,
    seats: Mapping[int, Dict] | None = None,
    others: Callable[[], Dict] = seat,
    acts: Mapping[str, Mapping[int, Sequence[Any]]] | None = None,
    costumes: ColourCounts | None = None,
    sets: ColourCounts | None = None,
    shown: Sequence[str] | None = None,
    deck: Sequence[str] | None = None,
    **fields: Any,
) -> Dict:
    """Return a position in the notation; what is not given is filled in so that it adds up.

    `others` makes the seats not named. `acts` gives act -> space -> discs from the bottom up; discs
    not named lie on space 1, in Order (the neutral ones on 4, from day 5 on 8). `costumes` and
    `sets` are the display, `shown` the character cards shown; with `deck` all other cards are
    discarded.
    """
    table = [(seats or {}).get(i) or others() for i in range(players)]
    order: list[int] = fields.get("order", list(range(players)))
    _give_cylinders(table, phase)
    troupes = [card["card"] for one in table for card in one["troupe"] if card["card"] not in BOARD]
    left = Counter(COPIES) - Counter(troupes)
    if shown is None:
        hired = 0 if phase == "rest" else sum(one["recruited"] for one in table)
        shown = sorted(left.elements())[: max(players, 2) + 2 - hired]
    left -= Counter(shown)
    gone = [] if deck is None else sorted((left - Counter(deck)).elements())
    pile = sorted(left.elements()) if deck is None else sorted(deck)
    held = [objective for one in table for objective in one["objectives"]]
    held += (fields.get("pending") or {}).get("drawn", [])
    elements = {
        kind: _elements(kind, max(players, 2), day, table, shown_of)
        for kind, shown_of in (("costumes", counts(costumes)), ("sets", counts(sets)))
    }
    made: Dict = {"game": "shakespeare", "players": players, "strategic_rest": False, "day": day}
    made |= {"phase": phase, "to_move": to_move, "order": order, "pending": None, "queue": []}
    made |= {"initiative": _initiative(table, order, phase, fields.get("pending"))}
    made |= {"piles": _piles(acts or {}, order, players == 1, day), "winners": None}
    made |= {"display": {"characters": sorted(shown)}, "bags": {}, "discarded": {}}
    for kind, (display, bag, discarded) in elements.items():
        made["display"][kind] = display
        made["bags"][kind] = bag
        made["discarded"][kind] = discarded
    made |= {"deck": pile, "discarded_characters": gone, "seats": table}
    made |= {"objective_deck": [objective for objective in OBJECTIVES if objective not in held]}
    made |= {"supply_tokens": 8 - sum(one["tokens"] for one in table)}
    return made | fields


def turn_position(**fields: Any) -> Dict:
    """Return a turn of seat 0; the other seats have 2 cylinders and are still to recruit."""
    return position("turn", **fields)


def last_turn(**fields: Any) -> Dict:
    """Return the last turn of a day: seat 0 has only to pass, all others are finished."""
    me = fields.get("to_move", 0)
    fields["seats"] = {me: ready_to_pass(), **fields.get("seats", {})}
    fields.setdefault("others", finished)
    return position("turn", **fields)


def wager_position(**fields: Any) -> Dict:
    """Return phase 1 of day 3, in which the first in Order is to wager."""
    fields.setdefault("to_move", fields.get("order", [0])[0])
    return position("wager", **fields)


def _give_cylinders(table: list[Dict], phase: str) -> None:
    for one in table:
        used = sum(card["cylinder"] for card in one["troupe"])
        if phase in ("draft", "wager"):
            one["cylinders"] = 0
        elif len(table) == 1:
            one["cylinders"] = 5 - used
        else:
            one["cylinders"] = 2 if one["cylinders"] is None else one["cylinders"]
            one["wager"] = one["cylinders"] + used


def _elements(
    kind: str, bag_for: int, day: int, table: list[Dict], display: dict[str, int]
) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    """Return display, bag and discarded elements: 3 for each seat have left the bag every day."""
    left = Counter(dict(zip(COLOURS, BOX[kind][bag_for], strict=True)))
    left.subtract(display)
    for one in table:
        if kind == "sets":
            left.subtract(one["stage"].values())
        else:
            left.subtract(element for card in one["troupe"] for element in card["costume"])
    if min(left.values()) < 0:
        raise ValueError(f"more {kind} elements than the box holds: {left}")
    bag: Counter[str] = Counter()
    for colour in cycle(COLOURS):
        if bag.total() == min(3 * bag_for * (6 - day), bag.total() + left.total()):
            break
        if left[colour]:
            bag[colour] += 1
            left[colour] -= 1
    return display, counts(bag), counts(left)


def _initiative(table: list[Dict], order: list[int], phase: str, pending: Any) -> list[int]:
    if phase in ("draft", "wager"):
        return list(order)
    actors = (*BOARD[:2], *ACTOR_CARDS)
    acted = [
        s for s in order if any(c["cylinder"] and c["card"] in actors for c in table[s]["troupe"])
    ]
    after = phase in ("back", "rest") or (pending or {}).get("then") in ("mood", "rehearsal")
    return acted + [s for s in order if after and s not in acted]


def _piles(
    acts: Mapping[str, Mapping[int, Sequence[Any]]], order: list[int], solo: bool, day: int
) -> dict[str, dict[str, list[Any]]]:
    piles: dict[str, dict[str, list[Any]]] = {}
    for act in ACTS:
        spaces = {space: list(discs) for space, discs in acts.get(act, {}).items()}
        placed = [disc for discs in spaces.values() for disc in discs]
        if solo and "neutral" not in placed:
            spaces.setdefault(4 if day <= 4 else 8, []).insert(0, "neutral")
        at_start = [disc for disc in order if disc not in placed]
        if at_start:
            spaces[1] = at_start + spaces.get(1, [])
        piles[act] = {str(space): discs for space, discs in sorted(spaces.items()) if discs}
    return piles


def everyone_on(space: int, players: int = 4) -> dict[str, dict[int, list[int]]]:
    """Put all discs on one space of every act, seat 0 at the bottom."""
    return {act: {space: list(range(players))} for act in ACTS}


# ---- playing and reading -------------------------------------------------------------------------


def starting(d: Iterable[str], *prefixes: str) -> set[str]:
    """Return the moves that begin with one of the prefixes."""
    return {move for move in d if move.startswith(prefixes)}


def seat_of(d: Dict, index: int) -> Dict:
    """Return the entry of a seat."""
    return dict(d["seats"][index])


def each(d: Dict, field: str) -> list[Any]:
    """Return one field of every seat, in seat order."""
    return [one[field] for one in d["seats"]]


def character_in(troupe: list[Dict], wearer: str) -> Dict:
    """Return the entry of a character, or of an extra named extra1, extra2, ..."""
    if wearer.startswith("extra"):
        return [card for card in troupe if card["face"] == "extra"][int(wearer[5:]) - 1]
    return next(m for m in troupe if m["card"] == wearer and m["face"] == "character")


def character(d: Dict, index: int, wearer: str) -> Dict:
    """Return the entry of a character of a seat."""
    return character_in(d["seats"][index]["troupe"], wearer)


def space(d: Dict, act: str, disc: Any) -> int:
    """Return the space of a disc on an act."""
    return next(int(at) for at, discs in d["piles"][act].items() if disc in discs)


def spaces(d: Dict, disc: Any) -> tuple[int, ...]:
    """Return the spaces of a disc on Acts I, II and III."""
    return tuple(space(d, act, disc) for act in ACTS)


def gained(before: Dict, after: Dict, index: int) -> tuple[int, int]:
    """Return the prestige and pounds that a seat gained."""
    old = before["seats"][index]
    new = after["seats"][index]
    return new["prestige"] - old["prestige"], new["pounds"] - old["pounds"]
