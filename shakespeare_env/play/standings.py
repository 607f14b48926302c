"""The places, points and gaps of all seats, as players compare them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from shakespeare_env.core.presentation import NextScoring, Presentation
from shakespeare_env.core.seat_names import YOU


class Standing(NamedTuple):
    """Where a seat stands. Points have the sign that people read (`Presentation.score_sign`).

    Attributes:
        seat: The seat.
        place: Its place, 1 for the leader. Tied seats have the same place.
        points: Its score.
        gap: The points between it and the leader, at least 0.
        next_points: The points of the next scoring if it took place now; None if none is to come.
        next_more: What else that scoring would bring, in words; empty if nothing.
    """

    seat: int
    place: int
    points: int
    gap: int
    next_points: int | None
    next_more: str


def places(scores: Sequence[int], winners: Collection[int] = ()) -> list[int]:
    """Return the place of each seat, 1 for the best; winners come before equal scores."""
    ranks = [(seat not in winners, -score) for seat, score in enumerate(scores)]
    return [1 + sum(other < rank for other in ranks) for rank in ranks]


def standings(
    presentation: Presentation, seen: Mapping[str, Any]
) -> tuple[list[Standing], NextScoring | None]:
    """Return the standing of each seat, and the next scoring.

    Args:
        presentation: The presentation of the game.
        seen: The position in notation, complete or as a seat sees it.
    """
    rows = [points for _, points in presentation.score_sheet(seen)]
    scores = [sum(column) for column in zip(*rows, strict=True)]
    coming = presentation.next_scoring(seen)
    sign = presentation.score_sign
    found = []
    for seat, place in enumerate(places(scores, seen["winners"] or ())):
        next_points = coming.points[seat] * sign if coming else None
        next_more = coming.more[seat] if coming else ""
        gap = max(scores) - scores[seat]
        found.append(Standing(seat, place, sign * scores[seat], gap, next_points, next_more))
    return found, coming


def outcome_in_words(
    found: Sequence[int], points: Sequence[int], names: Sequence[str], reader: int | None
) -> str:
    """Return a sentence with the reader's place at the end of a game, and the gap to the winners.

    Winners, and people without a seat, read how far the winners are ahead.

    Args:
        found: The places by seat, as `places` returns them.
        points: The final scores by seat.
        names: The players' names by seat. The reader's own is `YOU`.
        reader: The reader's seat; None for somebody who has none, or several.
    """
    seat = found.index(1) if reader is None else reader
    place = found[seat]
    equals = [other for other, its in enumerate(found) if its == place]
    later = min((its for its in found if its > place), default=place)
    rivals = [other for other, its in enumerate(found) if its == (later if place == 1 else 1)]
    gap = abs(points[seat] - points[rivals[0]])
    distance = f"{gap} {'ahead of' if place == 1 else 'behind'}" if gap else "level with"
    compared = f"{distance} {_listed(names, rivals)}"
    if place == 1 and rivals == equals:
        return "Everybody wins."
    if place == 1:
        verb = "are" if len(equals) > 1 or names[seat] == YOU else "is"
        sentence = f"{_listed(names, equals)} {verb} {compared}."
        return sentence[:1].upper() + sentence[1:]
    if len(equals) > 1:
        equals.remove(seat)
        return f"You share {ordinal(place)} place with {_listed(names, equals)}, {compared}."
    return f"You came {ordinal(place)} of {len(found)}, {compared}."


def ordinal(number: int) -> str:
    """Return a number as an ordinal, such as "2nd"."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number // 10 % 10 == 1 else ending}"


def _listed(names: Sequence[str], seats: Sequence[int]) -> str:
    *others, last = [names[seat] for seat in seats]
    return f"{', '.join(others)} and {last}" if others else last
