"""What lies on each piece of the board, in a phrase for screen readers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.drawing.board import seat_and_name
from shakespeare_env.shakespeare.box.printed import PRINTED
from shakespeare_env.shakespeare.text.wording import (
    character_name,
    extra_words,
    objective_name,
    winners,
    worth_now,
)


def offer(card: str, copies: int) -> str:
    """A character on offer."""
    known = PRINTED.cards[card]
    many = f", {copies} copies" if copies > 1 else ""
    return f"{known.name}, {known.kind.replace('_', ' ')}, costs {_pounds(known.cost)}{many}"


def objective(position: Mapping[str, Any], seat: int, card: str) -> str:
    """An objective, and what it would bring a seat now."""
    if card == UNKNOWN:
        return "Unknown objective"
    return f"Objective {_worth(position, seat, card)}"


def state(position: Mapping[str, Any], seat: int, name: str) -> str:
    """What a seat has."""
    mine = position["seats"][seat]
    listed = [f"{mine['prestige']} prestige", _pounds(mine["pounds"]), f"mood {mine['mood']}"]
    if position["phase"] == "over":
        listed += [f"{mine['unpaid']} unpaid"]
        listed += ["wins"] if seat in winners(position) else []
    elif position["phase"] != "wager":
        listed.append(f"{mine['cylinders']} cylinders left")
        listed += [word for word in ("recruited", "passed") if mine[word]]
    elif mine["wager"] is not None:
        listed.append("has wagered" if mine["wager"] == UNKNOWN else f"wagers {mine['wager']}")
    listed += ["decides"] if position["to_move"] == seat else []
    known = [_worth(position, seat, card) for card in mine["objectives"] if card != UNKNOWN]
    unknown = len(mine["objectives"]) - len(known)
    listed += [f"objectives: {', '.join(known)}"] if known else []
    listed += [f"{unknown} unknown objective{'s' * (unknown > 1)}"] if unknown else []
    return f"{seat_and_name(seat, name)}: {', '.join(listed)}"


def member(card: Mapping[str, Any], extra: str) -> str:
    """A character of a troupe."""
    listed = [character_name(card["card"])]
    if extra:
        listed.append(extra_words(extra).lower())
    else:
        listed.append(PRINTED.cards[card["card"]].kind.replace("_", " "))
    wage = PRINTED.wage(card)
    listed += [f"wage {_pounds(wage)}"] if wage else []
    listed += ["activated"] if card["cylinder"] else []
    listed += ["resting"] if card["rest"] else []
    if card["costume"]:
        value = PRINTED.costume_value(card["costume"])
        listed.append(f"costume {' '.join(card['costume'])}, value {value}")
    return ", ".join(listed)


def stage(filled: Mapping[str, str], seat: int) -> str:
    """What a stage is built of."""
    listed = ", ".join(f"{space} {colour}" for space, colour in filled.items())
    return f"Stage of seat {seat}: {listed or 'empty'}"


def _worth(position: Mapping[str, Any], seat: int, card: str) -> str:
    worth = worth_now(position, seat, card)
    return objective_name(card) + (f" brings {worth} now" if worth is not None else "")


def _pounds(amount: int) -> str:
    return f"{amount} pound{'s' * (amount != 1)}"
