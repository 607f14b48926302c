"""What an objective counts and is worth, read off a position (Rules F1, F1a)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.shakespeare.box.facts import CRAFTSMEN, Objective
from shakespeare_env.shakespeare.box.printed import printed_of
from shakespeare_env.shakespeare.box.tables import N_SLOTS

SACRIFICE = "sacrifice"
"""The metric of objectives that cost pounds."""


def counted(position: Mapping[str, Any], seat: int, metric: str) -> int:
    """An objective's metric now; for `SACRIFICE`, pounds in hand."""
    mine, printed = position["seats"][seat], printed_of(position)
    face_up = [
        printed.cards[member["card"]].kind for member in mine["troupe"] if is_face_up(member)
    ]
    complete = [member["costume"] for member in mine["troupe"] if is_complete(member)]
    if metric == "first_places":
        return sum(leader(pile) == seat for pile in position["piles"].values())
    if metric == "lowest_act":
        return min(space_of(piles, seat) for piles in position["piles"].values())
    counts: dict[str, int] = {
        SACRIFICE: mine["pounds"],
        "complete_costumes": len(complete),
        "best_costume": max(map(printed.costume_value, complete), default=0),
        "stage_spaces": len(mine["stage"]),
        "stage_colours": len(set(mine["stage"].values())),
        "yellow_elements": yellow_elements(mine),
        "actors": face_up.count("actor"),
        "craftsmen": sum(kind in CRAFTSMEN for kind in face_up),
    }
    return counts[metric]


def reward(objective: Objective, value: int) -> int:
    """Its prestige: that of the highest step reached."""
    return next((won for at, won in reversed(objective.points) if value >= at), 0)


def is_face_up(member: Mapping[str, Any]) -> bool:
    """Whether a member is a character, not an extra."""
    return bool(member["face"] == "character")


def is_complete(member: Mapping[str, Any]) -> bool:
    """Whether a member's costume is complete."""
    return len(member["costume"]) == N_SLOTS


def yellow_elements(seat: Mapping[str, Any]) -> int:
    """On stage and costumes, complete or not (Rules F2)."""
    worn = sum(member["costume"].count("yellow") for member in seat["troupe"])
    return worn + list(seat["stage"].values()).count("yellow")


def space_of(piles: Mapping[str, list[Any]], seat: int) -> int:
    """Where a seat's disc is on an act."""
    return next(int(space) for space, discs in piles.items() if seat in discs)


def leader(piles: Mapping[str, list[Any]]) -> int | str:
    """The disc furthest ahead: of one space, the lowest (Rules T7)."""
    return ranking(piles)[0]


def ranking(piles: Mapping[str, list[Any]]) -> list[Any]:
    """An act's discs, the first furthest ahead (Rules T7)."""
    ahead = sorted(piles, key=int, reverse=True)
    return [disc for space in ahead for disc in piles[space]]
