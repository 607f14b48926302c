"""The course of a day and the end of the game in words.

Each function words the calls of one rule, by what they have changed in the record.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shakespeare_env.core.presentation import Event
from shakespeare_env.play.tracing import Call, Teller
from shakespeare_env.shakespeare import state as s
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import ACTS
from shakespeare_env.shakespeare.box.printed import amount, plural, printed_in, quills_of, signed
from shakespeare_env.shakespeare.rules import flow, scoring
from shakespeare_env.shakespeare.rules.phases import mood, rehearsal, rest, turn, wager
from shakespeare_env.shakespeare.text.wording import seat_list
from shakespeare_env.shakespeare.words.changes import PAY, changes, event, mover, names_of, seats

_PLACES = ("first", "second")


def _part(call: Call) -> Iterator[Event]:
    """The evening, the rehearsal and the acts, as headings of what they bring (M, R)."""
    part, day = call.before["part"], call.before["day"]
    if part == s.IN_TURNS:
        yield Event(None, f"evening of day {day}")
    elif part == s.IN_MOOD and call.after["part"] == s.IN_REHEARSAL:
        yield Event(None, f"dress rehearsal of day {day}")
    elif part == s.IN_REHEARSAL:
        yield Event(None, f"acts of day {day}")
    yield from call.inner


def _begin_day(call: Call) -> Iterator[Event]:
    """Cylinders come back (P3, V1)."""
    yield Event(None, f"day {call.after['day']} begins")
    for seat in seats(call):
        unused = int(call.before["cylinders"][seat])
        if call.after["players"] == 1:
            yield event(call, seat, f"{plural(t.N_CYLINDERS, 'cylinder')} for the day")
        elif unused:
            yield event(call, seat, f"{plural(unused, 'unused cylinder')} taken back")


def _reveal(call: Call) -> Iterator[Event]:
    """Wagers, Order, and 1 prestige for the first (W1 to W4)."""
    order = call.after["order"][: call.after["players"]].tolist()
    source = "first in Order"
    yield Event(None, "wagers revealed")
    for place, seat in enumerate(order, 1):
        wagered = int(call.after["wager"][seat])
        words = f"{plural(wagered, 'cylinder')} wagered, "
        points = changes(call, seat).get("prestige", 0)
        words += f"{source}: {amount('prestige', points)}" if points else f"place {place} in Order"
        counters = {"cylinders": wagered}
        yield Event(seat, words, source if points else "", points, counters)
    yield Event(None, f"new Order: {seat_list(order)}")


def _initiative(call: Call) -> Iterator[Event]:
    """Seats without an actor get the last places (T5)."""
    for place in range(call.before["initiative_len"], call.after["initiative_len"]):
        words = f"no actor used: place {place + 1} on the Initiative track"
        yield Event(int(call.after["initiative"][place]), words)


def _few_cylinders(call: Call) -> Iterator[Event]:
    """The solo bonus (V3)."""
    if changes(call, 0):
        used = plural(int(call.after["cylinder"][0].sum()), "cylinder")
        yield event(call, 0, f"{used} used", source="few cylinders", shown=PAY)


def _purple(call: Call) -> Iterator[Event]:
    """Purple stage sets left on display (M1)."""
    purple = int(call.after["display"][t.SET, t.PURPLE])
    for seat in seats(call) if purple else ():
        cause = f"{plural(purple, 'purple stage set')} left on display"
        yield event(call, seat, cause, shown=["mood"], tried=True)


def _mood(call: Call) -> Iterator[Event]:
    """A mood pays and returns to 0 (M2, M3)."""
    seat = mover(call)
    was = int(call.before["mood"][seat])
    opened = {t.MOOD_BACK: "a disc moves back", t.MOOD_QUILL: "a white quill"}.get(was, "")
    if was:
        cause = f"mood {signed(was)} returns to 0"
        due = was in t.MOOD_GAINS
        yield event(call, seat, cause, source="mood", note=opened, shown=PAY, tried=due)


def _costume_power(call: Call) -> Iterator[Event]:
    """The power of a complete costume (R1)."""
    (seat, member), game = call.args, call.after
    printed, extra = printed_in(game), bool(game["extra"][seat, member])
    card = printed.cards[t.CARD_IDS[game["card"][seat, member]]]
    power = printed.box.extra_power if extra else card.costume_power
    yield event(
        call,
        seat,
        f"costume power of {card.name}{', an extra' * extra}",
        source="costume powers",
        note=plural(power.white, "white quill") if power.white else "",
        shown=PAY,
        quills=quills_of(power),
        tried=any((power.pounds, power.prestige)),
    )


def _act_scores(call: Call) -> Iterator[Event]:
    """What the space of a disc pays or costs (R2)."""
    seat, act = call.args
    if changes(call, seat):
        where = f"Act {ACTS[act]}, space {call.after['disc_space'][act, seat]}"
        yield event(call, seat, where, source=f"Act {ACTS[act]}", shown=PAY)


def _place_scores(call: Call) -> Iterator[Event]:
    """What a place on Act II pays (R2)."""
    seat, place = call.args
    if place < len(_PLACES):
        act = f"Act {ACTS[t.ACT_II]}"
        yield event(call, seat, f"{_PLACES[place]} on {act}", source=act, shown=PAY)


def _neutral_discs(call: Call) -> Iterator[Event]:
    _, later = printed_in(call.after).box.neutral_spaces
    yield Event(None, f"the neutral discs move to space {later}")


def _upkeep(call: Call) -> Iterator[Event]:
    yield Event(None, "upkeep: new characters and elements on display")


def _rested(call: Call) -> Iterator[Event]:
    """Yesterday's rest tokens come off (P1)."""
    for seat in seats(call):
        if rested := call.before["card"][seat][call.before["rest"][seat] == 1].tolist():
            yield event(call, seat, f"rested: {names_of(rested)}")


def _rests(call: Call) -> Iterator[Event]:
    """Rest tokens on all characters used but one (P2)."""
    seat = call.args[0]
    laid = call.after["rest"][seat] > call.before["rest"][seat]
    if laid.any():
        yield event(call, seat, f"must rest tomorrow: {names_of(call.after['card'][seat][laid])}")


def _objectives(call: Call) -> Iterator[Event]:
    """A seat's objectives; to others, what they bring together (F1)."""
    (seat,) = call.args
    unknown = int(call.after["objectives_len"][seat])
    if call.viewer in (None, seat):
        yield from call.inner
    elif unknown:
        yield _objective_scores(call, seat, plural(unknown, "unknown objective"))


def _objective_scores(call: Call, seat: int, cause: str) -> Event:
    note = "" if changes(call, seat) else "no prestige"
    return event(call, seat, cause, source="objectives", note=note, shown=PAY)


def _one_objective(call: Call) -> Iterator[Event]:
    seat, objective, value = call.args
    cause = f'objective "{t.OBJECTIVE_NAMES[objective]}" at {value}'
    yield _objective_scores(call, seat, cause)


def _end(call: Call) -> Iterator[Event]:
    """Objectives, yellow elements and wages (F1 to F4)."""
    yield Event(None, "end of the game")
    yield from call.inner


def _given_up(call: Call) -> Iterator[Event]:
    """Pounds given up for objectives (F1)."""
    seat = call.args[0]
    kept = call.after["objectives"][seat, : call.after["objectives_len"][seat]]
    names = [
        f'objective "{t.OBJECTIVE_NAMES[card]}"' for card in kept if t.METRIC[card] == t.SACRIFICE
    ]
    yield _objective_scores(call, seat, ", ".join(names))


def _yellow(call: Call) -> Iterator[Event]:
    (seat,) = call.args
    if yellow := int(call.after["yellow"][seat]):
        cause = plural(yellow, "yellow element")
        yield event(call, seat, cause, source="yellow elements", shown=PAY)


def _wages(call: Call) -> Iterator[Event]:
    """Wages, and prestige for those not paid (F3)."""
    (seat,), game = call.args, call.after
    members, cards = range(game["troupe_len"][seat]), printed_in(game).cards
    due = sum(
        cards[t.CARD_IDS[game["card"][seat, member]]].cost
        for member in members
        if not game["extra"][seat, member]
    )
    if due:
        unpaid = int(game["unpaid"][seat])
        words = f", {plural(unpaid, 'character')} unpaid" if unpaid else ""
        yield event(call, seat, f"wages of {due} £{words}", source="unpaid wages", shown=PAY)


def _winners(call: Call) -> Iterator[Event]:
    won = [seat for seat in seats(call) if call.after["winners"][seat]]
    if call.after["players"] > 1:
        yield Event(None, f"{seat_list(won)} win{'s' * (len(won) == 1)}")


TELLERS: dict[Any, Teller] = {
    flow.next_part: _part,
    flow.begin_day: _begin_day,
    wager.reveal: _reveal,
    turn.complete_initiative: _initiative,
    turn.score_solo: _few_cylinders,
    mood.blame_purple: _purple,
    mood.serve: _mood,
    rehearsal.use_costume: _costume_power,
    rehearsal.score_grey_space: _act_scores,
    rehearsal.score_space: _act_scores,
    rehearsal.score_place: _place_scores,
    rehearsal.move_neutral_discs: _neutral_discs,
    rest.renew: _upkeep,
    rest.lift: _rested,
    rest.put_to_rest: _rests,
    scoring.finish: _end,
    scoring.score_objectives: _objectives,
    scoring.score_objective: _one_objective,
    scoring.give_up_pounds: _given_up,
    scoring.score_yellow: _yellow,
    scoring.score_wages: _wages,
    scoring.name_winners: _winners,
}
