"""What cards, moves and things on the table do, in words; every number is the box's."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.printed import Printed, gain_words, plural, printed_of, signed
from shakespeare_env.shakespeare.rules.objective_values import yellow_elements
from shakespeare_env.shakespeare.text.wording import seat_list
from shakespeare_env.shakespeare.words.board import (
    act_topics,
    colour_topics,
    extra_topics,
    space_topics,
)
from shakespeare_env.shakespeare.words.cards import (
    character_topics,
    kept_objectives,
    objective_topics,
    power_words,
)

_WORDS = tomllib.loads((Path(__file__).parents[1] / "words.toml").read_text(encoding="utf-8"))
_MOODS = {mood: gain_words(gain) for mood, gain in t.MOOD_GAINS.items()} | {
    t.MOOD_BACK: "a disc moves back",
    t.MOOD_QUILL: "a white quill",
}
_SHARED = {
    "cylinders_each": t.N_CYLINDERS,
    "days": t.N_DAYS,
    "rehearsals": f"days {t.FIRST_REHEARSAL} and {t.N_DAYS}",
    "plus_3": t.PLUS_3,
    "lowest_mood": signed(t.LOWEST_MOOD),
    "highest_mood": signed(t.HIGHEST_MOOD),
    "moods": "; ".join(
        f"{signed(mood)}: {_MOODS[mood]}"
        for mood in range(t.LOWEST_MOOD, t.HIGHEST_MOOD + 1)
        if mood in _MOODS
    ),
    "unpaid": signed(t.UNPAID),
    "slots": t.N_SLOTS,
}
"""What all boxes of a process say."""


def topics(position: Mapping[str, Any]) -> dict[str, str]:
    """Explanations by the name used in moves; lines that begin with "Now" are of the position."""
    known = _SHARED | _own(printed_of(position)) | _now(position)
    meanings = {name: text.format_map(known) for name, text in _WORDS["topics"].items()}
    del meanings["wager" if position["players"] == 1 else "solo"]
    for part in (
        act_topics(position),
        colour_topics(position),
        extra_topics(position),
        space_topics(position),
        character_topics(position, _WORDS["kinds"]),
        objective_topics(position, _WORDS["metrics"]),
    ):
        for name, text in part.items():
            meanings[name] = f"{meanings[name]}\n{text}" if name in meanings else text
    return meanings


def _own(printed: Printed) -> dict[str, object]:
    """What stands in the topics of a box."""
    box, (start, later) = printed.box, printed.box.neutral_spaces
    gains = (f"{gain_words(vars(gain))} for {value}" for value, gain in box.costume_gain.items())
    return {
        "extra_power": power_words(box.extra_power),
        "queen_pounds": box.queen_pounds,
        "queen_objectives": box.queen_objectives,
        "neutral_start": start,
        "neutral_later": later,
        "solo_target": box.good_scores[1],
        "costume_gains": "; ".join(gains),
    }


def _now(position: Mapping[str, Any]) -> dict[str, object]:
    """What stands in the topics of a position."""

    def each(said: Callable[[Mapping[str, Any]], object]) -> str:
        return "; ".join(
            f"seat {seat}: {said(mine)}" for seat, mine in enumerate(position["seats"])
        )

    printed = printed_of(position)
    table, kept = max(position["players"], 2), kept_objectives(position)
    initiative = position["initiative"]
    return {
        "pile": plural(len(position["objective_deck"]), "objective"),
        "kept_now": f"\nNow: {kept}." if kept else "",
        "secret": "openly, by Initiative" if position["strategic_rest"] else "in secret",
        "day": position["day"],
        "order": seat_list(position["order"]),
        "initiative": seat_list(initiative) if initiative else "nobody yet",
        "purple": plural(position["display"]["sets"]["purple"], "purple stage set"),
        "characters_shown": table + 2,
        "elements_shown": 3 * table,
        "mood": each(lambda mine: signed(mine["mood"])),
        **{
            name: each(lambda mine, name=name: mine[name])  # type: ignore[misc]
            for name in ("prestige", "pounds", "cylinders", "tokens")
        },
        "supply_tokens": position["supply_tokens"],
        "wages": each(lambda mine: f"{printed.wages_due(mine)} £ due, {mine['pounds']} £ in hand"),
        "yellow": each(yellow_elements),
    }
