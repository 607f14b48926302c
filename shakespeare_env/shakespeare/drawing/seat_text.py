"""Seats as text: a table of all, a board each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import zip_longest
from typing import Any

from shakespeare_env.drawing.text_layout import GLUE, columns, headline, wrapped
from shakespeare_env.shakespeare.drawing.stage_text import SHORT_COLOURS, draw_stage, stage_rows
from shakespeare_env.shakespeare.drawing.wording import (
    character_name,
    extra_names,
    objective_name,
    wage,
    wages_due,
    winners,
    worth_now,
)
from shakespeare_env.shakespeare.printed import CARDS, VALUES
from shakespeare_env.shakespeare.tables import BOX, N_SLOTS

_STAGE = stage_rows(BOX)


def draw_seats(position: Mapping[str, Any]) -> list[str]:
    """All seats: prestige, pounds, wages due and the day's state."""
    titles = ["", "★", "£", "wages due", "+3", "mood", "wager", "cylinders"]
    titles += {"over": ["unpaid", ""], "rest": ["stays free"]}.get(
        position["phase"], ["recruited", "passed"]
    )
    rows = [titles, *(_row(position, seat) for seat in range(position["players"]))]
    return columns(rows, [str.ljust, *[str.rjust] * 6, *[str.ljust] * 3])


def standing(position: Mapping[str, Any], seat: int) -> list[str]:
    """A seat, marked if it decides, and what it has, up to its cylinders."""
    mine = position["seats"][seat]
    used = sum(card["cylinder"] for card in mine["troupe"])
    return [
        f"{'▶' if seat == position['to_move'] else ' '} Seat {seat}",
        str(mine["prestige"]),
        str(mine["pounds"]),
        str(wages_due(mine)),
        str(mine["tokens"]),
        f"{mine['mood']:+d}" if mine["mood"] else "0",
        str(mine["wager"] or "·"),
        "●" * used + "○" * mine["cylinders"] or "·",
    ]


def _row(position: Mapping[str, Any], seat: int) -> list[str]:
    mine = position["seats"][seat]
    row = standing(position, seat)
    if position["phase"] == "over":
        return [*row, str(mine["unpaid"]), "wins" if seat in winners(position) else ""]
    if position["phase"] == "rest":
        return [*row, character_name(mine["kept"]) if mine["kept"] else "·"]
    return [*row, *("yes" if mine[w] else "no" for w in ("recruited", "passed"))]


def can_wear(member: Mapping[str, Any]) -> bool:
    """Whether a member may get a costume: an actor or an extra (Rules T12)."""
    return bool(member["face"] == "extra" or CARDS[member["card"]].kind == "actor")


def draw_board(
    position: Mapping[str, Any],
    seat: int,
    width: int,
    has_line: Callable[[Mapping[str, Any]], bool],
) -> list[str]:
    """One seat: its characters and objectives beside the stage.

    Characters that pass `has_line` get a line each with their costume; the others follow.
    """
    mine = position["seats"][seat]
    stage = draw_stage(_STAGE, mine["stage"])
    room = width - len(stage[0]) - 2
    left, bare = [], []
    for member, extra in zip(mine["troupe"], extra_names(mine["troupe"]), strict=True):
        name = CARDS[member["card"]].name
        if has_line(member):
            left.append(entry(member, extra, room))
        else:
            bare.append(in_words(member, f"{extra} {name}" if extra else name))
    left += wrapped(", ".join(bare), room, "  ", "  ")
    for card in mine["objectives"]:
        left += wrapped(objective_words(position, seat, card), room, "  ", "    ")
    rows = [f"{text:<{room}}  {row}" for text, row in zip_longest(left, stage, fillvalue="")]
    return [headline(f"Seat {seat}", width), *rows]


def objective_words(position: Mapping[str, Any], seat: int, card: str) -> str:
    """An objective and what it is worth so far, if that is known."""
    worth = worth_now(position, seat, card)
    name = f"◆ {objective_name(card)}"
    return name if worth is None else f"{name}: {f'{worth:+d}' if worth else 0}★"


def in_words(member: Mapping[str, Any], name: str) -> str:
    """A member in a sentence: what lies on it, wage, costume."""
    words = [name]
    if state_mark(member):
        words[0] = f"{state_mark(member)}{GLUE}{name}"
    if wage(member):
        words[-1] += f"{GLUE}{wage(member)}£"
    if member["costume"]:
        done = "✓" if len(member["costume"]) == N_SLOTS else ""
        words.append("-".join(SHORT_COLOURS[colour] for colour in member["costume"]) + done)
    return " ".join(words)


def entry(card: Mapping[str, Any], extra: str, width: int) -> str:
    """A character in `width` columns: name, wages, costume."""
    name = CARDS[card["card"]].name
    name = f"{extra} {name}" if extra else name
    if wage(card):
        name += f" {wage(card)}£"
    costume = _costume(card["costume"])
    mark = state_mark(card) or " "
    room = width - len(mark) - len(costume) - 2
    if len(name) > room:
        name = name[: room - 1] + "…"
    return f"{mark} {name:<{room}} {costume}"


def state_mark(card: Mapping[str, Any]) -> str:
    """What lies on a character, if anything."""
    return "●" if card["cylinder"] else "z" if card["rest"] else ""


def _costume(elements: list[str]) -> str:
    slots = [SHORT_COLOURS[colour] for colour in elements]
    slots += ["···"] * (N_SLOTS - len(elements))
    done = "✓" if len(elements) == N_SLOTS else " "
    return f"{' '.join(slots)} {done}{sum(VALUES[colour] for colour in elements) or '':>2}"
