"""Plausible boxes drawn at random: a prior over what is printed on components not at hand.

Each group of facts is drawn independently of the others. What the rule book or reports of play say
stays (`plausible.py`). So do the cards' ids, kinds and metrics and the spaces of the stage, since
actions and observations are made of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from shakespeare_env.boxes import Changes, Groups
from shakespeare_env.shakespeare.box.plausible import PLAIN, PRECIOUS

_ACTS = ("red", "gold", "blue")
_WHITE_SHARE = 0.3
"""The share of white quills; it is small, since they are worth more than coloured ones."""
_FREE_SET_COLOURS = ("black", "pink", "purple", "blue", "green")
_STEPS: Mapping[str, tuple[int, ...]] = {
    "stage_spaces": (7, 8, 9, 10, 11, 12, 13, 14),
    "stage_colours": (3, 4, 5, 6),
    "best_costume": (10, 11, 12, 13, 14, 15),
    "lowest_act": (4, 5, 6, 7, 8),
    "yellow_elements": (1, 2, 3, 4),
    "actors": (3, 4, 5, 6),
    "craftsmen": (2, 3, 4, 5),
}
"""Thresholds that an objective may have, by what it counts."""
_CRAFT_COPIES = 18
_MOST_COPIES = 4
_SMALL_BAG_PER_SEAT = 18


def _quills(rng: np.random.Generator, count: int) -> dict[str, int]:
    white = int(rng.binomial(count, _WHITE_SHARE))
    drawn = rng.choice(_ACTS, count - white).tolist()
    found = {colour: drawn.count(colour) for colour in _ACTS}
    return {colour: n for colour, n in (*found.items(), ("white", white)) if n}


def actors(rng: np.random.Generator, facts: Mapping[str, Any]) -> Changes:
    """Draw the powers of the twelve actor cards, and the costume powers that no source names.

    A power has two or three quills, or one or two and a special effect. A costume has one or two.
    """
    for number, card in enumerate(facts["character"]):
        if card["kind"] != "actor":
            continue
        own = card["id"]
        if own == "viola":
            bonus = {"pounds": int(rng.integers(1, 5))} if rng.random() < 0.7 else {"prestige": 1}
            yield ("character", number, "costume_power"), bonus
        elif own not in ("lady_macbeth", "hamlet"):
            count = int(rng.integers(1, 3))
            yield ("character", number, "costume_power"), _quills(rng, count)
        if own in facts["board"]["starting"]:
            continue
        special: dict[str, Any] = {}
        if own in ("puck", "titania"):
            special = {"mood": int(rng.integers(1, 3))}
        elif own == "hamlet":
            special = {"others_mood": -1}
        elif own == "lear":
            special = {"take_set": "blue"}
        elif rng.random() < 0.25:
            kind = str(rng.choice(("take_set", "take_costume", "pounds", "mood")))
            takes = kind.startswith("take")
            special = {kind: str(rng.choice(_FREE_SET_COLOURS)) if takes else 1}
        least = 1 if special else 2
        yield (
            ("character", number, "activation"),
            {**_quills(rng, int(rng.integers(least, least + 2))), **special},
        )


def costs(rng: np.random.Generator, facts: Mapping[str, Any]) -> Changes:
    """Draw costs of 1, 3 or 5 pounds; craftsmen of value 8 cost no less than those of 6."""
    drawn: dict[tuple[str, int], int] = {}
    for number, card in enumerate(facts["character"]):
        if card["id"] in facts["board"]["starting"]:
            continue
        cost = int(rng.choice((1, 3, 5), p=(0.4, 0.4, 0.2)))
        if value := card.get("value", 0):
            lesser = [c for (kind, v), c in drawn.items() if kind == card["kind"] and v < value]
            cost = max([cost, *lesser])
            drawn[card["kind"], value] = cost
        yield ("character", number, "cost"), cost


def copies(rng: np.random.Generator, facts: Mapping[str, Any]) -> Changes:
    """Draw the copies of the 18 cards that are no actors.

    Half the time there are as many costume mistresses of each value as set dressers.
    """
    kinds = [
        (number, card["kind"], card.get("value", 0))
        for number, card in enumerate(facts["character"])
        if card["kind"] != "actor" and "copies" in card
    ]
    alike = rng.random() < 0.5
    while True:
        drawn = rng.integers(1, _MOST_COPIES + 1, len(kinds)).tolist()
        by_kind = {(kind, value): n for (_, kind, value), n in zip(kinds, drawn, strict=True)}
        same = all(by_kind["costume_mistress", v] == by_kind["set_dresser", v] for v in (6, 8))
        if sum(drawn) == _CRAFT_COPIES and (same or not alike):
            break
    for (number, _, _), n in zip(kinds, drawn, strict=True):
        yield ("character", number, "copies"), n


def stage(rng: np.random.Generator, facts: Mapping[str, Any]) -> Changes:
    """Draw candles: mirrored, more often high up, none where the rule book's example has none."""
    spaces = facts["stage"]["space"]
    while True:
        lit: dict[str, bool] = {}
        for space in spaces:
            mirror = space.get("mirror", space["id"])
            barred = space["id"] in ("b2", "b3")
            share = 0.0 if barred else (0.0, 0.5, 0.6)[space["row"] - 1]
            lit[space["id"]] = lit.get(mirror, bool(rng.random() < share))
        if 2 <= sum(lit.values()) <= 8:
            break
    for number, space in enumerate(spaces):
        yield ("stage", "space", number, "candle"), lit[space["id"]]


def lengths(rng: np.random.Generator, facts: Mapping[str, Any]) -> Changes:
    """Draw the number of spaces of each act (8 to 12; 9 to 12 on Act III)."""
    yield ("acts", "length"), [int(rng.integers(least, 13)) for least in (8, 8, 9)]


def pay(rng: np.random.Generator, facts: Mapping[str, Any]) -> Changes:
    """Draw the pay of costumes of 7 to 15: pounds end somewhere, prestige begins somewhere."""
    begins = int(rng.integers(7, 11))
    ends = int(rng.integers(10, 14))
    best = int(rng.integers(4, 7))
    most = int(rng.integers(2, 4))
    for value in range(PLAIN + 1, PRECIOUS + 1):
        share = (value - begins + 1) / (PRECIOUS - begins + 1)
        prestige = max(0, round(best * share + float(rng.normal(0, 0.2)))) if share > 0 else 0
        prestige = max(prestige, 1 if value >= ends else 0)
        pounds = 0 if value >= ends else min(most, 2 + (value - PLAIN) // 2)
        pounds = 1 if pounds and value == ends - 1 and rng.random() < 0.5 else pounds
        gain = {"pounds": pounds, "prestige": prestige}
        yield ("costume_gain", str(value)), {name: n for name, n in gain.items() if n}


def objectives(rng: np.random.Generator, facts: Mapping[str, Any]) -> Changes:
    """Draw two or three rising steps for each objective that no source names."""
    for number, card in enumerate(facts["objective"]):
        metric = card["metric"]
        if metric in ("complete_costumes", "sacrifice"):
            low, high = (4, 5) if metric == "complete_costumes" else (2, 5)
            prestige = [(1, 2), (1, 3), (2, 3)][int(rng.integers(3))]
            points = {str(low): prestige[0], str(high): prestige[1]}
        elif metric in _STEPS:
            steps = int(rng.integers(2, 4))
            thresholds = sorted(rng.choice(_STEPS[metric], steps, replace=False).tolist())
            worth = [(1, 3), (2, 3)][int(rng.integers(2))] if steps == 2 else (1, 2, 3)
            points = {str(t): n for t, n in zip(thresholds, worth, strict=True)}
        else:
            continue
        yield ("objective", number, "points"), points


def bags(rng: np.random.Generator, facts: Mapping[str, Any]) -> Changes:
    """Draw bags for two and three seats: 18 a seat and kind, about as mixed as for four."""
    for kind in ("costumes", "sets"):
        full = facts["bag"][kind]["4"]
        for seats in (2, 3):
            known = {}
            if kind == "sets":
                known = {c: facts["bag"][kind][str(seats)][c] for c in ("purple", "blue")}
            open_colours = [colour for colour in full if colour not in known]
            left = _SMALL_BAG_PER_SEAT * seats - sum(known.values())
            share = np.array([full[colour] for colour in open_colours], float)
            counts = np.floor(left * share / share.sum()).astype(int)
            while counts.sum() < left:
                counts[int(rng.integers(len(counts)))] += 1
            moved = rng.integers(len(counts), size=2)
            counts[moved[0]] += 1
            counts[moved[1]] -= 1
            drawn = dict(zip(open_colours, counts.tolist(), strict=True))
            yield ("bag", kind, str(seats)), {c: known.get(c, drawn.get(c)) for c in full}


GROUPS: Groups = {
    draw.__name__: draw for draw in (actors, costs, copies, stage, lengths, pay, objectives, bags)
}
