"""The main board: acts with discs, order tracks, tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import svg

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import FAINT, LINE, MUTED, PANEL, SHADE, STONE
from shakespeare_env.drawing.shapes import Block, Elements, arrow, box, drawn_once, panel
from shakespeare_env.drawing.signs import centred, note_sign
from shakespeare_env.shakespeare.box.facts import ACTS
from shakespeare_env.shakespeare.box.printed import Printed, printed_of
from shakespeare_env.shakespeare.drawing import shapes
from shakespeare_env.shakespeare.drawing.powers import amount_signs

_QUILLS = dict(zip(ACTS, ("red", "gold", "blue"), strict=True))
WIDTH = 400
"""Width of the table's pieces, with acts as long as in the bundled box."""
_EDGE, _TITLE = 14, 30
_LABEL, _LEAST_CELL = 44, 24
_FRAME = 8  # what a frame around a space reaches beyond it
_NOTE = 10.5
_DISC, _FEWEST_DISCS = 17, 3
_NUMBER, _WORTH = 16, 19  # strips above and below the pile of a space
_RULES = "The lower disc is ahead; below: what a dress rehearsal brings"
_GAP = 5
_ORDER, _APART, _TOKENS = 150, 37, 72  # widths of an order and the tokens; from seat to seat


def draw_acts(position: Mapping[str, Any]) -> Block:
    """The three acts; the lowest disc of a pile is ahead (T7)."""
    printed = printed_of(position)
    lengths = printed.box.act_lengths
    width = max(WIDTH, 2 * _EDGE + _LABEL + _LEAST_CELL * max(lengths))
    discs = max(sum(map(len, position["piles"][act].values())) for act in ACTS)
    high = _NUMBER + _DISC * max(discs, _FEWEST_DISCS) + 5 + _WORTH
    cell = (width - 2 * _EDGE - _LABEL) / max(lengths)
    below = _TITLE + len(ACTS) * (high + _GAP)
    height = below + 4
    drawn = panel(width, height, "Acts")
    drawn.append(words(_EDGE + 40, 20, _RULES, _NOTE, fill=FAINT, room=width - 2 * _EDGE - 40))
    for act, (name, length) in enumerate(zip(ACTS, lengths, strict=True)):
        y = _TITLE + act * (high + _GAP)
        drawn += _act_label(printed, name, y, high)
        for space in range(1, length + 1):
            pile = position["piles"][name].get(str(space), ())
            x = _EDGE + _LABEL + (space - 1) * cell
            block = _space(printed, act, space, tuple(pile), cell - 4, high)
            drawn.append(block.place(f"piles.{name}.{space}", x, y))
    return Block(drawn, width, height)


def _act_label(printed: Printed, name: str, y: float, high: float) -> Elements:
    left, middle = _EDGE - 5, y + high / 2
    room = _EDGE + _LABEL - _FRAME - left
    x = left + room / 2
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


def draw_order(position: Mapping[str, Any]) -> Block:
    """Who comes when, and the tokens left."""
    width, height = WIDTH, 66
    tokens = WIDTH - _EDGE - _TOKENS
    drawn: Elements = [
        box(0, 0, width, height),
        *(
            _order(title, position[place], position["players"]).place(place, x, 8)
            for title, place, x in (
                ("Player order", "order", _EDGE),
                ("Initiative", "initiative", _EDGE + _ORDER),
            )
        ),
        words(tokens, 20, "Tokens", 12, weight="bold", fill=MUTED, room=_TOKENS),
        *shapes.plus_three(tokens + 17, 44, 24),
        words(tokens + 37, 50, f"×{position['supply_tokens']}", 15, weight="bold", room=36),
    ]
    return Block(drawn, width, height)


def _order(title: str, seats: Sequence[int], players: int) -> Block:
    drawn: Elements = [words(0, 12, title, 12, weight="bold", fill=MUTED, room=_ORDER - 8)]
    y = 36
    for place in range(players):
        middle = 13 + _APART * place
        if place:
            drawn += arrow(middle - _APART / 2, y, 7, STONE)
        if place < len(seats):
            drawn += shapes.marker(middle, y, 25, seats[place])
        else:
            empty = svg.Circle(
                cx=middle, cy=y, r=12, fill="none", stroke=STONE, stroke_dasharray=[3, 3]
            )
            drawn.append(empty)
    return Block(drawn, max(90, 26 + _APART * (players - 1)), y + 14)
