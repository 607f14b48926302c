"""What cards, moves and things on the table do, in words; every number is the box's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from shakespeare_env.shakespeare import tables as t
from shakespeare_env.shakespeare.board_words import act_topics, element_topics, stage_topics
from shakespeare_env.shakespeare.card_words import (
    character_topics,
    kept_objectives,
    objective_topics,
    power_words,
)
from shakespeare_env.shakespeare.drawing.wording import seat_list, wages_due
from shakespeare_env.shakespeare.objective_values import yellow_elements
from shakespeare_env.shakespeare.printed import gain_words, plural, signed

_DAYS = f"days {t.FIRST_REHEARSAL} and {t.N_DAYS}"


def topics(position: Mapping[str, Any]) -> dict[str, str]:
    """Explanations by the name used in moves; lines that begin with "Now" are of the position."""
    meanings: dict[str, str] = {}
    for part in (
        _moves(position),
        _day(position),
        _seats(position),
        act_topics(position),
        element_topics(position),
        stage_topics(position),
        character_topics(position),
        objective_topics(position),
    ):
        for name, text in part.items():
            meanings[name] = f"{meanings[name]}\n{text}" if name in meanings else text
    return meanings


def _moves(position: Mapping[str, Any]) -> dict[str, str]:
    """What is chosen in each phase."""
    left = plural(len(position["objective_deck"]), "objective")
    kept = kept_objectives(position)
    secret = "openly, by Initiative" if position["strategic_rest"] else "in secret"
    return {
        "draft": "Setup: take one of the characters shown, face up; last in Order first.",
        "recruit": "Once a day, and you must: take one of the characters shown, face up. It is "
        "ready at once; its wage is due after the last day.",
        "extra": "The day's character, face down instead: no power and no wage, but it can wear a "
        f"costume. Complete, at a rehearsal: {power_words(t.BOX.extra_power)}.",
        "activate": "Put a cylinder on one of your characters without cylinder or rest token, and "
        f'use its power. With "+3" behind a craftsman, hand in a token for {t.PLUS_3} more value.',
        "pass": "Once you have recruited: you are done for the day, cylinders left or not.",
        "quill": "A white quill: advance one space on an act of your choice. White quills come "
        "after everything else a power gives; past the end of an act a quill is lost.",
        "back": "Mood −1: move a disc of your choice back one space; none if all are on space 1.",
        "done": "Take no more elements; the value left is lost.",
        "queen": f"Used, she gives one of two things. queen:money: {t.QUEEN_POUNDS} £. "
        f"queen:objectives: draw {t.QUEEN_OBJECTIVES}, keep one in secret; the others go under the "
        f"pile.\nNow: {left} in the pile.",
        "objective": "A goal that gives prestige at the end of the game; its seat alone knows it. "
        "As a move: which of those drawn you keep." + (f"\nNow: {kept}." if kept else ""),
        "keep": f"Choose, {secret}, which of the characters used today stays free; the others "
        "rest all of the next day.",
    }


def _day(position: Mapping[str, Any]) -> dict[str, str]:
    """The course of a day."""
    if position["players"] == 1:
        start = _solo()
    else:
        start = {
            "wager": f"Choose in secret how many of your {t.N_CYLINDERS} cylinders to use today. "
            "Fewest is first in Order, ties by Initiative; the first gains 1 prestige."
        }
    table = max(position["players"], 2)
    initiative = seat_list(position["initiative"]) if position["initiative"] else "nobody yet"
    purple = plural(position["display"]["sets"]["purple"], "purple stage set")
    return start | {
        "day": f"There are {t.N_DAYS}; a rehearsal ends {_DAYS}.\nNow: day {position['day']}.",
        "order": "Who takes turns first: fewest cylinders wagered.\n"
        f"Now: {seat_list(position['order'])}.",
        "initiative": "Seats get a place as they use their first actor of the day, the rest follow "
        "in Order. It breaks ties of wagers, and decides who is first at a rehearsal.\n"
        f"Now: {initiative}.",
        "mood": f"From {signed(t.LOWEST_MOOD)} to {signed(t.HIGHEST_MOOD)}. After the turns each "
        "purple stage set left on display lowers all moods by 1. Then each pays and returns to 0: "
        f"{_moods()}.\nNow: {_each(position, 'mood', signed)}; {purple} on display.",
        "rehearsal": f"After mood on {_DAYS}: by Initiative every complete costume gives its "
        "power, resting or not, then the acts score (act_i, act_ii, act_iii).",
        "upkeep": "After every day but the last, all on display is replaced: "
        f"{table + 2} characters, {3 * table} elements of each kind.",
        "rest": "Of 2 or more characters used in a day all but one get a rest token: they cannot "
        "be used the next day. Which one stays free is chosen with keep.",
    }


def _solo() -> dict[str, str]:
    return {
        "solo": f"All {t.N_CYLINDERS} cylinders every day; using only 1 or 2 gains 1 prestige. "
        f"Neutral discs take places on the acts: on space {t.NEUTRAL_START}, after the first "
        f"rehearsal on {t.NEUTRAL_LATER}. A good game passes {t.SOLO_TARGET} prestige."
    }


def _seats(position: Mapping[str, Any]) -> dict[str, str]:
    """What every seat has, and what it is for."""
    wages = "; ".join(
        f"seat {seat} owes {wages_due(mine)} £ and has {mine['pounds']} £"
        for seat, mine in enumerate(position["seats"])
    )
    yellow = "; ".join(
        f"seat {seat}: {yellow_elements(mine)}" for seat, mine in enumerate(position["seats"])
    )
    return {
        "prestige": "The score. Most wins; of equals most pounds left; then victory is shared.\n"
        f"Now: {_each(position, 'prestige')}.",
        "pounds": f"They pay wages at the end.\nNow: {_each(position, 'pounds')}.",
        "cylinder": "One activates one character; those left unused are lost for the day.\n"
        f"Now left: {_each(position, 'cylinders')}.",
        "token": f'"+3": handed in as a craftsman is activated, {t.PLUS_3} more value; one at a '
        f"time. Green stage sets bring them.\nNow: {_each(position, 'tokens')}; "
        f"{position['supply_tokens']} in the supply.",
        "wages": "Due after the last day for characters face up, the board's excepted; the "
        f"cheapest are paid first, each unpaid one: {signed(t.UNPAID)} prestige.\nNow: {wages}.",
        "end": "After the last rehearsal: objectives, 1 prestige for each yellow element on stage "
        f"and costumes, then wages.\nNow yellow: {yellow}.",
    }


def _each(position: Mapping[str, Any], field: str, shown: Callable[[int], str] = str) -> str:
    """A field of every seat."""
    return "; ".join(
        f"seat {seat}: {shown(mine[field])}" for seat, mine in enumerate(position["seats"])
    )


def _moods() -> str:
    """What every mood on the track pays (Rules M2)."""
    pays = {mood: gain_words(gain) for mood, gain in t.MOOD_GAINS.items()}
    pays |= {-1: "a disc moves back (back)", 2: "a white quill (quill)"}
    return "; ".join(
        f"{signed(mood)}: {pays[mood]}"
        for mood in range(t.LOWEST_MOOD, t.HIGHEST_MOOD + 1)
        if mood in pays
    )
