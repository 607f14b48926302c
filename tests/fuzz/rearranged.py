"""Positions with their pieces elsewhere, which the game still accepts.

What may change places is learnt from real positions: values at the same kind of place, and lists
and counts of the same things.
"""

from __future__ import annotations

import copy
import random
from collections import defaultdict
from functools import cache
from typing import Any

from shakespeare_env import Position
from shakespeare_env.errors import PositionError
from tests.fuzz.json_mutations import Kind, accepted, places
from tests.fuzz.play import start, starts

Dict = dict[str, Any]
_TRIALS = 30
_LIMITS = (-32768, -1000, -2, -1, 0, 1, 2, 3, 4, 5, 6, 8, 30, 127, 200, 1000, 32767)


def rearranged(case: random.Random, d: Dict) -> Dict:
    """Several changes that are accepted one after the other, and sometimes one that may not be."""
    d = accepted(case, d, _change, _is_accepted, trials=_TRIALS)
    if case.random() < 0.25:
        _change(case, d)
    return d


def _is_accepted(d: Dict) -> bool:
    try:
        Position.from_dict(d)
    except PositionError:
        return False
    return True


def _change(case: random.Random, d: Dict) -> None:
    for _ in range(case.choice((1, 1, 2, 3))):
        case.choice(_CHANGES)(case, d)


def _values(d: Dict) -> list[tuple[Kind, Any, Any]]:
    """(kind, container, key) of every value inside; the piles, by their spaces, are of one kind."""
    return [
        (kind if kind[0] != "piles" else ("piles", *"*" * len(kind[1:])), container, key)
        for kind, container, key in places(d)
    ]


@cache
def _alike(game: str) -> dict[Kind, frozenset[Kind]]:
    """Kinds of lists of texts, and of counts, that hold the same things."""
    found: dict[Kind, set[str]] = defaultdict(set)
    for position in starts():
        if position.game.name == game:
            for kind, container, key in _values(position.to_dict()):
                entries = container[key]
                if isinstance(entries, list | dict):
                    found[kind].update(one for one in entries if isinstance(one, str))
    return {
        kind: frozenset(other for other, more in found.items() if more & things)
        for kind, things in found.items()
        if things
    }


def _places(d: Dict, wanted: type) -> dict[Kind, list[Any]]:
    """The lists, or the dicts, of a position by kind."""
    found: dict[Kind, list[Any]] = defaultdict(list)
    for kind, container, key in _values(d):
        if isinstance(container[key], wanted):
            found[kind].append(container[key])
    return found


def _move(case: random.Random, d: Dict) -> None:
    """One thing, some or all from a list to another of the same things, or within it."""
    lists, alike = _places(d, list), _alike(d["game"])
    kind = case.choice([*lists])
    source = case.choice(lists[kind])
    kinds = [other for other in alike.get(kind, {kind}) if other in lists]
    target = case.choice(lists[case.choice(sorted(kinds) or [kind])])
    for _ in range(case.choice((1, 1, 2, len(source)))):
        if source:
            moved = source.pop(case.randrange(len(source)))
            target.insert(case.randint(0, len(target)), moved)


def _count(case: random.Random, d: Dict) -> None:
    """Counts of one thing, or of all, move between those of the same things."""
    dicts, alike = _places(d, dict), _alike(d["game"])
    kinds = [k for k in dicts if k in alike and any(_counts(one) for one in dicts[k])]
    if not kinds:
        return
    kind = case.choice(kinds)
    places = [one for other in sorted(alike[kind]) for one in dicts.get(other, ()) if _counts(one)]
    source, target = case.choice(places), case.choice(places)
    for key in list(source) if case.random() < 0.4 else [case.choice(list(source))]:
        moved = case.choice((min(1, source[key]), source[key], source[key] // 2))
        source[key] -= moved
        target[key] = target.get(key, 0) + moved
        if not source[key] and case.random() < 0.5:  # as games write none differently
            del source[key]


def _counts(value: Dict) -> bool:
    return bool(value) and all(type(count) is int for count in value.values())


def _transplant(case: random.Random, d: Dict) -> None:
    """A value, small or large, from the same kind of place of another position."""
    kind, container, key = case.choice(_values(d))
    given = [inner[k] for same, inner, k in _values(_other(case, d)) if same == kind]
    if given:
        container[key] = copy.deepcopy(case.choice(given))


def _decide_otherwise(case: random.Random, d: Dict) -> None:
    """The decision of another position, or most of what belongs to it."""
    other = _other(case, d)
    for key in ("phase", "pending", "to_move", "day", "round", "queue", "winners", "order"):
        if key in other and case.random() < 0.9:
            d[key] = copy.deepcopy(other[key])


def _other(case: random.Random, d: Dict) -> Dict:
    """Another position of the game, mostly of as many seats."""
    for _ in range(40):
        position = start(case)
        if position.game.name == d["game"] and position.players == d["players"]:
            return position.to_dict()
    return d


def _number(case: random.Random, d: Dict) -> None:
    """A number at its limits or beyond them, a truth that is none."""
    numbers = [(c, k) for _, c, k in _values(d) if type(c[k]) in (int, bool)]
    container, key = case.choice(numbers)
    old = container[key]
    near = (old + 1, old - 1, case.choice(_LIMITS))
    container[key] = not old if isinstance(old, bool) else case.choice(near)


def _swap(case: random.Random, d: Dict) -> None:
    """Two entries of a list change places: seats, cards, discs of a pile, places of a track."""
    lists = [one for found in _places(d, list).values() for one in found if len(one) > 1]
    chosen = case.choice(lists)
    one, other = case.sample(range(len(chosen)), 2)
    chosen[one], chosen[other] = chosen[other], chosen[one]


_CHANGES = (
    *(_move, _move, _move, _count, _count, _transplant, _transplant, _transplant),
    *(_decide_otherwise, _number, _number, _swap),
)
