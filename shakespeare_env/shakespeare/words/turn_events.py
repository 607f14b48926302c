"""Turns in words: characters, crafting, quills, the Queen.

Each function words the calls of one rule, by what they have changed in the record.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from shakespeare_env.core.presentation import Event
from shakespeare_env.play.tracing import Call, Teller
from shakespeare_env.shakespeare import actions as a
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import COLOURS, Character
from shakespeare_env.shakespeare.box.printed import SET_GAINS, plural, printed_in, quills_of, signed
from shakespeare_env.shakespeare.rules import boards, flow
from shakespeare_env.shakespeare.rules.phases import craft, mood, queen, quill, turn
from shakespeare_env.shakespeare.words.changes import GAINS, PAY, event, mover, seats


def _join(call: Call) -> Iterator[Event]:
    seat, card, face_down = call.args
    yield event(call, seat, f"{t.CARD_NAMES[card]} joins{', as an extra' * face_down}")


def _turn(call: Call) -> Iterator[Event]:
    """A character joins, or is used (T2, T3, T9, T16 to T18)."""
    yield from call.inner
    (action,), seat = call.args, mover(call)
    if action == a.PASS and call.forced:
        yield event(call, seat, "passes: nobody is left to be activated")
    if action == a.PASS or action < a.ACTIVATE:
        return
    token = action >= a.ACTIVATE_PLUS_3
    used = (
        a.PLUS_3_CARD[action - a.ACTIVATE_PLUS_3] if token else a.ACTIVATE_CARD[action - a.ACTIVATE]
    )
    printed = printed_in(call.after)
    card = printed.cards[t.CARD_IDS[used]]
    if card.kind == "actor":
        yield from _act(call, seat, card)
    elif card.kind == "queen":
        yield event(call, seat, f"{card.name}: {printed.box.queen_pounds} £, or an objective")
    elif card.kind == "jeweler":
        yield event(call, seat, f"{card.name}: one yellow element")
    else:
        value = int(call.after["craft_value"])
        helpers = value - card.value - t.PLUS_3 * token
        words = [plural(helpers, "assistant")] if helpers else []
        words += ['a token "+3"'] if token else []
        extra = f", with {' and '.join(words)}" if words else ""
        yield event(call, seat, f"{card.name}: {value} to spend{extra}")


def _act(call: Call, seat: int, card: Character) -> Iterator[Event]:
    """An actor's power, and its place on the Initiative track (T5, T8, T18)."""
    power, place = card.activation, call.after["initiative_len"]
    notes = [plural(power.white, "white quill")] if power.white else []
    if power.take_set or power.take_costume:
        kind = "stage set" if power.take_set else "costume"
        notes.append(f"one {power.take_set or power.take_costume} {kind} element")
    if place > call.before["initiative_len"]:
        notes.append(f"place {place} on the Initiative track")
    due = any((power.mood, power.pounds, power.prestige))
    yield event(
        call,
        seat,
        card.name,
        source="actors",
        note=", ".join(notes),
        shown=GAINS,
        quills=quills_of(power),
        tried=due,
    )
    if power.others_mood:
        yield from _others(call, seat, card.name)


def _others(call: Call, seat: int, cause: str) -> Iterator[Event]:
    """The moods of all other seats (T14)."""
    for other in seats(call):
        if other != seat:
            yield event(call, other, f"{cause}, by seat {seat}", shown=["mood"], tried=True)


def _take(call: Call) -> Iterator[Event]:
    yield from call.inner
    if call.forced and call.args == (a.DONE,):
        yield event(call, mover(call), "nothing more can be taken and placed")


def _costume(call: Call) -> Iterator[Event]:
    """A costume element; the third pays (T11, T12)."""
    (seat, member, colour), game = call.args, call.after
    if game["extra"][seat, member]:
        wearer = f"extra {game['extra'][seat, : member + 1].sum()}"
    else:
        wearer = t.CARD_NAMES[game["card"][seat, member]]
    cause, value = (
        f"{COLOURS[colour]} costume for {wearer}",
        int(game["costume_value"][seat, member]),
    )
    elements = int(game["costume_len"][seat, member])
    complete = elements == t.N_SLOTS
    cause += f", complete at {value}" if complete else f", {elements} of {t.N_SLOTS}"
    yield event(call, seat, cause, source="costumes", shown=PAY)


def _set(call: Call) -> Iterator[Event]:
    """A stage set: a candle scores, the element acts (T11, T13, T14)."""
    seat, space, colour = call.args
    name = COLOURS[colour]
    candle = ", a candle" if printed_in(call.after).box.spaces[space].candle else ""
    yield event(
        call,
        seat,
        f"{name} stage set on {t.SPACE_IDS[space]}{candle}",
        source="candles",
        shown=("prestige", "pounds", "mood", "tokens"),
        tried=bool(candle) or name in SET_GAINS,
    )
    if colour == t.PURPLE:
        yield from _others(call, seat, f"{name} stage set")


def _quill(call: Call) -> Iterator[Event]:
    yield event(call, mover(call), "white quill")


def _back(call: Call) -> Iterator[Event]:
    yield event(call, mover(call), f"mood {signed(t.MOOD_BACK)}")


def _gift(call: Call) -> Iterator[Event]:
    """The Queen's pounds or objectives (T17)."""
    drawn = int(call.after["drawn_len"])
    cause = f"the Queen: draws {plural(drawn, 'objective')}" if drawn else "the Queen"
    yield event(call, mover(call), cause, shown=PAY, tried=not drawn)


def _objective(call: Call) -> Iterator[Event]:
    """One of the objectives drawn is kept (T17); its seat alone knows which."""
    (action,), seat = call.args, mover(call)
    returned = int(call.before["drawn_len"]) - 1
    known = call.viewer in (None, seat)
    name = f'objective "{t.OBJECTIVE_NAMES[action - a.OBJECTIVE]}"' if known else "an objective"
    words = f", {returned} go{'es' * (returned == 1)} under the pile" if returned else ""
    yield event(call, seat, f"keeps {name}{words}")


def _lapse(call: Call) -> Iterator[Event]:
    """Choices that turned out impossible (T6, T10, M2)."""
    before, after, seat = call.before, call.after, mover(call)
    if before["quills"] and not after["quills"]:
        lost = plural(int(before["quills"]), "white quill")
        yield event(call, seat, f"{lost} lost: every act is at its end")
    if before["craft_value"] and not after["craft_value"]:
        yield event(call, seat, "nothing more can be taken and placed")
    if before["back"] and not after["back"]:
        yield event(call, seat, "no disc moves back: all are on space 1")


TELLERS: dict[Any, Teller] = {
    boards.join: _join,
    turn.play: _turn,
    craft.play: _take,
    boards.add_costume: _costume,
    boards.add_set: _set,
    quill.play: _quill,
    mood.play: _back,
    queen.play_gift: _gift,
    queen.play_objective: _objective,
    flow.has_open_choice: _lapse,
}
