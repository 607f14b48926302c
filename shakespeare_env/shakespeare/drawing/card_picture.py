"""Small cards of characters, on offer or in a troupe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.drawing.lettering import words
from shakespeare_env.drawing.palette import INK, LINE, MUTED, PANEL
from shakespeare_env.drawing.shapes import Block, Elements, box, drawn_once
from shakespeare_env.drawing.signs import right_row, row
from shakespeare_env.shakespeare.box.facts import Power
from shakespeare_env.shakespeare.box.printed import Printed
from shakespeare_env.shakespeare.box.tables import N_SLOTS
from shakespeare_env.shakespeare.drawing import shapes
from shakespeare_env.shakespeare.drawing.palette import ANY, KRAFT, RESTING, SEAT_TINTS, SEATS
from shakespeare_env.shakespeare.drawing.powers import activation_signs, power_signs
from shakespeare_env.shakespeare.text.wording import extra_words

_OFFER, _MEMBER = (140, 96), (132, 84)  # widths and heights
_EDGE = 9
_TOTAL = 26  # room for the sum of a costume
_SLOT = 20  # from one costume element to the next


def draw_offer(printed: Printed, card: str, copies: int) -> Block:
    """A card on offer, a place."""
    return _offer(printed, card, copies).as_place(f"display.characters.{card}")


@drawn_once
def _offer(printed: Printed, card: str, copies: int) -> Block:
    """Name, cost, kind and both powers, and how many lie there."""
    known, (width, height) = printed.cards[card], _OFFER
    room = width - 2 * _EDGE
    kind = known.kind.replace("_", " ") + (f" ×{copies}" if copies > 1 else "")
    drawn: Elements = [
        box(0, 0, width, height, line=MUTED),
        words(_EDGE, 20, known.name, 12.5, weight="bold", room=room),
        *shapes.coin(width - 19, 43, 24, f"{known.cost}£"),
        words(_EDGE, 36, kind, 10.5, fill=MUTED, room=room - 24),
        *shapes.cylinder(_EDGE + 5, 56, 13, PANEL),
        *row(activation_signs(printed, card), _EDGE + 17, 56, room - 40),
    ]
    if known.kind == "actor":
        drawn += shapes.costume(_EDGE + 5, 78, 15, ANY)
        drawn += row(power_signs(known.costume_power), _EDGE + 16, 78, room - 16)
    return Block(drawn, width, height)


def draw_member(
    printed: Printed, member: Mapping[str, Any], extra: str, seat: int, number: int
) -> Block:
    """A seat's character with costume, cylinder and rest token, a place.

    `member` is from the notation; `extra` is its name as an extra, or empty.
    """
    costume, used, rests = tuple(member["costume"]), member["cylinder"], member["rest"]
    card = _member(printed, member["card"], extra, costume, used, rests, seat)
    return card.as_place(f"seat{seat}.troupe.{number}")


def ground(extra: str, used: bool, rests: bool, seat: int) -> tuple[str, str]:
    """The colours of a troupe's card and of its edge, by what has become of it."""
    fill = KRAFT if extra else SEAT_TINTS[seat] if used else RESTING if rests else PANEL
    return fill, SEATS[seat] if used else LINE


@drawn_once
def _member(
    printed: Printed,
    card: str,
    extra: str,
    costume: tuple[str, ...],
    used: bool,
    rests: bool,
    seat: int,
) -> Block:
    known, (width, height) = printed.cards[card], _MEMBER
    fill, line = ground(extra, used, rests, seat)
    drawn: Elements = [box(0, 0, width, height, fill=fill, line=line)]
    room, y = width - 2 * _EDGE, 40
    drawn.append(words(_EDGE, 18, extra_words(extra) or known.name, 12, weight="bold", room=room))
    if extra:
        drawn.append(words(_EDGE, 36, f"({known.name})", 10.5, fill=MUTED, room=room))
    else:
        # A cylinder or rest token covers the power's sign.
        if rests and not used:
            drawn += shapes.rest_token(_EDGE + 6, y, 18)
        else:
            drawn += shapes.cylinder(_EDGE + 6, y, *((23, SEATS[seat]) if used else (14, PANEL)))
        if known.cost:
            drawn += shapes.coin(width - 16, y, 21, f"{known.cost}£")
            room -= 21
        drawn += row(activation_signs(printed, card), _EDGE + 20, y, room - 20)
    if extra or known.kind == "actor":
        power = printed.box.extra_power if extra else known.costume_power
        drawn += _costume(printed, costume, power)
    return Block(drawn, width, height)


def _costume(printed: Printed, elements: tuple[str, ...], power: Power) -> Elements:
    width, y = _MEMBER[0], _MEMBER[1] - 17
    drawn: Elements = []
    for slot, colour in enumerate(elements):
        drawn += shapes.costume(
            _EDGE + 9 + _SLOT * slot, y, 19, colour, str(printed.values[colour])
        )
    if free := N_SLOTS - len(elements):
        drawn += shapes.costume_slots(_EDGE + 9 + _SLOT * len(elements), y, 19, free, _SLOT)
    after = _EDGE + _SLOT * N_SLOTS + 1
    if elements:
        complete = len(elements) == N_SLOTS
        total = f"{'✓' if complete else '='}{printed.costume_value(elements)}"
        ink = INK if complete else MUTED
        drawn.append(words(after, y + 4, total, 11, weight="bold", fill=ink, room=_TOTAL))
    return [*drawn, *right_row(power_signs(power), width - 7, y, width - 9 - after - _TOTAL)]
