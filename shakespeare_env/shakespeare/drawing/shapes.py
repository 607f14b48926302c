"""The game's colours, drawings of its components, and powers as rows of signs.

The x and y of a drawing are its middle. Red-green blind eyes can tell any two of the ten colours of
seats and elements apart. Seats differ in warmth and brightness.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import svg

from shakespeare_env.drawing import shapes as d
from shakespeare_env.shakespeare.box import printed as b
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import Power

KRAFT = "#e6d9c3"
"""The fill of cards that lie face down."""
RESTING = "#dde2e8"
"""The fill of characters with a rest token."""
OBJECTIVE = "#e4cdd8"
"""The fill of objective cards."""

# Colours by seat. `SEAT_COLOURS` are pairs of a seat's colour and the colour of text on it.
SEATS = ("#a62b17", "#1d4a63", "#f5b877", "#8fdcd5")
SEAT_COLOURS = tuple(zip(SEATS, ("#ffffff", "#ffffff", d.ON_LIGHT, d.ON_LIGHT), strict=True))
SEAT_TINTS = ("#fbeae5", "#e5edf2", "#fdf0e1", "#e4f4f3")

EMPTY = "empty"
"""Stands for a colour where no element is placed."""
ANY = "any"
"""Stands for a colour where an element may be of any colour."""
ELEMENTS = {
    "black": ("#33302e", d.INK, "#ffffff"),
    "pink": ("#e8749c", d.INK, d.ON_LIGHT),
    "purple": ("#8242a3", d.INK, "#ffffff"),
    "blue": ("#5b98ea", d.INK, d.ON_LIGHT),
    "green": ("#4f9d3c", d.INK, "#ffffff"),
    "yellow": ("#f7d731", d.INK, d.ON_LIGHT),
    EMPTY: (d.SHADE, d.LINE, d.FAINT),
    ANY: (d.PANEL, d.INK, d.INK),
}
"""An element's fill, line and ink (the colour of its text), by colour."""
# The outline of a costume element.
_TUNIC = (
    "M-.16 -.46Q0 -.34 .16 -.46L.52 -.26 .4 .02 .27 -.04 .3 .48-.3 .48-.27 -.04-.4 .02-.52 -.26Z"
)
QUILLS = {"red": "#c8331f", "gold": "#e0a91c", "blue": "#3a6fc4", "white": "#ffffff"}


def coin(x: float, y: float, size: float, text: str = "£") -> d.Elements:
    """Draw a coin for pounds."""
    return d.token(x, y, size, text, "#f4e3b0", d.ON_LIGHT)


@d.cached_shape
def quill(x: float, y: float, size: float, colour: str) -> d.Elements:
    """Draw a quill: red, gold or blue for Act I, II or III, white for any act."""
    vane = "M-.25 .25C-.34-.12 .02-.42 .44-.5 .46-.06 .18 .3-.25 .25Z"
    shaft = "M-.44 .5 .26-.32"
    return [d.outline(x, y, size, vane, QUILLS[colour]), d.outline(x, y, size, shaft, "none")]


@d.cached_shape
def mask(x: float, y: float, size: float, smile: float) -> d.Elements:
    """Draw a mood mask: smiling (1), frowning (-1) or neither (0)."""
    face = "M-.44-.42Q0-.56 .44-.42C.5 .1 .3 .5 0 .5-.3 .5-.5 .1-.44-.42Z"
    corners = 0.17 - 0.08 * smile
    mouth = f"M-.22 {corners:.2f}Q0 {0.17 + 0.2 * smile:.2f} .22 {corners:.2f}"
    eye_y = d.tenths(y - 0.14 * size)
    radius = d.tenths(size * 0.07)
    eyes = [
        svg.Circle(cx=d.tenths(x + side * size), cy=eye_y, r=radius, fill=d.ON_LIGHT)
        for side in (-0.19, 0.19)
    ]
    fill = d.PAPER
    if smile > 0:
        fill = "#fbe9a9"
    elif smile < 0:
        fill = "#cfd8e2"
    return [
        d.outline(x, y, size, face, fill),
        *eyes,
        d.outline(x, y, size, mouth, "none", d.ON_LIGHT),
    ]


def masks(x: float, y: float, size: float, smile: float) -> d.Elements:
    """Draw two mood masks, the sign of the other seats' mood."""
    return [*mask(x - 3.5, y, size, smile), *mask(x + 3.5, y, size, smile)]


@d.cached_shape
def costume(x: float, y: float, size: float, colour: str, text: str = "") -> d.Elements:
    """Draw a costume element, or an open slot of a costume."""
    fill, line, ink = ELEMENTS[colour]
    letters = max(d.LEGIBLE, size / 2)
    value = [d.label(x, y + letters * 0.38, text, letters, fill=ink)] if text else []
    return [d.outline(x, y, size, _TUNIC, fill, line), *value]


def stage_set(x: float, y: float, size: float, colour: str, text: str = "") -> d.Elements:
    """Draw a stage set element, or its empty place."""
    letters = max(d.LEGIBLE, size / 2)
    return d.chip(x, y, 1.12 * size, 0.72 * size, text, letters, ELEMENTS[colour])


def objective(x: float, y: float, size: float) -> d.Elements:
    """Draw an objective card."""
    return d.chip(x, y, 0.76 * size, size, "", 0, (OBJECTIVE, d.MUTED, d.INK))


@d.cached_shape
def cylinder(x: float, y: float, size: float, fill: str) -> d.Elements:
    """Draw a cylinder from the side."""
    body = "M-.32-.34-.32 .34C-.32 .54 .32 .54 .32 .34L.32-.34Z"
    radii: Any = {"rx": d.tenths(0.32 * size), "ry": d.tenths(0.15 * size)}
    style: Any = {"fill": "#ffffff", "fill_opacity": 0.35, "stroke": d.INK}
    top = svg.Ellipse(cx=d.tenths(x), cy=d.tenths(y - 0.34 * size), **radii, **style)
    return [d.outline(x, y, size, body, fill), top]


def disc(x: float, y: float, width: float, height: float, owner: int | str) -> d.Elements:
    """Draw a disc from the side with its seat's number; the neutral disc is grey, with an N."""
    name = "N"
    fill = d.NEUTRAL
    ink = "#ffffff"
    if isinstance(owner, int):
        name = str(owner)
        fill, ink = SEAT_COLOURS[owner]
    letters = max(d.LEGIBLE, 0.78 * height)
    return d.chip(x, y, width, height, name, letters, (fill, d.INK, ink))


def marker(x: float, y: float, size: float, seat: int) -> d.Elements:
    """Draw a seat's round token, numbered."""
    return d.token(x, y, size, str(seat), *SEAT_COLOURS[seat])


def plus_three(x: float, y: float, size: float) -> d.Elements:
    """Draw a "+3" token."""
    letters = max(d.LEGIBLE, 0.56 * size)
    width = max(1.2 * size, 19.5)  # of the smallest letters
    return d.chip(x, y, width, size, "+3", letters, ("#dfeccf", d.INK, d.ON_LIGHT))


def rest_token(x: float, y: float, size: float) -> d.Elements:
    """Draw a rest token."""
    return d.token(x, y, size, "z", "#5d6b7c", "#ffffff")


@d.cached_shape
def candle(x: float, y: float, size: float) -> d.Elements:
    """Draw a candle, the sign of a space that scores prestige."""
    flame = "M0-.5C.34-.2 .2 .02 0 .02-.2 .02-.34-.2 0-.5Z"
    stick = "M-.13 .08 .13 .08 .13 .5-.13 .5Z"
    return [d.outline(x, y, size, stick, d.PANEL), d.outline(x, y, size, flame, "#f6a81c")]


_SIGN = 16  # size of a sign
_MOST_ALIKE = 3  # the most equal signs side by side; more become one sign with a count


def amount_signs(amount: int, unit: str) -> list[d.Sign]:
    """Return signs for a gain or loss of pounds or prestige."""
    text = b.minus(f"{amount:+d}")
    if unit == "£":
        return [d.number_sign(f"{text}£")]
    return [d.number_sign(text), d.Sign(12, lambda x, y: d.star(x, y, 12))]


def power_signs(power: Power) -> list[d.Sign]:
    """Return signs for the effects of an activation or a complete costume."""
    signs: list[d.Sign] = []
    for colour in QUILLS:
        sign = d.Sign(12, partial(quill, size=_SIGN, colour=colour))
        count = getattr(power, colour)
        if count <= _MOST_ALIKE:
            signs += [sign] * count
        else:
            signs += [d.number_sign(f"{count}×"), sign]
    if power.mood:
        signs += _mood_signs(power.mood)
    if power.others_mood:
        smile = 1 if power.others_mood > 0 else -1
        faces = d.Sign(_SIGN + 7, partial(masks, size=_SIGN, smile=smile))
        signs += [d.number_sign(b.minus(f"{power.others_mood:+d}")), faces]
    if power.pounds:
        signs += amount_signs(power.pounds, "£")
    if power.prestige:
        signs += amount_signs(power.prestige, "★")
    if power.take_costume:
        signs.append(_element(costume, power.take_costume))
    if power.take_set:
        signs.append(_element(stage_set, power.take_set))
    return signs


def _mood_signs(steps: int) -> list[d.Sign]:
    face = partial(mask, size=_SIGN, smile=1 if steps > 0 else -1)
    return [d.number_sign(b.minus(f"{steps:+d}")), d.Sign(_SIGN, face)]


def activation_signs(card: str) -> list[d.Sign]:
    """Return signs for the effects of activating a card; a craftsman's value comes first."""
    character = b.CARDS[card]
    value = d.number_sign(str(character.value))
    any_costume = _element(costume)
    any_set = _element(stage_set)
    yellow = [_element(costume, "yellow"), d.note_sign("or"), _element(stage_set, "yellow")]
    gift = [d.number_sign(f"{t.QUEEN_POUNDS}£"), d.note_sign(f"or 1 of {t.QUEEN_OBJECTIVES}")]
    return {
        "actor": power_signs(character.activation),
        "costume_mistress": [value, any_costume],
        "set_dresser": [value, any_set],
        "handyman": [value, any_costume, any_set],
        "jeweler": yellow,
        "assistant": [d.note_sign("crafts +1")],
        "queen": [*gift, d.Sign(12, partial(objective, size=_SIGN))],
    }[character.kind]


def _element(shape: Callable[..., d.Elements], colour: str = ANY) -> d.Sign:
    return d.Sign(18, lambda x, y: shape(x, y, _SIGN, colour))
