"""A position as text in `WIDTH` columns, for terminals: one board drawn, the others told.

The board is that of the seat to move. Left out are bags, discards, and characters printed on other
boards that have neither a costume nor a cylinder; `text.py` draws them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from itertools import chain, zip_longest
from typing import Any

from shakespeare_env.drawing.text_layout import columns, disc, headline
from shakespeare_env.game import UNKNOWN
from shakespeare_env.shakespeare.box import ACTS, COLOURS
from shakespeare_env.shakespeare.drawing.seat_text import entry, standing, state_mark
from shakespeare_env.shakespeare.drawing.stage_rows import stage_rows
from shakespeare_env.shakespeare.drawing.stage_text import SHORT_COLOURS, draw_stage
from shakespeare_env.shakespeare.drawing.text import head, worth_text
from shakespeare_env.shakespeare.drawing.wording import (
    character_name,
    extra_names,
    objective_name,
    wage,
    winners,
)
from shakespeare_env.shakespeare.printed import CARDS, VALUES
from shakespeare_env.shakespeare.tables import ACT_II_PRESTIGE, BOX, N_SLOTS

WIDTH = 78

_STAGE = stage_rows(BOX)
_PLACES = "/".join(f"+{won}" for won in ACT_II_PRESTIGE) + "★"
"""What the first places of Act II bring."""
_LABELS = ("Act I", f"Act II {_PLACES}", "Act III")
_LABEL = max(map(len, _LABELS)) + 1
_CELL = max(6, (WIDTH - _LABEL) // max(BOX.act_lengths))
_INDENT = " " * 9  # under a seat's name
_GLUE = "\N{NO-BREAK SPACE}"


def draw_compact(position: Mapping[str, Any]) -> str:
    """Draw a position (`Position.to_dict` or `seen_by`) as text, without a final newline."""
    drawn = position["to_move"]
    blocks = [head(position, WIDTH), _acts(position), _market(position), _seats(position)]
    if drawn is not None:
        title = headline(f"Seat {drawn}", WIDTH)
        blocks.append([title, *_board(position["seats"][drawn])])
    others = [seat for seat in range(position["players"]) if seat != drawn]
    blocks += [_told(seat, position["seats"][seat]) for seat in others]
    return "\n".join(line.rstrip() for line in chain.from_iterable(blocks))


def _acts(position: Mapping[str, Any]) -> list[str]:
    """Rewards (Rules R2) and discs, the leftmost of a space at the bottom and ahead.

    Discs stand behind the rewards, or below them where a space has too many.
    """
    spaces = range(1, max(BOX.act_lengths) + 1)
    lines = [_act_row("", map(str, spaces))]
    for act, (name, length) in enumerate(zip(ACTS, BOX.act_lengths, strict=True)):
        rewards = [worth_text(act, space) for space in spaces[:length]]
        piles = position["piles"][name]
        discs = ["".join(map(disc, piles.get(str(space), ()))) for space in spaces[:length]]
        both = [reward + pile for reward, pile in zip(rewards, discs, strict=True)]
        rows = [both] if max(map(len, both)) < _CELL else [rewards, discs]
        lines += [
            _act_row(label, row) for label, row in zip((_LABELS[act], ""), rows, strict=False)
        ]
    return lines


def _act_row(label: str, cells: Iterable[str]) -> str:
    return label.ljust(_LABEL) + "".join(cell.ljust(_CELL) for cell in cells)


def _market(position: Mapping[str, Any]) -> list[str]:
    display = position["display"]
    rows = [["Elements", *(f"{colour} {value}" for colour, value in VALUES.items())]]
    for kind, name in (("costumes", "Costumes"), ("sets", "Stage sets")):
        rows.append([name, *(str(display[kind][colour] or "·") for colour in COLOURS)])
    shown = [CARDS[card] for card in display["characters"]]
    names = ", ".join(f"{card.name} {card.cost}£" for card in shown) or "·"
    row = [
        f"Order {_discs(position['order'])}",
        f"initiative {_discs(position['initiative'])}",
        f"deck {len(position['deck'])}",
        f"objectives {len(position['objective_deck'])}",
        f"+3 tokens {position['supply_tokens']}",
    ]
    return [
        *columns(rows, [str.ljust] + [str.rjust] * len(COLOURS)),
        *_wrapped(f"Characters  {names}", " " * 12),
        " · ".join(row),
    ]


def _discs(seats: list[int]) -> str:
    return " ".join(map(disc, seats)) or "·"


def _seats(position: Mapping[str, Any]) -> list[str]:
    titles = ["", "★", "£", "wages due", "+3", "mood", "wager", "cylinders", ""]
    rows = [titles, *(_row(position, seat) for seat in range(position["players"]))]
    return columns(rows, [str.ljust, *[str.rjust] * 6, str.ljust, str.ljust])


def _row(position: Mapping[str, Any], seat: int) -> list[str]:
    mine = position["seats"][seat]
    told = [word for word in ("recruited", "passed") if mine[word]]
    if position["phase"] == "over":
        told = [f"unpaid {mine['unpaid']}"] if mine["unpaid"] else []
        told += ["wins"] if seat in winners(position) else []
    elif position["phase"] == "rest":
        kept = mine["kept"] and character_name(mine["kept"])
        told = ["has chosen" if kept == UNKNOWN else f"keeps {kept}"] if kept else []
    return [*standing(position, seat), ", ".join(told)]


def _board(mine: Mapping[str, Any]) -> list[str]:
    """Costumes, other characters and objectives beside the stage."""
    stage = draw_stage(_STAGE, mine["stage"])
    width = WIDTH - len(stage[0]) - 2
    left, bare = [], []
    for member, extra in zip(mine["troupe"], extra_names(mine["troupe"]), strict=True):
        name = CARDS[member["card"]].name
        if member["costume"]:
            left.append(entry(member, extra, width))
        else:
            bare.append(_member(member, f"{extra} {name}" if extra else name))
    left += _lines(", ".join(bare), width, "  ", "  ")
    for card in mine["objectives"]:
        left += _lines(f"◆ {objective_name(card)}", width, "  ", "    ")
    return [f"{text:<{width}}  {row}" for text, row in zip_longest(left, stage, fillvalue="")]


def _told(seat: int, mine: Mapping[str, Any]) -> list[str]:
    """Another board, in words."""
    members = zip(mine["troupe"], extra_names(mine["troupe"]), strict=True)
    troupe = [
        _member(member, extra or CARDS[member["card"]].name)
        for place, (member, extra) in enumerate(members)
        if place >= len(BOX.starting) or member["costume"] or state_mark(member)
    ]
    parts = [", ".join(troupe)] if troupe else []
    if mine["stage"]:
        parts.append(f"stage {', '.join(_bricks(mine['stage']))}")
    known = [objective_name(card) for card in mine["objectives"] if card != UNKNOWN]
    hidden = len(mine["objectives"]) - len(known)
    parts += [f"◆ {name}" for name in known] + (
        [f"◆{_GLUE}{hidden}{_GLUE}unknown"] if hidden else []
    )
    return _wrapped(f"  Seat {seat} {'; '.join(parts) or '·'}", _INDENT)


def _bricks(filled: Mapping[str, str]) -> list[str]:
    """Filled spaces, those side by side after the first one's name."""
    runs: list[str] = []
    for row in reversed(_STAGE):
        before = None
        for brick in row.values():
            if brick is not None and brick.id in filled:
                if before is None:
                    runs.append(brick.id)
                short = _short(filled[brick.id])
                runs[-1] += f" {short.upper() if brick.candle else short}"
            before = brick if brick is not None and brick.id in filled else None
    return runs


def _member(member: Mapping[str, Any], name: str) -> str:
    words = [name]
    if state_mark(member):
        words[0] = f"{state_mark(member)}{_GLUE}{name}"
    if wage(member):
        words[-1] += f"{_GLUE}{wage(member)}£"
    if member["costume"]:
        done = "✓" if len(member["costume"]) == N_SLOTS else ""
        words.append("-".join(map(_short, member["costume"])) + done)
    return " ".join(words)


def _short(colour: str) -> str:
    return SHORT_COLOURS[colour]


def _wrapped(text: str, indent: str) -> list[str]:
    return _lines(text, WIDTH, "", indent)


def _lines(text: str, width: int, first: str, other: str) -> list[str]:
    lines = textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=other, break_on_hyphens=False
    )
    return [line.replace(_GLUE, " ") for line in lines]
