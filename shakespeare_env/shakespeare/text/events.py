"""The effects of a move, and of what follows it without a choice, in words.

Each teller (`play/tracing.py`) describes the calls of one rule by their changes to the record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from shakespeare_env.core.game import Record
from shakespeare_env.core.presentation import Event
from shakespeare_env.core.seat_names import seat_placeholder
from shakespeare_env.play.tracing import Call, Teller, Tracer, interpreted
from shakespeare_env.shakespeare import actions as a
from shakespeare_env.shakespeare import state as s
from shakespeare_env.shakespeare.box import printed as b
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import ACTS, COLOURS, Character, Power
from shakespeare_env.shakespeare.rules import boards, flow, scoring
from shakespeare_env.shakespeare.rules.phases import (
    craft,
    mood,
    queen,
    quill,
    rehearsal,
    rest,
    turn,
    wager,
)

_wage = interpreted(scoring.wage)
_WORDED_COUNTERS = ("mood", "tokens", "pounds", "prestige")
_NO_POWER = Power()


def _counters(game: Record, seat: int) -> dict[str, int]:
    # Sums of lists are faster than those of such small arrays.
    counters = {name: game[name].item(seat) for name in ("prestige", "pounds", "tokens", "mood")}
    for act, name in enumerate(ACTS):
        counters[f"act {name}"] = game["disc_space"].item(act, seat)
    counters["cylinders"] = game["cylinders"].item(seat)
    counters["troupe"] = game["troupe_len"].item(seat)
    counters["resting"] = sum(game["rest"][seat].tolist())
    counters["objectives"] = game["objectives_len"].item(seat)
    counters["stage"] = sum(colour >= 0 for colour in game["stage"][seat].tolist())
    counters["costumes"] = sum(game["costume_len"][seat].tolist())
    return counters


def changes(call: Call, seat: int) -> dict[str, int]:
    """Return by how much a call has changed a seat's counters; unchanged ones are left out."""
    if call.before.tobytes() == call.after.tobytes():
        return {}
    before = _counters(call.before, seat)
    after = _counters(call.after, seat)
    return {name: after[name] - before[name] for name in after if after[name] != before[name]}


def event(
    call: Call,
    seat: int,
    cause: str,
    *,
    source: str = "",
    note: str = "",
    power: Power = _NO_POWER,
    expects_effect: bool = False,
    instead: Mapping[str, str] = MappingProxyType({}),
) -> Event:
    """Return an event with everything that a call has changed for a seat.

    Args:
        call: The call.
        seat: The seat.
        cause: What has caused the changes; the text begins with it.
        source: The row of the score sheet, if prestige has changed.
        note: More words, with which the text ends.
        power: The power that was used, whose lost quills the text mentions.
        expects_effect: Whether to say "no effect" if nothing has changed. The text also says so of
            a power that affects nobody else.
        instead: Words for counters whose changes are not given as amounts.
    """
    changed = changes(call, seat)
    words = []
    for act, name in enumerate(ACTS):
        quills = b.quills_of(power)[name]
        steps = changed.get(f"act {name}", 0)
        if steps:
            space = call.after["disc_space"][act, seat]
            words.append(f"Act {name} {'back ' if steps < 0 else ''}to space {space}")
        if max(steps, 0) < quills:  # past the last space, quills are lost
            words.append(f"{b.plural(quills - steps, 'quill')} lost on Act {name}")
    counters = [name for name in _WORDED_COUNTERS if name in changed]
    words += [instead.get(name) or b.amount(name, changed[name]) for name in counters]
    if power.white:
        words.append(b.plural(power.white, "white quill"))
    if note:
        words.append(note)
    is_power_of_seat = power != _NO_POWER and not power.others_mood
    if not words and (expects_effect or is_power_of_seat):
        words = ["no effect"]
    points = changed.pop("prestige", 0)
    text = f"{cause}: {', '.join(words)}" if words else cause
    return Event(seat, text, source if points else "", points, changed)


def mover(call: Call) -> int:
    """Return the seat to move before the call."""
    return int(call.before["to_move"])


def _seats(call: Call) -> range:
    return range(call.after["players"])


def _names(cards: Iterable[int]) -> str:
    return ", ".join(t.CARD_NAMES[card] for card in cards)


def _join(call: Call) -> Iterator[Event]:
    seat, card, face_down = call.args
    as_extra = ", as an extra" if face_down else ""
    yield event(call, seat, f"{t.CARD_NAMES[card]} joins{as_extra}")


def _turn(call: Call) -> Iterator[Event]:
    yield from call.inner
    (action,) = call.args
    seat = mover(call)
    if action == a.PASS and call.forced:
        yield event(call, seat, "passes: nobody is left to be activated")
    # The actions before `ACTIVATE` recruit a character, which `_join` describes.
    if action == a.PASS or action < a.ACTIVATE:
        return
    with_token = action >= a.ACTIVATE_PLUS_3
    if with_token:
        index = a.PLUS_3_CARD[action - a.ACTIVATE_PLUS_3]
    else:
        index = a.ACTIVATE_CARD[action - a.ACTIVATE]
    card = b.CARDS[t.CARD_IDS[index]]
    if card.kind == "actor":
        yield from _act(call, seat, card)
    elif card.kind == "queen":
        yield event(call, seat, f"{card.name}: {t.QUEEN_POUNDS} £, or an objective")
    elif card.kind == "jeweler":
        yield event(call, seat, f"{card.name}: one yellow element")
    else:
        value = int(call.after["craft_value"])
        assistants = value - card.value - t.PLUS_3 * with_token
        note = f"{value} to spend"
        if assistants:
            note += f", with {b.plural(assistants, 'assistant')}"
        yield event(call, seat, card.name, note=note)


def _act(call: Call, seat: int, card: Character) -> Iterator[Event]:
    power = card.activation
    place = call.after["initiative_len"]
    notes = []
    if power.take_set or power.take_costume:
        kind = "stage set" if power.take_set else "costume"
        notes.append(f"one {power.take_set or power.take_costume} {kind} element")
    if place > call.before["initiative_len"]:
        notes.append(f"place {place} on the Initiative track")
    yield event(call, seat, card.name, source="actors", note=", ".join(notes), power=power)
    if power.others_mood:
        yield from _others(call, seat, card.name)


def _others(call: Call, seat: int, cause: str) -> Iterator[Event]:
    for other in _seats(call):
        if other != seat:
            yield event(call, other, f"{cause}, by {seat_placeholder(seat)}", expects_effect=True)


def _take(call: Call) -> Iterator[Event]:
    yield from call.inner
    if call.forced and call.args == (a.DONE,):
        yield event(call, mover(call), "nothing more can be taken and placed")


def _costume(call: Call) -> Iterator[Event]:
    seat, member, colour = call.args
    game = call.after
    if game["extra"][seat, member]:
        wearer = f"extra {game['extra'][seat, : member + 1].sum()}"
    else:
        wearer = t.CARD_NAMES[game["card"][seat, member]]
    elements = game["costume_len"][seat, member]
    value = game["costume_value"][seat, member]
    state = f"complete at {value}" if elements == t.N_SLOTS else f"{elements} of {t.N_SLOTS}"
    cause = f"{COLOURS[colour]} costume for {wearer}, {state}"
    yield event(call, seat, cause, source="costumes")


def _set(call: Call) -> Iterator[Event]:
    seat, space, colour = call.args
    name = COLOURS[colour]
    candle = bool(t.CANDLE[space])
    cause = f"{name} stage set on {t.SPACE_IDS[space]}"
    if candle:
        cause += ", a candle"
    expects_effect = candle or name in b.SET_GAINS
    yield event(call, seat, cause, source="candles", expects_effect=expects_effect)
    if colour == t.PURPLE:
        yield from _others(call, seat, f"{name} stage set")


def _gift(call: Call) -> Iterator[Event]:
    drawn = int(call.after["drawn_len"])
    cause = f"the Queen: draws {b.plural(drawn, 'objective')}" if drawn else "the Queen"
    yield event(call, mover(call), cause, expects_effect=not drawn)


def _objective(call: Call) -> Iterator[Event]:
    (action,) = call.args
    seat = mover(call)
    returned = int(call.before["drawn_len"]) - 1
    name = "an objective"
    if call.viewer in (None, seat):
        name = f'objective "{t.OBJECTIVE_NAMES[action - a.OBJECTIVE]}"'
    cause = f"keeps {name}"
    if returned:
        cause += f", {returned} {'goes' if returned == 1 else 'go'} under the pile"
    yield event(call, seat, cause)


def _lapse(call: Call) -> Iterator[Event]:
    """Yield what the seat loses because no move can use it."""
    before = call.before
    after = call.after
    seat = mover(call)
    if before["quills"] and not after["quills"]:
        lost = b.plural(int(before["quills"]), "white quill")
        yield event(call, seat, f"{lost} lost: every act is at its end")
    if before["craft_value"] and not after["craft_value"]:
        yield event(call, seat, "nothing more can be taken and placed")
    if before["back"] and not after["back"]:
        yield event(call, seat, "no disc moves back: all are on space 1")


def _part(call: Call) -> Iterator[Event]:
    """Yield a heading for the evening, the rehearsal or the acts, and then what they bring."""
    part = call.before["part"]
    day = call.before["day"]
    if part == s.IN_TURNS:
        yield Event(None, f"evening of day {day}")
    elif part == s.IN_MOOD and call.after["part"] == s.IN_REHEARSAL:
        yield Event(None, f"dress rehearsal of day {day}")
    elif part == s.IN_REHEARSAL:
        yield Event(None, f"acts of day {day}")
    yield from call.inner


def _begin_day(call: Call) -> Iterator[Event]:
    yield Event(None, f"day {call.after['day']} begins")
    for seat in _seats(call):
        unused = int(call.before["cylinders"][seat])
        if call.after["players"] == 1:
            yield event(call, seat, f"{b.plural(t.N_CYLINDERS, 'cylinder')} for the day")
        elif unused:
            yield event(call, seat, f"{b.plural(unused, 'unused cylinder')} taken back")


def _reveal(call: Call) -> Iterator[Event]:
    order = call.after["order"][: call.after["players"]].tolist()
    yield Event(None, "wagers revealed")
    for place, seat in enumerate(order, 1):
        wagered = b.plural(int(call.after["wager"][seat]), "cylinder")
        cause = f"{wagered} wagered, place {place} in Order"
        yield event(call, seat, cause, source="first in Order")
    yield Event(None, f"new Order: {seat_placeholder(*order)}")


def _initiative(call: Call) -> Iterator[Event]:
    for place in range(call.before["initiative_len"], call.after["initiative_len"]):
        words = f"no actor used: place {place + 1} on the Initiative track"
        yield Event(int(call.after["initiative"][place]), words)


def _few_cylinders(call: Call) -> Iterator[Event]:
    if changes(call, 0):  # the only seat in solo
        used = b.plural(int(call.after["cylinder"][0].sum()), "cylinder")
        yield event(call, 0, f"{used} used", source="few cylinders")


def _purple(call: Call) -> Iterator[Event]:
    purple = int(call.after["display"][t.SET, t.PURPLE])
    if not purple:
        return
    cause = f"{b.plural(purple, 'purple stage set')} left on display"
    for seat in _seats(call):
        yield event(call, seat, cause, expects_effect=True)


def _mood(call: Call) -> Iterator[Event]:
    seat = mover(call)
    steps = int(call.before["mood"][seat])
    if steps:
        choices = {t.MOOD_BACK: "a disc moves back", t.MOOD_QUILL: "a white quill"}
        yield event(
            call,
            seat,
            f"mood {b.signed(steps)} {'rewarded' if steps > 0 else 'punished'}",
            source="mood",
            note=choices.get(steps, ""),
            instead={"mood": "back to 0"},
        )


def _costume_power(call: Call) -> Iterator[Event]:
    seat, member = call.args
    game = call.after
    card = b.CARDS[t.CARD_IDS[game["card"][seat, member]]]
    power = card.costume_power
    cause = f"costume power of {card.name}"
    if game["extra"][seat, member]:
        power = t.BOX.extra_power
        cause += ", an extra"
    yield event(call, seat, cause, source="costume powers", power=power)


def _act_scores(call: Call) -> Iterator[Event]:
    seat, act = call.args
    if changes(call, seat):
        cause = f"Act {ACTS[act]}, space {call.after['disc_space'][act, seat]}"
        yield event(call, seat, cause, source=f"Act {ACTS[act]}")


def _place_scores(call: Call) -> Iterator[Event]:
    seat, place = call.args
    if changes(call, seat):
        act = f"Act {ACTS[t.ACT_II]}"
        yield event(call, seat, f"place {place + 1} on {act}", source=act)


def _rested(call: Call) -> Iterator[Event]:
    for seat in _seats(call):
        rested = call.before["card"][seat][call.before["rest"][seat] == 1].tolist()
        if rested:
            yield event(call, seat, f"rested: {_names(rested)}")


def _must_rest(call: Call) -> Iterator[Event]:
    seat, _ = call.args
    laid = call.after["rest"][seat] > call.before["rest"][seat]
    if laid.any():
        names = _names(call.after["card"][seat][laid])
        yield event(call, seat, f"must rest tomorrow: {names}")


def _objectives(call: Call) -> Iterator[Event]:
    (seat,) = call.args
    count = int(call.after["objectives_len"][seat])
    if call.viewer in (None, seat):
        yield from call.inner
    elif count:  # another seat does not know which objectives these are
        yield _objective_scores(call, seat, b.plural(count, "unknown objective"))


def _objective_scores(call: Call, seat: int, cause: str) -> Event:
    note = "" if changes(call, seat) else "no prestige"
    return event(call, seat, cause, source="objectives", note=note)


def _one_objective(call: Call) -> Iterator[Event]:
    seat, objective, *values = call.args
    cause = f'objective "{t.OBJECTIVE_NAMES[objective]}"'
    if values:  # `give_up_pounds` has no argument after the objective
        cause += f" at {values[0]}"
    yield _objective_scores(call, seat, cause)


def _yellow(call: Call) -> Iterator[Event]:
    (seat,) = call.args
    yellow = int(call.after["yellow"][seat])
    if yellow:
        cause = b.plural(yellow, "yellow element")
        yield event(call, seat, cause, source="yellow elements")


def _wages(call: Call) -> Iterator[Event]:
    (seat,) = call.args
    game = call.after
    troupe = zip(game["card"][seat].tolist(), game["extra"][seat].tolist(), strict=True)
    hired = list(troupe)[: game["troupe_len"][seat]]
    due = sum(_wage(card, face_down) for card, face_down in hired)
    if due:
        unpaid = int(game["unpaid"][seat])
        words = f", {b.plural(unpaid, 'character')} unpaid" if unpaid else ""
        yield event(call, seat, f"wages of {due} £{words}", source="unpaid wages")


def _winners(call: Call) -> Iterator[Event]:
    winning = [seat for seat in _seats(call) if call.after["winners"][seat]]
    if call.after["players"] > 1:
        yield Event(None, f"{seat_placeholder(*winning)} {{win}}")


_TELLERS: dict[Any, Teller] = {
    boards.join: _join,
    turn.play: _turn,
    craft.play: _take,
    boards.add_costume: _costume,
    boards.add_set: _set,
    quill.play: lambda call: [event(call, mover(call), "white quill")],
    mood.play: lambda call: [event(call, mover(call), f"mood {b.signed(t.MOOD_BACK)}")],
    queen.play_gift: _gift,
    queen.play_objective: _objective,
    flow.has_open_choice: _lapse,
    flow.next_part: _part,
    flow.begin_day: _begin_day,
    wager.reveal: _reveal,
    turn.complete_initiative: _initiative,
    turn.score_solo: _few_cylinders,
    mood.lower_moods: _purple,
    mood.serve: _mood,
    rehearsal.use_costume: _costume_power,
    rehearsal.score_grey_space: _act_scores,
    rehearsal.score_space: _act_scores,
    rehearsal.score_place: _place_scores,
    rehearsal.move_neutral_discs: lambda _: [
        Event(None, f"the neutral discs move to space {t.NEUTRAL_LATER}")
    ],
    rest.renew: lambda _: [Event(None, "upkeep: new characters and elements on display")],
    rest.remove_rest_tokens: _rested,
    rest.put_to_rest: _must_rest,
    scoring.finish: lambda call: [Event(None, "end of the game"), *call.inner],
    scoring.score_objectives: _objectives,
    scoring.score_objective: _one_objective,
    scoring.give_up_pounds: _one_objective,
    scoring.score_yellow: _yellow,
    scoring.score_wages: _wages,
    scoring.name_winners: _winners,
}
_TRACER = Tracer(flow.play, flow.legal, a.TABLE.size, _TELLERS)


def events(before: Record, action: int, after: Record, viewer: int | None) -> list[Event]:
    """Return every effect of a legal action, in order.

    The rules are traced from `before`. `after` is not needed and is here only because
    `Presentation.events` has it. Random events that are still to come are not told.
    """
    return _TRACER.run(before, action, viewer)[1]
