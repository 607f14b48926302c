"""What the rule sheet, and reviews, say of every copy of Figaro."""

from __future__ import annotations

from collections.abc import Iterator

from shakespeare_env.boxes import Constraints, unless
from shakespeare_env.figaro.box.facts import Box

CONSTRAINTS = Constraints()
_of = CONSTRAINTS.from_source


@_of("rule sheet: contents")
def cards(box: Box) -> Iterator[str]:
    """Each colour has 3, 6 and 1 cards of 1, 2 and 3; there are 3 and 2 jesters, and 5 rings."""
    yield from unless(box.colours, (3, 6, 1), "cards of a colour")
    yield from unless(box.jesters, (3, 2), "jesters")
    yield from unless(box.rings, 5, "rings")


@_of("rule sheet: three players")
def three_seats(box: Box) -> Iterator[str]:
    """Three seats play without a jester of each value and without three rings."""
    yield from unless(box.absent_jesters, (1, 1), "jesters left out")
    yield from unless(box.absent_rings, 3, "rings left out")


@_of("rule sheet: contents; public: reviews say that all differ")
def road(box: Box) -> Iterator[str]:
    """There are 15 pieces of road, all of different length."""
    yield from unless(len({*box.lengths}), 15, "different lengths")


@_of("rule sheet")
def rounds_and_piles(box: Box) -> Iterator[str]:
    """A game has three rounds; a pile of 6 or more is taken."""
    yield from unless(box.rounds, 3, "rounds")
    yield from unless(box.full, 6, "the total that takes everything")
