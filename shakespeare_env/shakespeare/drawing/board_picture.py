"""The main board: acts with discs, prestige, order tracks, supply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import svg

from shakespeare_env.drawing.lettering import lines, words
from shakespeare_env.drawing.palette import FAINT, LINE, MUTED, PANEL, SHADE, STONE
from shakespeare_env.drawing.shapes import (
    Block,
    Elements,
    arrow,
    box,
    drawn_once,
    panel,
    rule,
    upright,
)
from shakespeare_env.drawing.signs import centred, note_sign
from shakespeare_env.shakespeare.box.facts import ACTS
from shakespeare_env.shakespeare.box.printed import Printed, printed_of
from shakespeare_env.shakespeare.drawing import shapes
from shakespeare_env.shakespeare.drawing.palette import OBJECTIVE, disc_colours
from shakespeare_env.shakespeare.drawing.powers import amount_signs

_QUILLS = dict(zip(ACTS, ("red", "gold", "blue"), strict=True))
WIDTH = 400
"""Width of the table's pieces, with acts as long as in the bundled box."""
_EDGE, _TITLE = 14, 30
_LABEL, _LEAST_CELL = 44, 24
_NOTE, _NOTE_LINE = 10.5, 14
_DISC, _FEWEST_DISCS = 18, 3
_NUMBER, _WORTH = 17, 21  # strips above and below the pile of a space
_RULES = "of discs on one space the lower is ahead; below: what a dress rehearsal brings"
_GAP = 7
_SCALE, _LANE = 24, 34  # prestige the scale reaches at least; the height of a lane


def draw_acts(position: Mapping[str, Any]) -> Block:
    """The three acts; the lowest disc of a pile is ahead (T7)."""
    printed = printed_of(position)
    lengths = printed.box.act_lengths
    width = max(WIDTH, 2 * _EDGE + _LABEL + _LEAST_CELL * max(lengths))
    discs = max(sum(map(len, position["piles"][act].values())) for act in ACTS)
    high = _NUMBER + _DISC * max(discs, _FEWEST_DISCS) + 5 + _WORTH
    cell = (width - 2 * _EDGE - _LABEL) / max(lengths)
    below = _TITLE + len(ACTS) * (high + _GAP)
    notes = lines(_RULES.split(), _NOTE, width - 2 * _EDGE)
    height = below + len(notes) * _NOTE_LINE + 3
    drawn = panel(width, height, "Acts")
    drawn += [
        words(_EDGE, below + 6 + number * _NOTE_LINE, note, _NOTE, fill=FAINT)
        for number, note in enumerate(notes)
    ]
    for act, (name, length) in enumerate(zip(ACTS, lengths, strict=True)):
        y = _TITLE + act * (high + _GAP)
        drawn += _act_label(printed, name, y, high, _LABEL - 2)
        for space in range(1, length + 1):
            pile = position["piles"][name].get(str(space), ())
            x = _EDGE + _LABEL + (space - 1) * cell
            block = _space(printed, act, space, tuple(pile), cell - 4, high)
            drawn.append(block.place(f"piles.{name}.{space}", x, y))
    return Block(drawn, width, height)


def _act_label(printed: Printed, name: str, y: float, high: float, room: float) -> Elements:
    x, middle = _EDGE + room / 2, y + high / 2
    drawn: Elements = [
        *shapes.quill(x, middle - 22, 26, _QUILLS[name]),
        words(x, middle + 7, f"Act {name}", 14, weight="bold", anchor="middle", room=room),
    ]
    if name == "II":
        for place, won in enumerate(printed.box.rehearsals.act_2_prestige, 1):
            signs = [note_sign(f"{place}."), *amount_signs(won, "★")]
            drawn += centred(signs, x, middle + 6 + 16 * place, room)
    return drawn


@drawn_once
def _space(
    printed: Printed, act: int, space: int, pile: tuple[int | str, ...], width: float, high: float
) -> Block:
    grey = space <= printed.box.rehearsals.grey_spaces
    ground = high - _WORTH
    drawn: Elements = [
        box(0, 0, width, high, fill=SHADE if grey else PANEL, line=STONE if grey else LINE),
        words(width / 2, 13, str(space), 11, fill=MUTED, anchor="middle", room=width),
    ]
    for place, whose in enumerate(pile):
        middle = ground - _DISC * (place + 0.5)
        drawn += shapes.disc(width / 2, middle, min(56, width - 8), _DISC - 2, whose)
    brings = printed.space_pays(act, space)
    if brings:
        drawn += centred(amount_signs(*brings), width / 2, high - _WORTH / 2 + 1, width - 3)
    return Block(drawn, width, high)


def draw_tracks(position: Mapping[str, Any]) -> Block:
    """Prestige, order and supply."""
    width, height = WIDTH, 196 + _LANE * position["players"]
    middle = height - 138
    return Block(
        [
            *panel(width, height, "Prestige"),
            *_prestige(position, width, middle),
            rule(_EDGE, middle + 8, width - 2 * _EDGE),
            *(
                _order(title, position[place], position["players"]).place(place, x, middle + 16)
                for title, place, x in (
                    ("Player order", "order", _EDGE),
                    ("Initiative", "initiative", width / 2 + _EDGE / 2),
                )
            ),
            rule(_EDGE, middle + 74, width - 2 * _EDGE),
            *_supply(position, width, middle + 94),
        ],
        width,
        height,
    )


def _prestige(position: Mapping[str, Any], width: float, ground: float) -> Elements:
    all_prestige = [seat["prestige"] for seat in position["seats"]]
    solo, target = len(all_prestige) == 1, printed_of(position).box.good_scores[1]
    low, high = min(0, *all_prestige), max(_SCALE, target if solo else 0, *all_prestige)
    left, step = _EDGE + 22, (width - 2 * _EDGE - 56) / (high - low)
    line = ground - 25
    drawn: Elements = []
    every = 5 if step > 5 else 10
    for value in range(low - low % every, high + 1, every):
        if value >= low:
            x, label = left + (value - low) * step, str(value).replace("-", "−")
            drawn += [
                upright(x, _TITLE, line - _TITLE, stroke=SHADE),
                words(x, line + 15, label, 10, fill=MUTED, anchor="middle"),
            ]
    drawn.append(rule(left, line, width - 2 * _EDGE - 56, stroke=FAINT))
    if solo:
        x = left + (target - low) * step
        drawn += [
            upright(x, _TITLE, line - _TITLE, stroke=MUTED),
            words(x - 5, _TITLE + 10, "to pass", 10, fill=MUTED, anchor="end"),
        ]
    for seat, prestige in enumerate(all_prestige):
        block = Block(_lane(seat, prestige, left - low * step, _LANE / 2, step), width, _LANE)
        drawn.append(block.place(f"prestige.{seat}", 0, _TITLE + _LANE * seat))
    return drawn


def _lane(seat: int, prestige: int, zero: float, y: float, step: float) -> Elements:
    x, thick, label = zero + prestige * step, 10, str(prestige).replace("-", "−")
    start, long = min(zero, x), abs(x - zero)
    return [
        box(start, y - thick / 2, long, thick, fill=disc_colours(seat)[0], line=None, corner=0),
        *shapes.marker(x, y, 23, seat),
        words(max(x + 16, zero + 7), y + 5, label, 14, weight="bold"),
    ]


def _order(title: str, seats: Sequence[int], players: int) -> Block:
    drawn: Elements = [words(0, 12, title, 12, weight="bold", fill=MUTED, room=150)]
    y = 36
    for place in range(players):
        middle = 13 + 44 * place
        if place:
            drawn += arrow(middle - 22, y, 8, STONE)
        if place < len(seats):
            drawn += shapes.marker(middle, y, 25, seats[place])
        else:
            empty = svg.Circle(
                cx=middle, cy=y, r=12, fill="none", stroke=STONE, stroke_dasharray=[3, 3]
            )
            drawn.append(empty)
    return Block(drawn, max(90, 26 + 44 * (players - 1)), y + 14)


def _supply(position: Mapping[str, Any], width: float, y: float) -> Elements:
    piles = (
        ("deck", len(position["deck"]), "#cdd6de"),
        ("discarded", len(position["discarded_characters"]), STONE),
        ("objectives", len(position["objective_deck"]), OBJECTIVE),
    )
    each = (width - 2 * _EDGE) / (len(piles) + 1)
    drawn: Elements = [
        *shapes.plus_three(_EDGE + 18, y + 14, 27),
        *_count(position["supply_tokens"], "+3 tokens", _EDGE + 42, y, each - 46),
    ]
    for number, (name, count, fill) in enumerate(piles, 1):
        x = _EDGE + number * each
        drawn += [box(x + 5 - 2 * i, y + 1 - 2 * i, 20, 28, fill=fill, corner=3) for i in range(3)]
        drawn += _count(count, name, x + 34, y, each - 38)
    return drawn


def _count(count: int, name: str, x: float, y: float, room: float) -> Elements:
    return [
        words(x, y + 12, str(count), 15, weight="bold", room=room),
        words(x, y + 27, name, 10.5, fill=MUTED, room=room),
    ]
