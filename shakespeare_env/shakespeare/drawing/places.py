"""Where on the board a move is clicked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from shakespeare_env.core.presentation import Flight
from shakespeare_env.shakespeare.text.wording import extra_names


def places(position: Mapping[str, Any], move: str) -> tuple[str, ...]:
    """The places of a legal move, one after the other; none if it is a button.

    What is taken comes first, then where it goes.
    """
    kind, _, what = move.partition(":")
    seat = position["to_move"]
    if kind in ("draft", "recruit", "extra"):
        return (f"display.characters.{what}",)
    if kind in ("activate", "keep"):
        return (_member(position, what.removesuffix("+3"), activated=kind == "keep"),)
    if kind == "wager":
        return (f"seat{seat}.cylinders.{what}",)
    if kind in ("quill", "back"):
        return (_next_space(position, what, 1 if kind == "quill" else -1),)
    if kind == "queen":
        return (f"queen.{what}",)
    if kind == "objective":
        return (f"pending.drawn.{what}",)
    if kind in ("costume", "set"):
        colour, _, goal = what.partition(">")
        to = _wearer(position, goal) if kind == "costume" else f"seat{seat}.stage.{goal}"
        return (f"display.{kind}s.{colour}", to)
    return ()


def flights(before: Mapping[str, Any], move: str, after: Mapping[str, Any]) -> list[Flight]:
    """See `Presentation.flights`: a card or an element, and discs."""
    kind, seat = move.partition(":")[0], before["to_move"]
    found, at = [], places(before, move)
    if kind in ("draft", "recruit", "extra"):
        troupe = after["seats"][seat]["troupe"]
        found.append(Flight(at[0], f"seat{seat}.troupe.{len(troupe) - 1}"))
    elif kind in ("costume", "set"):
        found.append(Flight(at[0], at[1]))
    for act, piles in before["piles"].items():
        now = {disc: space for space, pile in after["piles"][act].items() for disc in pile}
        found += [
            Flight(f"piles.{act}.{space}", f"piles.{act}.{now[disc]}", disc)
            for space, pile in piles.items()
            for disc in pile
            if isinstance(disc, int) and now.get(disc, space) != space
        ]
    return found


def _member(position: Mapping[str, Any], card: str, *, activated: bool) -> str:
    """Of copies, the first to be activated, or the first that was."""
    return _first(
        position,
        (
            member["card"] == card
            and member["face"] == "character"
            and member["cylinder"] == activated
            and (activated or not member["rest"])
            for member in _troupe(position)
        ),
    )


def _wearer(position: Mapping[str, Any], wearer: str) -> str:
    """An extra by its number, or the first face-up copy of an actor (Rules T12)."""
    troupe = _troupe(position)
    return _first(
        position,
        (
            (extra or member["card"]) == wearer
            for member, extra in zip(troupe, extra_names(troupe), strict=True)
        ),
    )


def _troupe(position: Mapping[str, Any]) -> list[dict[str, Any]]:
    troupe: list[dict[str, Any]] = position["seats"][position["to_move"]]["troupe"]
    return troupe


def _first(position: Mapping[str, Any], fits: Iterable[bool]) -> str:
    place = next(place for place, fit in enumerate(fits) if fit)
    return f"seat{position['to_move']}.troupe.{place}"


def _next_space(position: Mapping[str, Any], act: str, step: int) -> str:
    seat = position["to_move"]
    piles = position["piles"][act]
    space = next(int(space) for space, discs in piles.items() if seat in discs)
    return f"piles.{act}.{space + step}"
