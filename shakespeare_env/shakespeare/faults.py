"""Faults of a record: numbers from compiled checks, put into words."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shakespeare_env.compiled import rule
from shakespeare_env.game import Record
from shakespeare_env.shakespeare import state as s
from shakespeare_env.shakespeare import tables as t
from shakespeare_env.shakespeare.box import COLOURS

Words = tuple[str, str, str]
"""Place, fault and remedy."""
_KINDS = ("costumes", "sets")
_BYTE = 0xFF

# fmt: off
(
    AT_ODDS, BOARD_FIRST, BOARD_CARD, COSTUMED, IDLE, EXTRAS, ROOM, UNSUPPORTED, ASYMMETRIC, CARDS,
    ELEMENTS, OBJECTIVES, TOKENS, WAGER, OUT_EARLY, CYLINDERS, INITIATIVE, SOLO_REST, SOLO_WAGER,
    QUEUE, KEPT, KEPT_IDLE, DAY, REST_MOVER, ACTED_ALREADY, NO_QUILL, NO_BACK, NO_DRAWN, SHOWN,
    WINNERS,
) = range(1, 31)
# fmt: on


@rule
def tell(fault: int, a: int, b: int) -> int:
    """A fault and where it is, as one number."""
    return fault | (a << 8) | (b << 16)


def explain(game: Record, fault: int) -> Words:
    """What `tell` wrote, in words."""
    words = _WORDS[fault & _BYTE]
    return words(game, fault >> 8 & _BYTE, fault >> 16 & _BYTE)


def _at_odds(game: Record, a: int, b: int) -> Words:
    name = s.FIELDS[a].name
    held = np.asarray(game[name]).tolist()
    return name, f"{held} is at odds with other fields", "use records that `save` or `record` gave"


def _card(game: Record, seat: int, member: int) -> str:
    return t.CARD_IDS[game["card"][seat, member]]


def _board_first(game: Record, a: int, b: int) -> Words:
    names = ", ".join(t.CARD_IDS[: t.N_BOARD])
    fault = "it does not begin with the board's characters"
    return f"seats[{a}].troupe", fault, f"begin with {names}"


def _board_card(game: Record, a: int, b: int) -> Words:
    fault = f"{_card(game, a, b)!r} stands on the board"
    return f"seats[{a}].troupe[{b}]", fault, "name a card of the deck"


def _costumed(game: Record, a: int, b: int) -> Words:
    fault = f"{_card(game, a, b)!r} wears none"
    return f"seats[{a}].troupe[{b}].costume", fault, "only actors and extras do"


def _idle(game: Record, a: int, b: int) -> Words:
    fault = "a cylinder or rest token on it"
    return f"seats[{a}].troupe[{b}]", fault, "it cannot be activated; write false"


def _extras(game: Record, a: int, b: int) -> Words:
    fault = f"{game['extra'][a].sum()} extras on day {game['day']}"
    return f"seats[{a}].troupe", fault, f"a seat hires one a day, so {b} at most by now"


def _room(game: Record, a: int, b: int) -> Words:
    fault = f"{game['troupe_len'][a] - t.N_BOARD} characters hired on day {game['day']}"
    remedy = f"one is drafted and one hired a day, so {b} at most by now"
    return f"seats[{a}].troupe", fault, remedy


def _unsupported(game: Record, a: int, b: int) -> Words:
    place = f"seats[{a}].stage.{t.SPACE_IDS[b]}"
    return place, "a space underneath is empty", "build from bottom to top"


def _asymmetric(game: Record, a: int, b: int) -> Words:
    mirror = int(t.MIRROR[b])
    own, other = (COLOURS[game["stage"][a, space]] for space in (b, mirror))
    fault = f"{own!r} mirrors {other!r} on {t.SPACE_IDS[mirror]}"
    return f"seats[{a}].stage.{t.SPACE_IDS[b]}", fault, "make them equal"


def _cards(game: Record, a: int, b: int) -> Words:
    found = int(game["shown"][a]) + int(game["deck"][a]) + int(game["discarded_cards"][a])
    found += int((game["card"] == t.N_BOARD + a).sum())
    fault = f"{found} copies of {t.DECK_IDS[a]!r} in deck, display, discards and troupes"
    return "position", fault, f"the box holds {t.COPIES[a]}"


def _elements(game: Record, a: int, b: int) -> Words:
    found = sum(int(game[place][a, b]) for place in ("bag", "display", "discarded"))
    found += int((game["stage" if a == t.SET else "costume"] == b).sum())
    fault = f"{found} {COLOURS[b]} {_KINDS[a]} in bag, display, discards and on seats"
    players = int(game["players"])
    return "position", fault, f"there are {t.BAG[players, a, b]} with {players} seats"


def _objectives(game: Record, a: int, b: int) -> Words:
    places = ("objective_deck", "drawn", "objectives")
    found = sum(int((game[place] == a).sum()) for place in places)
    fault = f"the objective {t.OBJECTIVE_IDS[a]!r} lies in {found} places"
    return "position", fault, "put it once in objective_deck, pending.drawn or a seat's objectives"


def _tokens(game: Record, a: int, b: int) -> Words:
    found = int(game["supply_tokens"]) + int(game["tokens"].sum())
    fault = f'{found} "+3" tokens in supply and on seats'
    return "supply_tokens", fault, f"the box holds {t.N_TOKENS}"


def _wager(game: Record, a: int, b: int) -> Words:
    found = int(game["wager"][a]) or None
    remedy = f"write 1 to {t.N_CYLINDERS}" if b else "write null"
    return f"seats[{a}].wager", f"{found!r} now", remedy


def _out_early(game: Record, a: int, b: int) -> Words:
    fault = "cylinders are out before the day's turns"
    return f"seats[{a}].cylinders", fault, "write 0 and false"


def _cylinders(game: Record, a: int, b: int) -> Words:
    fault = f"{game['cylinders'][a]} left and {b} used"
    return f"seats[{a}].cylinders", fault, f"a seat has {t.N_CYLINDERS}"


def _initiative(game: Record, a: int, b: int) -> Words:
    fault = f"{game['initiative_len']} of {game['players']} seats"
    return "initiative", fault, "name all of them outside phase 2"


def _solo_rest(game: Record, a: int, b: int) -> Words:
    return "strategic_rest", "True in solo", "write false; it is for 2 to 4 seats"


def _solo_wager(game: Record, a: int, b: int) -> Words:
    return "phase", "'wager' in solo", "there are no wagers in solo"


def _queue(game: Record, a: int, b: int) -> Words:
    expected = game["initiative" if a else "order"][b : game["players"]].tolist()
    found = game["queue"][: game["queue_len"]].tolist()
    return "queue", f"{found}", f"the seats still to be served are {expected}"


def _kept(game: Record, a: int, b: int) -> Words:
    kept = int(game["kept"][a])
    found = None if kept == s.NOBODY else t.CARD_IDS[kept]
    return f"seats[{a}].kept", f"{found!r} now", "name an activated card" if b else "write null"


def _kept_idle(game: Record, a: int, b: int) -> Words:
    fault = f"{t.CARD_IDS[game['kept'][a]]!r} was not activated"
    return f"seats[{a}].kept", fault, "name one that was"


def _day(game: Record, a: int, b: int) -> Words:
    remedies = {
        s.IN_DRAFT: "the draft is on day 1",
        s.IN_REHEARSAL: f"rehearsals are on days {t.FIRST_REHEARSAL} and {t.N_DAYS}",
        s.IN_REST: "in 'rest' the day is already the next one",
        s.IN_END: f"the game ends on day {t.N_DAYS}",
    }
    part = int(game["part"])
    return "day", f"{game['day']} in {s.PART_NAMES[part]!r}", remedies[part]


def _rest_mover(game: Record, a: int, b: int) -> Words:
    fault = f"{game['to_move']} used fewer than two cylinders"
    return "to_move", fault, "name a seat that used two or more"


def _acted_already(game: Record, a: int, b: int) -> Words:
    return "to_move", f"{game['to_move']} has finished its turns", "name a seat that has not"


def _no_quill(game: Record, a: int, b: int) -> Words:
    fault = f"{game['quills']} with every disc of seat {game['to_move']} at the end"
    return "pending.quills", fault, "they are lost"


def _no_back(game: Record, a: int, b: int) -> Words:
    fault = f"'back' with every disc of seat {game['to_move']} on space 1"
    return "phase", fault, "nothing can move back"


def _no_drawn(game: Record, a: int, b: int) -> Words:
    return "pending.drawn", "[]", "name the objectives drawn"


def _shown(game: Record, a: int, b: int) -> Words:
    fault = f"{game['shown'].sum()} characters for {a} seats that still take one"
    return "display.characters", fault, f"show {a} or more"


def _winners(game: Record, a: int, b: int) -> Words:
    players = int(game["players"])
    results = [(int(game["prestige"][seat]), int(game["pounds"][seat])) for seat in range(players)]
    best = [seat for seat in range(players) if results[seat] == max(results)]
    found = np.flatnonzero(game["winners"]).tolist()
    return "winners", f"{found}", f"prestige and pounds say {best}"


_WORDS: dict[int, Callable[[Record, int, int], Words]] = {
    AT_ODDS: _at_odds,
    BOARD_FIRST: _board_first,
    BOARD_CARD: _board_card,
    COSTUMED: _costumed,
    IDLE: _idle,
    EXTRAS: _extras,
    ROOM: _room,
    UNSUPPORTED: _unsupported,
    ASYMMETRIC: _asymmetric,
    CARDS: _cards,
    ELEMENTS: _elements,
    OBJECTIVES: _objectives,
    TOKENS: _tokens,
    WAGER: _wager,
    OUT_EARLY: _out_early,
    CYLINDERS: _cylinders,
    INITIATIVE: _initiative,
    SOLO_REST: _solo_rest,
    SOLO_WAGER: _solo_wager,
    QUEUE: _queue,
    KEPT: _kept,
    KEPT_IDLE: _kept_idle,
    DAY: _day,
    REST_MOVER: _rest_mover,
    ACTED_ALREADY: _acted_already,
    NO_QUILL: _no_quill,
    NO_BACK: _no_back,
    NO_DRAWN: _no_drawn,
    SHOWN: _shown,
    WINNERS: _winners,
}
