"""A position as a text table.

Drawn from notation, so that anything that speaks it can be shown, secrets included.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from shakespeare_env.drawing.text_layout import GLUE, columns, disc, spread, wrapped
from shakespeare_env.shakespeare.box.facts import ACTS, COLOURS
from shakespeare_env.shakespeare.box.printed import Printed, printed_of
from shakespeare_env.shakespeare.box.tables import N_DAYS
from shakespeare_env.shakespeare.text.seats import draw_board, draw_seats, in_a_line
from shakespeare_env.shakespeare.text.wording import afterwards, asked, phase_words, table_words

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
