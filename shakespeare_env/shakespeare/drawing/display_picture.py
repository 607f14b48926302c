"""Elements on offer with their bags, and the piles of cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.drawing.lettering import lines, words
from shakespeare_env.drawing.palette import FAINT, INK, MUTED
from shakespeare_env.drawing.shapes import Block, Elements, box, panel
from shakespeare_env.shakespeare.box.facts import COLOURS
from shakespeare_env.shakespeare.box.printed import printed_of
from shakespeare_env.shakespeare.drawing import shapes
from shakespeare_env.shakespeare.drawing.palette import EMPTY, SEAT_TINTS
from shakespeare_env.shakespeare.text.wording import character_name, objective_name

_EDGE, _TITLE = 14, 32
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
_ELEMENTS = _TITLE + 20 + len(_KINDS) * _KIND_HEIGHT + 4


def draw_elements(position: Mapping[str, Any], width: float) -> Block:
    """A column per colour: on offer, in the bags, out of the game.

    While elements are taken, available ones lie on the mover's colour.
    """
    left = _EDGE + _NAME
    each = (width - _EDGE - left) / len(COLOURS)
    values = printed_of(position).values
    drawn = panel(width, _ELEMENTS, "Elements on offer")
    for number, colour in enumerate(COLOURS):
        middle = left + each * (number + 0.5)
        name = f"{colour} {values[colour]}"
        drawn.append(words(middle, 46, name, 11, fill=MUTED, anchor="middle", room=each))
    for number, (kind, name, _) in enumerate(_KINDS):
        y = _TITLE + 22 + number * _KIND_HEIGHT
        drawn += [
            words(_EDGE, y + 23, name, 11, weight="bold", room=_NAME - 7),
            words(_EDGE, y + 46, "bag + out", _SMALL, fill=MUTED, room=_NAME),
        ]
        for place, colour in enumerate(COLOURS):
            x = left + each * place
            block = _element(position, kind, colour, each)
            drawn.append(block.place(f"display.{kind}.{colour}", x, y))
    return Block(drawn, width, _ELEMENTS)


def _element(position: Mapping[str, Any], kind: str, colour: str, width: float) -> Block:
    shape = next(shape for name, _, shape in _KINDS if name == kind)
    shown = position["display"][kind][colour]
    middle, value = width / 2, printed_of(position).values[colour]
    drawn: Elements = []
    if shown and _may_be_taken(position, kind, colour):
        seat = position["to_move"]
        drawn.append(box(1, 2, width - 2, 33, fill=SEAT_TINTS[seat], line=None, corner=5))
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


def _may_be_taken(position: Mapping[str, Any], kind: str, colour: str) -> bool:
    pending = position["pending"]
    if position["phase"] != "craft" or not pending[kind] or colour not in pending["colours"]:
        return False
    return printed_of(position).values[colour] <= pending["value"]


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
