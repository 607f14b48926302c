"""What each seat has, drawn: the table of all seats, and the board of one."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from shakespeare_env.shakespeare.box import COLOURS
from shakespeare_env.shakespeare.stage_text import SHORT_COLOURS, draw_stage, stage_rows
from shakespeare_env.shakespeare.tables import BOX, COSTUME_SLOTS, ELEMENT_VALUE
from shakespeare_env.shakespeare.text_layout import beside, columns

_CARDS = {card.id: card for card in BOX.characters}
_OBJECTIVES = {objective.id: objective.name for objective in BOX.objectives}
_VALUES = dict(zip(COLOURS, ELEMENT_VALUE.tolist(), strict=True))
_STAGE = stage_rows(BOX)
_LEFT = 32  # columns for the characters of the board and the objectives
_GAP = 2


def draw_seats(position: Mapping[str, Any]) -> list[str]:
    """The seats below each other: prestige, pounds, wages due and the state of their day."""
    titles = ["", "★", "£", "wages due", "+3 tokens", "mood", "wager", "cylinders", "recruited"]
    titles += [
        "passed",
        *{"over": ["unpaid", ""], "rest": ["stays free"]}.get(position["phase"], []),
    ]
    rows = [titles, *(_row(position, seat) for seat in range(position["players"]))]
    return columns(rows, [str.ljust, *[str.rjust] * 6, *[str.ljust] * 5])


def _row(position: Mapping[str, Any], seat: int) -> list[str]:
    mine = position["seats"][seat]
    used = sum(card["cylinder"] for card in mine["troupe"])
    row = [
        f"{'▶' if seat == position['to_move'] else ' '} Seat {seat}",
        str(mine["prestige"]),
        str(mine["pounds"]),
        str(sum(map(_wage, mine["troupe"]))),
        str(mine["tokens"]),
        f"{mine['mood']:+d}" if mine["mood"] else "0",
        str(mine["wager"] or "·"),
        "●" * used + "○" * mine["cylinders"] or "·",
        "yes" if mine["recruited"] else "no",
        "yes" if mine["passed"] else "no",
    ]
    if position["phase"] == "over":
        row += [str(mine["unpaid"]), "wins" if seat in position["winners"] else ""]
    elif position["phase"] == "rest":
        row.append(_CARDS[mine["kept"]].name if mine["kept"] else "·")
    return row


def draw_board(mine: Mapping[str, Any], width: int) -> list[str]:
    """One seat: the board's characters and the objectives, then those who came later, the stage."""
    stage = draw_stage(_STAGE, mine["stage"])
    right = max(_LEFT, width - len(stage[0]) - 2 * _GAP - _LEFT)
    extras = count(1)  # extras are numbered in order of hiring (Rules T12)
    board = [_entry(card, extras, _LEFT) for card in mine["troupe"][: len(BOX.starting)]]
    later = [_entry(card, extras, right) for card in mine["troupe"][len(BOX.starting) :]]
    objectives = [""] if mine["objectives"] else []
    for card in mine["objectives"]:
        objectives += textwrap.wrap(f"◆ {_OBJECTIVES[card]}", _LEFT, subsequent_indent="  ")
    return beside([[*board, *objectives], later or [" " * right], stage], width)


def _wage(card: Mapping[str, Any]) -> int:
    """What a character costs at the end; extras and the board's are free (Rules F3)."""
    return 0 if card["face"] == "extra" else _CARDS[card["card"]].cost


def _entry(card: Mapping[str, Any], extras: Iterator[int], width: int) -> str:
    """One character: marks, name and wage, and on the right the costume with its value."""
    known = _CARDS[card["card"]]
    extra = card["face"] == "extra"
    mark = "●" if card["cylinder"] else "z" if card["rest"] else " "
    name = f"extra{next(extras)} {known.name}" if extra else known.name
    if _wage(card):
        name += f" {_wage(card)}£"
    costume = _costume(card["costume"]) if extra or known.kind == "actor" else ""
    room = width - len(mark) - len(costume) - 2
    if len(name) > room:
        name = name[: room - 1] + "…"
    return f"{mark} {name:<{room}} {costume}"


def _costume(elements: list[str]) -> str:
    slots = [SHORT_COLOURS[colour] for colour in elements]
    slots += ["···"] * (COSTUME_SLOTS - len(elements))
    done = "✓" if len(elements) == COSTUME_SLOTS else " "
    return f"{' '.join(slots)} {done}{sum(_VALUES[colour] for colour in elements) or '':>2}"
