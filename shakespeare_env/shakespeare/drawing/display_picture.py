"""What is on offer, and in the bags and piles behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from shakespeare_env.drawing.lettering import lines, words
from shakespeare_env.drawing.palette import FAINT, INK, MUTED
from shakespeare_env.drawing.shapes import Block, Elements, box, panel
from shakespeare_env.drawing.signs import Sign, centred, note_sign
from shakespeare_env.fonts import width as text_width
from shakespeare_env.shakespeare.box import COLOURS
from shakespeare_env.shakespeare.drawing import shapes
from shakespeare_env.shakespeare.drawing.card_picture import OFFER_HEIGHT, draw_gap, draw_offer
from shakespeare_env.shakespeare.drawing.palette import ELEMENTS, EMPTY, SEAT_TINTS, SEATS
from shakespeare_env.shakespeare.drawing.wording import CARDS, OBJECTIVES, VALUES, objective_name
from shakespeare_env.shakespeare.tables import BOX

_EDGE, _TITLE, _GAP = 14, 32, 9
_WIDEST_OFFER = 210
_SMALL, _SMALL_LINE = 10.5, 15
_KINDS = (("costumes", "Costumes", shapes.costume), ("sets", "Stage sets", shapes.stage_set))
_KIND_HEIGHT = 68
CHARACTERS_HEIGHT = _TITLE + OFFER_HEIGHT + _EDGE
ELEMENTS_HEIGHT = _TITLE + 20 + len(_KINDS) * _KIND_HEIGHT + 4


def draw_characters(position: Mapping[str, Any], width: float) -> Block:
    """Shown cards; taken ones leave gaps."""
    cards = position["display"]["characters"]
    places = max(len(cards), max(position["players"], 2) + 2)  # Rules S5 and U1
    room = width - 2 * _EDGE
    each = min(_WIDEST_OFFER, (room + _GAP) / places - _GAP)
    gap = (room - each * places) / (places - 1)
    drawn = panel(width, CHARACTERS_HEIGHT, "Characters on offer")
    for place in range(places):
        x = _EDGE + place * (each + gap)
        block = (
            draw_offer(cards[place], each)
            if place < len(cards)
            else draw_gap(each, OFFER_HEIGHT, "taken")
        )
        drawn.append(block.at(x, _TITLE))
    return Block(drawn, width, CHARACTERS_HEIGHT)


def draw_elements(position: Mapping[str, Any], width: float) -> Block:
    """A column per colour: on offer, in the bags, out of the game.

    While elements are taken, available ones are framed.
    """
    left = _EDGE + 84
    each = (width - _EDGE - left) / len(COLOURS)
    drawn = panel(width, ELEMENTS_HEIGHT, "Elements on offer")
    for number, colour in enumerate(COLOURS):
        middle = left + each * (number + 0.5)
        drawn += centred(
            [_swatch(colour), note_sign(f"{colour} {VALUES[colour]}")], middle, 42, each
        )
    for number, (kind, name, _) in enumerate(_KINDS):
        y = _TITLE + 22 + number * _KIND_HEIGHT
        drawn += [
            words(_EDGE, y + 23, name, 12, weight="bold", room=80),
            words(_EDGE, y + 46, "in the bag", _SMALL, fill=MUTED, room=80),
            words(_EDGE, y + 59, "discarded", _SMALL, fill=MUTED, room=80),
        ]
        for place, colour in enumerate(COLOURS):
            x = left + each * place
            drawn.append(_element(position, kind, colour, each).at(x, y))
    return Block(drawn, width, ELEMENTS_HEIGHT)


def _swatch(colour: str) -> Sign:
    fill = ELEMENTS[colour][0]
    return Sign(11, lambda x, y: [box(x - 5.5, y - 5.5, 11, 11, fill=fill, line=MUTED, corner=3)])


def _element(position: Mapping[str, Any], kind: str, colour: str, width: float) -> Block:
    shape = next(shape for name, _, shape in _KINDS if name == kind)
    shown = position["display"][kind][colour]
    middle = width / 2
    drawn: Elements = []
    if shown and _may_be_taken(position, kind, colour):
        seat = position["to_move"]
        drawn.append(
            box(3, 2, width - 6, 33, fill=SEAT_TINTS[seat], line=SEATS[seat], thick=2, corner=5)
        )
    drawn += shape(middle - 14, 18, 25, colour if shown else EMPTY)
    drawn.append(
        words(
            middle + 4,
            23,
            f"×{shown}",
            14,
            weight="bold" if shown else "normal",
            fill=INK if shown else FAINT,
            room=middle - 6,
        )
    )
    for y, place in ((46, "bags"), (59, "discarded")):
        count = str(position[place][kind][colour])
        drawn.append(words(middle, y, count, _SMALL, fill=MUTED, anchor="middle", room=width))
    return Block(drawn, width, _KIND_HEIGHT)


def _may_be_taken(position: Mapping[str, Any], kind: str, colour: str) -> bool:
    pending = position["pending"]
    if position["phase"] != "craft" or not pending[kind] or colour not in pending["colours"]:
        return False
    return VALUES[colour] <= pending["value"]


def draw_piles(position: Mapping[str, Any], width: float) -> Block:
    """Cards in the piles; deck and discards have no order.

    Always has room for the whole box: a game's pictures match in size.
    """
    each = (width - 4 * _EDGE) / 3
    texts = (
        ("Deck (sorted)", _counted(Counter(position["deck"]))),
        ("Discarded characters", _counted(Counter(position["discarded_characters"]))),
        ("Objective pile, top first", _numbered(position["objective_deck"])),
    )
    height = 37 + _most_lines(each) * _SMALL_LINE
    drawn: Elements = [box(0, 0, width, height)]
    for column, (title, parts) in enumerate(texts):
        x = _EDGE + column * (each + _EDGE)
        drawn.append(words(x, 20, title, 12, weight="bold", fill=MUTED, room=each))
        broken = lines(_dotted(parts), _SMALL, each) or ["none"]
        for number, line in enumerate(broken):
            y = 37 + number * _SMALL_LINE
            drawn.append(words(x, y, line, _SMALL, room=each))
    return Block(drawn, width, height)


def _most_lines(room: float) -> int:
    """Most lines a pile can need, whatever its cards and their order."""
    whole = Counter({card.id: card.copies for card in BOX.characters if card.copies})
    deck = len(lines(_dotted(_counted(whole)), _SMALL, room))
    # Objectives come in any order: a line holds at least as many as fit of the longest.
    names = sorted(OBJECTIVES.values(), key=lambda name: text_width(name, _SMALL), reverse=True)
    last = len(names)
    longest = [f"{last}. {name} ·" for name in names]
    alike = 1
    while alike < last and text_width(" ".join(longest[: alike + 1]), _SMALL) <= room:
        alike += 1
    return max(deck, ceil(last / alike))


def _counted(cards: Mapping[str, int]) -> list[str]:
    """Sorted names with counts: fewer cards then never need more lines."""
    return [
        CARDS[card].name + (f" ×{count}" if count > 1 else "")
        for card, count in sorted(cards.items())
    ]


def _numbered(cards: Sequence[str]) -> list[str]:
    return [f"{at}. {objective_name(card)}" for at, card in enumerate(cards, 1)]


def _dotted(parts: Sequence[str]) -> list[str]:
    return [*(f"{part} ·" for part in parts[:-1]), *parts[-1:]]
