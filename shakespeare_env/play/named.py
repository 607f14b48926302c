"""Names of players in place of the numbers of their seats, and what a player does as a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from shakespeare_env.checks.values import short_name
from shakespeare_env.core.presentation import Panel
from shakespeare_env.play.history import ToldMove

YOU = "you"
"""The name, among others, of whoever reads; the lobby offers it as a player's name, too."""
_SEATS = re.compile(r"\b[Ss]eats? (\d+(?:(?:, | and )\d+)*)(?!\d)")
_OWN = re.compile(r"\b[Ss]eats? (\d+), ")
_VERB = re.compile(r'(?:^|\band )([a-z]+)(?=[^"]*(?:"[^"]*"[^"]*)*$)')
_YOU_WINS = re.compile(r"\b([Yy]ou) wins\b")
_AS_PASSES = ("s", "sh", "ch", "x", "z", "o")


def numbered(names: Sequence[str]) -> list[str]:
    """The same names, shortened; players of one name are numbered."""
    names = [short_name(name) for name in names]
    return [
        f"{name} {names[:at].count(name) + 1}" if names.count(name) > 1 else name
        for at, name in enumerate(names)
    ]


def with_names(text: str, names: Sequence[str]) -> str:
    """The same words, with the player's name for each seat's number.

    A name that follows its seat's number, as in "Seat 1, Ann", is not repeated.
    """

    def name(number: str) -> str:
        return names[int(number)] if int(number) < len(names) else f"seat {number}"

    def own(seat: re.Match[str]) -> str:
        return "" if text.startswith(name(seat[1]), seat.end()) else seat[0]

    def named(seats: re.Match[str]) -> str:
        return re.sub(r"\d+", lambda number: name(number[0]), seats[1])

    return _YOU_WINS.sub(r"\1 win", _SEATS.sub(named, _OWN.sub(own, text)))


def named_move(told: ToldMove, seat: int, names: Sequence[str]) -> ToldMove:
    """A move of a seat as a sentence about its player.

    "recruit Lear" of "seat 1" is "recruits Lear" of "Ann", or "recruit Lear" of "You".

    Args:
        told: The move in words without names.
        seat: The seat that has moved.
        names: The players' names by seat.
    """

    def third_person(verb: re.Match[str]) -> str:
        return verb[0] + ("es" if verb[1].endswith(_AS_PASSES) else "s")

    def sentence(effect: str) -> str:
        words = with_names(effect, names)
        return words if words.startswith(tuple(set(names) - {YOU})) else capitalised(words)

    words = with_names(told.text, names) if told.move else "decide in secret"
    mover = names[seat]
    if mover.lower() == YOU:
        mover = capitalised(mover)
    else:
        words = _VERB.sub(third_person, words)
    return ToldMove(mover, words, told.move, tuple(map(sentence, told.effects)))


def named_board(panels: Sequence[Panel], names: Sequence[str]) -> list[Panel]:
    """The panels of a board, with players' names in the titles of panels and pieces."""
    return [
        replace(
            panel,
            title=with_names(panel.title, names),
            pieces=[replace(piece, title=with_names(piece.title, names)) for piece in panel.pieces],
            summary=panel.summary
            and replace(panel.summary, title=with_names(panel.summary.title, names)),
        )
        for panel in panels
    ]


def capitalised(text: str) -> str:
    """A text as a sentence begins."""
    return text[:1].upper() + text[1:]
