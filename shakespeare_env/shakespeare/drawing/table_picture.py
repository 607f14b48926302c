"""The table's pieces: acts and order, elements and piles, and choices beside the board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import svg

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.drawing.shapes import (
    FAINT,
    INK,
    LINE,
    MUTED,
    PANEL,
    SHADE,
    STONE,
    Block,
    Elements,
    arrow,
    box,
    centred,
    drawn_once,
    lines,
    note_sign,
    panel,
    right_row,
    row,
    words,
)
from shakespeare_env.shakespeare.box.facts import ACTS, COLOURS
from shakespeare_env.shakespeare.box.printed import PRINTED
from shakespeare_env.shakespeare.drawing import shapes
from shakespeare_env.shakespeare.drawing.shapes import EMPTY, amount_signs
from shakespeare_env.shakespeare.text.wording import character_name, objective_name, worth_now

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
_ACT_GAP = 5
_ORDER, _APART, _TOKENS = 150, 37, 72  # widths of an order and the tokens; from seat to seat


def draw_acts(position: Mapping[str, Any]) -> Block:
    """The three acts; the lowest disc of a pile is ahead (T7)."""
    lengths = PRINTED.box.act_lengths
    width = max(WIDTH, 2 * _EDGE + _LABEL + _LEAST_CELL * max(lengths))
    discs = max(sum(map(len, position["piles"][act].values())) for act in ACTS)
    high = _NUMBER + _DISC * max(discs, _FEWEST_DISCS) + 5 + _WORTH
    cell = (width - 2 * _EDGE - _LABEL) / max(lengths)
    below = _TITLE + len(ACTS) * (high + _ACT_GAP)
    height = below + 4
    drawn = panel(width, height, "Acts")
    drawn.append(words(_EDGE + 40, 20, _RULES, _NOTE, fill=FAINT, room=width - 2 * _EDGE - 40))
    for act, (name, length) in enumerate(zip(ACTS, lengths, strict=True)):
        y = _TITLE + act * (high + _ACT_GAP)
        drawn += _act_label(name, y, high)
        for space in range(1, length + 1):
            pile = position["piles"][name].get(str(space), ())
            x = _EDGE + _LABEL + (space - 1) * cell
            block = _space(act, space, tuple(pile), cell - 4, high)
            drawn.append(block.place(f"piles.{name}.{space}", x, y))
    return Block(drawn, width, height)


def _act_label(name: str, y: float, high: float) -> Elements:
    left, middle = _EDGE - 5, y + high / 2
    room = _EDGE + _LABEL - _FRAME - left
    x = left + room / 2
    drawn: Elements = [
        *shapes.quill(x, middle - 22, 26, _QUILLS[name]),
        words(x, middle + 7, f"Act {name}", 14, weight="bold", anchor="middle", room=room),
    ]
    if name == "II":
        for place, won in enumerate(PRINTED.box.rehearsals.act_2_prestige, 1):
            signs = [note_sign(f"{place}."), *amount_signs(won, "★")]
            drawn += centred(signs, x, middle + 6 + 16 * place, room)
    return drawn


@drawn_once
def _space(act: int, space: int, pile: tuple[int | str, ...], width: float, high: float) -> Block:
    grey = space <= PRINTED.box.rehearsals.grey_spaces
    ground = high - _WORTH
    drawn: Elements = [
        box(0, 0, width, high, fill=SHADE if grey else PANEL, line=STONE if grey else LINE),
        words(width / 2, 13, str(space), 11, fill=MUTED, anchor="middle", room=width),
    ]
    for place, whose in enumerate(pile):
        middle = ground - _DISC * (place + 0.5)
        drawn += shapes.disc(width / 2, middle, min(56, width - 8), _DISC - 2, whose)
    brings = PRINTED.space_pays(act, space)
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


_ELEMENTS_EDGE, _ELEMENTS_TITLE = 14, 32
_NAME = 64  # room of the names beside the elements
_SMALL, _PILE, _PILE_LINE = 10.5, 12, 16.5
_KINDS = (("costumes", "Costumes", shapes.costume), ("sets", "Stage sets", shapes.stage_set))
_KIND_HEIGHT = 54
_PILE_TOP = 37  # its first line
PILES = {
    "deck": "Deck (sorted)",
    "discarded_characters": "Discarded characters",
    "objective_deck": "Objective pile, top first",
}
"""Titles of piles by their names in the notation."""
_ELEMENTS = _ELEMENTS_TITLE + 20 + len(_KINDS) * _KIND_HEIGHT + 4


def draw_elements(position: Mapping[str, Any], width: float) -> Block:
    """A column per colour: on offer, in the bags, out of the game."""
    left = _ELEMENTS_EDGE + _NAME
    each = (width - _ELEMENTS_EDGE - left) / len(COLOURS)
    values = PRINTED.values
    drawn = panel(width, _ELEMENTS, "Elements on offer")
    for number, colour in enumerate(COLOURS):
        middle = left + each * (number + 0.5)
        name = f"{colour} {values[colour]}"
        drawn.append(words(middle, 46, name, 11, fill=MUTED, anchor="middle", room=each))
    for number, (kind, name, _) in enumerate(_KINDS):
        y = _ELEMENTS_TITLE + 22 + number * _KIND_HEIGHT
        drawn += [
            words(_ELEMENTS_EDGE, y + 23, name, 11, weight="bold", room=_NAME - 7),
            words(_ELEMENTS_EDGE, y + 46, "bag + out", _SMALL, fill=MUTED, room=_NAME),
        ]
        for place, colour in enumerate(COLOURS):
            x = left + each * place
            block = _element(position, kind, colour, each)
            drawn.append(block.place(f"display.{kind}.{colour}", x, y))
    return Block(drawn, width, _ELEMENTS)


def _element(position: Mapping[str, Any], kind: str, colour: str, width: float) -> Block:
    shape = next(shape for name, _, shape in _KINDS if name == kind)
    shown = position["display"][kind][colour]
    middle, value = width / 2, PRINTED.values[colour]
    drawn: Elements = []
    drawn += shape(middle - 11, 18, 22, colour if shown else EMPTY, str(value))
    drawn.append(
        words(
            middle + 3,
            23,
            f"×{shown}",
            12.5,
            weight="bold" if shown else "normal",
            fill=INK if shown else FAINT,
            room=middle - 5,
        )
    )
    left = f"{position['bags'][kind][colour]} + {position['discarded'][kind][colour]}"
    drawn.append(words(middle, 46, left, _SMALL, fill=MUTED, anchor="middle", room=width))
    return Block(drawn, width, _KIND_HEIGHT)


def draw_pile(position: Mapping[str, Any], pile: str, width: float) -> Block:
    """The cards of one of `PILES`; deck and discards have no order."""
    title, cards = PILES[pile], position[pile]
    drawn: Elements = [words(0, 20, title, 12, weight="bold", fill=MUTED, room=width)]
    parts = _numbered(cards) if pile == "objective_deck" else _counted(Counter(cards))
    broken = lines(_dotted(parts), _PILE, width) or ["none"]
    for number, line in enumerate(broken):
        drawn.append(words(0, _PILE_TOP + number * _PILE_LINE, line, _PILE, room=width))
    return Block(drawn, width, _PILE_TOP + (len(broken) - 1) * _PILE_LINE + 5)


def _counted(cards: Mapping[str, int]) -> list[str]:
    """Sorted names with counts: fewer cards then never need more lines."""
    return [
        character_name(card) + (f" ×{count}" if count > 1 else "")
        for card, count in sorted(cards.items())
    ]


def _numbered(cards: Sequence[str]) -> list[str]:
    """Names in order, or the count of an unseen pile."""
    if cards and set(cards) == {UNKNOWN}:
        return [f"{UNKNOWN} ×{len(cards)}"]
    return [f"{at}. {objective_name(card)}" for at, card in enumerate(cards, 1)]


def _dotted(parts: Sequence[str]) -> list[str]:
    return [*(f"{part} ·" for part in parts[:-1]), *parts[-1:]]


_CHOICE, _GIFT, _OBJECTIVE, _CHOICE_EDGE = 150, 96, 124, 10  # widths, heights, margin
_STEP = 16


def queen_offers() -> dict[str, str]:
    """The Queen's offers by their names in moves."""
    return {
        "money": f"{PRINTED.box.queen_pounds} pounds",
        "objectives": f"one of {PRINTED.box.queen_objectives} objectives",
    }


def draw_gift(offer: str) -> Block:
    """One of `queen_offers`, a place."""
    middle = _CHOICE / 2
    if offer == "money":
        sign = shapes.coin(middle, 36, 44, f"{PRINTED.box.queen_pounds}£")
    else:
        sign = shapes.objective(middle, 36, 44)
    meaning = queen_offers()[offer]
    label = words(middle, 80, meaning, 13, weight="bold", anchor="middle", room=_CHOICE - 12)
    return Block([*_ground(_GIFT), *sign, label], _CHOICE, _GIFT).as_place(f"queen.{offer}")


def draw_objective(position: Mapping[str, Any], card: str) -> Block:
    """A drawn objective, a place: its steps, and what it would bring the mover now.

    A card that the viewer does not know shows its back.
    """
    if card == UNKNOWN:
        back = words(_CHOICE / 2, _OBJECTIVE / 2, "objective", 12, fill=FAINT, anchor="middle")
        return Block([*_ground(_OBJECTIVE), back], _CHOICE, _OBJECTIVE)
    known, room = PRINTED.objectives[card], _CHOICE - 2 * _CHOICE_EDGE
    drawn = _ground(_OBJECTIVE)
    for number, line in enumerate(lines(known.name.split(), 13, room)[:2]):
        drawn.append(words(_CHOICE_EDGE, 20 + 16 * number, line, 12.5, weight="bold", room=room))
    for number, (at, won) in enumerate(known.points):
        y = 52 + _STEP * number
        drawn += row([note_sign(f"{at} →"), *amount_signs(won, "★")], _CHOICE_EDGE, y, room)
    worth = amount_signs(worth_now(position, position["to_move"], card) or 0, "★")
    drawn += right_row(
        [note_sign("now"), *worth], _CHOICE - _CHOICE_EDGE - 3, _OBJECTIVE - 18, room
    )
    return Block(drawn, _CHOICE, _OBJECTIVE).as_place(f"pending.drawn.{card}")


def _ground(height: float) -> Elements:
    return [
        box(0, 0, _CHOICE, height, fill=STONE, line=MUTED),
        box(0, 0, _CHOICE - 3, height - 3, line=MUTED),
    ]
