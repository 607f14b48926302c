"""Events that end a day: mood, rehearsal, upkeep, rest, and the end of the game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.game import UNKNOWN
from shakespeare_env.shakespeare.box import ACTS
from shakespeare_env.shakespeare.drawing.wording import seat_list, wage
from shakespeare_env.shakespeare.ledger import Ledger, plural, quills_of, signed
from shakespeare_env.shakespeare.objective_values import (
    SACRIFICE,
    counted,
    is_complete,
    is_face_up,
    ranking,
    reward,
    space_of,
    yellow_elements,
)
from shakespeare_env.shakespeare.printed import CARDS, OBJECTIVES, UNPAID
from shakespeare_env.shakespeare.tables import (
    ACT_I_POUNDS,
    ACT_II_PRESTIGE,
    ACT_III_PRESTIGE,
    BOX,
    GREY_SPACES,
    N_CYLINDERS,
    NEUTRAL_LATER,
)

MOOD_GAINS = {-2: {"prestige": -1}, 1: {"pounds": 1}, 3: {"prestige": 1}}
"""What a mood pays (M2); -1 moves a disc back, 2 is a white quill."""
_PLACES = ("first", "second")


def end_turns(ledger: Ledger) -> None:
    """Complete the Initiative track, score the solo bonus, blame purple (T5, V3, M1)."""
    now = ledger.now
    for seat in now["order"]:
        if seat not in now["initiative"]:
            now["initiative"].append(seat)
            place = len(now["initiative"])
            ledger.tell(seat, f"no actor used: place {place} on the Initiative track")
    if now["players"] == 1:
        used = sum(member["cylinder"] for member in ledger.seats[0]["troupe"])
        if 1 <= used <= 2:
            cause = f"{plural(used, 'cylinder')} used"
            ledger.effect(0, cause, {"prestige": 1}, source="few cylinders")
    if purple := now["display"]["sets"]["purple"]:
        for seat in range(now["players"]):
            cause = f"{plural(purple, 'purple stage set')} left on display"
            ledger.effect(seat, cause, {"mood": -purple})


def serve_mood(ledger: Ledger, seat: int) -> tuple[int, bool]:
    """Pay a seat's mood (M2, M3); returns white quills and moves back that it opens."""
    mood = ledger.seats[seat]["mood"]
    gains = MOOD_GAINS.get(mood, {})
    opened = {-1: "a disc moves back", 2: "a white quill"}.get(mood, "")
    if mood:
        ledger.seats[seat]["mood"] = 0
        cause = f"mood {signed(mood)} returns to 0"
        ledger.effect(seat, cause, gains, source="mood", note=opened, counters={"mood": -mood})
    return int(mood == 2), mood == -1


def serve_rehearsal(ledger: Ledger, seat: int) -> int:
    """Use the powers of a seat's complete costumes (R1); returns its white quills."""
    white = 0
    for member in ledger.seats[seat]["troupe"]:
        if not is_complete(member):
            continue
        card = CARDS[member["card"]]
        power = card.costume_power if is_face_up(member) else BOX.extra_power
        name = card.name if is_face_up(member) else f"{card.name}, an extra"
        ledger.effect(
            seat,
            f"costume power of {name}",
            {"pounds": power.pounds, "prestige": power.prestige},
            source="costume powers",
            quills={act: count for act, count in quills_of(power).items() if count},
            note=plural(power.white, "white quill") if power.white else "",
        )
        white += power.white
    return white


def score_acts(ledger: Ledger) -> None:
    """Score the acts (R2), then move the neutral discs (V2)."""
    for seat in range(ledger.now["players"]):
        for act, piles in ledger.now["piles"].items():
            space = space_of(piles, seat)
            where, source = f"Act {act}, space {space}", f"Act {act}"
            if space <= GREY_SPACES:
                ledger.effect(seat, where, {"prestige": -1}, source=source)
            if act == "I" and (pounds := _reached(ACT_I_POUNDS, space)):
                ledger.effect(seat, where, {"pounds": pounds}, source=source)
            if act == "III" and (prestige := _reached(ACT_III_PRESTIGE, space)):
                ledger.effect(seat, where, {"prestige": prestige}, source=source)
            if act == "II" and (place := ranking(piles).index(seat)) < len(_PLACES):
                cause, won = f"{_PLACES[place]} on Act II", ACT_II_PRESTIGE[place]
                ledger.effect(seat, cause, {"prestige": won}, source=source)


def move_neutral_discs(ledger: Ledger) -> None:
    """Solo, after the first rehearsal (V2)."""
    for act in ACTS:
        ledger.place(act, "neutral", NEUTRAL_LATER)
    ledger.tell(None, f"the neutral discs move to space {NEUTRAL_LATER}")


def renew(ledger: Ledger, after: Mapping[str, Any]) -> None:
    """Upkeep (U1 to U3), and yesterday's rest tokens come off (P1)."""
    ledger.now["day"] += 1
    ledger.now["display"] = after["display"]
    ledger.tell(None, "upkeep: new characters and elements on display")
    for seat, mine in enumerate(ledger.seats):
        resting = [member for member in mine["troupe"] if member["rest"]]
        for member in resting:
            member["rest"] = False
        if resting:
            ledger.tell(seat, f"rested: {_names(resting)}", {"resting": -len(resting)})


def put_to_rest(ledger: Ledger, seat: int, after: Mapping[str, Any]) -> None:
    """Rest tokens on all used characters but one (P2)."""
    laid = []
    for member, later in zip(
        ledger.seats[seat]["troupe"], after["seats"][seat]["troupe"], strict=True
    ):
        if later["rest"] and not member["rest"]:
            member["rest"] = True
            laid.append(member)
    if laid:
        ledger.tell(seat, f"must rest tomorrow: {_names(laid)}", {"resting": len(laid)})


def begin_day(ledger: Ledger) -> None:
    """Cylinders come back (P3)."""
    now = ledger.now
    ledger.tell(None, f"day {now['day']} begins")
    for seat, mine in enumerate(ledger.seats):
        unused = mine["cylinders"]
        mine["cylinders"] = N_CYLINDERS if now["players"] == 1 else 0
        for member in mine["troupe"]:
            member["cylinder"] = False
        mine.update(wager=None, kept=None, recruited=False, passed=False)
        if now["players"] == 1:
            words = f"{plural(N_CYLINDERS, 'cylinder')} for the day"
            ledger.tell(seat, words, {"cylinders": N_CYLINDERS - unused})
        elif unused:
            words = f"{plural(unused, 'unused cylinder')} taken back"
            ledger.tell(seat, words, {"cylinders": -unused})
    if now["players"] == 1:
        now["initiative"] = []


def finish(ledger: Ledger, after: Mapping[str, Any]) -> None:
    """Objectives, yellow elements, wages, victory (F1 to F4)."""
    for seat, end in enumerate(after["seats"]):
        costs = sorted(filter(None, map(wage, end["troupe"])))
        paid = sum(costs[: len(costs) - end["unpaid"]])
        yellow = yellow_elements(end)
        pledged = {
            "prestige": end["prestige"] - yellow - UNPAID * end["unpaid"],
            "pounds": end["pounds"] + paid,
        }
        _score_objectives(ledger, seat, end["objectives"], pledged)
        if yellow:
            cause = plural(yellow, "yellow element")
            ledger.effect(seat, cause, {"prestige": yellow}, source="yellow elements")
        if costs:
            lost = UNPAID * end["unpaid"]
            cause = f"wages of {sum(costs)} £"
            cause += f", {plural(end['unpaid'], 'character')} unpaid" if lost else ""
            ledger.effect(seat, cause, {"pounds": -paid, "prestige": lost}, source="unpaid wages")
    if ledger.now["players"] > 1:
        won = after["winners"]
        ledger.tell(None, f"{seat_list(won)} win{'s' * (len(won) == 1)}")


def _score_objectives(
    ledger: Ledger, seat: int, kept: list[str], pledged: Mapping[str, int]
) -> None:
    """Score objectives up to the `pledged` prestige and pounds; unknown ones together."""
    others = []
    for card in kept:
        known = OBJECTIVES.get(card)
        if known is None or known.metric == SACRIFICE:
            others.append(card)
            continue
        value = counted(ledger.now, seat, known.metric)
        cause, won = f'objective "{known.name}" at {value}', reward(known, value)
        note = "" if won else "no prestige"
        ledger.effect(seat, cause, {"prestige": won}, source="objectives", note=note)
    if not others:
        return
    mine = ledger.seats[seat]
    gains = {name: pledged[name] - mine[name] for name in ("pounds", "prestige")}
    names = [f'objective "{OBJECTIVES[card].name}"' for card in others if card != UNKNOWN]
    unknown = others.count(UNKNOWN)
    names += [plural(unknown, "unknown objective")] if unknown else []
    cause = ", ".join(names)
    note = "" if any(gains.values()) else "no prestige"
    ledger.effect(seat, cause, gains, source="objectives", note=note)


def _reached(steps: tuple[tuple[int, int], ...], space: int) -> int:
    """The pay of an act on a space."""
    return next((won for at, won in reversed(steps) if space >= at), 0)


def _names(members: list[dict[str, Any]]) -> str:
    return ", ".join(CARDS[member["card"]].name for member in members)
