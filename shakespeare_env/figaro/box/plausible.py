"""Facts that the rule sheet and reviews state about every copy of Figaro."""

from __future__ import annotations

from collections.abc import Iterator

from shakespeare_env.boxes import Constraints, must_equal
from shakespeare_env.figaro.box.tables import Box

CONSTRAINTS = Constraints()
_from_source = CONSTRAINTS.from_source


@_from_source("rule sheet: contents, and three players")
def cards(box: Box) -> Iterator[str]:
    """A colour has 10 cards, and there are 5 jesters and 5 rings; 3 seats leave out 2 and 3."""
    yield from must_equal(box.colours, {"1": 3, "2": 6, "3": 1}, "cards of a colour")
    yield from must_equal(box.jesters, {"1": 3, "2": 2}, "jesters")
    yield from must_equal(box.rings, 5, "rings")
    yield from must_equal(box.absent_jesters, {"1": 1, "2": 1}, "jesters left out")
    yield from must_equal(box.absent_rings, 3, "rings left out")


@_from_source("rule sheet; public: reviews say that all pieces differ")
def rounds_and_piles(box: Box) -> Iterator[str]:
    """There are 15 road pieces, all different, for three rounds; a total of 6 takes everything."""
    yield from must_equal(len({*box.lengths}), 15, "different lengths")
    yield from must_equal(box.rounds, 3, "rounds")
    yield from must_equal(box.full, 6, "the total that takes everything")
