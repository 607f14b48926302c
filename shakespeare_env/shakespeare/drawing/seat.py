"""Drawing a seat's state, characters and stage, its summary, and the characters on offer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from shakespeare_env.drawing import shapes as d
from shakespeare_env.drawing.board import SUMMARY, seat_strip, strip_signs
from shakespeare_env.fonts import width as text_width
from shakespeare_env.shakespeare.box import printed as b
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import Power, Space
from shakespeare_env.shakespeare.drawing import shapes
from shakespeare_env.shakespeare.drawing.shapes import ELEMENTS, EMPTY, SEAT_COLOURS, SEATS
from shakespeare_env.shakespeare.text import wording as w
from shakespeare_env.shakespeare.text.drawing import stage_rows
from shakespeare_env.shakespeare.text.standing import prestige_now, wages_due

_MEMBER_WIDTH = 132
_MEMBER_HEIGHT = 84
_CARD_EDGE = 9
_TOTAL = 28  # room for the sum of a costume
_SLOT = 18.5  # from one costume element to the next


def draw_offer(card: str, copies: int) -> d.Block:
    """Draw a card on offer, with its number of copies if several, as a place to click."""
    block = _member(_Look(card), extra="", seat=0)
    elements = [*block.elements]
    if copies > 1:
        # Only characters that wear no costume have several copies. The count stands where a costume
        # would be.
        elements.append(d.bold(_CARD_EDGE, block.height - 12, f"×{copies}", 13))
    drawn = d.Block(elements, block.width, block.height)
    return drawn.as_place(f"display.characters.{card}")


def draw_member(member: Mapping[str, Any], extra: str, seat: int, number: int) -> d.Block:
    """Draw a seat's character with costume, cylinder and rest token, as a place to click.

    `member` is an entry of the notation. `extra` is its name as an extra, or empty.
    """
    return _member(_look(member), extra, seat).as_place(f"seat{seat}.troupe.{number}")


class _Look(NamedTuple):
    """The facts that a character's drawing shows, hashable so that the drawing is cached."""

    card: str
    costume: tuple[str, ...] = ()
    used: bool = False  # whether a cylinder stands on it
    rests: bool = False  # whether a rest token lies on it


def _look(member: Mapping[str, Any]) -> _Look:
    costume = tuple(member["costume"])
    return _Look(member["card"], costume, member["cylinder"], member["rest"])


def _card_colours(look: _Look, extra: str, seat: int) -> dict[str, Any]:
    """Return the fill and line of a character's card, which show whether it is used or rests."""
    fill = d.PANEL
    if extra:
        fill = shapes.KRAFT
    elif look.used:
        fill = shapes.SEAT_TINTS[seat]
    elif look.rests:
        fill = shapes.RESTING
    return {"fill": fill, "line": SEATS[seat] if look.used else d.LINE}


@d.cached_block
def _member(look: _Look, extra: str, seat: int) -> d.Block:
    character = b.CARDS[look.card]
    width = _MEMBER_WIDTH
    height = _MEMBER_HEIGHT
    room = width - 2 * _CARD_EDGE
    drawn: d.Elements = [
        d.box(0, 0, width, height, **_card_colours(look, extra, seat)),
        d.bold(_CARD_EDGE, 18, w.extra_words(extra) or _fitting_name(look.card, room), room=room),
    ]
    if extra:
        drawn.append(d.caption(_CARD_EDGE, 36, f"({b.short_name(look.card)})", room=room))
    else:
        y = 40
        # A cylinder or a rest token covers the sign of an activation.
        if look.used:
            drawn += shapes.cylinder(_CARD_EDGE + 6, y, 23, SEATS[seat])
        elif look.rests:
            drawn += shapes.rest_token(_CARD_EDGE + 6, y, 18)
        else:
            drawn += shapes.cylinder(_CARD_EDGE + 6, y, 14, d.PANEL)
        if character.cost:
            drawn += shapes.coin(width - 16, y, 21, f"{character.cost}£")
            room -= 21
        signs = shapes.activation_signs(look.card)
        drawn += d.row(signs, _CARD_EDGE + 20, y, room - 20, gap=2.5)
    if extra or character.kind == "actor":
        power = t.BOX.extra_power if extra else character.costume_power
        drawn += _costume(look.costume, power, height - 17)
    return d.Block(drawn, width, height)


def _fitting_name(card: str, room: float) -> str:
    name = b.CARDS[card].name
    return name if text_width(name, d.LEGIBLE, "bold") <= room else b.short_name(card)


def _costume(costume: tuple[str, ...], power: Power, y: float) -> d.Elements:
    """Draw the slots of a costume, the sum of its values, and what it gives at a rehearsal."""
    drawn: d.Elements = []
    for slot in range(t.N_SLOTS):
        colour = costume[slot] if slot < len(costume) else EMPTY
        x = _CARD_EDGE + 9 + _SLOT * slot
        value = str(b.VALUES.get(colour, ""))
        drawn += shapes.costume(x, y, 18, colour, value)
    right = _CARD_EDGE + _SLOT * t.N_SLOTS + 1
    total = ""
    if costume:
        is_complete = len(costume) == t.N_SLOTS
        sign = "✓" if is_complete else "="
        total = f"{sign}{b.costume_value(costume)}"
        ink = d.INK if is_complete else d.MUTED
        drawn.append(d.bold(right, y + 4.3, total, fill=ink, room=_TOTAL))
    room = _MEMBER_WIDTH - 7 - right - text_width(total, d.LEGIBLE, "bold")
    return drawn + d.row(shapes.power_signs(power), _MEMBER_WIDTH - 7, y, room, "end", gap=1)


def draw_wall(
    filled: Mapping[str, str], seat: int, width: float, widest: float, height: float, edge: float
) -> d.Block:
    """Draw a seat's stage as a wall of bricks, centred.

    Args:
        filled: The colour of each filled space, by the space's id.
        seat: The seat.
        width: The width of the drawing.
        widest: The greatest width of a brick.
        height: The height of a brick.
        edge: The space around a brick; with 0, bricks show only their colour.
    """
    rows = stage_rows()
    # `middle` counts half bricks from the middle of the row.
    reach = max(abs(middle) for bricks in rows for middle in bricks) + 1
    half = min(widest, width / reach) / 2
    drawn: d.Elements = []
    for number, bricks in enumerate(rows):
        for middle, brick in bricks.items():
            x = width / 2 + (middle - 1) * half
            y = number * height
            colour = None if brick is None else filled.get(brick.id)
            block = _brick(brick, colour, 2 * half, height, edge)
            if brick is None:
                drawn.append(block.at(x, y))
            else:
                drawn.append(block.place(f"seat{seat}.stage.{brick.id}", x, y))
    return d.Block(drawn, width, len(rows) * height)


@d.cached_block
def _brick(
    space: Space | None, colour: str | None, width: float, height: float, edge: float
) -> d.Block:
    """Draw a space with its id and, once filled, its colour; None stands for a printed element."""
    if space is None:
        fill = d.STONE
        line = d.MUTED
        ink = d.MUTED
    elif colour:
        fill, line, ink = ELEMENTS[colour]
    else:
        fill = d.PANEL
        line = d.FAINT
        ink = d.MUTED
    box_width = width - 1 - edge
    box_height = height - 1 - edge
    corner = 1 + 2 * edge
    box = d.box(edge, edge, box_width, box_height, fill=fill, line=line, corner=corner)
    drawn: d.Elements = [box]
    if space is None or not edge:
        return d.Block(drawn, width, height)

    # A candle stands to the right of the id, the name of the colour below both.
    middle = 0.37 if space.candle else 0.5
    room = 0.56 if space.candle else 0.9
    y = height / 4 if colour else height / 2
    style: Any = {"fill": ink, "anchor": "middle"}
    drawn.append(d.words(width * middle, y + 4, space.id, room=width * room, **style))
    if space.candle:
        drawn += shapes.candle(width * 0.8, y + 1, 20 if colour else 26)
    if colour:
        drawn.append(d.words(width / 2, 0.8 * height, colour, room=width - 2, **style))
    return d.Block(drawn, width, height)


WIDTH = 296
"""Width of a seat's state, without its edges."""
_EDGE = 11
_HEAD = 29  # height of the strip with the name
# Tops of the rows below the numbers: mood, day and objectives.
_MOOD = 47
_DAY = 76
_OBJECTIVES = 134
_LINE = 17  # height of an objective's line


def draw_state(position: Mapping[str, Any], seat: int, name: str) -> d.Block:
    """Draw a seat's name, its numbers and its day, with the objectives below."""
    entry = position["seats"][seat]
    over = position["phase"] == "over"
    decides = position["to_move"] == seat
    body_height = _OBJECTIVES + _LINE * len(entry["objectives"]) + 4
    width = WIDTH + 2 * _EDGE
    height = body_height + _HEAD
    strip = _strip(position, seat, name, width, _HEAD)
    inner: d.Elements = [
        *(_number(entry, seat, what, 1.26).at(x, 10) for what, x in _NUMBERS_AT.items()),
        d.caption(160, 33, f"wages {wages_due(entry)}£", room=76),
        _mood(entry["mood"], seat).place(f"seat{seat}.mood", 0, _MOOD),
        *_objectives(position, seat),
    ]
    if over:
        for number, (source, points) in enumerate(w.score_sheet(position)):
            y = _DAY + 15 + 16 * number
            prestige = points[seat]
            # The first row is a total, the others are changes.
            amount = b.signed(prestige) if number else b.minus(str(prestige))
            inner.append(d.bold(34, y, amount, anchor="end"))
            inner.append(d.caption(42, y, source, room=WIDTH - 42))
    elif position["phase"] == "wager" and decides:
        inner += _wager(entry, seat)
    else:
        inner += _day(position, entry, seat)
    body = d.Block(inner, WIDTH, body_height).at(_EDGE, _HEAD - 3)
    return d.Block([d.box(0, 0, width, height), strip.at(0, 0), body], width, height)


def _strip(
    position: Mapping[str, Any], seat: int, name: str, width: float, height: float
) -> d.Block:
    """Draw the band with a seat's name; signs mark the mover and the winner."""
    colours = SEAT_COLOURS[seat]
    signs = strip_signs(
        wins=seat in w.winners(position), decides=position["to_move"] == seat, ink=colours[1]
    )
    return seat_strip(seat, name, colours, width, height, signs)


_NUMBERS_AT = {"prestige": 0, "pounds": 82, "tokens": WIDTH - 58}
"""Left ends of the numbers of a seat's state."""


def _number(entry: Mapping[str, Any], seat: int, counter: str, scale: float) -> d.Block:
    """Draw one of a seat's counters as its sign and number, as a place."""
    number = entry[counter]
    y = 12.5 * scale
    signs: dict[str, Callable[[float, float, float], d.Elements]] = {
        "prestige": d.star,
        "pounds": shapes.coin,
        "tokens": shapes.plus_three,
        "mood": partial(shapes.mask, smile=number),
    }
    x = 21.5 * scale
    room = 30 if counter == "prestige" else 24 * scale  # prestige may be −12
    sign = signs[counter](10 * scale, y, 17 * scale)
    amount = d.bold(x, y + 6 * scale, b.minus(str(number)), 15 * scale, room=room)
    block = d.Block([*sign, amount], x + room - 2, 24 * scale)
    return block.as_place(f"seat{seat}.{counter}")


@d.cached_block
def _mood(mood: int, seat: int) -> d.Block:
    moods = range(t.LOWEST_MOOD, t.HIGHEST_MOOD + 1)
    left = 64
    width = (WIDTH - 64 - 30) / len(moods)
    drawn: d.Elements = [
        d.caption(2, 15, "Mood", room=36),
        *shapes.mask(left - 13, 11, 17, smile=-1),
        *shapes.mask(left + width * len(moods) + 14, 11, 17, smile=1),
    ]
    for number, step in enumerate(moods):
        colours = (d.SHADE, d.LINE, d.FAINT)
        if step == mood:
            fill, ink = SEAT_COLOURS[seat]
            colours = (fill, d.INK, ink)
        middle = left + width * (number + 0.5) - 1.5
        drawn += d.chip(middle, 11, width - 3, 22, b.signed(step), 12, colours)
    return d.Block(drawn, WIDTH, 22)


def _wager(entry: Mapping[str, Any], seat: int) -> d.Elements:
    drawn: d.Elements = [
        d.caption(2, _DAY + 19, "Wager", room=42),
        d.bold(2, _DAY + 40, str(entry["wager"] or "–"), 17, room=42),
    ]
    step = (WIDTH - 48) / t.N_CYLINDERS
    width = step - 4
    for number in range(1, t.N_CYLINDERS + 1):
        chosen = number == entry["wager"]
        fill = shapes.SEAT_TINTS[seat] if chosen else d.PANEL
        line = SEATS[seat] if chosen else d.LINE
        option: d.Elements = [
            d.box(0, 0, width, 48, fill=fill, line=line),
            *shapes.cylinder(step / 2 - 2, 18, 22, SEATS[seat]),
            d.label(step / 2 - 2, 43, str(number), 13),
        ]
        block = d.Block(option, width, 48)
        drawn.append(block.place(f"seat{seat}.cylinders.{number}", 48 + step * (number - 1), _DAY))
    return drawn


def _day(position: Mapping[str, Any], entry: Mapping[str, Any], seat: int) -> d.Elements:
    left = entry["cylinders"]
    used = sum(member["cylinder"] for member in entry["troupe"])
    cylinders: d.Elements = [
        d.caption(2, 14, "Wager", room=42),
        d.bold(47, 14, str(entry["wager"] or "–"), 13, room=14),
        d.caption(172, 14, f"{left} left, {used} used", room=WIDTH - 172),
    ]
    for number in range(left + used):
        fill = SEATS[seat] if number < left else "none"
        cylinders += shapes.cylinder(74 + 18 * number, 9, 18, fill)
    drawn: d.Elements = [d.Block(cylinders, WIDTH, 22).place(f"seat{seat}.cylinders", 0, _DAY)]
    done = w.seat_facts(position, seat)[""]  # the fact without a label: what is done today
    return [*drawn, d.words(2, _DAY + 43, done, room=WIDTH)]


def _objectives(position: Mapping[str, Any], seat: int) -> d.Elements:
    drawn: d.Elements = []
    for number, card in enumerate(position["seats"][seat]["objectives"]):
        name = d.words(17, 13, w.OBJECTIVES[card], room=WIDTH - 51)
        line: d.Elements = [*shapes.objective(7, 9, 12), name]
        prestige = prestige_now(position, seat, card)
        if prestige is not None:
            line += d.row(shapes.amount_signs(prestige, "★"), WIDTH, 9, 2 * _LINE, "end")
        block = d.Block(line, WIDTH, _LINE)
        y = _OBJECTIVES + _LINE * number
        drawn.append(block.place(f"seat{seat}.objectives.{number}", 0, y))
    return drawn


_STAGE = 68  # width of the stage of a summary
_STAGE_ROWS = 2  # the rows of tiles beside the stage
_TILE = 22  # height of a row of characters' tiles
_TILE_TEXT = 13.5  # 13 pixels on the page of a table
_SUMMARY_NUMBERS_AT = {"prestige": 138, "pounds": 185, "tokens": 224, "mood": 255}
"""Left ends of the numbers of a seat's summary."""


def draw_summary(position: Mapping[str, Any], seat: int, name: str) -> d.Block:
    """Draw a summary of a seat for the other players: its numbers, characters and stage."""
    entry = position["seats"][seat]
    top = 28
    room = min(_SUMMARY_NUMBERS_AT.values()) - 3
    strip = _strip(position, seat, name, room, top - 2)
    drawn: d.Elements = [
        strip.at(0, 0),
        *(_number(entry, seat, what, 0.9).at(x, 2) for what, x in _SUMMARY_NUMBERS_AT.items()),
    ]
    is_finished = entry["passed"] or (entry["recruited"] and not entry["cylinders"])  # Rules T4
    if is_finished:
        state: d.Elements = [d.bold(3, 18.5, "done", _TILE_TEXT, fill=d.MUTED, room=42)]
    else:
        left = f"{entry['cylinders']}/{entry['wager'] or '–'}"
        state = [*shapes.cylinder(8, 12.5, 18, SEATS[seat]), d.bold(17, 18.5, left, 15, room=28)]
    drawn.append(d.Block(state, 46, 24).place(f"seat{seat}.cylinders", 294, 1))
    # Tiles stand in rows, which are shorter beside the stage.
    x = 3.0
    row = 0
    for number, (member, extra) in enumerate(w.members(entry)):
        tile = _tile(_look(member), extra, seat)
        room = SUMMARY - (_STAGE + 8 if row < _STAGE_ROWS else 4)
        if x > 3 and x + tile.width > room:
            x = 3.0
            row += 1
        drawn.append(tile.place(f"seat{seat}.troupe.{number}", x, top + _TILE * row))
        x += tile.width + 2
    left_edge = SUMMARY - _STAGE
    for number in range(len(entry["objectives"])):
        card = d.Block(shapes.objective(5, 5, 9), 10, 10)
        place = f"seat{seat}.objectives.{number}"
        drawn.append(card.place(place, left_edge + 12 * number, top + 25.5))
    brick_height = 25 / len(stage_rows())
    stage = draw_wall(
        entry["stage"], seat, width=_STAGE - 4, widest=_STAGE, height=brick_height, edge=0
    )
    height = top + 1 + _TILE * max(row + 1, _STAGE_ROWS)
    background = d.box(0, 0, SUMMARY, height)
    return d.Block([background, *drawn, stage.at(left_edge, top)], SUMMARY, height)


@d.cached_block
def _tile(look: _Look, extra: str, seat: int) -> d.Block:
    name = w.extra_words(extra) or b.short_name(look.card)
    height = _TILE - 2
    icon = 14
    y = height / 2
    x = 4.0
    drawn: d.Elements = []
    if look.used:
        drawn += shapes.cylinder(x + icon / 2, y, icon, SEATS[seat])
        x += icon + 2
    elif look.rests:
        drawn += shapes.rest_token(x + icon / 2, y, icon)
        x += icon + 2
    drawn.insert(0, d.words(x, y + 4.8, name, _TILE_TEXT))
    x += text_width(name, _TILE_TEXT) + 3
    for colour in look.costume:
        drawn += shapes.costume(x + icon / 2, y, icon + 2, colour, str(b.VALUES.get(colour, "")))
        x += icon + 3
    box = d.box(0, 0, x + 1, height, **_card_colours(look, extra, seat), corner=4)
    return d.Block([box, *drawn], x + 1, height)
