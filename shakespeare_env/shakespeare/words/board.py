"""What acts, elements and spaces of the stage do, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import ACTS, Space
from shakespeare_env.shakespeare.box.printed import (
    SET_GAINS,
    Printed,
    gain_words,
    plural,
    printed_of,
    signed,
)
from shakespeare_env.shakespeare.rules.objective_values import ranking, space_of
from shakespeare_env.shakespeare.text.wording import character_name, extra_names

_QUILLS = dict(zip(ACTS, ("Red", "Gold", "Blue"), strict=True))


def act_topics(position: Mapping[str, Any]) -> dict[str, str]:
    """What each act pays at a rehearsal, and where the discs are."""
    meanings, printed = {}, printed_of(position)
    grey = printed.box.rehearsals.grey_spaces
    for act, (name, length) in enumerate(zip(ACTS, printed.box.act_lengths, strict=True)):
        piles = position["piles"][name]
        pays = [f"−1 prestige on spaces 1 to {grey}"] if grey else []
        pays += _places(printed) if name == "II" else _steps(printed, act, length)
        discs = (
            f"{'neutral' if disc == 'neutral' else f'seat {disc}'} on {space_of(piles, disc)}"
            for disc in ranking(piles)
        )
        meanings[f"act_{name.lower()}"] = (
            f"{_QUILLS[name]} and white quills advance here, up to space {length}. At a rehearsal: "
            f"{', '.join(pays)}. On one space the lowest disc is ahead.\n"
            f"Now, first to last: {', '.join(discs)}."
        )
    return meanings


def _places(printed: Printed) -> list[str]:
    first, second = printed.box.rehearsals.act_2_prestige
    return [f"{signed(first)} prestige for the first disc, {signed(second)} for the second"]


def _steps(printed: Printed, act: int, length: int) -> Iterator[str]:
    """Where the pay of an act rises."""
    last = None
    for space in range(printed.box.rehearsals.grey_spaces + 1, length + 1):
        pays = printed.space_pays(act, space)
        if pays and pays != last:
            unit = "prestige" if pays[1] == "★" else pays[1]
            yield f"{signed(pays[0])} {unit} from space {space}"
        last = pays


def colour_topics(position: Mapping[str, Any]) -> dict[str, str]:
    """What an element of each colour is worth and does."""
    meanings = {}
    for colour, value in printed_of(position).values.items():
        does = gain_words(SET_GAINS.get(colour, {}))
        if colour == "purple":
            does = f"every other mood {signed(t.PURPLE_MOOD)}"
        only = ", not for craftsmen" if colour == "yellow" else ""
        costumes = plural(position["display"]["costumes"][colour], "costume")
        sets = plural(position["display"]["sets"][colour], "stage set")
        meanings[colour] = (
            f"Value {value}{only}. On the stage: {does}.\nNow on display: {costumes}, {sets}."
        )
    return meanings


def extra_topics(position: Mapping[str, Any]) -> dict[str, str]:
    """Extras, who wear costumes, by the names of moves."""
    worn: dict[str, list[str]] = {}
    for seat, mine in enumerate(position["seats"]):
        for name, member in zip(extra_names(mine["troupe"]), mine["troupe"], strict=True):
            costume = ", ".join(member["costume"]) or "no costume"
            if name:
                card = character_name(member["card"])
                worn.setdefault(name, []).append(f"seat {seat}: {card} with {costume}")
    return {
        name: f"A seat's extra number {name.removeprefix('extra')}, in order of hiring.\n"
        f"Now: {'; '.join(who)}."
        for name, who in worn.items()
    }


def space_topics(position: Mapping[str, Any]) -> dict[str, str]:
    """Every space of the stage."""
    meanings = {}
    for space in printed_of(position).box.spaces:
        filled = [
            f"seat {seat}: {mine['stage'][space.id]}"
            for seat, mine in enumerate(position["seats"])
            if space.id in mine["stage"]
        ]
        now = f"\nNow: {'; '.join(filled)}." if filled else ""
        meanings[space.id] = _space(space) + now
    return meanings


def _space(space: Space) -> str:
    words = ["Stage space"]
    words += [f"on {' and '.join(space.on)}"] if space.on else []
    words += [f"mirrored by {space.mirror}"] if space.mirror != space.id else ["its own mirror"]
    words += ["with a candle: 1 prestige"] if space.candle else []
    return ", ".join(words) + "."
