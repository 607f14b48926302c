"""What the box prints, by the names of the notation, and amounts in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import ACTS, CRAFTSMEN, Character, Objective, Power

SET_GAINS = {
    "pink": {"pounds": t.PINK_POUNDS},
    "blue": {"mood": t.BLUE_MOOD},
    "green": {"tokens": 1},
}
"""What a stage set gives its seat at once, by colour (Rules T14)."""

CARDS: Mapping[str, Character] = {card.id: card for card in t.BOX.characters}
"""Characters by id."""
OBJECTIVES: Mapping[str, Objective] = {card.id: card for card in t.BOX.objectives}
"""Objectives by id."""
VALUES: Mapping[str, int] = t.BOX.element_values
"""The values of elements by colour."""


def costume_value(elements: Iterable[str]) -> int:
    """The sum of a costume's values (Rules T12)."""
    return sum(VALUES[colour] for colour in elements)


def wage(member: Mapping[str, Any]) -> int:
    """What a member costs at the end; extras and the board's are free (Rules F3)."""
    return 0 if member["face"] == "extra" else CARDS[member["card"]].cost


def wages_due(seat: Mapping[str, Any]) -> int:
    """What a seat's members cost at the end."""
    return sum(map(wage, seat["troupe"]))


def space_pays(act: int, space: int) -> tuple[int, str] | None:
    """A space's rehearsal gain or loss, and its unit (Rules R2)."""
    if space <= t.GREY_SPACES:
        return -1, "★"
    reached = [gain for at, gain in t.BOX.pay[act] if space >= at]
    return (reached[-1], ("£", "", "★")[act]) if reached else None


def minus(text: str) -> str:
    """A text with the typographer's minus."""
    return text.replace("-", "−")


def signed(amount: int) -> str:
    """An amount with its sign."""
    return minus(f"{amount:+d}") if amount else "0"


def plural(count: int, noun: str) -> str:
    """A count with its noun."""
    return f"{count} {noun}{'s' * (count != 1)}"


def amount(name: str, change: int) -> str:
    """A change of prestige, pounds, tokens or mood."""
    if name == "mood":
        return f"mood {signed(change)}"
    unit = {"prestige": "prestige", "pounds": "£", "tokens": 'token "+3"'}[name]
    return f"{signed(change)} {unit}"


def gain_words(gain: Mapping[str, int]) -> str:
    """Amounts in words."""
    return ", ".join(amount(name, by) for name, by in gain.items() if by) or "nothing"


def quills_of(power: Power) -> dict[str, int]:
    """A power's coloured quills by act (Rules T6)."""
    return dict(zip(ACTS, (power.red, power.gold, power.blue), strict=True))


SACRIFICE = "sacrifice"
"""The metric of objectives that cost pounds."""


def counted(position: Mapping[str, Any], seat: int, metric: str) -> int:
    """An objective's metric now; for `SACRIFICE`, pounds in hand (Rules F1a)."""
    mine, acts = position["seats"][seat], position["piles"].values()
    troupe = mine["troupe"]
    face_up = [CARDS[it["card"]].kind for it in troupe if it["face"] == "character"]
    complete = [it["costume"] for it in troupe if len(it["costume"]) == t.N_SLOTS]
    counts: dict[str, int] = {
        # On the last space reached, the lowest disc is ahead (Rules T7).
        "first_places": sum(piles[max(piles, key=int)][0] == seat for piles in acts),
        "lowest_act": min(space_of(piles, seat) for piles in acts),
        SACRIFICE: mine["pounds"],
        "complete_costumes": len(complete),
        "best_costume": max(map(costume_value, complete), default=0),
        "stage_spaces": len(mine["stage"]),
        "stage_colours": len(set(mine["stage"].values())),
        "yellow_elements": yellow_elements(mine),
        "actors": face_up.count("actor"),
        "craftsmen": sum(kind in CRAFTSMEN for kind in face_up),
    }
    return counts[metric]


def reward(objective: Objective, value: int) -> int:
    """Its prestige: that of the highest step reached (Rules F1)."""
    return next((won for at, won in reversed(objective.points) if value >= at), 0)


def yellow_elements(seat: Mapping[str, Any]) -> int:
    """On stage and costumes, complete or not (Rules F2)."""
    worn = sum(member["costume"].count("yellow") for member in seat["troupe"])
    return worn + list(seat["stage"].values()).count("yellow")


def space_of(piles: Mapping[str, list[Any]], seat: int) -> int:
    """Where a seat's disc is on an act."""
    return next(int(space) for space, discs in piles.items() if seat in discs)
