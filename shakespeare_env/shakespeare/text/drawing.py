"""Drawing a position as text, 78 columns wide.

The drawing is made from the notation's JSON object, so that any position given as text can be
shown, with its secrets or without.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.drawing.text_layout import GLUE, columns, disc, wrapped
from shakespeare_env.shakespeare.box import printed as b
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import ACTS, COLOURS, Space
from shakespeare_env.shakespeare.text import wording as w
from shakespeare_env.shakespeare.text.standing import prestige_now, wage

_WIDTH = 78
_CELL = 5  # the least columns of a space: room for four discs
_LEGEND = (
    "★ prestige   £ pounds   cylinders: left/all   ● activated   z resting",
    "✓ costume complete   ◆ objective, and what it is worth so far",
    "acts: what a space brings, its discs; the leftmost is at the bottom and ahead",
    "stage: * candle, capitals once filled",
)
_SHORT_COLOURS = dict(zip(COLOURS, ("blk", "pnk", "pur", "blu", "grn", "yel"), strict=True))
_PRINTED = "███"
_BRICK = 4  # columns from one brick to the next; every other row is shifted by half of that
_HALF = _BRICK // 2

Row = dict[int, Space | None]
"""The bricks of a row by the position of their middle, in half bricks right of the centre.

None stands for an element that is printed on the board and is no space.
"""


def draw(position: Mapping[str, Any]) -> str:
    """Draw a position (`Position.to_dict` or `seen_by`) as text, without a final newline.

    Every seat is described in words. The board's characters are left out while they are idle,
    except for the seat to move. Only the stage of that seat is drawn.
    """
    lines: list[str] = []
    for part in (_head, _acts, _elements, _supply, _seat_table):
        lines += [*part(position), ""]
    mover = position["to_move"]
    if mover is not None:
        lines += [*_draw_stage(position["seats"][mover]["stage"]), ""]
    for seat in range(position["players"]):
        lines += _seat_in_words(position, seat)
    return "\n".join(line.rstrip() for line in (*lines, "─" * _WIDTH, *_LEGEND))


def _head(position: Mapping[str, Any]) -> list[str]:
    headline = w.headline(position)
    over = position["to_move"] is None
    sentence = headline.sentence if over else f"▶ {headline.sentence}"
    lines = [
        f"{headline.game} · {headline.table}",
        f"{headline.progress} · {headline.phase}",
        *wrapped(sentence, _WIDTH, 2),
    ]
    if headline.aside:
        lines.append(f"  {headline.aside}")
    return lines


def _acts(position: Mapping[str, Any]) -> list[str]:
    """Return two lines for each act: the rewards of its spaces (Rules R2), and the discs on them.

    The leftmost disc of a space is at the bottom, and so it is ahead.
    """
    lengths = t.BOX.act_lengths
    places = t.ACT_II_PRESTIGE
    labels = ("Act I", f"Act II {'/'.join(f'+{won}' for won in places)}★", "Act III")
    left = max(map(len, labels)) + 1
    spaces = range(1, max(lengths) + 1)
    width = max(_CELL, (_WIDTH - left) // len(spaces))

    def row(label: str, cells: Iterable[str]) -> str:
        return label.ljust(left) + "".join(cell.ljust(width) for cell in cells)

    lines = [row("", map(str, spaces))]
    for act, (name, length) in enumerate(zip(ACTS, lengths, strict=True)):
        rewards = [_reward(act, space) for space in spaces[:length]]
        piles = position["piles"][name]
        discs = ["".join(map(disc, piles.get(str(space), ()))) for space in spaces[:length]]
        lines += [row(labels[act], rewards), row("", discs)]
    return lines


def _reward(act: int, space: int) -> str:
    pays = b.space_pays(act, space)
    if pays is None:
        return ""
    amount, unit = pays
    return f"{amount:+d}{unit}"


def _elements(position: Mapping[str, Any]) -> list[str]:
    values = [f"{colour} {value}" for colour, value in b.VALUES.items()]
    rows = [["Elements", *values]]
    for kind, name in (("costumes", "Costumes"), ("sets", "Stage sets")):
        for label, place in ((name, "display"), ("  in bag", "bags"), ("  discarded", "discarded")):
            counts = position[place][kind]
            cells = [str(counts[colour] or "·") for colour in COLOURS]
            rows.append([label, *cells])
    return columns(rows, [str.ljust] + [str.rjust] * len(COLOURS))


def _supply(position: Mapping[str, Any]) -> list[str]:
    """Return the characters on offer with their wages, both tracks and the piles."""
    shown = [b.CARDS[card] for card in position["display"]["characters"]]
    names = ", ".join(f"{card.name} {card.cost}£" for card in shown) or "·"
    row = [
        f"Order {_discs(position['order'])}",
        f"initiative {_discs(position['initiative'])}",
        f"deck {len(position['deck'])}",
        f"discarded {len(position['discarded_characters'])}",
        f"objectives {len(position['objective_deck'])}",
        f"+3 tokens {position['supply_tokens']}",
    ]
    facts = " · ".join(part.replace(" ", GLUE) for part in row)
    return [*wrapped(f"Characters  {names}", _WIDTH, 12), *wrapped(facts, _WIDTH, 2)]


def _discs(seats: Iterable[int]) -> str:
    return " ".join(map(disc, seats)) or "·"


def _seat_table(position: Mapping[str, Any]) -> list[str]:
    rows = [["", "★", "£", "wages", "+3", "mood", "wager", "cylinders", ""]]
    for seat in range(position["players"]):
        mark = "▶" if seat == position["to_move"] else " "
        rows.append([f"{mark} Seat {seat}", *w.seat_facts(position, seat).values()])
    return columns(rows, [str.ljust, *[str.rjust] * 7, str.ljust])


def _seat_in_words(position: Mapping[str, Any], seat: int) -> list[str]:
    entry = position["seats"][seat]
    decides = seat == position["to_move"]
    troupe = []
    for place, (member, extra_name) in enumerate(w.members(entry)):
        idle = not (member["costume"] or member["cylinder"] or member["rest"])
        if decides or place >= t.N_BOARD or not idle:
            troupe.append(_member_in_words(member, extra_name or w.CHARACTERS[member["card"]]))
    parts = [", ".join(troupe)] if troupe else []
    if entry["stage"]:
        candles = {space.id for space in t.BOX.spaces if space.candle}
        filled = []
        for space, colour in sorted(entry["stage"].items()):
            filled.append(f"{space}{GLUE}{_short(colour, space in candles)}")
        parts.append(f"stage {', '.join(filled)}")
    known = [card for card in entry["objectives"] if card != UNKNOWN]
    for card in known:
        prestige = prestige_now(position, seat, card)
        worth = "" if prestige is None else f": {b.signed(prestige)}★"
        parts.append(f"◆ {w.OBJECTIVES[card]}{worth}")
    hidden = len(entry["objectives"]) - len(known)
    if hidden:
        parts.append(f"◆{GLUE}{hidden}{GLUE}unknown")
    return wrapped(f"  Seat {seat} {'; '.join(parts) or '·'}", _WIDTH, 9)


def _member_in_words(member: Mapping[str, Any], name: str) -> str:
    label = name
    if member["cylinder"]:
        label = f"●{GLUE}{name}"
    elif member["rest"]:
        label = f"z{GLUE}{name}"
    due = wage(member)
    if due:
        label += f"{GLUE}{due}£"
    words = [label]
    if member["costume"]:
        done = "✓" if len(member["costume"]) == t.N_SLOTS else ""
        words.append("-".join(_SHORT_COLOURS[colour] for colour in member["costume"]) + done)
    return " ".join(words)


@cache
def stage_rows() -> list[Row]:
    """Return the rows of the stage, from the top down, each centred.

    Where a space rests on no space of the box, it rests on a printed element (Rules T13).
    """
    rows: list[Row] = []
    for number in sorted({space.row for space in t.BOX.spaces}, reverse=True):
        spaces = [space for space in t.BOX.spaces if space.row == number]
        row: Row = {2 * index - (len(spaces) - 1): space for index, space in enumerate(spaces)}
        if rows:
            _add_printed(row, rows[-1])
        rows.append(dict(sorted(row.items())))
    return rows


def _add_printed(row: Row, above: Row) -> None:
    """Add the printed elements under the row above, wherever no space lies under a brick."""
    for middle, brick in above.items():
        # A brick lies on two others. A space that names both lies on spaces alone.
        if brick is None or len(brick.on) < 2:
            for below in (middle - 1, middle + 1):
                # Bricks whose middles are less than two half bricks apart would overlap.
                if all(abs(below - other) > 1 for other in row):
                    row[below] = None


def _draw_stage(filled: Mapping[str, str]) -> list[str]:
    """Draw a stage, a line for each row of bricks; `filled` has colours by space id.

    An empty space shows its id, with `*` for a candle, and a filled one its colour.
    """
    rows = stage_rows()
    centre = max(abs(middle) for row in rows for middle in row) * _HALF + _HALF
    lines = []
    for row in rows:
        line = [" "] * (2 * centre + 1)
        for middle, brick in row.items():
            left = centre + middle * _HALF - _HALF
            face = _PRINTED
            if brick is not None and brick.id in filled:
                face = _short(filled[brick.id], brick.candle)
            elif brick is not None:
                face = f"{brick.id}*" if brick.candle else f" {brick.id}"
            line[left : left + _BRICK + 1] = f"│{face[: _BRICK - 1].ljust(_BRICK - 1)}│"
        lines.append("".join(line))
    return lines


def _short(colour: str, candle: bool) -> str:
    short = _SHORT_COLOURS[colour]
    return short.upper() if candle else short
