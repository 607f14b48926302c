"""Drawing the table: acts, orders, elements, piles, choices, and their summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.drawing import shapes as d
from shakespeare_env.drawing.board import SUMMARY
from shakespeare_env.shakespeare.box import printed as b
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import ACTS, COLOURS
from shakespeare_env.shakespeare.drawing import shapes
from shakespeare_env.shakespeare.drawing.shapes import EMPTY, amount_signs
from shakespeare_env.shakespeare.text.standing import prestige_now
from shakespeare_env.shakespeare.text.wording import CHARACTERS, OBJECTIVES

WIDTH = 400
"""Width of the table's pieces; acts longer than in the bundled box may be wider."""
_EDGE = 10
_TITLE = 30  # height of a panel's title
_LABEL = 52  # room for the name of an act
_LEAST_CELL = 24  # least width of a space
_DISC = 17  # height of a disc
_FEWEST_DISCS = 3  # every space has room for at least so many discs
_NUMBER = 16  # height of a space's number, above its pile
_REWARD = 19  # height of what a space pays, below its pile
_CAPTION = "Lower discs are ahead; below: what a rehearsal brings"
_ACT_GAP = 5


def draw_acts(position: Mapping[str, Any]) -> d.Block:
    """Draw the three acts; the lowest disc of a pile is ahead (Rules T7)."""
    lengths = t.BOX.act_lengths
    width = max(WIDTH, 2 * _EDGE + _LABEL + _LEAST_CELL * max(lengths))
    # All discs of an act may lie in one pile.
    discs = max(sum(map(len, position["piles"][act].values())) for act in ACTS)
    act_height = _NUMBER + _DISC * max(discs, _FEWEST_DISCS) + 5 + _REWARD
    cell = (width - 2 * _EDGE - _LABEL) / max(lengths)
    height = _TITLE + len(ACTS) * (act_height + _ACT_GAP) + 4
    drawn = d.panel(width, height, "Acts")
    drawn.append(d.words(_EDGE + 48, 20, _CAPTION, fill=d.MUTED, room=width - 2 * _EDGE - 48))
    for act, (name, length) in enumerate(zip(ACTS, lengths, strict=True)):
        y = _TITLE + act * (act_height + _ACT_GAP)
        middle = y + act_height / 2
        x = _EDGE + _LABEL / 2 - 1
        room = _LABEL - 2
        drawn += shapes.quill(x, middle - 22, 26, ("red", "gold", "blue")[act])
        drawn.append(d.label(x, middle + 7, f"Act {name}", 14, room=room))
        rewards = t.ACT_II_PRESTIGE if act == t.ACT_II else ()
        for place, prestige in enumerate(rewards, 1):
            signs = [d.note_sign(f"{place}."), *amount_signs(prestige, "★")]
            drawn += d.row(signs, x, middle + 6 + 16 * place, room, "middle")
        for space in range(1, length + 1):
            pile = tuple(position["piles"][name].get(str(space), ()))
            block = _space(act, space, pile, cell - 2, act_height, full=True)
            left = _EDGE + _LABEL
            drawn.append(block.place(f"piles.{name}.{space}", left + (space - 1) * cell, y))
    return d.Block(drawn, width, height)


@d.cached_block
def _space(
    act: int, space: int, pile: tuple[int | str, ...], width: float, height: float, full: bool
) -> d.Block:
    """Draw a space of an act, in full with its reward, or small with its discs in two columns."""
    fill = d.SHADE if space <= t.GREY_SPACES else d.PANEL
    drawn: d.Elements = [d.box(0, 0, width, height, fill=fill, corner=4)]
    if full or not pile:
        number = d.caption(width / 2, 13 if full else 16, str(space), anchor="middle")
        drawn.append(number)
    columns = 1 if full else min(2, max(1, len(pile)))
    column_width = (width - 2) / columns
    bottom = height - (_REWARD if full else 1)
    step = _DISC if full else (height - 2) / max(1, ceil(len(pile) / columns))
    for place, owner in enumerate(pile):
        row, column = divmod(place, columns)
        x = 1 + column_width * (column + 0.5)
        y = bottom - step * (row + 0.5)
        drawn += shapes.disc(x, y, min(56, column_width - 1), min(step - 1, 16), owner)
    reward = b.space_pays(act, space)
    if full and reward:
        y = height - _REWARD / 2 + 1
        drawn += d.row(amount_signs(*reward), width / 2, y, width, "middle", gap=0.5)
    return d.Block(drawn, width, height)


_ORDER = 150  # width of Order or Initiative
_STEP = 37  # from one of its seats to the next
_TOKENS = 72  # width of the tokens


def draw_order(position: Mapping[str, Any]) -> d.Block:
    """Draw Order, the Initiative track and the "+3" tokens in the supply."""
    tokens = WIDTH - _EDGE - _TOKENS
    height = 66
    drawn: d.Elements = [
        d.box(0, 0, WIDTH, height),
        d.bold(tokens, 20, "Tokens", fill=d.MUTED, room=_TOKENS),
        *shapes.plus_three(tokens + 17, 44, 24),
        d.bold(tokens + 37, 50, f"×{position['supply_tokens']}", 15, room=36),
    ]
    for x, place, title in ((0, "order", "Player order"), (_ORDER, "initiative", "Initiative")):
        drawn.append(_order(title, position[place]).place(place, _EDGE + x, 8))
    return d.Block(drawn, WIDTH, height)


def _order(title: str, seats: Sequence[int]) -> d.Block:
    drawn: d.Elements = [d.bold(0, 12, title, fill=d.MUTED, room=_ORDER - 8)]
    for place, seat in enumerate(seats):
        middle = 13 + _STEP * place
        if place:
            drawn += d.arrow(middle - _STEP / 2, 36, 7, d.STONE)
        drawn += shapes.marker(middle, 36, 25, seat)
    return d.Block(drawn, _ORDER - 8, 50)


_KINDS = {"costumes": ("Costumes", shapes.costume), "sets": ("Sets", shapes.stage_set)}
"""The title of each kind of element, and the function that draws one."""
_NAME = 62  # room of the names beside the elements
_KIND_HEIGHT = 54


def draw_elements(position: Mapping[str, Any]) -> d.Block:
    """Draw the elements on offer, in the bags and out of the game, a column for each colour."""
    left = _EDGE + _NAME
    width = (WIDTH - _EDGE - left) / len(COLOURS)
    height = 56 + len(_KINDS) * _KIND_HEIGHT
    drawn = d.panel(WIDTH, height, "Elements on offer")
    for number, (colour, value) in enumerate(b.VALUES.items()):
        x = left + width * (number + 0.5)
        drawn.append(d.caption(x, 46, f"{colour} {value}", anchor="middle", room=width))
    for number, (kind, (name, _)) in enumerate(_KINDS.items()):
        y = _TITLE + 24 + number * _KIND_HEIGHT
        drawn.append(d.words(_EDGE, y + 23, name, room=_NAME))
        drawn.append(d.caption(_EDGE, y + 46, "bag + out", room=_NAME))
        for place, colour in enumerate(b.VALUES):
            block = _element(position, kind, colour, width)
            drawn.append(block.place(f"display.{kind}.{colour}", left + width * place, y))
    return d.Block(drawn, WIDTH, height)


def _element(position: Mapping[str, Any], kind: str, colour: str, width: float) -> d.Block:
    counts = f"{position['bags'][kind][colour]} + {position['discarded'][kind][colour]}"
    drawn = [
        *_element_with_count(position, kind, colour, width, y=18, size=22),
        d.caption(width / 2, 46, counts, anchor="middle", room=width),
    ]
    return d.Block(drawn, width, _KIND_HEIGHT)


def _element_with_count(
    position: Mapping[str, Any], kind: str, colour: str, width: float, y: float, size: float
) -> d.Elements:
    """Draw an element and how many are on offer, faint if there is none."""
    shown = position["display"][kind][colour]
    value = str(b.VALUES[colour])
    letters = max(d.LEGIBLE, size / 2 + 1.5)
    # The sign and the count stand in the middle; the count has room for one digit.
    x = max(1, (width - size - 2 - 1.55 * letters) / 2)
    _, draw_sign = _KINDS[kind]
    sign = draw_sign(x + size / 2, y, size, colour if shown else EMPTY, value)
    draw_count = d.bold if shown else d.words
    ink = d.INK if shown else d.MUTED
    x += size + 2
    return [*sign, draw_count(x, y + 5, f"×{shown}", letters, fill=ink, room=width - x)]


PILES = {
    "deck": "Deck (sorted)",
    "discarded_characters": "Discarded characters",
    "objective_deck": "Objective pile, top first",
}
"""Titles of piles by their names in the notation."""


def draw_pile(position: Mapping[str, Any], pile: str, width: float) -> d.Block:
    """Draw the cards of one of `PILES`; the deck and the discards are shown without order."""
    cards = position[pile]
    if pile != "objective_deck":
        # Equal cards share an entry, so a pile never needs more lines after cards have left it.
        parts = [
            b.counted(CHARACTERS[card], count) for card, count in sorted(Counter(cards).items())
        ]
    elif set(cards) == {UNKNOWN}:
        parts = [f"{UNKNOWN} ×{len(cards)}"]
    else:
        parts = [f"{number}. {OBJECTIVES[card]}" for number, card in enumerate(cards, 1)]
    dotted = [f"{part} ·" for part in parts[:-1]] + parts[-1:]
    lines = d.lines(dotted, 12, width) or ["none"]
    drawn: d.Elements = [d.bold(0, 20, PILES[pile], fill=d.MUTED, room=width)]
    for number, line in enumerate(lines):
        drawn.append(d.words(0, 37 + 16.5 * number, line, room=width))
    return d.Block(drawn, width, 25.5 + 16.5 * len(lines))


_CHOICE = 150  # width of a card to choose
_GIFT = 96  # height of one of the Queen's offers
_OBJECTIVE = 124  # height of an objective


QUEEN_OFFERS = {
    "money": f"{t.QUEEN_POUNDS} pounds",
    "objectives": f"one of {t.QUEEN_OBJECTIVES} objectives",
}
"""The Queen's offers by their names in moves."""


def draw_gift(offer: str) -> d.Block:
    """Draw one of `QUEEN_OFFERS`, as a place to click."""
    middle = _CHOICE / 2
    if offer == "money":
        sign = shapes.coin(middle, 36, 44, f"{t.QUEEN_POUNDS}£")
    else:
        sign = shapes.objective(middle, 36, 44)
    meaning = d.label(middle, 80, QUEEN_OFFERS[offer], 13, room=_CHOICE - 12)
    background = d.box(0, 0, _CHOICE, _GIFT, line=d.MUTED)
    return d.Block([background, *sign, meaning], _CHOICE, _GIFT).as_place(f"queen.{offer}")


def draw_objective(position: Mapping[str, Any], card: str) -> d.Block:
    """Draw one of the objectives to choose from, with what it would bring the mover now.

    The card is a place to click. A card that the viewer does not know shows its back and
    cannot be clicked.
    """
    edge = 10
    drawn: d.Elements = [d.box(0, 0, _CHOICE, _OBJECTIVE, line=d.MUTED)]
    if card == UNKNOWN:
        middle = _OBJECTIVE / 2
        drawn.append(d.words(_CHOICE / 2, middle, "objective", fill=d.FAINT, anchor="middle"))
        return d.Block(drawn, _CHOICE, _OBJECTIVE)
    objective = b.OBJECTIVES[card]
    room = _CHOICE - 2 * edge
    for number, line in enumerate(d.lines(objective.name.split(), 14, room)[:2]):
        drawn.append(d.bold(edge, 20 + 16 * number, line, room=room))
    for number, (value, prestige) in enumerate(objective.points):
        signs = [d.note_sign(f"{value} →"), *amount_signs(prestige, "★")]
        drawn += d.row(signs, edge, 52 + 16 * number, room)
    prestige_sign = amount_signs(prestige_now(position, position["to_move"], card) or 0, "★")
    x = _CHOICE - edge - 3
    y = _OBJECTIVE - 18
    drawn += d.row([d.note_sign("now"), *prestige_sign], x, y, room, "end")
    return d.Block(drawn, _CHOICE, _OBJECTIVE).as_place(f"pending.drawn.{card}")


# In the summary of the table:
_CELL = 27  # height of a space
_ROW_NAME = 28  # room for the name of a row
_ORDERS = 62  # width of Order and Initiative


def draw_table(position: Mapping[str, Any]) -> d.Block:
    """Draw a summary of the acts with their discs, the orders and the elements on offer."""
    cell = (SUMMARY - _ROW_NAME) / max(t.BOX.act_lengths)
    drawn: d.Elements = []
    for number, (act, length) in enumerate(zip(ACTS, t.BOX.act_lengths, strict=True)):
        y = number * (_CELL + 1)
        drawn.append(d.bold(2, y + 17, act, 13, room=_ROW_NAME - 4))
        for space in range(1, length + 1):
            pile = tuple(position["piles"][act].get(str(space), ()))
            block = _space(number, space, pile, cell - 1, _CELL, full=False)
            drawn.append(block.place(f"piles.{act}.{space}", _ROW_NAME + (space - 1) * cell, y))
    width = (SUMMARY - _ROW_NAME - _ORDERS) / len(COLOURS)
    y = len(ACTS) * (_CELL + 1) + 2
    step = (_ORDERS - 4) / position["players"]
    # A row holds the elements of one kind and, at its right end, Order or Initiative.
    for kind, track in zip(_KINDS, ("order", "initiative"), strict=True):
        order: d.Elements = []
        for place, seat in enumerate(position[track]):
            order += shapes.marker(step * (place + 0.5), 13, min(18, step - 0.5), seat)
        drawn.append(d.Block(order, _ORDERS - 4, 26).place(track, SUMMARY - _ORDERS + 4, y))
        _, draw_sign = _KINDS[kind]
        drawn += draw_sign(13, y + 13, 18, EMPTY)
        for number, colour in enumerate(COLOURS):
            sign = _element_with_count(position, kind, colour, width - 2, y=13, size=16)
            block = d.Block([d.box(0, 0, width - 2, 25, corner=3), *sign], width - 2, 25)
            drawn.append(block.place(f"display.{kind}.{colour}", _ROW_NAME + width * number, y))
        y += 26
    return d.Block(drawn, SUMMARY, y)


def draw_offers(position: Mapping[str, Any]) -> d.Block:
    """Draw a summary of the characters on offer: their names and counts."""
    copies = Counter(position["display"]["characters"])
    columns = 3
    step = SUMMARY / columns
    drawn: d.Elements = []
    for number, (card, count) in enumerate(copies.items()):
        name = d.words(6, 16.5, b.counted(b.short_name(card), count), room=step - 12)
        chip = d.Block([d.box(0, 0, step - 3, 24, corner=4), name], step - 3, 24)
        row, column = divmod(number, columns)
        drawn.append(chip.place(f"display.characters.{card}", step * column, 27 * row))
    return d.Block(drawn, SUMMARY, 27 * ceil(len(copies) / columns))
