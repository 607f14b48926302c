"""The wages and objectives of a position, computed by the rules themselves.

Positions are dictionaries (`Position.to_dict`). Each function runs a scoring rule in the
interpreter, on the fields that the rule reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from shakespeare_env.core.game import UNKNOWN, Record
from shakespeare_env.play.tracing import interpreted
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import ACTS, COLOURS
from shakespeare_env.shakespeare.box.printed import costume_value
from shakespeare_env.shakespeare.rules import boards, scoring
from shakespeare_env.shakespeare.state import NOBODY, STATE
from shakespeare_env.shakespeare.text.notation import NEUTRAL

_metric = interpreted(scoring.metric)
_reward = interpreted(scoring.reward)
_wage = interpreted(scoring.wage)
_join = interpreted(boards.join)
_CARD = {card: index for index, card in enumerate(t.CARD_IDS)}
_COLOUR = {colour: index for index, colour in enumerate(COLOURS)}
_SPACE = {space: index for index, space in enumerate(t.SPACE_IDS)}
_OBJECTIVE = {objective: index for index, objective in enumerate(t.OBJECTIVE_IDS)}
_SCORED_FIELDS = (
    "disc_space",
    "disc_height",
    "pounds",
    "stage",
    "yellow",
    "troupe_len",
    "card",
    "extra",
    "costume_len",
    "costume_value",
)
"""The fields of a record that `scoring.metric` reads."""


def metric_values(position: Mapping[str, Any], seat: int) -> dict[str, int]:
    """Return the value of each objective's metric for a seat now (Rules F1a)."""
    game = _scored_fields(position, seat)
    return {
        objective: int(_metric(game, seat, t.METRIC[index]))
        for objective, index in _OBJECTIVE.items()
    }


def reward(objective: str, value: int) -> int:
    """Return an objective's prestige for a value of its metric (Rules F1)."""
    return int(_reward(_OBJECTIVE[objective], value))


def prestige_now(position: Mapping[str, Any], seat: int, objective: str) -> int | None:
    """Return the prestige that an objective would bring a seat now, or None if that is unknown.

    It is unknown while the objective's card is hidden. At the end of the game it is also unknown if
    the objective rewards pounds that the seat has given up, because a position does not show them.
    """
    if objective == UNKNOWN:
        return None
    metric = t.METRIC[_OBJECTIVE[objective]]
    if metric == t.SACRIFICE and position["phase"] == "over":
        return None
    value = int(_metric(_scored_fields(position, seat), seat, metric))
    return reward(objective, value)


def wage(member: Mapping[str, Any]) -> int:
    """Return the wage of a member of a troupe (Rules F3)."""
    return int(_wage(_CARD[member["card"]], int(member["face"] == "extra")))


def wages_due(seat: Mapping[str, Any]) -> int:
    """Return the wages of a seat's troupe (Rules F3)."""
    return sum(map(wage, seat["troupe"]))


def yellow_elements(position: Mapping[str, Any], seat: int) -> int:
    """Return the yellow elements on a seat's stage and costumes, complete or not (Rules F2)."""
    return int(_metric(_scored_fields(position, seat), seat, t.YELLOW_ELEMENTS))


def _scored_fields(position: Mapping[str, Any], seat: int) -> Record:
    """Return a record to score, with all discs and one seat's pounds, stage and troupe.

    The interpreter indexes a dictionary of arrays more than twice as fast as a NumPy record.
    """
    game = {name: np.zeros((), STATE[name]) for name in _SCORED_FIELDS}
    game["stage"][:] = NOBODY  # on the stage it means "no element on this space"
    for act, name in enumerate(ACTS):
        spaces = game["disc_space"][act]
        heights = game["disc_height"][act]
        for space, pile in position["piles"][name].items():
            for height, disc in enumerate(pile):
                index = t.NEUTRAL if disc == NEUTRAL else disc
                spaces[index] = int(space)
                heights[index] = height

    entry = position["seats"][seat]
    game["pounds"][seat] = entry["pounds"]
    stage = game["stage"][seat]
    for space, colour in entry["stage"].items():
        stage[_SPACE[space]] = _COLOUR[colour]
    yellow = list(entry["stage"].values()).count("yellow")
    for index, member in enumerate(entry["troupe"]):
        _join(game, seat, _CARD[member["card"]], int(member["face"] == "extra"))
        costume = member["costume"]
        game["costume_len"][seat, index] = len(costume)
        game["costume_value"][seat, index] = costume_value(costume)
        yellow += costume.count("yellow")
    game["yellow"][seat] = yellow
    return game
