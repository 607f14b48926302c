"""Texts with placeholders for seats, which are filled with names for each reader.

A text names seats as `{seat 2}`, `{Seat 2}` or `{seats 0, 2}`, and the owner of something as
`{seat 2's}`. Verbs stand in braces in their base form, such as `{win}`. A verb right after a seat
agrees with that seat, and any other verb agrees with the player who moves.

>>> with_names("{seat 2} {win} with a road of 9")
'seat 2 wins with a road of 9'
>>> with_names("{seat 2} {win} with a road of 9", ["Ann", "Bob", "you"])
'you win with a road of 9'
>>> with_names("{play} a ring before {seat 0}", ["Ann", "Bob", "you"], mover="Bob")
'plays a ring before Ann'
>>> with_names("{seat 2's} pile", ["Ann", "Bob", "you"])
'your pile'
"""

from __future__ import annotations

import re
from collections.abc import Sequence

YOU = "you"
"""The name of the reader in a list of names."""

_PLACEHOLDER = re.compile(
    r"\{(?P<seats>[Ss]eats? (?P<numbers>\d+(?:, \d+)*))(?P<of>'s)?\}(?: \{(?P<its_verb>[a-z]+)\})?"
    r"|\{(?P<verb>[a-z]+)\}"
)
_IRREGULAR = {"be": "is", "have": "has"}


def seat_placeholder(*seats: int) -> str:
    """Return the placeholder of one seat or of a list of seats."""
    word = "seat" if len(seats) == 1 else "seats"
    return f"{{{word} {', '.join(map(str, seats))}}}"


def with_names(text: str, names: Sequence[str] = (), *, mover: str = YOU) -> str:
    """Return a text with its placeholders filled.

    Args:
        text: The text.
        names: The players' names by seat, `YOU` for the reader; without names, seats stay numbers.
        mover: The name of the player who moves; with `YOU`, a move is in the imperative.
    """

    def name_of(seat: int) -> str:
        return names[seat] if seat < len(names) else f"seat {seat}"

    def fill(placeholder: re.Match[str]) -> str:
        if placeholder["verb"]:
            return _agreeing(placeholder["verb"], mover)
        seats = [int(number) for number in placeholder["numbers"].split(", ")]
        subject = ", ".join(map(name_of, seats)) if names else placeholder["seats"]
        if placeholder["of"]:
            return "your" if subject.lower() == YOU else f"{subject}'s"
        verb = placeholder["its_verb"]
        if not verb:
            return subject
        if len(seats) == 1:
            verb = _agreeing(verb, subject)
        return f"{subject} {verb}"

    return _PLACEHOLDER.sub(fill, text)


def _agreeing(verb: str, subject: str) -> str:
    """Return a verb in the form that follows the name of one player."""
    if subject.lower() == YOU:
        return verb
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{verb}es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}s"
