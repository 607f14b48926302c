"""Moves as sentences about the players who make them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shakespeare_env.checks.values import short_name
from shakespeare_env.core.seat_names import YOU, seat_placeholder, with_names
from shakespeare_env.play.history import MoveRecord, ToldMove

_SHORT_VERB = re.compile(r"[^aeiou]*[aeiou][^aeiouwxy]")
"""A verb of one syllable that doubles its last letter before "-ing", such as "bet"."""


def distinct_names(names: Sequence[str]) -> list[str]:
    """Return the names, shortened, with numbers after names that several players have."""
    names = [short_name(name) for name in names]
    distinct = []
    for seat, name in enumerate(names):
        if names.count(name) > 1:
            number = names[:seat].count(name) + 1
            distinct.append(f"{name} {number}")
        else:
            distinct.append(name)
    return distinct


def named_move(move: MoveRecord, names: Sequence[str]) -> ToldMove:
    """Return a move as a sentence about the player who has made it.

    If the move is "recruit Lear", the sentence is "Ann recruits Lear", or "You recruit Lear".

    Args:
        move: The move, with placeholders for seats.
        names: The players' names by seat. The reader's own is `YOU`.
    """
    mover = names[move.seat]
    text = with_names(move.text, names, mover=mover)
    others = tuple(name for name in names if name != YOU)
    effects = []
    for effect in move.effects:
        whose = "" if effect.seat is None else f"{seat_placeholder(effect.seat)}: "
        words = with_names(whose + effect.text, names)
        # A player's name keeps its own first letter.
        effects.append(words if words.startswith(others) else capitalised(words))
    if mover.lower() == YOU:
        mover = capitalised(mover)
    return ToldMove(mover, text, move.move, tuple(effects))


def capitalised(text: str) -> str:
    """Return a text with a capital first letter."""
    return text[:1].upper() + text[1:]


def gerund(phrase: str) -> str:
    """Return a phrase that begins with a verb as a noun: "play a card" is "playing a card"."""
    verb, space, rest = phrase.partition(" ")
    if _SHORT_VERB.fullmatch(verb):
        verb += verb[-1]
    elif verb.endswith("e") and not verb.endswith("ee"):
        verb = verb[:-1]
    return f"{verb}ing{space}{rest}"
