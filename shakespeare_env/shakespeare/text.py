"""A position as a table that a person reads at a glance.

It starts from the notation, not from the engine's record, so that the positions of anything that
speaks the notation can be looked at. The drawing is plain text, `WIDTH` columns wide with the
package's own box, and shows everything, secrets too.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from shakespeare_env.shakespeare.box import ACTS, COLOURS
from shakespeare_env.shakespeare.seat_text import draw_board, draw_seats
from shakespeare_env.shakespeare.tables import (
    ACT_I_POUNDS,
    ACT_II_PLACES,
    ACT_III_PRESTIGE,
    BOX,
    DAYS,
    ELEMENT_VALUE,
    GREY_SPACES,
    QUEEN_CARDS,
    QUEEN_POUNDS,
)
from shakespeare_env.shakespeare.text_layout import beside, columns, joint_line

WIDTH = 108

_CARDS = {card.id: card for card in BOX.characters}
_OBJECTIVES = {objective.id: objective.name for objective in BOX.objectives}
_VALUES = dict(zip(COLOURS, ELEMENT_VALUE.tolist(), strict=True))
_PLACES = " ".join(f"{place}. +{won}★" for place, won in enumerate(ACT_II_PLACES, 1))
_LEGEND = (
    "★ prestige   £ pounds   ● cylinder used   ○ cylinder left   z resting   "
    "✓ costume complete   ◆ objective",
    "acts: leftmost disc is at the bottom and ahead, N neutral   "
    "stage: * candle, capitals once filled",
)
_ACTIVATION = "phase 2, recruitment and activation"
_PHASES = {
    "draft": "setup",
    "wager": "phase 1, wager",
    "back": "phase 3, mood",
    "mood": "phase 3, mood",
    "rehearsal": "phase 4, dress rehearsal",
    "rest": "phase 6, rest",
    "over": "the game is over",
}


def draw(position: Mapping[str, Any]) -> str:
    """A position of the notation as plain text, the lines ending in no newline.

    Args:
        position: The JSON object of the notation, as `Position.to_dict` gives it.
    """
    blocks = [
        [*_head(position), ""],
        _acts(position),
        [*beside([_elements(position), _characters(position), _table(position)], WIDTH), ""],
        draw_seats(position),
    ]
    for seat, mine in enumerate(position["seats"]):
        title = f"── Seat {seat} "
        blocks.append([title + "─" * (WIDTH - len(title)), *draw_board(mine, WIDTH)])
    blocks.append(["─" * WIDTH, *_LEGEND])
    return "\n".join(line.rstrip() for line in chain.from_iterable(blocks))


def _head(position: Mapping[str, Any]) -> list[str]:
    phase, pending = position["phase"], position["pending"]
    part = pending["then"] if phase == "quill" else phase
    where = _PHASES.get(part, _ACTIVATION) if isinstance(part, str) else _ACTIVATION
    players = position["players"]
    title = f"Shakespeare · {players} seats" if players > 1 else "Shakespeare · solo"
    if position["strategic_rest"]:
        title += " · strategic rest"
    now = f"day {position['day']} of {DAYS} · {where}"
    return [f"{title}{now:>{WIDTH - len(title)}}", *textwrap.wrap(_asked(position), WIDTH)]


def _asked(position: Mapping[str, Any]) -> str:
    """Who decides, and what; at the end who has won."""
    phase, seat, pending = position["phase"], position["to_move"], position["pending"]
    if phase == "over":
        winners = position["winners"]
        return f"{'Winner' if len(winners) == 1 else 'Winners'}: {_seats(winners)}"
    if phase == "turn":
        recruited = position["seats"][seat]["recruited"]
        question = (
            "activate a character or pass" if recruited else "recruit or activate a character"
        )
    elif phase == "craft":
        question = _craft(pending)
    elif phase == "quill":
        question = f"choose the act for a white quill, {pending['quills']} left"
        if isinstance(pending["then"], dict):
            question += f"; then {_craft(pending['then'])}"
    elif phase == "objective":
        question = "keep one of: " + ", ".join(_OBJECTIVES[card] for card in pending["drawn"])
    else:
        question = {
            "draft": "take one of the characters shown",
            "wager": "choose how many cylinders to wager (secret)",
            "back": "choose the act on which the disc moves back",
            "queen": f"{QUEEN_POUNDS} pounds, or one of {QUEEN_CARDS} objectives",
            "rest": "choose the activated character that stays free of rest",
        }[phase]
    queue = f"   Afterwards: {_seats(position['queue'])}" if position["queue"] else ""
    return f"▶ Seat {seat}: {question}.{queue}"


def _seats(seats: Sequence[int]) -> str:
    return f"seat{'s' if len(seats) > 1 else ''} {', '.join(map(str, seats))}"


def _craft(pending: Mapping[str, Any]) -> str:
    kinds = [name for key, name in (("costumes", "costume"), ("sets", "stage set")) if pending[key]]
    if pending["optional"]:
        return f"take {' and '.join(kinds)} elements, up to {pending['value']} in value"
    return f"take one {' or '.join(pending['colours'])} {' or '.join(kinds)} element"


def _acts(position: Mapping[str, Any]) -> list[str]:
    """Two lines an act: what its spaces bring in a rehearsal (Rules R2), and the discs on them."""
    longest, label = max(BOX.act_lengths), 14
    cell = max(6, (WIDTH - label - 1) // longest - 1)
    width = label + longest * (cell + 1) + 1
    numbers = "".join(f"  {number:<{cell - 1}}" for number in range(1, longest + 1))
    lines = [" " * label + numbers]
    above: set[int] = set()
    for act, (name, length) in enumerate(zip(ACTS, BOX.act_lengths, strict=True)):
        marks, discs = f"Act {name}".ljust(label), (_PLACES if name == "II" else "").ljust(label)
        for space in range(1, length + 1):
            pile = _pile(position["piles"][name].get(str(space), ()), cell - 1)
            marks += f"│ {_worth(act, space)}".ljust(cell + 1)
            discs += f"│ {pile}".ljust(cell + 1)
        walls = {label + number * (cell + 1) for number in range(length + 1)}
        lines += [joint_line(above, walls, width), marks + "│", discs + "│"]
        above = walls
    return [*lines, joint_line(above, set(), width)]


def _pile(discs: Sequence[int | str], room: int) -> str:
    """The discs of a space from the bottom up, with gaps where there is room."""
    names = ["N" if disc == "neutral" else str(disc) for disc in discs]
    return (" " if 2 * len(names) - 1 <= room else "").join(names)


def _worth(act: int, space: int) -> str:
    """What a disc on this space brings or costs in a rehearsal (Rules R2)."""
    if space <= GREY_SPACES:
        return "-1★"
    steps, unit = {0: (ACT_I_POUNDS, "£"), 2: (ACT_III_PRESTIGE, "★")}.get(act, ((), ""))
    reached = [gain for at, gain in steps if space >= at]
    return f"+{reached[-1]}{unit}" if reached else ""


def _elements(position: Mapping[str, Any]) -> list[str]:
    values = [f"{colour} {value}" for colour, value in _VALUES.items()]
    rows = [["Elements", *values]]
    for kind, name in (("costumes", "Costumes"), ("sets", "Stage sets")):
        for label, place in (
            (name, "display"),
            ("  in bag", "bags"),
            ("  discarded", "discarded"),
        ):
            counts = position[place][kind]
            rows.append([label, *(str(counts[colour] or "·") for colour in COLOURS)])
    return columns(rows, [str.ljust] + [str.rjust] * len(COLOURS))


def _characters(position: Mapping[str, Any]) -> list[str]:
    shown = [_CARDS[card] for card in position["display"]["characters"]]
    rows = [["Characters", ""], *([card.name, f"{card.cost}£"] for card in shown)]
    return columns(rows, [str.ljust, str.rjust], gap=" ")


def _table(position: Mapping[str, Any]) -> list[str]:
    rows = [
        ["Order", " ".join(map(str, position["order"]))],
        ["Initiative", " ".join(map(str, position["initiative"])) or "·"],
        ["Deck", str(len(position["deck"]))],
        ["Discarded", str(len(position["discarded_characters"]))],
        ["Objectives", str(len(position["objective_deck"]))],
        ["+3 tokens", str(position["supply_tokens"])],
    ]
    return columns(rows, [str.ljust, str.ljust], gap=" ")
