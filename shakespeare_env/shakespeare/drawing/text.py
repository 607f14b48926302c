"""A position as a text table, `WIDTH` columns wide with the bundled box.

Drawn from notation, so that anything that speaks it can be shown, secrets included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from shakespeare_env.drawing.text_layout import beside, columns, joint_line, spread, wrapped
from shakespeare_env.shakespeare.box import ACTS, COLOURS
from shakespeare_env.shakespeare.drawing.seat_text import can_wear, draw_board, draw_seats
from shakespeare_env.shakespeare.drawing.wording import (
    afterwards,
    asked,
    phase_words,
    table_words,
    worth,
)
from shakespeare_env.shakespeare.printed import CARDS, VALUES
from shakespeare_env.shakespeare.tables import ACT_II_PRESTIGE, BOX, N_DAYS

WIDTH = 80

PLACES = " ".join(f"{place}. +{won}★" for place, won in enumerate(ACT_II_PRESTIGE, 1))
_LEGEND = (
    "★ prestige   £ pounds   ● cylinder used   ○ cylinder left   z resting",
    "✓ costume complete   ◆ objective, and what it is worth so far",
    "acts: leftmost disc is at the bottom and ahead, N neutral",
    "stage: * candle, capitals once filled",
)


def draw(position: Mapping[str, Any]) -> str:
    """Draw a position (`Position.to_dict` or `seen_by`) as text, without a final newline."""
    blocks = [
        [*head(position, WIDTH), ""],
        _acts(position),
        beside([_elements(position), _table(position)], WIDTH),
        [*characters(position, WIDTH), ""],
        draw_seats(position),
    ]
    for seat in range(position["players"]):
        blocks.append(draw_board(position, seat, WIDTH, can_wear))
    blocks.append(["─" * WIDTH, *_LEGEND])
    return "\n".join(line.rstrip() for line in chain.from_iterable(blocks))


def head(position: Mapping[str, Any], width: int) -> list[str]:
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
    """Rewards (Rules R2), then discs."""
    longest, label = max(BOX.act_lengths), 14
    cell = max(5, (WIDTH - label - 1) // longest - 1)
    width = label + longest * (cell + 1) + 1
    numbers = "".join(f"  {number:<{cell - 1}}" for number in range(1, longest + 1))
    lines = [" " * label + numbers]
    above: set[int] = set()
    for act, (name, length) in enumerate(zip(ACTS, BOX.act_lengths, strict=True)):
        marks, discs = f"Act {name}".ljust(label), (PLACES if name == "II" else "").ljust(label)
        for space in range(1, length + 1):
            pile = _pile(position["piles"][name].get(str(space), ()), cell - 1)
            marks += f"│ {worth_text(act, space)}".ljust(cell + 1)
            discs += f"│ {pile}".ljust(cell + 1)
        walls = {label + number * (cell + 1) for number in range(length + 1)}
        lines += [joint_line(above, walls, width), marks + "│", discs + "│"]
        above = walls
    return [*lines, joint_line(above, set(), width)]


def _pile(discs: Sequence[int | str], room: int) -> str:
    names = ["N" if disc == "neutral" else str(disc) for disc in discs]
    return (" " if 2 * len(names) - 1 <= room else "").join(names)


def worth_text(act: int, space: int) -> str:
    """What a space of an act brings, such as `+1£`; may be empty."""
    brings = worth(act, space)
    return f"{brings[0]:+d}{brings[1]}" if brings else ""


def _elements(position: Mapping[str, Any]) -> list[str]:
    values = [f"{colour} {value}" for colour, value in VALUES.items()]
    rows = [["Elements", *values]]
    for kind, name in (("costumes", "Costumes"), ("sets", "Stage sets")):
        for label, place in ((name, "display"), ("  in bag", "bags"), ("  discarded", "discarded")):
            counts = position[place][kind]
            rows.append([label, *(str(counts[colour] or "·") for colour in COLOURS)])
    return columns(rows, [str.ljust] + [str.rjust] * len(COLOURS), gap=" ")


def characters(position: Mapping[str, Any], width: int) -> list[str]:
    """Those on offer, with their wages."""
    shown = [CARDS[card] for card in position["display"]["characters"]]
    names = ", ".join(f"{card.name} {card.cost}£" for card in shown) or "·"
    return wrapped(f"Characters  {names}", width, "", " " * 12)


def _table(position: Mapping[str, Any]) -> list[str]:
    rows = [
        ["Order", " ".join(map(str, position["order"]))],
        ["Initiative", " ".join(map(str, position["initiative"])) or "·"],
        ["Deck", str(len(position["deck"]))],
        ["Discarded", str(len(position["discarded_characters"]))],
        ["Objectives", str(len(position["objective_deck"]))],
        ["+3 tokens", str(position["supply_tokens"])],
    ]
    return columns(rows, [str.ljust, str.ljust], gap=" ")
