"""Characters, on offer or in a troupe, and a seat's stage and state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.drawing.board import seat_strip, strip_signs
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
    box,
    drawn_once,
    right_row,
    row,
    star,
    words,
)
from shakespeare_env.shakespeare.box.facts import Power, Space
from shakespeare_env.shakespeare.box.printed import PRINTED
from shakespeare_env.shakespeare.box.tables import HIGHEST_MOOD, LOWEST_MOOD, N_CYLINDERS, N_SLOTS
from shakespeare_env.shakespeare.drawing import shapes
from shakespeare_env.shakespeare.drawing.shapes import (
    ANY,
    ELEMENTS,
    EMPTY,
    KRAFT,
    ON_SEATS,
    RESTING,
    SEAT_TINTS,
    SEATS,
    activation_signs,
    amount_signs,
    power_signs,
)
from shakespeare_env.shakespeare.text.drawing import stage_rows
from shakespeare_env.shakespeare.text.wording import (
    character_name,
    extra_words,
    objective_name,
    score_sheet,
    winners,
    worth_now,
)

_OFFER, _MEMBER = (140, 96), (132, 84)  # widths and heights
_CARD_EDGE = 9
_TOTAL = 26  # room for the sum of a costume
_SLOT = 20  # from one costume element to the next


def draw_offer(card: str, copies: int) -> Block:
    """A card on offer, a place."""
    return _offer(card, copies).as_place(f"display.characters.{card}")


@drawn_once
def _offer(card: str, copies: int) -> Block:
    """Name, cost, kind and both powers, and how many lie there."""
    known, (width, height) = PRINTED.cards[card], _OFFER
    room = width - 2 * _CARD_EDGE
    kind = known.kind.replace("_", " ") + (f" ×{copies}" if copies > 1 else "")
    drawn: Elements = [
        box(0, 0, width, height, line=MUTED),
        words(_CARD_EDGE, 20, known.name, 12.5, weight="bold", room=room),
        *shapes.coin(width - 19, 43, 24, f"{known.cost}£"),
        words(_CARD_EDGE, 36, kind, 10.5, fill=MUTED, room=room - 24),
        *shapes.cylinder(_CARD_EDGE + 5, 56, 13, PANEL),
        *row(activation_signs(card), _CARD_EDGE + 17, 56, room - 40),
    ]
    if known.kind == "actor":
        drawn += shapes.costume(_CARD_EDGE + 5, 78, 15, ANY)
        drawn += row(power_signs(known.costume_power), _CARD_EDGE + 16, 78, room - 16)
    return Block(drawn, width, height)


def draw_member(member: Mapping[str, Any], extra: str, seat: int, number: int) -> Block:
    """A seat's character with costume, cylinder and rest token, a place.

    `member` is from the notation; `extra` is its name as an extra, or empty.
    """
    costume, used, rests = tuple(member["costume"]), member["cylinder"], member["rest"]
    card = _member(member["card"], extra, costume, used, rests, seat)
    return card.as_place(f"seat{seat}.troupe.{number}")


def ground(extra: str, used: bool, rests: bool, seat: int) -> tuple[str, str]:
    """The colours of a troupe's card and of its edge, by what has become of it."""
    fill = KRAFT if extra else SEAT_TINTS[seat] if used else RESTING if rests else PANEL
    return fill, SEATS[seat] if used else LINE


@drawn_once
def _member(
    card: str, extra: str, costume: tuple[str, ...], used: bool, rests: bool, seat: int
) -> Block:
    known, (width, height) = PRINTED.cards[card], _MEMBER
    fill, line = ground(extra, used, rests, seat)
    drawn: Elements = [box(0, 0, width, height, fill=fill, line=line)]
    room, y = width - 2 * _CARD_EDGE, 40
    drawn.append(
        words(_CARD_EDGE, 18, extra_words(extra) or known.name, 12, weight="bold", room=room)
    )
    if extra:
        drawn.append(words(_CARD_EDGE, 36, f"({known.name})", 10.5, fill=MUTED, room=room))
    else:
        # A cylinder or rest token covers the power's sign.
        if rests and not used:
            drawn += shapes.rest_token(_CARD_EDGE + 6, y, 18)
        else:
            drawn += shapes.cylinder(
                _CARD_EDGE + 6, y, *((23, SEATS[seat]) if used else (14, PANEL))
            )
        if known.cost:
            drawn += shapes.coin(width - 16, y, 21, f"{known.cost}£")
            room -= 21
        drawn += row(activation_signs(card), _CARD_EDGE + 20, y, room - 20)
    if extra or known.kind == "actor":
        power = PRINTED.box.extra_power if extra else known.costume_power
        drawn += _costume(costume, power)
    return Block(drawn, width, height)


def _costume(elements: tuple[str, ...], power: Power) -> Elements:
    width, y = _MEMBER[0], _MEMBER[1] - 17
    drawn: Elements = []
    for slot in range(N_SLOTS):
        x, colour = _CARD_EDGE + 9 + _SLOT * slot, elements[slot] if slot < len(elements) else EMPTY
        drawn += shapes.costume(x, y, 19, colour, str(PRINTED.values.get(colour, "")))
    after = _CARD_EDGE + _SLOT * N_SLOTS + 1
    if elements:
        complete = len(elements) == N_SLOTS
        total = f"{'✓' if complete else '='}{PRINTED.costume_value(elements)}"
        ink = INK if complete else MUTED
        drawn.append(words(after, y + 4, total, 11, weight="bold", fill=ink, room=_TOTAL))
    return [*drawn, *right_row(power_signs(power), width - 7, y, width - 9 - after - _TOTAL)]


_WALL, _WIDEST, _HIGH = 308, 46, 44  # of the wall; of a brick at most, and its height


def draw_stage(filled: Mapping[str, str], seat: int) -> Block:
    """The centred wall of a seat; `filled` is colour by space id."""
    rows = stage_rows()
    reach = max(abs(middle) for bricks in rows for middle in bricks) + 1
    half = min(_WIDEST, _WALL / reach) / 2
    drawn: Elements = []
    for number, bricks in enumerate(rows):
        for middle, brick in bricks.items():
            x, y = _WALL / 2 + (middle - 1) * half, number * _HIGH
            if brick is None:
                drawn.append(
                    box(x + 1, y + 1, 2 * half - 2, _HIGH - 2, fill=STONE, line=MUTED, corner=3)
                )
            else:
                block = _brick(brick, filled.get(brick.id), 2 * half)
                drawn.append(block.place(f"seat{seat}.stage.{brick.id}", x, y))
    return Block(drawn, _WALL, len(rows) * _HIGH)


@drawn_once
def _brick(space: Space, colour: str | None, width: float) -> Block:
    """A space by its id; filled, with the name of the colour below it."""
    fill, line, ink = ELEMENTS[colour] if colour else (PANEL, FAINT, MUTED)
    drawn: Elements = [box(1, 1, width - 2, _HIGH - 2, fill=fill, line=line, corner=3)]
    middle, room = (0.37, 0.56) if space.candle else (0.5, 0.9)
    y, size = (_HIGH / 4, 11.2) if colour else (_HIGH / 2, 12)
    label: Any = {"fill": ink, "anchor": "middle"}
    drawn.append(words(width * middle, y + 4, space.id, size, room=width * room, **label))
    if space.candle:
        drawn += shapes.candle(width * 0.8, y + 1, 20 if colour else 26)
    if colour:
        drawn.append(words(width / 2, 0.8 * _HIGH, colour, 10.5, room=width - 4, **label))
    return Block(drawn, width, _HIGH)


WIDTH = 296
_EDGE, _HEAD = 11, 29
_MOOD, _DAY, _OBJECTIVES = 47, 76, 134  # tops of the rows below the numbers
_LINE = 17  # height of an objective's line
_WORTH = 34  # room of what an objective brings
_MOODS = range(LOWEST_MOOD, HIGHEST_MOOD + 1)


def draw_state(position: Mapping[str, Any], seat: int, name: str) -> Block:
    """Who it is, the numbers and the day, with the objectives below."""
    mine, phase = position["seats"][seat], position["phase"]
    wagers = phase == "wager" and position["to_move"] == seat
    day = _wager(mine, seat) if wagers else _day(position, mine, seat)
    low = _OBJECTIVES + _LINE * max(1, len(mine["objectives"])) + 4
    width, height, wins = WIDTH + 2 * _EDGE, low + _HEAD, seat in winners(position)
    who = " · ".join(filter(None, (name, "wins" if wins else "")))
    signs = strip_signs(wins, position["to_move"] == seat, ON_SEATS[seat])
    inner: Elements = [
        *_purse(position, mine, seat),
        _mood(mine["mood"], seat).place(f"seat{seat}.mood", 0, _MOOD),
        *(_score(position, seat) if phase == "over" else day),
        *_objectives(position, seat),
    ]
    drawn: Elements = [
        box(0, 0, width, height),
        seat_strip(seat, who, (SEATS[seat], ON_SEATS[seat]), width, _HEAD, signs).at(0, 0),
        Block(inner, WIDTH, low).at(_EDGE, _HEAD - 3),
    ]
    return Block(drawn, width, height)


def _purse(position: Mapping[str, Any], mine: Mapping[str, Any], seat: int) -> Elements:
    prestige = [*star(12, 15, 25), words(29, 23, _signed(mine["prestige"]), 23, weight="bold")]
    pounds = [*shapes.coin(12, 14, 23), words(28, 23, str(mine["pounds"]), 23, weight="bold")]
    tokens = [
        *shapes.plus_three(14, 15, 22),
        words(31, 21, f"×{mine['tokens']}", 15, weight="bold", room=27),
    ]
    over = position["phase"] == "over"
    wages = f"wages {PRINTED.wages_due(mine)}£"
    drawn: Elements = [
        Block(prestige, 79, 30).place(f"seat{seat}.prestige", 0, 12),
        Block(pounds, 74, 30).place(f"seat{seat}.pounds", 82, 12),
        Block(tokens, 58, 30).place(f"seat{seat}.tokens", WIDTH - 58, 12),
        words(160, 25 if over else 33, wages, 11.5, fill=MUTED, room=76),
    ]
    if over:
        drawn.append(words(160, 39, f"{mine['unpaid']} unpaid", 11.5, weight="bold", room=76))
    return drawn


@drawn_once
def _mood(mood: int, seat: int) -> Block:
    left, each = 64, (WIDTH - 64 - 30) / len(_MOODS)
    drawn: Elements = [
        words(2, 15, "Mood", 11.5, fill=MUTED, room=36),
        *shapes.mask(left - 13, 11, 17, -1),
        *shapes.mask(left + each * len(_MOODS) + 14, 11, 17, 1),
    ]
    for number, step in enumerate(_MOODS):
        here = step == mood
        fill, ink = (SEATS[seat], ON_SEATS[seat]) if here else (SHADE, FAINT)
        x, room = left + each * number, each - 4
        look: Any = {"weight": "bold" if here else "normal", "fill": ink, "anchor": "middle"}
        drawn += [
            box(x, 0, each - 3, 22, fill=fill, line=INK if here else LINE),
            words(x + each / 2 - 1.5, 15.5, _change(step), 12, room=room, **look),
        ]
    return Block(drawn, WIDTH, 22)


def _wager(mine: Mapping[str, Any], seat: int) -> Elements:
    """Cylinders to click: their number is the wager."""
    chosen = mine["wager"] if mine["wager"] is not None else "–"
    drawn: Elements = [
        words(2, _DAY + 19, "Wager", 11.5, fill=MUTED, room=42),
        words(2, _DAY + 40, str(chosen), 17, weight="bold", room=42),
    ]
    each = (WIDTH - 48) / N_CYLINDERS
    for number in range(1, N_CYLINDERS + 1):
        block = _choice(number, number == chosen, seat, each - 4)
        drawn.append(block.place(f"seat{seat}.cylinders.{number}", 48 + each * (number - 1), _DAY))
    return drawn


@drawn_once
def _choice(number: int, chosen: bool, seat: int, width: float) -> Block:
    fill, line = (SEAT_TINTS[seat], SEATS[seat]) if chosen else (PANEL, LINE)
    drawn: Elements = [
        box(0, 0, width, 48, fill=fill, line=line),
        *shapes.cylinder(width / 2, 18, 22, SEATS[seat]),
        words(width / 2, 43, str(number), 13, weight="bold", anchor="middle"),
    ]
    return Block(drawn, width, 48)


def _day(position: Mapping[str, Any], mine: Mapping[str, Any], seat: int) -> Elements:
    drawn: Elements = [
        _cylinders(mine, seat).place(f"seat{seat}.cylinders", 0, _DAY),
        *(
            words(2 + 84 * number, _DAY + 43, f"✓ {done}", 11, room=80)
            for number, done in enumerate(("recruited", "passed"))
            if mine[done]
        ),
    ]
    if position["phase"] == "rest":
        kept = character_name(mine["kept"]) if mine["kept"] else "–"
        drawn.append(words(170, _DAY + 43, f"awake: {kept}", 11, room=WIDTH - 170))
    return drawn


def _cylinders(mine: Mapping[str, Any], seat: int) -> Block:
    used = sum(member["cylinder"] for member in mine["troupe"])
    wager = mine["wager"] if mine["wager"] is not None else "–"
    drawn: Elements = [
        words(2, 14, "Wager", 11.5, fill=MUTED, room=42),
        words(47, 14, str(wager), 13, weight="bold", room=14),
    ]
    for number in range(mine["cylinders"] + used):
        fill = SEATS[seat] if number < mine["cylinders"] else "none"
        drawn += shapes.cylinder(74 + 18 * number, 9, 18, fill)
    caption = f"{mine['cylinders']} left, {used} used"
    drawn.append(words(172, 14, caption, 11.5, fill=MUTED, room=WIDTH - 172))
    return Block(drawn, WIDTH, 22)


def _score(position: Mapping[str, Any], seat: int) -> Elements:
    """What the prestige is made of."""
    drawn: Elements = []
    for number, (source, points) in enumerate(score_sheet(position)):
        y = _DAY + 15 + 16 * number
        caption = _change(points[seat]) if number else _signed(points[seat])
        drawn += [
            words(34, y, caption, 11.5, weight="bold", anchor="end"),
            words(42, y, source, 11.5, fill=MUTED, room=WIDTH - 42),
        ]
    return drawn


def _objectives(position: Mapping[str, Any], seat: int) -> Elements:
    cards = position["seats"][seat]["objectives"]
    if not cards:
        return [words(2, _OBJECTIVES + 12, "no objectives", 11, fill=FAINT, room=WIDTH)]
    drawn: Elements = []
    for number, card in enumerate(cards):
        one: Elements = [
            *shapes.objective(7, 9, 12),
            words(17, 13, objective_name(card), 11.5, room=WIDTH - 17 - _WORTH),
        ]
        worth = worth_now(position, seat, card)
        if worth is not None:
            one += right_row(amount_signs(worth, "★"), WIDTH, 9, 2 * _LINE)
        place = f"seat{seat}.objectives.{number}"
        drawn.append(Block(one, WIDTH, _LINE).place(place, 0, _OBJECTIVES + _LINE * number))
    return drawn


def _signed(number: int) -> str:
    return str(number).replace("-", "−")


def _change(number: int) -> str:
    return f"{number:+d}".replace("-", "−") if number else "0"
