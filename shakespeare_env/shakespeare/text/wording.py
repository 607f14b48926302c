"""What a position says, the same in every drawing, and what others do not see of it (Rules D3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.core.presentation import Headline
from shakespeare_env.core.seat_names import seat_placeholder
from shakespeare_env.shakespeare.box import printed as b
from shakespeare_env.shakespeare.box import tables as t

_PHASES = {
    "draft": "setup",
    "wager": "phase 1, wager",
    "back": "phase 3, mood",
    "mood": "phase 3, mood",
    "rehearsal": "phase 4, dress rehearsal",
    "rest": "phase 6, rest",
    "over": "the game is over",
}
_EVENING = ("back", "mood", "rehearsal", "rest")
CHARACTERS = dict(zip(t.CARD_IDS, t.CARD_NAMES, strict=True))
"""Characters' names by id."""
OBJECTIVES = {UNKNOWN: UNKNOWN, **dict(zip(t.OBJECTIVE_IDS, t.OBJECTIVE_NAMES, strict=True))}
"""Objectives' names by id; `UNKNOWN` stays."""


def worth_now(position: Mapping[str, Any], seat: int, card: str) -> int | None:
    """The prestige that an objective would bring a seat now; None if that is unknown.

    At the end it is unknown what was given up for one.
    """
    if card == UNKNOWN:
        return None
    objective = b.OBJECTIVES[card]
    if objective.metric == b.SACRIFICE and position["phase"] == "over":
        return None
    return b.reward(objective, b.counted(position, seat, objective.metric))


def day_words(position: Mapping[str, Any]) -> str:
    """The day, or the evening that ends it, and the next rehearsal."""
    day, part = position["day"], _part(position)
    # Once characters rest it is the next day.
    ended = day - 1 if part == "rest" else day
    if part == "over":
        return f"day {day} of {t.N_DAYS}"
    when = f"evening of day {ended}" if part in _EVENING else f"day {day}"
    rehearsal = t.FIRST_REHEARSAL if day <= t.FIRST_REHEARSAL else t.N_DAYS
    rehearses = "tonight" if rehearsal == ended else f"on day {rehearsal}"
    return f"{when} of {t.N_DAYS}, rehearsal {rehearses}"


def asked(position: Mapping[str, Any]) -> str:
    """Who decides what; at the end who has won, or the solo result."""
    phase, seat, pending = position["phase"], position["to_move"], position["pending"]
    if phase == "over":
        return _outcome(position)
    if phase == "turn":
        recruited = position["seats"][seat]["recruited"]
        question = "activate a character or pass"
        question = question if recruited else "recruit or activate a character"
    elif phase == "craft":
        question = _craft(pending)
    elif phase == "quill":
        question = f"choose the act for a white quill, {pending['quills']} left"
        if isinstance(pending["then"], dict):
            question += f"; then {_craft(pending['then'])}"
    elif phase == "objective":
        question = "keep one of: " + ", ".join(OBJECTIVES[card] for card in pending["drawn"])
    else:
        question = {
            "draft": "take one of the characters shown",
            "wager": "choose in secret how many cylinders to wager",
            "back": "choose the act on which the disc moves back",
            "queen": f"{t.QUEEN_POUNDS} pounds, or one of {t.QUEEN_OBJECTIVES} objectives",
            "rest": "choose the activated character that stays free of rest",
        }[phase]
    return f"{{Seat {seat}}}: {question}."


def headline(position: Mapping[str, Any], names: Sequence[str] = ()) -> Headline:
    """Say where the game stands: the table, the day, its phase, and who decides what."""
    players, queue = position["players"], position["queue"]
    table = f"{players} seats" if players > 1 else "solo"
    return Headline(
        game="Shakespeare",
        table=f"{table} · strategic rest" if position["strategic_rest"] else table,
        progress=day_words(position),
        phase=_PHASES.get(_part(position), "phase 2, recruitment and activation"),
        sentence=asked(position),
        aside=f"Afterwards: {seat_placeholder(*queue)}" if queue else "",
    ).named(names)


def winners(position: Mapping[str, Any]) -> list[int]:
    """The seats that beat others; none before the end.

    Solo notation always has the seat win: drawings compare its score with the target.
    """
    return list(position["winners"] or ()) if position["players"] > 1 else []


def seat_facts(position: Mapping[str, Any], seat: int) -> dict[str, str]:
    """What a seat has, and last what it has done or who stays free of rest, by short names."""
    mine, phase = position["seats"][seat], position["phase"]
    used = sum(member["cylinder"] for member in mine["troupe"])
    done = [word for word in ("recruited", "passed") if mine[word]]
    if phase == "over":
        done = [f"{mine['unpaid']} unpaid"] if mine["unpaid"] else []
        done += ["wins"] if seat in winners(position) else []
    elif phase == "rest":
        kept = mine["kept"]
        done = ["has chosen" if kept == UNKNOWN else f"keeps {CHARACTERS[kept]}"] if kept else []
    return {
        "prestige": b.minus(str(mine["prestige"])),
        "pounds": str(mine["pounds"]),
        "wages": str(b.wages_due(mine)),
        "+3": str(mine["tokens"]),
        "mood": b.signed(mine["mood"]),
        "wager": str(mine["wager"] or "–"),
        "cylinders": f"{mine['cylinders']}/{mine['cylinders'] + used}",
        "": ", ".join(done),
    }


def members(seat: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], str]]:
    """A seat's troupe, with each one's name as an extra, by hiring order (Rules T12), or empty."""
    numbers = count(1)
    return [
        (member, f"extra{next(numbers)}" if member["face"] == "extra" else "")
        for member in seat["troupe"]
    ]


def extra_words(name: str) -> str:
    """A wearer's name as an extra, such as "Extra 1"; empty if it is none."""
    return name.replace("extra", "Extra ")


def _part(position: Mapping[str, Any]) -> str:
    """The phase; of a white quill that of which it is a part, or empty."""
    phase = position["phase"]
    part = position["pending"]["then"] if phase == "quill" else phase
    return part if isinstance(part, str) else ""


def _outcome(position: Mapping[str, Any]) -> str:
    seats, won = position["seats"], winners(position)
    if not won:
        reached, target = b.minus(f"{seats[0]['prestige']} prestige"), t.BOX.good_scores[1]
        return f"The game is over: {reached}; a good solo game passes {target}"
    most = seats[won[0]]["prestige"]
    # Pounds decide among the seats with the most prestige (Rules F4).
    on_pounds = sum(seat["prestige"] == most for seat in seats) > len(won)
    sentence = f"{'Winner' if len(won) == 1 else 'Winners'}: {seat_placeholder(*won)}"
    return f"{sentence}, on pounds" if on_pounds else sentence


def _craft(pending: Mapping[str, Any]) -> str:
    kinds = [name for key, name in (("costumes", "costume"), ("sets", "stage set")) if pending[key]]
    if pending["optional"]:
        return f"take {' and '.join(kinds)} elements, up to {pending['value']} in value"
    return f"take one {' or '.join(pending['colours'])} {' or '.join(kinds)} element"


def seen_by(position: Mapping[str, Any], seat: int) -> dict[str, Any]:
    """A position as a seat sees it: what `record/observe.py` never reads is `UNKNOWN`.

    So is the whole objective pile: text does not say who put cards back.
    """
    phase = position["phase"]
    seen = {**position, "objective_deck": [UNKNOWN] * len(position["objective_deck"])}
    if phase == "objective" and position["to_move"] != seat:
        seen["pending"] = {"drawn": [UNKNOWN] * len(position["pending"]["drawn"])}
    seen["seats"] = [dict(entry) for entry in position["seats"]]
    for other, entry in enumerate(seen["seats"]):
        if other != seat:
            entry["objectives"] = [UNKNOWN] * len(entry["objectives"])
            # Others see that it has chosen, not what.
            for choice in ("kept", "wager") if phase == "wager" else ("kept",):
                entry[choice] = None if entry[choice] is None else UNKNOWN
    return seen


def is_secret(position: Mapping[str, Any], move: str) -> bool:
    """Whether others cannot see this move: wagers, objectives, secret rest choices."""
    kind = move.partition(":")[0]
    return kind in ("wager", "objective") or (kind == "keep" and not position["strategic_rest"])


def score_sheet(position: Mapping[str, Any]) -> list[tuple[str, list[int]]]:
    """Prestige by source, a column per seat: so far, or once over what the end added (Rules F).

    Objectives stay with what came before: what was given up for one cannot be seen any more.
    """
    seats = position["seats"]
    prestige = [seat["prestige"] for seat in seats]
    if position["phase"] != "over":
        return [("so far", prestige)]
    yellow = [b.yellow_elements(seat) for seat in seats]
    unpaid = [t.UNPAID * seat["unpaid"] for seat in seats]
    before = [total - won - lost for total, won, lost in zip(prestige, yellow, unpaid, strict=True)]
    return [
        ("in play, and objectives", before),
        ("yellow elements", yellow),
        ("unpaid wages", unpaid),
    ]
