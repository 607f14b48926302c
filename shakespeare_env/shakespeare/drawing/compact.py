"""A position as text in `WIDTH` columns, for terminals: one board drawn, the others in words.

The drawn board is that of the seat to move. Bags, discards, and idle characters printed on other
boards are left out; `text.py` draws them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from shakespeare_env.drawing.text_layout import GLUE, columns, disc, wrapped
from shakespeare_env.game import UNKNOWN
from shakespeare_env.shakespeare.box import ACTS, COLOURS
from shakespeare_env.shakespeare.drawing.seat_text import (
    draw_board,
    in_words,
    objective_words,
    standing,
    state_mark,
)
from shakespeare_env.shakespeare.drawing.stage_text import SHORT_COLOURS, stage_rows
from shakespeare_env.shakespeare.drawing.text import characters, head, worth_text
from shakespeare_env.shakespeare.drawing.wording import character_name, extra_names, winners
from shakespeare_env.shakespeare.printed import CARDS, VALUES
from shakespeare_env.shakespeare.tables import ACT_II_PRESTIGE, BOX

WIDTH = 78

_STAGE = stage_rows(BOX)
_PLACES = "/".join(f"+{won}" for won in ACT_II_PRESTIGE) + "★"
"""What the first places of Act II bring."""
_LABELS = ("Act I", f"Act II {_PLACES}", "Act III")
_LABEL = max(map(len, _LABELS)) + 1
_CELL = max(6, (WIDTH - _LABEL) // max(BOX.act_lengths))
_INDENT = " " * 9  # under a seat's name


def draw_compact(position: Mapping[str, Any]) -> str:
    """Draw a position (`Position.to_dict` or `seen_by`) as text, without a final newline."""
    drawn = position["to_move"]
    blocks = [head(position, WIDTH), _acts(position), _market(position), _seats(position)]
    if drawn is not None:
        blocks.append(draw_board(position, drawn, WIDTH, _has_costume))
    others = [seat for seat in range(position["players"]) if seat != drawn]
    blocks += [_other_board(position, seat) for seat in others]
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
    row = [
        f"Order {_discs(position['order'])}",
        f"initiative {_discs(position['initiative'])}",
        f"deck {len(position['deck'])}",
        f"objectives {len(position['objective_deck'])}",
        f"+3 tokens {position['supply_tokens']}",
    ]
    return [
        *columns(rows, [str.ljust] + [str.rjust] * len(COLOURS)),
        *characters(position, WIDTH),
        " · ".join(row),
    ]


def _discs(seats: list[int]) -> str:
    return " ".join(map(disc, seats)) or "·"


def _seats(position: Mapping[str, Any]) -> list[str]:
    titles = ["", "★", "£", "wages due", "+3", "mood", "wager", "cylinders"]
    titles.append("stays free" if position["phase"] == "rest" else "")
    rows = [titles, *(_row(position, seat) for seat in range(position["players"]))]
    return columns(rows, [str.ljust, *[str.rjust] * 6, str.ljust, str.ljust])


def _row(position: Mapping[str, Any], seat: int) -> list[str]:
    mine = position["seats"][seat]
    state = [word for word in ("recruited", "passed") if mine[word]]
    if position["phase"] == "over":
        state = [f"unpaid {mine['unpaid']}"] if mine["unpaid"] else []
        state += ["wins"] if seat in winners(position) else []
    elif position["phase"] == "rest":
        kept = mine["kept"] and character_name(mine["kept"])
        state = ["has chosen" if kept == UNKNOWN else kept] if kept else []
    return [*standing(position, seat), ", ".join(state)]


def _has_costume(member: Mapping[str, Any]) -> bool:
    return bool(member["costume"])


def _other_board(position: Mapping[str, Any], seat: int) -> list[str]:
    """Another board, in words."""
    mine = position["seats"][seat]
    members = zip(mine["troupe"], extra_names(mine["troupe"]), strict=True)
    troupe = [
        in_words(member, extra or CARDS[member["card"]].name)
        for place, (member, extra) in enumerate(members)
        if place >= len(BOX.starting) or member["costume"] or state_mark(member)
    ]
    parts = [", ".join(troupe)] if troupe else []
    if mine["stage"]:
        parts.append(f"stage {', '.join(_bricks(mine['stage']))}")
    known = [card for card in mine["objectives"] if card != UNKNOWN]
    parts += [objective_words(position, seat, card) for card in known]
    if hidden := len(mine["objectives"]) - len(known):
        parts.append(f"◆{GLUE}{hidden}{GLUE}unknown")
    return wrapped(f"  Seat {seat} {'; '.join(parts) or '·'}", WIDTH, "", _INDENT)


def _bricks(filled: Mapping[str, str]) -> list[str]:
    """Filled spaces, neighbours together under the first one's name."""
    runs: list[str] = []
    for row in reversed(_STAGE):
        before = None
        for brick in row.values():
            if brick is not None and brick.id in filled:
                if before is None:
                    runs.append(brick.id)
                short = SHORT_COLOURS[filled[brick.id]]
                runs[-1] += f" {short.upper() if brick.candle else short}"
            before = brick if brick is not None and brick.id in filled else None
    return runs
