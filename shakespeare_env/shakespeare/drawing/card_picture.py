"""Small cards of characters, on offer or in a troupe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import INK, LINE, MUTED, PANEL
from shakespeare_env.drawing.shapes import Block, Elements, box, drawn_once
from shakespeare_env.drawing.signs import right_row, row
from shakespeare_env.shakespeare.box import Character
from shakespeare_env.shakespeare.drawing import shapes
from shakespeare_env.shakespeare.drawing.palette import ANY, KRAFT, RESTING, SEAT_TINTS, SEATS
from shakespeare_env.shakespeare.drawing.powers import activation_signs, power_signs
from shakespeare_env.shakespeare.printed import CARDS, VALUES
from shakespeare_env.shakespeare.tables import BOX, N_SLOTS

OFFER_HEIGHT, MEMBER_HEIGHT = 96, 84
_EDGE = 9
_TOTAL = 26  # room for the sum of a costume
_SLOT = 20  # from one costume element to the next


@drawn_once
def draw_offer(card: str, width: float, copies: int = 1) -> Block:
    """A card on offer: name, cost, kind and both powers, and how many lie there."""
    known = CARDS[card]
    room = width - 2 * _EDGE
    kind = known.kind.replace("_", " ") + (f" ×{copies}" if copies > 1 else "")
    return Block(
        [
            box(0, 0, width, OFFER_HEIGHT, line=MUTED),
            words(_EDGE, 20, known.name, 12.5, weight="bold", room=room),
            *shapes.coin(width - 19, 43, 24, f"{known.cost}£"),
            words(_EDGE, 36, kind, 10.5, fill=MUTED, room=room - 24),
            *_activation(known, 56, room - 24),
            *(_costume_power(known, 78, room) if known.kind == "actor" else []),
        ],
        width,
        OFFER_HEIGHT,
    )


def draw_member(member: Mapping[str, Any], extra: str, seat: int, width: float) -> Block:
    """A troupe's character with costume, cylinder and rest token.

    `member` is from the notation; `extra` is its name as an extra, or empty.
    """
    costume = tuple(member["costume"])
    used, rests = member["cylinder"], member["rest"]
    return _draw(_Member(member["card"], extra, costume, used, rests, seat), width)


@dataclass(frozen=True)
class _Member:
    card: str
    extra: str
    costume: tuple[str, ...]
    cylinder: bool
    rest: bool
    seat: int


@drawn_once
def _draw(member: _Member, width: float) -> Block:
    known, extra = CARDS[member.card], member.extra
    fill = SEAT_TINTS[member.seat] if member.cylinder else RESTING if member.rest else PANEL
    line = SEATS[member.seat] if member.cylinder else LINE
    drawn: Elements = [
        box(0, 0, width, MEMBER_HEIGHT, fill=KRAFT if extra else fill, line=line),
        *(_extra(extra, known, width) if extra else _character(member, known, width)),
    ]
    if extra or known.kind == "actor":
        drawn += _costume(member.costume, known, extra, width)
    return Block(drawn, width, MEMBER_HEIGHT)


def _character(member: _Member, known: Character, width: float) -> Elements:
    """Name, power and wage; a cylinder or rest token covers the power's sign."""
    y, x = 40, _EDGE + 6
    room = width - 2 * _EDGE
    drawn: Elements = [words(_EDGE, 18, known.name, 12, weight="bold", room=room)]
    if member.cylinder:
        drawn += shapes.cylinder(x, y, 23, SEATS[member.seat])
    elif member.rest:
        drawn += shapes.rest_token(x, y, 18)
    else:
        drawn += shapes.cylinder(x, y, 14, PANEL)
    if known.cost:
        drawn += shapes.coin(width - 16, y, 21, f"{known.cost}£")
        room -= 21
    return [*drawn, *row(activation_signs(known), _EDGE + 20, y, room - 20)]


def _extra(name: str, known: Character, width: float) -> Elements:
    room = width - 2 * _EDGE
    return [
        words(_EDGE, 18, name, 12, weight="bold", room=room),
        words(_EDGE, 36, f"({known.name})", 10.5, fill=MUTED, room=room),
    ]


def _activation(known: Character, y: float, room: float) -> Elements:
    return [
        *shapes.cylinder(_EDGE + 5, y, 13, PANEL),
        *row(activation_signs(known), _EDGE + 17, y, room - 16),
    ]


def _costume_power(known: Character, y: float, room: float) -> Elements:
    return [
        *shapes.costume(_EDGE + 5, y, 15, ANY),
        *row(power_signs(known.costume_power), _EDGE + 16, y, room - 16),
    ]


def _costume(elements: tuple[str, ...], known: Character, extra: str, width: float) -> Elements:
    y = MEMBER_HEIGHT - 17
    drawn: Elements = []
    for slot, colour in enumerate(elements):
        drawn += shapes.costume(_EDGE + 9 + _SLOT * slot, y, 19, colour, str(VALUES[colour]))
    if free := N_SLOTS - len(elements):
        drawn += shapes.costume_slots(_EDGE + 9 + _SLOT * len(elements), y, 19, free, _SLOT)
    after = _EDGE + _SLOT * N_SLOTS + 1
    if elements:
        complete = len(elements) == N_SLOTS
        total = f"{'✓' if complete else '='}{sum(VALUES[colour] for colour in elements)}"
        ink = INK if complete else MUTED
        drawn.append(words(after, y + 4, total, 11, weight="bold", fill=ink, room=_TOTAL))
    signs = power_signs(BOX.extra_power if extra else known.costume_power)
    return [*drawn, *right_row(signs, width - 7, y, width - 9 - after - _TOTAL)]
