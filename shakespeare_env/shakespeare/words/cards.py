"""What characters and objectives do, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from shakespeare_env.shakespeare.box.facts import CRAFTSMEN, Character, Objective, Power
from shakespeare_env.shakespeare.box.printed import plural, printed_of, quills_of, signed
from shakespeare_env.shakespeare.box.tables import CARD_IDS, N_BOARD, PLUS_3
from shakespeare_env.shakespeare.rules.objective_values import counted, is_face_up, reward
from shakespeare_env.shakespeare.text.wording import extra_names, extra_words


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
