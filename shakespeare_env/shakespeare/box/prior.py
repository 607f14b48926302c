"""The prior of plausible boxes, which draws what is printed on components that were not at hand.

Each group of facts is drawn independently of the others, by one function. The function
yields pairs: the path of an entry in the box file, and the value drawn for it. Its argument `facts`
holds the file's entries.

What the rule book or reports of play say is not drawn but kept (`plausible.py`). The ids, kinds and
metrics of cards and the spaces of the stage are kept, too, since actions and observations depend on
them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shakespeare_env.boxes import Changes, Groups
from shakespeare_env.shakespeare.box.plausible import PLAIN, PRECIOUS, REPORTED_STEPS

_ACT_COLOURS = ("red", "gold", "blue")
"""The colours of quills, by act."""
_WHITE_SHARE = 0.3
"""The share of white quills; it is small, since they are worth more than coloured ones."""
_COLOURS_TO_TAKE = ("black", "pink", "purple", "blue", "green")
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
_CANDLE_SHARES = {1: 0.0, 2: 0.5, 3: 0.6}
"""The share of spaces with a candle, by row."""
_UNLIT_SPACES = ("b2", "b3")
"""Spaces of the second row without a candle in the rule book's example."""
_NON_ACTORS = 18
"""The number of the deck's cards that are not actors."""
_MOST_COPIES = 4
"""The most copies of one of these cards."""
_SMALL_BAG_PER_SEAT = 18
"""The elements for each seat in a bag for two or three seats."""


def _quills(rng: np.random.Generator, count: int) -> dict[str, int]:
    """Draw the colours of `count` quills, and return the number of quills by colour."""
    white = int(rng.binomial(count, _WHITE_SHARE))
    drawn = rng.choice(_ACT_COLOURS, count - white).tolist()
    counts = {colour: drawn.count(colour) for colour in _ACT_COLOURS}
    counts["white"] = white
    return {colour: number for colour, number in counts.items() if number}


def actors(rng: np.random.Generator, facts: Mapping[str, Any]) -> Changes:
    """Draw the powers of the twelve actor cards, and the costume powers that no source names.

    A power has two or three quills, or one or two and a special effect. A costume power has one or
    two quills.
    """
    for number, card in enumerate(facts["character"]):
        if card["kind"] != "actor":
            continue
        actor = card["id"]
        if actor == "viola":
            bonus = {"pounds": int(rng.integers(1, 5))} if rng.random() < 0.7 else {"prestige": 1}
            yield ("character", number, "costume_power"), bonus
        elif actor not in ("lady_macbeth", "hamlet"):
            count = int(rng.integers(1, 3))
            yield ("character", number, "costume_power"), _quills(rng, count)
        if actor in facts["board"]["starting"]:
            continue  # sources name the activations of the board's actors
        special: dict[str, Any] = {}
        if actor in ("puck", "titania"):
            special = {"mood": int(rng.integers(1, 3))}
        elif actor == "hamlet":
            special = {"others_mood": -1}
        elif actor == "lear":
            special = {"take_set": "blue"}
        elif rng.random() < 0.25:
            kind = str(rng.choice(("take_set", "take_costume", "pounds", "mood")))
            special = {kind: 1}
            if kind.startswith("take"):
                special = {kind: str(rng.choice(_COLOURS_TO_TAKE))}
        least = 1 if special else 2
        count = int(rng.integers(least, least + 2))
        yield ("character", number, "activation"), {**_quills(rng, count), **special}


def costs(rng: np.random.Generator, facts: Mapping[str, Any]) -> Changes:
    """Draw costs of 1, 3 or 5 pounds; craftsmen of value 8 cost no less than those of 6."""
    drawn: dict[tuple[str, int], int] = {}
    for number, card in enumerate(facts["character"]):
        if card["id"] in facts["board"]["starting"]:
            continue
        cost = int(rng.choice((1, 3, 5), p=(0.4, 0.4, 0.2)))
        value = card.get("value", 0)
        if value:
            # The file lists the craftsmen of a kind by rising value.
            for (kind, lesser_value), lesser_cost in drawn.items():
                if kind == card["kind"] and lesser_value < value:
                    cost = max(cost, lesser_cost)
            drawn[card["kind"], value] = cost
        yield ("character", number, "cost"), cost


def copies(rng: np.random.Generator, facts: Mapping[str, Any]) -> Changes:
    """Draw the copies of the 18 cards that are not actors.

    Half the time there are as many costume mistresses of each value as set dressers.
    """
    cards = [
        (number, card["kind"], card.get("value", 0))
        for number, card in enumerate(facts["character"])
        if card["kind"] != "actor" and "copies" in card
    ]
    must_be_alike = rng.random() < 0.5
    while True:
        drawn = rng.integers(1, _MOST_COPIES + 1, len(cards)).tolist()
        by_kind = {
            (kind, value): count for (_, kind, value), count in zip(cards, drawn, strict=True)
        }
        are_alike = all(
            by_kind["costume_mistress", value] == by_kind["set_dresser", value] for value in (6, 8)
        )
        if sum(drawn) == _NON_ACTORS and (are_alike or not must_be_alike):
            break
    for (number, _, _), count in zip(cards, drawn, strict=True):
        yield ("character", number, "copies"), count


def stage(rng: np.random.Generator, facts: Mapping[str, Any]) -> Changes:
    """Draw candles, mirrored and more often high up; the rule book's example excludes some."""
    spaces = facts["stage"]["space"]
    while True:
        lit: dict[str, bool] = {}
        for space in spaces:
            mirror = space.get("mirror", space["id"])
            share = _CANDLE_SHARES[space["row"]]
            if space["id"] in _UNLIT_SPACES:
                share = 0.0
            # A space whose mirror has been drawn already is like its mirror.
            lit[space["id"]] = lit.get(mirror, bool(rng.random() < share))
        if 2 <= sum(lit.values()) <= 8:
            break
    for number, space in enumerate(spaces):
        yield ("stage", "space", number, "candle"), lit[space["id"]]


def lengths(rng: np.random.Generator, facts: Mapping[str, Any]) -> Changes:
    """Draw the number of spaces of each act (8 to 12; 9 to 12 on Act III)."""
    yield ("acts", "length"), [int(rng.integers(least, 13)) for least in (8, 8, 9)]


def pay(rng: np.random.Generator, facts: Mapping[str, Any]) -> Changes:
    """Draw the pay of costumes of value 7 to 15: cheap ones pay pounds, dear ones prestige."""
    prestige_from = int(rng.integers(7, 11))
    no_pounds_from = int(rng.integers(10, 14))
    most_prestige = int(rng.integers(4, 7))
    most_pounds = int(rng.integers(2, 4))
    for value in range(PLAIN + 1, PRECIOUS + 1):
        # The prestige rises from value `prestige_from` up to `most_prestige` at the highest value.
        share = (value - prestige_from + 1) / (PRECIOUS - prestige_from + 1)
        prestige = 0
        if share > 0:
            prestige = max(0, round(most_prestige * share + float(rng.normal(0, 0.2))))
        pounds = 0
        if value >= no_pounds_from:
            prestige = max(prestige, 1)
        else:
            pounds = min(most_pounds, 2 + (value - PLAIN) // 2)
        if pounds and value == no_pounds_from - 1 and rng.random() < 0.5:
            pounds = 1
        gain = {"pounds": pounds, "prestige": prestige}
        yield ("costume_gain", str(value)), {unit: won for unit, won in gain.items() if won}


def objectives(rng: np.random.Generator, facts: Mapping[str, Any]) -> Changes:
    """Draw the steps of each objective, and their prestige, as far as no source gives them."""
    for number, card in enumerate(facts["objective"]):
        metric = card["metric"]
        thresholds: Sequence[int]
        prestige: tuple[int, ...]
        if metric in REPORTED_STEPS:
            thresholds = REPORTED_STEPS[metric]
            prestige = [(1, 2), (1, 3), (2, 3)][int(rng.integers(3))]
        elif metric in _STEPS:
            steps = int(rng.integers(2, 4))
            thresholds = sorted(rng.choice(_STEPS[metric], steps, replace=False).tolist())
            prestige = (1, 2, 3)
            if steps == 2:
                prestige = [(1, 3), (2, 3)][int(rng.integers(2))]
        else:
            continue
        points = zip(map(str, thresholds), prestige, strict=True)
        yield ("objective", number, "points"), dict(points)


def bags(rng: np.random.Generator, facts: Mapping[str, Any]) -> Changes:
    """Draw bags for two and three seats: 18 elements a seat, mixed about as for four."""
    for kind in ("costumes", "sets"):
        full = facts["bag"][kind]["4"]
        for seats in (2, 3):
            known = {}
            if kind == "sets":  # reports of play name the counts of these two colours
                bag = facts["bag"][kind][str(seats)]
                known = {colour: bag[colour] for colour in ("purple", "blue")}
            open_colours = [colour for colour in full if colour not in known]
            left = _SMALL_BAG_PER_SEAT * seats - sum(known.values())
            share = np.array([full[colour] for colour in open_colours], float)
            counts = np.floor(left * share / share.sum()).astype(int)
            # Rounding down has left out a few elements.
            while counts.sum() < left:
                counts[int(rng.integers(len(counts)))] += 1
            # The mix varies a little: one element changes its colour.
            gaining, losing = rng.integers(len(counts), size=2)
            counts[gaining] += 1
            counts[losing] -= 1
            drawn = known | dict(zip(open_colours, counts.tolist(), strict=True))
            yield ("bag", kind, str(seats)), {colour: drawn[colour] for colour in full}


GROUPS: Groups = {
    draw.__name__: draw for draw in (actors, costs, copies, stage, lengths, pay, objectives, bags)
}
