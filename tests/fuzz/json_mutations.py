"""Values as JSON and TOML hold them, changed at random: syntax and small changes of sense."""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Callable
from typing import Any

_DEEP = 150
"""Deeper than the project reads; copying a deeper value would exhaust the stack here."""
SPECIAL: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 127, 128, -128, -129, 255, 256, 1000, 32767, 32768, -32769),
    *(2**31, -(2**31) - 1, 2**53, 2**63, -(2**63) - 1, 2**64, 10**30, 10**400),
    *(0.0, -0.0, 0.5, 1.0, 1e300, -1e300, 1e-320, math.inf, -math.inf, math.nan),
    *("", " ", "0", "1", "?", "null", "x" * 300, "\0", "\ud800", "é", "‮", "../../etc", "%s%n"),
    *([], {}, [[]], [None], {"": None}, {"a": {"a": {}}}, [0] * 300),
)
"""What is often forgotten."""
Kind = tuple[Any, ...]
"""The way to a value, with `*` for the places of a list."""


def value(case: random.Random) -> Any:
    """Anything."""
    drawn = case.random()
    if drawn < 0.7:
        return copy.deepcopy(case.choice(SPECIAL))
    if drawn < 0.8:
        return case.randint(-20, 20)
    if drawn < 0.9:
        return text(case)
    nested: Any = case.choice(([], {}, 0))
    for _ in range(case.choice((1, 3, _DEEP))):
        nested = [nested] if case.random() < 0.5 else {"a": nested}
    return nested


def text(case: random.Random) -> str:
    """A short text, mostly of printable ASCII."""
    return "".join(
        chr(case.randint(32, 126) if case.random() < 0.8 else case.randint(0, 0x10FFFF))
        for _ in range(case.randint(0, 12))
    )


def places(root: Any) -> list[tuple[Kind, Any, Any]]:
    """Every value inside a value: its kind, its container, and its key or index there."""
    found: list[tuple[Kind, Any, Any]] = []
    open_ones: list[tuple[Kind, Any]] = [((), root)]
    while open_ones:
        kind, container = open_ones.pop()
        if isinstance(container, list | dict):
            keys: Any = range(len(container)) if isinstance(container, list) else container
            inside = [((*kind, key if isinstance(key, str) else "*"), key) for key in keys]
            found += [(way, container, key) for way, key in inside]
            open_ones += [(way, container[key]) for way, key in inside]
    return found


def mutated(case: random.Random, root: Any, times: int | None = None) -> Any:
    """A copy with 1 to 4 changes, or as many as said; may be a value of another type."""
    root = copy.deepcopy(root)
    for _ in range(case.choice((1, 1, 2, 4)) if times is None else times):
        found = places(root)
        if not found or case.random() < 0.005:
            return value(case)
        _, container, key = case.choice(found)
        _change(case, container, key)
    return root


def accepted(
    case: random.Random,
    root: Any,
    change: Callable[[random.Random, Any], None],
    is_accepted: Callable[[Any], bool],
    *,
    trials: int,
) -> Any:
    """A copy with several changes, each of which is accepted where it is made."""
    left = case.choice((1, 2, 5, 12))
    for _ in range(trials):
        changed = copy.deepcopy(root)
        change(case, changed)
        if changed != root and is_accepted(changed):
            root, left = changed, left - 1
        if not left:
            break
    return copy.deepcopy(root)


def _near(case: random.Random, old: Any) -> Any:
    """A number becomes another one, near or far; a text is misspelt, a list shuffled."""
    if isinstance(old, bool):
        return not old
    if isinstance(old, int):
        return case.choice((old + 1, old - 1, -old, old * 2, old * 1000, float(old % 2**53)))
    if isinstance(old, float):
        whole = int(old) if math.isfinite(old) else 0
        return case.choice((old * 2, -old, old + 1e-9, whole))
    if isinstance(old, str):
        return _misspelt(case, old)
    return case.sample(old, len(old)) if isinstance(old, list) else value(case)


def _misspelt(case: random.Random, old: str) -> str:
    at = case.randint(0, len(old))
    return case.choice((old[:at] + old[at + 1 :], old[:at] + text(case) + old[at:], old.upper()))


def _wrapped(case: random.Random, old: Any) -> Any:
    others: list[Any] = [[old], {"value": old}, str(old), [old] * 3]
    if isinstance(old, dict | list | str):
        others += [type(old)()] * 4
    return case.choice(others)


def _change(case: random.Random, container: Any, key: Any) -> None:
    kind, is_list = case.randrange(10), isinstance(container, list)
    if kind == 0:
        del container[key]
    elif kind <= 2:
        container[key] = value(case)
    elif kind <= 5:
        container[key] = _near(case, container[key])
    elif kind == 6:  # two neighbours change places
        other = case.choice(list(range(len(container)) if is_list else container))
        container[key], container[other] = container[other], container[key]
    elif kind == 7 and is_list:
        added = container[key] if case.random() < 0.7 else value(case)
        container.insert(case.randint(0, len(container)), copy.deepcopy(added))
    elif kind == 7:
        container[text(case)] = value(case)
    elif kind == 8 and not is_list:
        name = _misspelt(case, key) if isinstance(key, str) else text(case)
        container[name] = container.pop(key)
    else:
        container[key] = _wrapped(case, container[key])


def bytes_mutated(case: random.Random, data: bytes) -> bytes:
    """A copy of some bytes with a few of them changed, cut out, repeated or added."""
    out = bytearray(data)
    for _ in range(case.choice((1, 1, 2, 8))):
        at = case.randint(0, len(out))
        length = min(case.choice((1, 1, 4, 64)), len(out) - at)
        change = case.randrange(5)
        if change == 0 and at < len(out):
            out[at] ^= 1 << case.randrange(8)
        elif change == 1:
            out[at : at + length] = case.randbytes(length)
        elif change == 2:
            del out[at : at + length]
        elif change == 3:
            out[at:at] = out[at : at + length]
        elif change == 4:
            del out[at:]
    return bytes(out)
