"""Explanations of cards, moves and components, with the numbers of the box in force."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from shakespeare_env.core.presentation import Topic
from shakespeare_env.shakespeare.box import printed as b
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import ACTS, Character, Objective, Power, Space
from shakespeare_env.shakespeare.text.standing import metric_values, reward, wages_due

_WORDS = tomllib.loads((Path(__file__).parents[1] / "words.toml").read_text(encoding="utf-8"))
_QUILLS = dict(zip(ACTS, ("Red", "Gold", "Blue"), strict=True))
_MOODS = {mood: b.gain_words(gain) for mood, gain in t.MOOD_GAINS.items()} | {
    t.MOOD_BACK: "a disc moves back",
    t.MOOD_QUILL: "a white quill",
}


def topics(position: Mapping[str, Any]) -> dict[str, Topic]:
    """Return the explanation of each card, move and component, by the name that moves use."""
    facts = _facts(position)
    texts = _WORDS["topics"] | _WORDS["alone" if position["players"] == 1 else "several"]
    explained = {}
    for name, text in texts.items():
        places = tuple(_WORDS["places"].get(name, ()))
        explained[name] = Topic(text.format_map(facts), places=places)
    for act in ACTS:
        title = f"Act {act}"
        explained[f"act_{act.lower()}"] = Topic(_act(act), title=title, places=(f"piles.{act}",))
    for colour, value in b.VALUES.items():
        explained[colour] = Topic(_colour(colour, value))
    for space in t.BOX.spaces:
        explained[space.id] = Topic(_space(space))
    for card in t.BOX.characters:
        # The Queen's card has the id of her move, whose explanation comes first.
        above = f"{explained[card.id].text}\n" if card.id in explained else ""
        explained[card.id] = Topic(above + _character(card), title=card.name)
    due = tuple(str(wages_due(seat)) for seat in position["seats"])
    explained["wages"] = replace(explained["wages"], now="Due now, in £", values=due)
    values = [metric_values(position, seat) for seat in range(position["players"])]
    for objective in t.BOX.objectives:
        explained[objective.id] = _objective(objective, values)
    return explained


def _facts(position: Mapping[str, Any]) -> dict[str, object]:
    """Return the values for the braces of `words.toml`: numbers of the box, and some words."""
    box = t.BOX
    gains = (f"{b.gain_words(vars(gain))} for {value}" for value, gain in box.costume_gain.items())
    moods = range(t.LOWEST_MOOD, t.HIGHEST_MOOD + 1)
    supplied_seats = max(position["players"], 2)  # solo is set up as for two seats
    return {
        **vars(t),
        "rehearsals": f"days {t.FIRST_REHEARSAL} and {t.N_DAYS}",
        "lowest_mood": b.signed(t.LOWEST_MOOD),
        "highest_mood": b.signed(t.HIGHEST_MOOD),
        "moods": "; ".join(f"{b.signed(mood)}: {_MOODS[mood]}" for mood in moods if mood in _MOODS),
        "unpaid": b.signed(t.UNPAID),
        "extra_power": _power(box.extra_power),
        "solo_target": box.good_scores[1],
        "costume_gains": "; ".join(gains),
        "secret": "openly, by Initiative" if position["strategic_rest"] else "in secret",
        "characters_shown": supplied_seats + 2,
        "elements_shown": 3 * supplied_seats,
    }


def _act(act: str) -> str:
    grey = t.GREY_SPACES
    number = ACTS.index(act)
    rewards = [f"−1 prestige on spaces 1 to {grey}"] if grey else []
    if act == "II":
        first, second = map(b.signed, t.ACT_II_PRESTIGE)
        rewards.append(f"{first} prestige for the first disc, {second} for the second")
    else:
        unit = "£" if act == "I" else "prestige"
        steps = t.BOX.pay[number]
        rewards += [f"{b.signed(gain)} {unit} from space {space}" for space, gain in steps]
    return (
        f"{_QUILLS[act]} and white quills advance here, up to space "
        f"{t.BOX.act_lengths[number]}. At a rehearsal: {', '.join(rewards)}. On one space the "
        "lowest disc is ahead."
    )


def _colour(colour: str, value: int) -> str:
    effect = b.gain_words(b.SET_GAINS.get(colour, {}))
    if colour == "purple":
        effect = f"every other mood {b.signed(t.PURPLE_MOOD)}"
    limit = ", not for craftsmen" if colour == "yellow" else ""
    return f"Value {value}{limit}. On the stage: {effect}."


def _space(space: Space) -> str:
    words = ["Stage space"]
    if space.on:
        words.append(f"on {' and '.join(space.on)}")
    is_own_mirror = space.mirror == space.id
    words.append("its own mirror" if is_own_mirror else f"mirrored by {space.mirror}")
    if space.candle:
        words.append("with a candle: 1 prestige")
    return ", ".join(words) + "."


def _character(card: Character) -> str:
    additions = f"+1 for each of your assistants, +{t.PLUS_3} for a token."
    craft = f"up to value {card.value}, {additions}"
    use = _WORDS["kinds"][card.kind].format(power=_power(card.activation), craft=craft)
    text = f"{card.name}: {_kind(card)}. {use}"
    if card.kind == "actor":
        text += f"\nComplete costume, at a rehearsal: {_power(card.costume_power)}."
    return text


def _objective(objective: Objective, values: Sequence[Mapping[str, int]]) -> Topic:
    """Explain an objective; `values` are the metrics of each seat now, by objective."""
    counts = _WORDS["metrics"][objective.metric]
    steps = ", ".join(f"{prestige} for {value}" for value, prestige in objective.points)
    standings = []
    for metrics in values:
        value = metrics[objective.id]
        prestige = b.signed(reward(objective.id, value))
        standings.append(f"{value}, {prestige} prestige")
    text = f"{objective.name}: {counts}; prestige at the end: {steps}."
    return Topic(text, now="Now", values=tuple(standings), title=objective.name)


def _kind(card: Character) -> str:
    kind = card.kind.replace("_", " ")
    words = [kind] if kind != card.name.lower() else []
    if card.id in t.CARD_IDS[: t.N_BOARD]:
        words += ["on every board", "no wage"]
    else:
        words.append(f"wage {card.cost} £")
    if card.copies > 1:
        words.append(f"{card.copies} copies")
    return ", ".join(words)


def _power(power: Power) -> str:
    words = [f"Act {act} {b.signed(count)}" for act, count in b.quills_of(power).items() if count]
    if power.white:
        words.append(b.plural(power.white, "white quill"))
    if power.mood:
        words.append(f"mood {b.signed(power.mood)}")
    if power.others_mood:
        words.append(f"every other mood {b.signed(power.others_mood)}")
    if power.pounds:
        words.append(f"{b.signed(power.pounds)} £")
    if power.prestige:
        words.append(f"{b.signed(power.prestige)} prestige")
    if power.take_set:
        words.append(f"one {power.take_set} stage set element")
    if power.take_costume:
        words.append(f"one {power.take_costume} costume element")
    return ", ".join(words) or "nothing"
