"""Seats as text: a table of all, a board each."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.drawing.text_layout import GLUE, columns, headline, wrapped
from shakespeare_env.shakespeare.box.printed import Printed, printed_of
from shakespeare_env.shakespeare.box.tables import N_BOARD, N_SLOTS
from shakespeare_env.shakespeare.text.stage import SHORT_COLOURS, Row, draw_stage, stage_rows
from shakespeare_env.shakespeare.text.wording import (
    character_name,
    extra_names,
    objective_name,
    winners,
    worth_now,
)


def draw_seats(position: Mapping[str, Any]) -> list[str]:
    """All seats: prestige, pounds, wages due and the day's state."""
    titles = ["", "★", "£", "wages due", "+3", "mood", "wager", "cylinders"]
    titles.append("stays free" if position["phase"] == "rest" else "")
    rows = [titles, *(_row(position, seat) for seat in range(position["players"]))]
    return columns(rows, [str.ljust, *[str.rjust] * 6, str.ljust, str.ljust])


def _row(position: Mapping[str, Any], seat: int) -> list[str]:
    mine = position["seats"][seat]
    used = sum(card["cylinder"] for card in mine["troupe"])
    state = [word for word in ("recruited", "passed") if mine[word]]
    if position["phase"] == "over":
        state = [f"unpaid {mine['unpaid']}"] if mine["unpaid"] else []
        state += ["wins"] if seat in winners(position) else []
    elif position["phase"] == "rest":
        kept = mine["kept"] and character_name(mine["kept"])
        state = ["has chosen" if kept == UNKNOWN else kept] if kept else []
    return [
        f"{'▶' if seat == position['to_move'] else ' '} Seat {seat}",
        str(mine["prestige"]),
        str(mine["pounds"]),
        str(printed_of(position).wages_due(mine)),
        str(mine["tokens"]),
        f"{mine['mood']:+d}" if mine["mood"] else "0",
        str(mine["wager"] or "·"),
        "●" * used + "○" * mine["cylinders"] or "·",
        ", ".join(state),
    ]


def draw_board(
    position: Mapping[str, Any], seat: int, width: int, *, only_costumes: bool = False
) -> list[str]:
    """One seat: its characters and objectives beside the stage.

    Characters that may get a costume (Rules T12), or only those that have begun one, get a line
    each with it; the others follow.
    """
    mine, printed = position["seats"][seat], printed_of(position)
    stage = draw_stage(stage_rows(printed), mine["stage"])
    room = width - len(stage[0]) - 2
    left, bare = [], []
    for member, extra in zip(mine["troupe"], extra_names(mine["troupe"]), strict=True):
        known = printed.cards[member["card"]]
        name = f"{extra} {known.name}" if extra else known.name
        can_wear = not only_costumes and (extra or known.kind == "actor")
        if member["costume"] or can_wear:
            left.append(_entry(printed, member, name, room))
        else:
            bare.append(_in_words(printed, member, name))
    left += wrapped(", ".join(bare), room, "  ", "  ")
    for card in mine["objectives"]:
        left += wrapped(_objective(position, seat, card), room, "  ", "    ")
    rows = [f"{text:<{room}}  {row}" for text, row in zip_longest(left, stage, fillvalue="")]
    return [headline(f"Seat {seat}", width), *rows]


def in_a_line(position: Mapping[str, Any], seat: int, width: int) -> list[str]:
    """A board in words: what lies on it, without idle characters that are printed there."""
    mine, printed = position["seats"][seat], printed_of(position)
    members = zip(mine["troupe"], extra_names(mine["troupe"]), strict=True)
    troupe = [
        _in_words(printed, member, extra or character_name(member["card"]))
        for place, (member, extra) in enumerate(members)
        if place >= N_BOARD or member["costume"] or _mark(member)
    ]
    parts = [", ".join(troupe)] if troupe else []
    if mine["stage"]:
        parts.append(f"stage {', '.join(_bricks(stage_rows(printed), mine['stage']))}")
    known = [card for card in mine["objectives"] if card != UNKNOWN]
    parts += [_objective(position, seat, card) for card in known]
    if hidden := len(mine["objectives"]) - len(known):
        parts.append(f"◆{GLUE}{hidden}{GLUE}unknown")
    return wrapped(f"  Seat {seat} {'; '.join(parts) or '·'}", width, "", " " * 9)


def _bricks(rows: list[Row], filled: Mapping[str, str]) -> list[str]:
    """Filled spaces, neighbours together under the first one's name."""
    runs: list[str] = []
    for row in reversed(rows):
        before = None
        for brick in row.values():
            if brick is not None and brick.id in filled:
                if before is None:
                    runs.append(brick.id)
                short = SHORT_COLOURS[filled[brick.id]]
                runs[-1] += f" {short.upper() if brick.candle else short}"
            before = brick if brick is not None and brick.id in filled else None
    return runs


def _objective(position: Mapping[str, Any], seat: int, card: str) -> str:
    """An objective and what it is worth so far, if that is known."""
    worth = worth_now(position, seat, card)
    name = f"◆ {objective_name(card)}"
    return name if worth is None else f"{name}: {f'{worth:+d}' if worth else 0}★"


def _in_words(printed: Printed, member: Mapping[str, Any], name: str) -> str:
    """A member in a sentence: what lies on it, wage, costume."""
    words = [name]
    if _mark(member):
        words[0] = f"{_mark(member)}{GLUE}{name}"
    if wage := printed.wage(member):
        words[-1] += f"{GLUE}{wage}£"
    if member["costume"]:
        done = "✓" if len(member["costume"]) == N_SLOTS else ""
        words.append("-".join(SHORT_COLOURS[colour] for colour in member["costume"]) + done)
    return " ".join(words)


def _entry(printed: Printed, card: Mapping[str, Any], name: str, width: int) -> str:
    """A character in `width` columns: name, wages, costume."""
    if wage := printed.wage(card):
        name += f" {wage}£"
    costume = _costume(card["costume"], printed.costume_value(card["costume"]))
    mark = _mark(card) or " "
    room = width - len(mark) - len(costume) - 2
    if len(name) > room:
        name = name[: room - 1] + "…"
    return f"{mark} {name:<{room}} {costume}"


def _mark(card: Mapping[str, Any]) -> str:
    """What lies on a character, if anything."""
    return "●" if card["cylinder"] else "z" if card["rest"] else ""


def _costume(elements: list[str], value: int) -> str:
    slots = [SHORT_COLOURS[colour] for colour in elements]
    slots += ["···"] * (N_SLOTS - len(elements))
    done = "✓" if len(elements) == N_SLOTS else " "
    return f"{' '.join(slots)} {done}{value or '':>2}"
