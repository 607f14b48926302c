"""Observations computed in plain Python from positions in text, to compare the engine with.

It shares nothing with the engine but the names of the layout and the index of each card, colour and
space in the box file.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

import shakespeare_env
from shakespeare_env.shakespeare.box.facts import METRIC_NAMES
from tests.shakespeare.positions import ACTS, BOARD, COLOURS

BOX = tomllib.loads(
    (Path(shakespeare_env.__file__).parent / "shakespeare" / "box.toml").read_text(encoding="utf-8")
)
VALUES = dict(zip(COLOURS, (1, 2, 3, 4, 5, 3), strict=True))
CARDS = {card["id"]: card for card in BOX["character"]}
DECK = [card for card in CARDS if card not in BOARD]
IN_ORDER = [*BOARD, *DECK]
CRAFTSMEN = ("costume_mistress", "set_dresser", "handyman")
ACTORS = [card for card in CARDS if CARDS[card]["kind"] == "actor"]
WEARERS = [*ACTORS, *(f"extra{i}" for i in range(1, 7))]
SPACES = [space["id"] for space in BOX["stage"]["space"]]
OBJECTIVES = {objective["id"]: objective for objective in BOX["objective"]}
PHASES = ["draft", "wager", "turn", "craft", "quill", "back", "queen", "objective", "rest", "over"]
PARTS = ["draft", "wager", "turn", "mood", "rehearsal", "rest", "over"]
# Spaces on which a scoring gives a better result than on the space before (R2).
STEPS = {"I": (4, 5, 7, 9), "II": (4,), "III": (4, 6, 8, 10)}

Dict = dict[str, Any]


def expected(d: Dict, observer: int, known: dict[str, int]) -> dict[str, list[int]]:
    """Return the numbers by field; `known` are places of objectives that the observer put back."""
    players = d["players"]
    fields: dict[str, list[int]] = {}
    for offset in range(players):
        seat = (observer + offset) % players
        for name, numbers in seat_fields(d, seat, observer).items():
            fields[f"seat{offset}.{name}"] = numbers
    return fields | table_fields(d) | own_fields(d, observer, known)


def counted(d: Dict, seat: int, metric: str) -> int:
    """Return a metric's value for a seat now (F1a)."""
    entry = d["seats"][seat]
    face_up = [CARDS[it["card"]]["kind"] for it in entry["troupe"] if it["face"] == "character"]
    complete = [it["costume"] for it in entry["troupe"] if len(it["costume"]) == 3]
    worn = [colour for it in entry["troupe"] for colour in it["costume"]]
    piles = d["piles"].values()
    counts: dict[str, int] = {
        # On the last space reached, the lowest disc is ahead (T7).
        "first_places": sum(act[max(act, key=int)][0] == seat for act in piles),
        "lowest_act": min(int(at) for act in piles for at, discs in act.items() if seat in discs),
        "sacrifice": entry["pounds"],
        "complete_costumes": len(complete),
        "best_costume": max(map(value, complete), default=0),
        "stage_spaces": len(entry["stage"]),
        "stage_colours": len(set(entry["stage"].values())),
        "yellow_elements": [*worn, *entry["stage"].values()].count("yellow"),
        "actors": face_up.count("actor"),
        "craftsmen": sum(kind in CRAFTSMEN for kind in face_up),
    }
    return counts[metric]


def one_hot(index: int | None, size: int) -> list[int]:
    return [int(place == index) for place in range(size)]


def amounts(counts: Iterable[str], of: Iterable[str]) -> list[int]:
    found = Counter(counts)
    return [found[one] for one in of]


def place_in(seats: list[int], seat: int) -> int | None:
    return seats.index(seat) if seat in seats else None


def part(d: Dict) -> str:
    """Return the part of the game that a decision belongs to."""
    if d["phase"] == "quill":
        then = d["pending"]["then"]
        return then if isinstance(then, str) else "turn"
    phase = str(d["phase"])
    return {"back": "mood", "craft": "turn", "queen": "turn", "objective": "turn"}.get(phase, phase)


def costumes_of(seat: Dict) -> dict[str, list[str]]:
    """Return the elements of each wearer; extras are numbered in order of hiring."""
    worn = {}
    extras = 0
    for member in seat["troupe"]:
        if member["face"] == "extra":
            extras += 1
            worn[f"extra{extras}"] = member["costume"]
        elif member["card"] in ACTORS:
            worn[member["card"]] = member["costume"]
    return worn


def value(costume: list[str]) -> int:
    return sum(VALUES[colour] for colour in costume)


def space(d: Dict, act: str, disc: Any) -> int:
    return next((int(at) for at, pile in d["piles"][act].items() if disc in pile), 0)


def ahead(d: Dict, act: str, disc: int) -> int:
    """Count the discs further on, or lower in the same pile (T7)."""
    own = space(d, act, disc)
    further = sum(len(pile) for at, pile in d["piles"][act].items() if int(at) > own)
    return further + int(d["piles"][act][str(own)].index(disc))


def seat_fields(d: Dict, index: int, observer: int) -> dict[str, list[int]]:
    """Return the fields in the block of one seat."""
    seat = d["seats"][index]
    face_up = [member for member in seat["troupe"] if member["face"] == "character"]
    extras = len(seat["troupe"]) - len(face_up)
    active = [member["card"] for member in face_up if member["cylinder"]]
    secret = d["phase"] == "wager" and index != observer
    worn = costumes_of(seat)
    scalars = {
        "present": 1,
        "to_move": d["to_move"] == index,
        **{name: seat[name] for name in ("prestige", "pounds", "tokens", "mood", "cylinders")},
        "wager": 0 if secret else seat["wager"] or 0,
        "has_wagered": seat["wager"] is not None,
        "cylinders_used": len(active),
        "recruited": seat["recruited"],
        "passed": seat["passed"],
        "has_kept": seat["kept"] is not None,
        "queue": d["queue"].index(index) + 1 if index in d["queue"] else 0,
        "wages": sum(CARDS[member["card"]].get("cost", 0) for member in face_up),
        "extras": extras,
        "objectives": len(seat["objectives"]),
    }
    colours = [seat["stage"].get(name) for name in SPACES]
    stage = [one_hot(COLOURS.index(colour) if colour else None, 6) for colour in colours]
    to_reward = []
    for act in ACTS:
        own = space(d, act, index)
        to_reward.append(min((step - own for step in STEPS[act] if step > own), default=0))
    return {name: [int(number)] for name, number in scalars.items()} | {
        "metrics": [min(counted(d, index, metric), 127) for metric in METRIC_NAMES],
        "order": one_hot(d["order"].index(index), 4),
        "initiative": one_hot(place_in(d["initiative"], index), 4),
        "act_space": [space(d, act, index) for act in ACTS],
        "act_ahead": [ahead(d, act, index) for act in ACTS],
        "act_to_reward": to_reward,
        "cards": amounts((member["card"] for member in face_up), IN_ORDER),
        "active": amounts(active, IN_ORDER),
        "resting": amounts((member["card"] for member in face_up if member["rest"]), IN_ORDER),
        "costume_elements": [len(worn.get(wearer, [])) for wearer in WEARERS],
        "costume_value": [value(worn.get(wearer, [])) for wearer in WEARERS],
        "stage": list(chain.from_iterable(stage)),
    }


def elements(by_kind: Dict) -> list[int]:
    return [by_kind[kind][colour] for kind in ("costumes", "sets") for colour in COLOURS]


def table_fields(d: Dict) -> dict[str, list[int]]:
    """Return the fields of the middle of the table."""
    pending = d["pending"] or {}
    quills = pending.get("quills", 0)
    craft = pending["then"] if quills and isinstance(pending["then"], dict) else pending
    return {
        "players": one_hot(d["players"] - 1, 4),
        "strategic_rest": [int(d["strategic_rest"])],
        "day": one_hot(d["day"] - 1, 6),
        "days_to_rehearsal": [(4 if d["day"] <= 4 else 6) - d["day"]],
        "phase": one_hot(PHASES.index(d["phase"]), 10),
        "part": one_hot(PARTS.index(part(d)), 7),
        "quills": [quills],
        "craft_value": [craft.get("value", 0)],
        "craft_costumes": [int(craft.get("costumes", False))],
        "craft_sets": [int(craft.get("sets", False))],
        "craft_optional": [int(craft.get("optional", False))],
        "craft_colours": [int(colour in craft.get("colours", ())) for colour in COLOURS],
        "shown": amounts(d["display"]["characters"], DECK),
        "deck": amounts(d["deck"], DECK),
        "discarded_cards": amounts(d["discarded_characters"], DECK),
        "display": elements(d["display"]),
        "bag": elements(d["bags"]),
        "discarded": elements(d["discarded"]),
        "supply_tokens": [d["supply_tokens"]],
        "neutral_space": [space(d, act, "neutral") for act in ACTS],
        "objective_deck": [len(d["objective_deck"])],
        "drawn": [len(pending.get("drawn", []))],
    }


def own_fields(d: Dict, observer: int, known: dict[str, int]) -> dict[str, list[int]]:
    """Return the fields that only the observer knows (D3)."""
    seat = d["seats"][observer]
    drawn = (d["pending"] or {}).get("drawn", []) if d["to_move"] == observer else []
    reward = []
    missing = []
    for objective in OBJECTIVES.values():
        now = min(counted(d, observer, objective["metric"]), 127)
        steps = {int(step): points for step, points in objective["points"].items()}
        reward.append(max((points for step, points in steps.items() if step <= now), default=0))
        missing.append(min((step - now for step in steps if step > now), default=0))
    return {
        "own_drawn": amounts(drawn, OBJECTIVES),
        "own_objectives": amounts(seat["objectives"], OBJECTIVES),
        "known_in_pile": [known.get(objective, 0) for objective in OBJECTIVES],
        "own_reward": reward,
        "own_to_step": missing,
        "own_kept": amounts([seat["kept"]] if seat["kept"] else [], IN_ORDER),
    }
