"""The printed facts by their names in the notation, and amounts in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import ACTS, Character, Objective, Power

SET_GAINS = {
    "pink": {"pounds": t.PINK_POUNDS},
    "blue": {"mood": t.BLUE_MOOD},
    "green": {"tokens": 1},
}
"""The gains of the seat that places a stage set element, by colour (Rules T14)."""

CARDS: Mapping[str, Character] = {card.id: card for card in t.BOX.characters}
"""The characters by id."""
OBJECTIVES: Mapping[str, Objective] = {card.id: card for card in t.BOX.objectives}
"""The objectives by id."""
VALUES: Mapping[str, int] = t.BOX.element_values
"""The values of elements by colour."""


def costume_value(elements: Iterable[str]) -> int:
    """Return the sum of the values of a costume's elements (Rules T12)."""
    return sum(VALUES[colour] for colour in elements)


def space_pays(act: int, space: int) -> tuple[int, str] | None:
    """Return what a space gains or costs at a rehearsal, with the unit; None if nothing (R2)."""
    if space <= t.GREY_SPACES:
        return t.GREY_PRESTIGE, "★"
    if act == t.ACT_II:
        return None
    if act == t.ACT_I:
        paid = int(t.ACT_I_POUNDS[space])
        unit = "£"
    else:
        paid = int(t.ACT_III_PRESTIGE[space])
        unit = "★"
    return (paid, unit) if paid else None


def minus(text: str) -> str:
    """Return a text with a minus sign (−) for every hyphen."""
    return text.replace("-", "−")


def signed(amount: int) -> str:
    """Return an amount with its sign, such as "+2" or "−1"; 0 has none."""
    return minus(f"{amount:+d}") if amount else "0"


def plural(count: int, noun: str) -> str:
    """Return a count and a noun, such as "1 card" or "2 cards"."""
    return f"{count} {noun}{'s' * (count != 1)}"


def amount(name: str, change: int) -> str:
    """Return a change of prestige, pounds, tokens or mood in words."""
    if name == "mood":
        return f"mood {signed(change)}"
    unit = {"prestige": "prestige", "pounds": "£", "tokens": 'token "+3"'}[name]
    return f"{signed(change)} {unit}"


def gain_words(gain: Mapping[str, int]) -> str:
    """Return changes of prestige, pounds, tokens or mood in words."""
    amounts = [amount(name, change) for name, change in gain.items() if change]
    return ", ".join(amounts) or "nothing"


def quills_of(power: Power) -> dict[str, int]:
    """Return a power's coloured quills by act (Rules T6)."""
    return dict(zip(ACTS, (power.red, power.gold, power.blue), strict=True))


def space_of(piles: Mapping[str, list[Any]], seat: int) -> int:
    """Return the space of a seat's disc on an act."""
    return next(int(space) for space, discs in piles.items() if seat in discs)


def short_name(card: str) -> str:
    """Return a character's name without what the board can spare, such as "Mistress 6".

    "Handyman (board)" becomes "Handyman", and "Costume Mistress 6" becomes "Mistress 6".
    """
    return " ".join(CARDS[card].name.partition(" (")[0].split()[-2:])


def counted(name: str, count: int) -> str:
    """Return a name, followed by the number of copies if there are several."""
    return f"{name} ×{count}" if count > 1 else name
