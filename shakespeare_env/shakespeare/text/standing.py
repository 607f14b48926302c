"""The wages, objectives and next rehearsal of a position, computed by the rules themselves.

Positions are dictionaries (`Position.to_dict`). Each function runs a scoring rule in the
interpreter, on the fields that the rule reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from shakespeare_env.core.game import UNKNOWN, Record
from shakespeare_env.core.presentation import NextScoring
from shakespeare_env.play.tracing import interpreted
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import ACTS, COLOURS
from shakespeare_env.shakespeare.box.printed import costume_value, plural
from shakespeare_env.shakespeare.rules import boards, scoring
from shakespeare_env.shakespeare.rules.phases import rehearsal, turn
from shakespeare_env.shakespeare.state import NOBODY, STATE
from shakespeare_env.shakespeare.text.notation import NEUTRAL

_metric = interpreted(scoring.metric)
_reward = interpreted(scoring.reward)
_wage = interpreted(scoring.wage)
_join = interpreted(boards.join)
_complete_initiative = interpreted(turn.complete_initiative)
_serve_costumes = interpreted(rehearsal.serve)
_score_acts = interpreted(rehearsal.score_acts)
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
_REHEARSED_FIELDS = (
    *_SCORED_FIELDS,
    "players",
    "prestige",
    "order",
    "initiative",
    "initiative_len",
    "to_move",
    "quills",
)
"""The fields of a record that a rehearsal reads or changes."""


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


def next_scoring(position: Mapping[str, Any]) -> NextScoring | None:
    """Return what a dress rehearsal would bring now (Rules R1, R2), or None at the end of the game.

    White quills are left out, since their owners choose where they go. During a rehearsal, only the
    seats that have not rehearsed yet use their costumes.
    """
    if position["phase"] == "over":
        return None
    players = position["players"]
    game = _record_with_discs(position, _REHEARSED_FIELDS)
    game["players"][...] = players
    for seat in range(players):
        game["prestige"][seat] = position["seats"][seat]["prestige"]
        _add_seat(game, position, seat)
    if position["phase"] == "quill" and position["pending"]["then"] == "rehearsal":
        rehearsing = position["queue"]
    else:
        rehearsing = _initiative(game, position)
    before = {name: game[name].copy() for name in ("prestige", "pounds")}
    for seat in rehearsing:
        game["to_move"][...] = seat
        _serve_costumes(game)
    _score_acts(game)

    pounds = (game["pounds"] - before["pounds"]).tolist()
    return NextScoring(
        condition="if it were rehearsed now, white quills aside",
        points=(game["prestige"] - before["prestige"]).tolist()[:players],
        more=[plural(won, "pound") if won else "" for won in pounds[:players]],
    )


def _initiative(game: Record, position: Mapping[str, Any]) -> list[int]:
    """Return all seats by Initiative, those without an actor in Order after the others (T5)."""
    initiative = position["initiative"]
    game["order"][: len(position["order"])] = position["order"]
    game["initiative"][: len(initiative)] = initiative
    game["initiative_len"][...] = len(initiative)
    _complete_initiative(game)
    seats: list[int] = game["initiative"].tolist()
    return seats[: position["players"]]


def _scored_fields(position: Mapping[str, Any], seat: int) -> Record:
    """Return a record to score, with all discs and one seat's pounds, stage and troupe."""
    game = _record_with_discs(position, _SCORED_FIELDS)
    _add_seat(game, position, seat)
    return game


def _record_with_discs(position: Mapping[str, Any], fields: Iterable[str]) -> Record:
    """Return a record of some fields, with a position's discs.

    The interpreter indexes a dictionary of arrays more than twice as fast as a NumPy record.
    """
    game = {name: np.zeros((), STATE[name]) for name in fields}
    game["stage"][:] = NOBODY  # on the stage it means "no element on this space"
    for act, name in enumerate(ACTS):
        spaces = game["disc_space"][act]
        heights = game["disc_height"][act]
        for space, pile in position["piles"][name].items():
            for height, disc in enumerate(pile):
                index = t.NEUTRAL if disc == NEUTRAL else disc
                spaces[index] = int(space)
                heights[index] = height
    return game


def _add_seat(game: Record, position: Mapping[str, Any], seat: int) -> None:
    """Add a seat's pounds, stage and troupe to a record."""
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
