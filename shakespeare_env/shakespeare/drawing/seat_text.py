"""Seats as text: a table of all, a board each."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from shakespeare_env.drawing.text_layout import beside, columns
from shakespeare_env.shakespeare.drawing.stage_rows import stage_rows
from shakespeare_env.shakespeare.drawing.stage_text import SHORT_COLOURS, draw_stage
from shakespeare_env.shakespeare.drawing.wording import (
    character_name,
    extra_names,
    objective_name,
    wage,
    wages_due,
    winners,
)
from shakespeare_env.shakespeare.printed import CARDS, VALUES
from shakespeare_env.shakespeare.tables import BOX, N_SLOTS

_STAGE = stage_rows(BOX)
_LEFT = 32  # columns for the characters of the board and the objectives
_GAP = 2


def draw_seats(position: Mapping[str, Any]) -> list[str]:
    """All seats: prestige, pounds, wages due and the day's state."""
    titles = ["", "★", "£", "wages due", "+3 tokens", "mood", "wager", "cylinders", "recruited"]
    titles += [
        "passed",
        *{"over": ["unpaid", ""], "rest": ["stays free"]}.get(position["phase"], []),
    ]
    rows = [titles, *(_row(position, seat) for seat in range(position["players"]))]
    return columns(rows, [str.ljust, *[str.rjust] * 6, *[str.ljust] * 5])


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
    row = [
        *standing(position, seat),
        *("yes" if mine[w] else "no" for w in ("recruited", "passed")),
    ]
    if position["phase"] == "over":
        row += [str(mine["unpaid"]), "wins" if seat in winners(position) else ""]
    elif position["phase"] == "rest":
        row.append(character_name(mine["kept"]) if mine["kept"] else "·")
    return row


def draw_board(mine: Mapping[str, Any], width: int) -> list[str]:
    """One seat: board characters and objectives, later arrivals, stage."""
    stage = draw_stage(_STAGE, mine["stage"])
    right = max(_LEFT, width - len(stage[0]) - 2 * _GAP - _LEFT)
    members = list(zip(mine["troupe"], extra_names(mine["troupe"]), strict=True))
    board = [entry(*member, _LEFT) for member in members[: len(BOX.starting)]]
    later = [entry(*member, right) for member in members[len(BOX.starting) :]]
    objectives = [""] if mine["objectives"] else []
    for card in mine["objectives"]:
        objectives += textwrap.wrap(f"◆ {objective_name(card)}", _LEFT, subsequent_indent="  ")
    return beside([[*board, *objectives], later or [" " * right], stage], width)


def entry(card: Mapping[str, Any], extra: str, width: int) -> str:
    """A character in so many columns: name, wages, costume."""
    known = CARDS[card["card"]]
    name = f"{extra} {known.name}" if extra else known.name
    if wage(card):
        name += f" {wage(card)}£"
    costume = _costume(card["costume"]) if extra or known.kind == "actor" else ""
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
