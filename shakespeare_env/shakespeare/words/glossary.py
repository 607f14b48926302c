"""What cards, moves and things on the table do, in words; every number is the box's."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import (
    ACTS,
    CRAFTSMEN,
    Character,
    Objective,
    Power,
    Space,
)
from shakespeare_env.shakespeare.box.printed import (
    SET_GAINS,
    Printed,
    gain_words,
    plural,
    printed_of,
    quills_of,
    signed,
)
from shakespeare_env.shakespeare.box.tables import CARD_IDS, N_BOARD, PLUS_3
from shakespeare_env.shakespeare.rules.objective_values import (
    counted,
    is_face_up,
    ranking,
    reward,
    space_of,
    yellow_elements,
)
from shakespeare_env.shakespeare.text.wording import (
    character_name,
    extra_names,
    extra_words,
    seat_list,
)

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


def character_topics(position: Mapping[str, Any], by_kind: Mapping[str, str]) -> dict[str, str]:
    """Every character by its id, what it does by its kind, and where it is."""
    shown = Counter(position["display"]["characters"])
    meanings = {}
    for card in printed_of(position).box.characters:
        lines = [f"{card.name}: {_kind(card)}. {_use(card, by_kind)}"]
        if card.kind == "actor":
            lines.append(f"Complete costume, at a rehearsal: {power_words(card.costume_power)}.")
        where = ["on display"] if shown[card.id] else []
        for seat, mine in enumerate(position["seats"]):
            where += [
                found
                for member, extra in zip(mine["troupe"], extra_names(mine["troupe"]), strict=True)
                if member["card"] == card.id and (found := _member(position, seat, member, extra))
            ]
        lines += [f"Now: {'; '.join(where)}."] if where else []
        meanings[card.id] = "\n".join(lines)
    return meanings


def objective_topics(position: Mapping[str, Any], by_metric: Mapping[str, str]) -> dict[str, str]:
    """Every objective by its id, what it counts by its metric, and what each seat has of it now."""
    meanings = {}
    for objective in printed_of(position).box.objectives:
        steps = ", ".join(f"{won} for {at}" for at, won in objective.points)
        meanings[objective.id] = (
            f"{objective.name}: {by_metric[objective.metric]}; prestige at the end: {steps}.\n"
            f"Now: {'; '.join(_standings(position, objective))}."
        )
    return meanings


def kept_objectives(position: Mapping[str, Any]) -> str:
    """The objectives that are seen to be kept, and their prestige now; may be empty."""
    known = printed_of(position).objectives
    kept = []
    for seat, mine in enumerate(position["seats"]):
        worth = [
            f"{card} {signed(reward(known[card], counted(position, seat, known[card].metric)))}"
            for card in mine["objectives"]
            if card in known
        ]
        kept += [f"seat {seat} keeps {', '.join(worth)}"] if worth else []
    return "; ".join(kept)


def power_words(power: Power) -> str:
    """A power, amount by amount."""
    words = [f"Act {act} {signed(count)}" for act, count in quills_of(power).items() if count]
    words += [plural(power.white, "white quill")] if power.white else []
    words += [f"mood {signed(power.mood)}"] if power.mood else []
    words += [f"every other mood {signed(power.others_mood)}"] if power.others_mood else []
    words += [f"{signed(power.pounds)} £"] if power.pounds else []
    words += [f"{signed(power.prestige)} prestige"] if power.prestige else []
    words += [f"one {power.take_set} stage set element"] if power.take_set else []
    words += [f"one {power.take_costume} costume element"] if power.take_costume else []
    return ", ".join(words) or "nothing"


def _kind(card: Character) -> str:
    kind = card.kind.replace("_", " ")
    words = [kind] if kind != card.name.lower() else []
    if card.id in CARD_IDS[:N_BOARD]:
        return ", ".join([*words, "on every board", "no wage"])
    copies = [f"{card.copies} copies"] if card.copies > 1 else []
    return ", ".join([*words, f"wage {card.cost} £", *copies])


def _use(card: Character, by_kind: Mapping[str, str]) -> str:
    return by_kind[card.kind].format(
        power=power_words(card.activation),
        craft=f", not yellow, up to value {card.value}, +1 for each of your assistants, "
        f"+{PLUS_3} for a token.",
    )


def _member(position: Mapping[str, Any], seat: int, member: Mapping[str, Any], extra: str) -> str:
    """Where a member is and what it is up to; empty if the board's own stands idle."""
    if extra:
        return f"with seat {seat}, as {extra_words(extra).lower()}"
    words, cards = [f"with seat {seat}"], printed_of(position).cards
    card = cards[member["card"]]
    helpers = sum(
        is_face_up(other) and cards[other["card"]].kind == "assistant"
        for other in position["seats"][seat]["troupe"]
    )
    if card.kind in CRAFTSMEN and helpers:
        words.append(f"value {card.value + helpers}")
    words += ["used today"] if member["cylinder"] else []
    words += ["resting"] if member["rest"] else []
    is_idle = len(words) == 1 and card.id in CARD_IDS[:N_BOARD]
    return "" if is_idle else ", ".join(words)


def _standings(position: Mapping[str, Any], objective: Objective) -> Iterator[str]:
    """What every seat has of an objective, and whether it is seen to hold it."""
    for seat, mine in enumerate(position["seats"]):
        value = counted(position, seat, objective.metric)
        won = reward(objective, value)
        kept = "kept, " if objective.id in mine["objectives"] else ""
        worth = f"{signed(won)} prestige" if won else "nothing"
        yield f"seat {seat}: {kept}{value} so far, {worth}"


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
