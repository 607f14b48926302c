"""Checks across the entries of a box file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shakespeare_env.checks.box_entries import Entry
from shakespeare_env.figaro.box.facts import Box

_LARGEST_HAND = 30


def check_absent(fewer: Entry, box: Box) -> None:
    """Refuse leaving out more cards than there are (Rules A1)."""
    for value, (absent, copies) in enumerate(
        zip(box.absent_jesters, box.jesters, strict=True), start=1
    ):
        if absent > copies:
            fewer.refuse(
                f"jesters.{value}", f"{absent} of {copies} left out", f"leave out {copies} at most"
            )
    if box.absent_rings > box.rings:
        fewer.refuse(
            "rings", f"{box.absent_rings} of {box.rings} left out", f"leave out {box.rings} at most"
        )


def check_deals(cards: Entry, fewer: Entry, deals: Mapping[int, int]) -> None:
    """Refuse cards that cannot be dealt evenly (Rules A1).

    `fewer` is what the smallest table leaves out; `deals` maps seats to cards dealt.
    """
    # The smallest table last: what it leaves out is not to blame for the others' faults.
    for seats in sorted(deals, key=lambda seats: (seats == min(deals), seats)):
        dealt = deals[seats]
        if dealt % seats or not 2 * seats <= dealt <= _LARGEST_HAND * seats:
            (fewer if seats == min(deals) else cards).refuse(
                "",
                f"{dealt} cards with {seats} seats",
                f"give every seat the same number, from 2 to {_LARGEST_HAND}",
            )


def check_lengths(road: Entry, lengths: Sequence[int]) -> None:
    """Refuse road pieces of equal length: their owners would be ambiguous (Rules A2)."""
    for length in lengths:
        if lengths.count(length) > 1:
            road.refuse("lengths", f"{length} is listed twice", "make all lengths different")
