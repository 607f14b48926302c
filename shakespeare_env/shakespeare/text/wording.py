"""Words for a position that all drawings share, and the position as a seat sees it (Rules D3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.core.presentation import Headline
from shakespeare_env.core.seat_names import seat_placeholder
from shakespeare_env.shakespeare.box import printed as b
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.text.standing import wages_due, yellow_elements

_PHASES = {
    "draft": "setup",
    "wager": "phase 1, wager",
    "back": "phase 3, mood",
    "mood": "phase 3, mood",
    "rehearsal": "phase 4, dress rehearsal",
    "rest": "phase 6, rest",
    "over": "the game is over",
}
_EVENING = ("back", "mood", "rehearsal", "rest")  # phases after the last recruitment of a day
CHARACTERS = dict(zip(t.CARD_IDS, t.CARD_NAMES, strict=True))
"""The names of characters by id."""
OBJECTIVES = {UNKNOWN: UNKNOWN, **dict(zip(t.OBJECTIVE_IDS, t.OBJECTIVE_NAMES, strict=True))}
"""The names of objectives by id, with `UNKNOWN` for itself."""


def day_words(position: Mapping[str, Any]) -> str:
    """Return the day, or the evening that ends it, and when the next rehearsal is."""
    day = position["day"]
    part = _part(position)
    # In the phase `rest`, `day` is already the next day.
    today = day - 1 if part == "rest" else day
    if part == "over":
        return f"day {day} of {t.N_DAYS}"
    time = f"evening of day {today}" if part in _EVENING else f"day {day}"
    rehearsal = t.FIRST_REHEARSAL if day <= t.FIRST_REHEARSAL else t.N_DAYS
    rehearsal_time = "tonight" if rehearsal == today else f"on day {rehearsal}"
    return f"{time} of {t.N_DAYS}, rehearsal {rehearsal_time}"


def decision_sentence(position: Mapping[str, Any]) -> str:
    """Return a sentence that says who decides what, or the result once the game is over."""
    phase = position["phase"]
    seat = position["to_move"]
    pending = position["pending"]
    if phase == "over":
        return _outcome(position)
    if phase == "turn":
        if position["seats"][seat]["recruited"]:
            question = "activate a character or pass"
        else:
            question = "recruit or activate a character"
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
    """Return where the game stands: the table, the day, its phase, and who decides what."""
    players = position["players"]
    queue = position["queue"]
    table = f"{players} seats" if players > 1 else "solo"
    return Headline(
        game="Shakespeare",
        table=f"{table} · strategic rest" if position["strategic_rest"] else table,
        progress=day_words(position),
        phase=_PHASES.get(_part(position), "phase 2, recruitment and activation"),
        sentence=decision_sentence(position),
        aside=f"Afterwards: {seat_placeholder(*queue)}" if queue else "",
    ).named(names)


def winners(position: Mapping[str, Any]) -> list[int]:
    """Return the winners' seats; none before the end, and none in solo.

    A solo game has a target score instead, although its position always lists the seat as a winner.
    """
    return list(position["winners"] or ()) if position["players"] > 1 else []


def seat_facts(position: Mapping[str, Any], seat: int) -> dict[str, str]:
    """Return a seat's counters as text, by short names.

    The last entry has an empty name: what the seat has done, or which character it keeps free.
    """
    entry = position["seats"][seat]
    phase = position["phase"]
    used = sum(member["cylinder"] for member in entry["troupe"])
    done = []
    if phase == "over":
        if entry["unpaid"]:
            done.append(f"{entry['unpaid']} unpaid")
        if seat in winners(position):
            done.append("wins")
    elif phase == "rest":
        kept = entry["kept"]
        if kept == UNKNOWN:
            done.append("has chosen")
        elif kept:
            done.append(f"keeps {CHARACTERS[kept]}")
    else:
        done += [word for word in ("recruited", "passed") if entry[word]]
    return {
        "prestige": b.minus(str(entry["prestige"])),
        "pounds": str(entry["pounds"]),
        "wages": str(wages_due(entry)),
        "+3": str(entry["tokens"]),
        "mood": b.signed(entry["mood"]),
        "wager": str(entry["wager"] or "–"),
        "cylinders": f"{entry['cylinders']}/{entry['cylinders'] + used}",
        "": ", ".join(done),
    }


def members(seat: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], str]]:
    """Return a seat's characters, each with its name as an extra, such as `extra1`.

    Extras are numbered by hiring order (Rules T12). Other characters have an empty name.
    """
    found = []
    extras = 0
    for member in seat["troupe"]:
        name = ""
        if member["face"] == "extra":
            extras += 1
            name = f"extra{extras}"
        found.append((member, name))
    return found


def extra_words(name: str) -> str:
    """Return an extra's name as a title, such as "Extra 1"; an empty name stays empty."""
    return name.replace("extra", "Extra ")


def _part(position: Mapping[str, Any]) -> str:
    """Return the phase, or during the choice for a white quill the phase that continues after it.

    If the player is still to take elements after the quill, return "".
    """
    phase = position["phase"]
    part = position["pending"]["then"] if phase == "quill" else phase
    return part if isinstance(part, str) else ""


def _outcome(position: Mapping[str, Any]) -> str:
    seats = position["seats"]
    winning = winners(position)
    if not winning:
        score = b.minus(f"{seats[0]['prestige']} prestige")
        target = t.BOX.good_scores[1]
        return f"The game is over: {score}; a good solo game passes {target}"
    title = "Winner" if len(winning) == 1 else "Winners"
    sentence = f"{title}: {seat_placeholder(*winning)}"
    # Pounds decide among the seats with the most prestige (Rules F4).
    most = seats[winning[0]]["prestige"]
    tied = sum(seat["prestige"] == most for seat in seats)
    return f"{sentence}, on pounds" if tied > len(winning) else sentence


def _craft(pending: Mapping[str, Any]) -> str:
    """Return in words what a seat may or must take: costume or stage set elements."""
    kinds = [name for key, name in (("costumes", "costume"), ("sets", "stage set")) if pending[key]]
    if pending["optional"]:
        return f"take {' and '.join(kinds)} elements, up to {pending['value']} in value"
    return f"take one {' or '.join(pending['colours'])} {' or '.join(kinds)} element"


def seen_by(position: Mapping[str, Any], seat: int) -> dict[str, Any]:
    """Return a position as a seat sees it, with `UNKNOWN` for what it cannot know (Rules D3).

    A seat would know the objectives that it has put back into the pile. But a position does not say
    who put which card back, so the entire pile is unknown here.
    """
    phase = position["phase"]
    seen = {**position, "objective_deck": [UNKNOWN] * len(position["objective_deck"])}
    if phase == "objective" and position["to_move"] != seat:
        seen["pending"] = {"drawn": [UNKNOWN] * len(position["pending"]["drawn"])}
    seen["seats"] = [dict(entry) for entry in position["seats"]]
    secret_choices = ["kept", "wager"] if phase == "wager" else ["kept"]
    for other, entry in enumerate(seen["seats"]):
        if other == seat:
            continue
        entry["objectives"] = [UNKNOWN] * len(entry["objectives"])
        for choice in secret_choices:
            # Others see that the seat has chosen, but not what.
            if entry[choice] is not None:
                entry[choice] = UNKNOWN
    return seen


def is_secret(position: Mapping[str, Any], move: str) -> bool:
    """Return whether a move is hidden from other seats.

    These are wagers, objectives kept, and the character kept free of rest if that choice is secret.
    """
    kind = move.partition(":")[0]
    return kind in ("wager", "objective") or (kind == "keep" and not position["strategic_rest"])


def needs_confirming(position: Mapping[str, Any], move: str) -> bool:
    """Return whether a move decides on a day or on the rest of the game."""
    return move.partition(":")[0] in ("draft", "wager", "pass", "objective", "keep")


def score_sheet(position: Mapping[str, Any]) -> list[tuple[str, list[int]]]:
    """Return the rows of the score sheet: a source, and the prestige from it by seat.

    Before the end there is one row, the prestige so far. Once the game is over, yellow elements and
    unpaid wages have rows of their own (Rules F2, F3). Objectives stay with what came before, since
    a position no longer shows the pounds given up for one.
    """
    seats = position["seats"]
    prestige = [seat["prestige"] for seat in seats]
    if position["phase"] != "over":
        return [("so far", prestige)]
    yellow = [yellow_elements(position, seat) for seat in range(len(seats))]
    unpaid = [t.UNPAID * seat["unpaid"] for seat in seats]
    before = [prestige[seat] - yellow[seat] - unpaid[seat] for seat in range(len(seats))]
    return [
        ("in play, and objectives", before),
        ("yellow elements", yellow),
        ("unpaid wages", unpaid),
    ]
