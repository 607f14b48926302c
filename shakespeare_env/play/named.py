"""Names of players in place of the numbers of their seats, and what a player does as a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence

YOU = "you"
"""The name, among others, of whoever reads."""
_SEATS = re.compile(r"\b[Ss]eats? (\d+(?:(?:, | and )\d+)*)(?!\d)")
_OWN = re.compile(r"\b[Ss]eats? (\d+), ")
_VERB = re.compile(r'(?:^|\band )([a-z]+)(?=[^"]*(?:"[^"]*"[^"]*)*$)')
_AS_PASSES = ("s", "sh", "ch", "x", "z", "o")


def with_names(text: str, names: Sequence[str]) -> str:
    """The same words, with the player's name for each seat's number.

    A name that follows its seat's number, as in "Seat 1, Ann", is not repeated.
    """

    def own(found: re.Match[str]) -> str:
        name = _name(int(found[1]), names)
        return "" if text.startswith(name, found.end()) else found[0]

    def named(found: re.Match[str]) -> str:
        return re.sub(r"\d+", lambda number: _name(int(number[0]), names), found[1])

    return _SEATS.sub(named, _OWN.sub(own, text)).replace(f"{YOU} wins", f"{YOU} win")


def doing(name: str, words: str) -> str:
    """What somebody does, from a move in words: "recruit Lear" is "Ann recruits Lear"."""
    if name == YOU:
        return f"You {words}"
    return f"{name} {_VERB.sub(lambda found: found[0] + _ending(found[1]), words)}"


def _name(seat: int, names: Sequence[str]) -> str:
    return names[seat] if seat < len(names) else f"seat {seat}"


def _ending(verb: str) -> str:
    return "es" if verb.endswith(_AS_PASSES) else "s"
