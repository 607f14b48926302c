"""A character's powers as a row of small signs."""

from __future__ import annotations

from shakespeare_env.drawing.shapes import star
from shakespeare_env.drawing.signs import Sign, note_sign, number_sign
from shakespeare_env.shakespeare.box.facts import Power
from shakespeare_env.shakespeare.box.printed import Printed
from shakespeare_env.shakespeare.drawing import shapes
from shakespeare_env.shakespeare.drawing.palette import ANY

SIGN = 16
"""The side of a sign."""
_MOST_ALIKE = 3  # signs of a kind side by side; more are counted


def amount_signs(amount: int, unit: str) -> list[Sign]:
    """A gain or loss of pounds or prestige."""
    if unit == "£":
        return [number_sign(f"{amount:+d}£".replace("-", "−"))]
    return [number_sign(f"{amount:+d}".replace("-", "−")), Sign(12, lambda x, y: star(x, y, 12))]


def power_signs(power: Power) -> list[Sign]:
    """What an activation or complete costume gives."""
    signs: list[Sign] = []
    for colour in ("red", "gold", "blue", "white"):
        signs += _alike(_quill(colour), getattr(power, colour))
    if power.mood:
        signs += _mood(power.mood)
    if power.others_mood:
        signs += [note_sign("others"), *_mood(power.others_mood)]
    if power.pounds:
        signs += amount_signs(power.pounds, "£")
    if power.prestige:
        signs += amount_signs(power.prestige, "★")
    if power.take_costume:
        signs.append(_element("costumes", power.take_costume))
    if power.take_set:
        signs.append(_element("sets", power.take_set))
    return signs


def activation_signs(printed: Printed, card: str) -> list[Sign]:
    """What a cylinder here gives; a craftsman's value precedes what it takes."""
    known, box = printed.cards[card], printed.box
    value = number_sign(str(known.value))
    return {
        "actor": power_signs(known.activation),
        "costume_mistress": [value, _element("costumes", ANY)],
        "set_dresser": [value, _element("sets", ANY)],
        "handyman": [value, _element("costumes", ANY), _element("sets", ANY)],
        "jeweler": [_element("costumes", "yellow"), note_sign("or"), _element("sets", "yellow")],
        "assistant": [note_sign("craftsmen +1")],
        "queen": [
            number_sign(f"{box.queen_pounds}£"),
            note_sign(f"or 1 of {box.queen_objectives}"),
            Sign(12, lambda x, y: shapes.objective(x, y, SIGN)),
        ],
    }[known.kind]


def _alike(sign: Sign, count: int) -> list[Sign]:
    return [sign] * count if count <= _MOST_ALIKE else [number_sign(f"{count}×"), sign]


def _mood(steps: int) -> list[Sign]:
    smile = 1 if steps > 0 else -1
    return [
        number_sign(f"{steps:+d}".replace("-", "−")),
        Sign(SIGN, lambda x, y: shapes.mask(x, y, SIGN, smile)),
    ]


def _element(kind: str, colour: str) -> Sign:
    shape = shapes.costume if kind == "costumes" else shapes.stage_set
    return Sign(18, lambda x, y: shape(x, y, SIGN, colour))


def _quill(colour: str) -> Sign:
    return Sign(12, lambda x, y: shapes.quill(x, y, SIGN, colour))
