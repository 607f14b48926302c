"""A position as a text table.

Drawn from notation, so that anything that speaks it can be shown, secrets included.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import chain, zip_longest
from typing import Any

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.drawing.text_layout import (
    GLUE,
    columns,
    disc,
    headline,
    joint_line,
    spread,
    wrapped,
)
from shakespeare_env.shakespeare.box.facts import ACTS, COLOURS, Space
from shakespeare_env.shakespeare.box.printed import Printed, printed_of
from shakespeare_env.shakespeare.box.tables import N_BOARD, N_DAYS, N_SLOTS
from shakespeare_env.shakespeare.text.wording import (
    afterwards,
    asked,
    character_name,
    extra_names,
    objective_name,
    phase_words,
    table_words,
    winners,
    worth_now,
)

SHORT_COLOURS = dict(zip(COLOURS, ("blk", "pnk", "pur", "blu", "grn", "yel"), strict=True))
_PRINTED = "███"
_BRICK = 4  # columns from one wall to the next; a brick of the next row begins half of that further
_HALF = _BRICK // 2

Row = dict[int, Space | None]
"""Bricks of a row by half bricks right of the centre; None if printed."""


@cache
def stage_rows(printed: Printed) -> list[Row]:
    """The stage's rows, top to bottom and centred.

    Printed elements fill in where a space rests on something the box does not name (Rules T13).
    """
    rows: list[Row] = []
    for number in sorted({space.row for space in printed.box.spaces}, reverse=True):
        spaces = [space for space in printed.box.spaces if space.row == number]
        row: Row = {2 * index - (len(spaces) - 1): space for index, space in enumerate(spaces)}
        for middle, brick in rows[-1].items() if rows else ():
            if brick is None or len(brick.on) < 2:
                for below in (middle - 1, middle + 1):
                    if all(abs(below - other) > 1 for other in row):
                        row[below] = None
        rows.append(dict(sorted(row.items())))
    return rows


def draw_stage(rows: list[Row], filled: Mapping[str, str]) -> list[str]:
    """Draw a stage in lines of equal width.

    An empty space shows its id, with `*` on a candle; a filled one its colour, in capitals on a
    candle. `filled` is colour by space id.
    """
    centre = max(abs(middle) for row in rows for middle in row) * _HALF + _HALF
    above: set[int] = set()
    lines = []
    for row in rows:
        walls = {centre + middle * _HALF + side for middle in row for side in (-_HALF, _HALF)}
        lines.append(joint_line(above, walls, 2 * centre + 1))
        line = [" "] * (2 * centre + 1)
        for middle, brick in row.items():
            left = centre + middle * _HALF - _HALF
            line[left : left + _BRICK + 1] = f"│{_face(brick, filled)}│"
        lines.append("".join(line))
        above = walls
    return [*lines, joint_line(above, set(), 2 * centre + 1)]


def _face(brick: Space | None, filled: Mapping[str, str]) -> str:
    if brick is None:
        return _PRINTED
    if brick.id not in filled:
        label = f"{brick.id}*" if brick.candle else f" {brick.id}"
    else:
        short = SHORT_COLOURS[filled[brick.id]]
        label = short.upper() if brick.candle else short
    return label[: _BRICK - 1].ljust(_BRICK - 1)


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


_WIDTH, _COMPACT = 80, 78
_CELL = 5  # the least columns of a space: four discs
_LEGEND = (
    "★ prestige   £ pounds   ● cylinder used   ○ cylinder left   z resting",
    "✓ costume complete   ◆ objective, and what it is worth so far",
    "acts: what a space brings, its discs; the leftmost is at the bottom and ahead",
    "stage: * candle, capitals once filled",
)


def draw(position: Mapping[str, Any]) -> str:
    """Draw a position (`Position.to_dict` or `seen_by`) as text, without a final newline."""
    boards = [draw_board(position, seat, _WIDTH) for seat in range(position["players"])]
    return _joined(_table(position, _WIDTH, whole=True), *boards, ["─" * _WIDTH, *_LEGEND])


def draw_compact(position: Mapping[str, Any]) -> str:
    """The same in fewer lines: one board drawn, that of the seat to move, the others in words.

    Bags, discards, and idle characters printed on other boards are left out.
    """
    drawn = position["to_move"]
    own = [] if drawn is None else draw_board(position, drawn, _COMPACT, only_costumes=True)
    others = [seat for seat in range(position["players"]) if seat != drawn]
    lines = [in_a_line(position, seat, _COMPACT) for seat in others]
    return _joined(_table(position, _COMPACT, whole=False), own, *lines)


def _joined(*blocks: Iterable[str]) -> str:
    return "\n".join(line.rstrip() for line in chain.from_iterable(blocks))


def _table(position: Mapping[str, Any], width: int, *, whole: bool) -> list[str]:
    parts = [
        _head(position, width),
        _acts(position),
        _elements(position, whole=whole),
        _supply(position, width, whole=whole),
        draw_seats(position),
    ]
    return [line for part in parts for line in ([*part, ""] if whole else part)]


def _head(position: Mapping[str, Any], width: int) -> list[str]:
    """The table, the day's phase, and who decides what."""
    title = f"Shakespeare · {table_words(position)}"
    now = f"day {position['day']} of {N_DAYS} · {phase_words(position)}"
    sentence, queue = asked(position), afterwards(position)
    if position["to_move"] is not None:
        sentence = f"▶ {sentence}"
    fits = len(title) + len(now) < width
    titles = [spread(title, now, width)] if fits else [title, now]
    *most, last = wrapped(sentence, width, "", "  ")
    if queue:
        longer = f"{last}   {queue}"
        most, last = (most, longer) if len(longer) <= width else ([*most, last], f"  {queue}")
    return [*titles, *most, last]


def _acts(position: Mapping[str, Any]) -> list[str]:
    """Rewards (Rules R2) and discs, the leftmost of a space at the bottom and ahead.

    Discs stand behind the rewards, or below them where a space has too many.
    """
    printed = printed_of(position)
    lengths, places = printed.box.act_lengths, printed.box.rehearsals.act_2_prestige
    labels = ("Act I", f"Act II {'/'.join(f'+{won}' for won in places)}★", "Act III")
    left, spaces = max(map(len, labels)) + 1, range(1, max(lengths) + 1)
    each = max(_CELL, (_COMPACT - left) // len(spaces))

    def row(label: str, cells: Iterable[str]) -> str:
        return label.ljust(left) + "".join(cell.ljust(each) for cell in cells)

    lines = [row("", map(str, spaces))]
    for act, (name, length) in enumerate(zip(ACTS, lengths, strict=True)):
        rewards = [_worth(printed, act, space) for space in spaces[:length]]
        piles = position["piles"][name]
        discs = ["".join(map(disc, piles.get(str(space), ()))) for space in spaces[:length]]
        both = [reward + pile for reward, pile in zip(rewards, discs, strict=True)]
        rows = [both] if max(map(len, both)) < each else [rewards, discs]
        lines += [row(label, cells) for label, cells in zip((labels[act], ""), rows, strict=False)]
    return lines


def _worth(printed: Printed, act: int, space: int) -> str:
    """What a space of an act brings, such as `+1£`; may be empty."""
    brings = printed.space_pays(act, space)
    return f"{brings[0]:+d}{brings[1]}" if brings else ""


def _elements(position: Mapping[str, Any], *, whole: bool) -> list[str]:
    values = printed_of(position).values
    rows = [["Elements", *(f"{colour} {value}" for colour, value in values.items())]]
    places = (("", "display"), ("  in bag", "bags"), ("  discarded", "discarded"))
    for kind, name in (("costumes", "Costumes"), ("sets", "Stage sets")):
        for label, place in places if whole else places[:1]:
            counts = position[place][kind]
            rows.append([label or name, *(str(counts[colour] or "·") for colour in COLOURS)])
    return columns(rows, [str.ljust] + [str.rjust] * len(COLOURS))


def _supply(position: Mapping[str, Any], width: int, *, whole: bool) -> list[str]:
    """The characters on offer with their wages, the order and the piles."""
    cards = printed_of(position).cards
    shown = [cards[card] for card in position["display"]["characters"]]
    names = ", ".join(f"{card.name} {card.cost}£" for card in shown) or "·"
    row = [
        f"Order {_discs(position['order'])}",
        f"initiative {_discs(position['initiative'])}",
        f"deck {len(position['deck'])}",
        *([f"discarded {len(position['discarded_characters'])}"] if whole else []),
        f"objectives {len(position['objective_deck'])}",
        f"+3 tokens {position['supply_tokens']}",
    ]
    facts = " · ".join(part.replace(" ", GLUE) for part in row)
    return [*wrapped(f"Characters  {names}", width, "", " " * 12), *wrapped(facts, width, "", "  ")]


def _discs(seats: list[int]) -> str:
    return " ".join(map(disc, seats)) or "·"
