"""Invariants that the compiled rules rely on, checked on records read from text."""

from __future__ import annotations

from typing import Any

import numpy as np

from shakespeare_env.game import Record
from shakespeare_env.reading import refuse
from shakespeare_env.shakespeare import state as s
from shakespeare_env.shakespeare import tables as t
from shakespeare_env.shakespeare.box import ACTS, COLOURS

_KINDS = ("costumes", "sets")


def check_position(game: Record) -> None:
    """Refuse an impossible record.

    Raises:
        PositionError: Names the place, value and remedy.
    """
    check_troupes(game)
    check_stages(game)
    check_cards(game)
    check_elements(game)
    check_objectives(game)
    check_tokens(game)
    check_piles(game)
    check_wagers(game)
    check_tracks(game)
    check_rest(game)
    check_decision(game)
    if game["phase"] == s.OVER:
        check_winners(game)


def _members(game: Record, seat: int) -> Any:
    """(member, card, is extra) of a troupe."""
    for member in range(int(game["troupe_len"][seat])):
        yield member, int(game["card"][seat, member]), bool(game["extra"][seat, member])


def check_troupes(game: Record) -> None:
    """Board characters come first; costumes, cylinders and tokens fit (S2, T3, T12, P2)."""
    for seat in range(game["players"]):
        board = game["card"][seat, : t.N_BOARD].tolist()
        if board != list(range(t.N_BOARD)) or game["extra"][seat, : t.N_BOARD].any():
            names = ", ".join(t.CARD_IDS[: t.N_BOARD])
            refuse(
                f"seats[{seat}].troupe",
                "it does not begin with the board's characters",
                f"begin with {names}",
            )
        extras = 0
        for member, card, extra in _members(game, seat):
            where = f"seats[{seat}].troupe[{member}]"
            if card < t.N_BOARD <= member:
                refuse(
                    where, f"{t.CARD_IDS[card]!r} stands on the board", "name a card of the deck"
                )
            extras += extra
            if game["costume_len"][seat, member] and not (extra or t.KIND[card] == t.ACTOR):
                refuse(
                    f"{where}.costume",
                    f"{t.CARD_IDS[card]!r} wears none",
                    "only actors and extras do",
                )
            idle = extra or t.KIND[card] == t.ASSISTANT
            if idle and (game["cylinder"][seat, member] or game["rest"][seat, member]):
                refuse(
                    where, "a cylinder or rest token on it", "it cannot be activated; write false"
                )
        if extras > t.N_EXTRAS:
            remedy = f"a seat hires at most {t.N_EXTRAS}"
            refuse(f"seats[{seat}].troupe", f"{extras} extras", remedy)


def check_stages(game: Record) -> None:
    """Everything is supported and symmetric (T13)."""
    for seat in range(game["players"]):
        stage, filled = game["stage"][seat], int(game["stage_filled"][seat])
        for space in np.flatnonzero(stage != s.NOBODY):
            where = f"seats[{seat}].stage.{t.SPACE_IDS[space]}"
            if filled & t.SUPPORTS[space] != t.SUPPORTS[space]:
                refuse(where, "a space underneath is empty", "build from bottom to top")
            pair = (int(stage[space]), int(stage[t.MIRROR[space]]))
            if pair[1] != s.NOBODY and pair[0] != pair[1] and t.YELLOW not in pair:
                mirror = t.SPACE_IDS[t.MIRROR[space]]
                refuse(
                    where,
                    f"{COLOURS[pair[0]]!r} mirrors {COLOURS[pair[1]]!r} on {mirror}",
                    "make them equal",
                )


def check_cards(game: Record) -> None:
    """No character card is missing or duplicated (S5)."""
    found = (game["shown"] + game["deck"] + game["discarded_cards"]).astype(int)
    for seat in range(game["players"]):
        for _, card, _ in _members(game, seat):
            if card >= t.N_BOARD:
                found[card - t.N_BOARD] += 1
    for deck in np.flatnonzero(found != t.COPIES):
        refuse(
            "position",
            f"{found[deck]} copies of {t.DECK_IDS[deck]!r} in deck, display, discards and troupes",
            f"the box holds {t.COPIES[deck]}",
        )


def check_elements(game: Record) -> None:
    """Every element is bagged, displayed, placed or discarded (S4, U2)."""
    found = (game["bag"].astype(int) + game["display"] + game["discarded"]).astype(int)
    for seat in range(game["players"]):
        for kind, placed in ((t.COSTUME, game["costume"][seat]), (t.SET, game["stage"][seat])):
            found[kind] += np.bincount(placed[placed != s.NOBODY], minlength=t.N_COLOURS)
    box = t.BAG[game["players"]]
    for kind, colour in np.argwhere(found != box):
        refuse(
            "position",
            f"{found[kind, colour]} {COLOURS[colour]} {_KINDS[kind]} "
            "in bag, display, discards and on seats",
            f"there are {box[kind, colour]} with {game['players']} seats",
        )


def check_objectives(game: Record) -> None:
    """Every objective is in the pile, drawn or kept, once (S6, T17)."""
    everywhere = np.concatenate(
        [
            game["objective_deck"],
            game["drawn"],
            *(game["objectives"][seat] for seat in range(game["players"])),
        ]
    )
    found = np.bincount(everywhere[everywhere != s.NOBODY], minlength=t.N_OBJECTIVES)
    for objective in np.flatnonzero(found != 1):
        refuse(
            "position",
            f"the objective {t.OBJECTIVE_IDS[objective]!r} lies in {found[objective]} places",
            "put it once in objective_deck, pending.drawn or a seat's objectives",
        )


def check_tokens(game: Record) -> None:
    """The "+3" tokens add up (S6)."""
    total = int(game["supply_tokens"]) + int(game["tokens"].sum())
    if total != t.N_TOKENS:
        refuse(
            "supply_tokens",
            f'{total} "+3" tokens in supply and on seats',
            f"the box holds {t.N_TOKENS}",
        )


def check_piles(game: Record) -> None:
    """No pile repeats a height; the reader has checked the discs (T7)."""
    for act, name in enumerate(ACTS):
        spaces, heights = game["disc_space"][act], game["disc_height"][act]
        for space in set(spaces[spaces > 0].tolist()):
            pile = sorted(heights[spaces == space].tolist())
            if pile != list(range(len(pile))):
                refuse(
                    f"piles.{name}.{space}", f"heights {pile}", "list the discs from the bottom up"
                )


def check_wagers(game: Record) -> None:
    """Wagers follow Order and last the day; none in draft or solo (W1, D2, V1)."""
    players = int(game["players"])
    part = game["part"]
    for place, seat in enumerate(game["order"][:players].tolist()):
        where, wagered = f"seats[{seat}].wager", bool(game["wager"][seat])
        expected = players > 1 and part != s.IN_DRAFT
        if expected and part == s.IN_WAGER:
            expected = place < game["order"].tolist().index(game["to_move"])
        if wagered != expected:
            value = int(game["wager"][seat]) or None
            refuse(where, f"{value!r} now", "write 1 to 5" if expected else "write null")
        active = part not in (s.IN_DRAFT, s.IN_WAGER)
        used = int(game["cylinder"][seat].sum())
        if (used or game["cylinders"][seat]) and not active:
            refuse(
                f"seats[{seat}].cylinders",
                "cylinders are out before the day's turns",
                "write 0 and false",
            )
        if used + game["cylinders"][seat] > t.N_CYLINDERS:
            refuse(
                f"seats[{seat}].cylinders",
                f"{game['cylinders'][seat]} left and {used} used",
                f"a seat has {t.N_CYLINDERS}",
            )


def check_tracks(game: Record) -> None:
    """Initiative is complete outside turns; the queue is the order's rest (T5)."""
    players, part = int(game["players"]), game["part"]
    if part not in (s.IN_TURNS,) and game["initiative_len"] != players:
        refuse(
            "initiative",
            f"{game['initiative_len']} of {players} seats",
            "name all of them outside phase 2",
        )
    if players == 1 and game["strategic_rest"]:
        refuse("strategic_rest", "True in solo", "write false; it is for 2 to 4 seats")
    if players == 1 and part == s.IN_WAGER:
        refuse("phase", "'wager' in solo", "there are no wagers in solo")
    queue = game["queue"][: game["queue_len"]].tolist()
    served_by = {s.IN_MOOD: "order", s.IN_REHEARSAL: "initiative", s.IN_REST: "order"}
    expected: list[int] = []
    if part in served_by:
        by = "initiative" if part == s.IN_REST and game["strategic_rest"] else served_by[part]
        seats = game[by][:players].tolist()
        expected = seats[seats.index(game["to_move"]) + 1 :]
    if queue != expected:
        refuse("queue", f"{queue}", f"the seats still to be served are {expected}")


def check_rest(game: Record) -> None:
    """Exactly those asked before the mover have made secret rest choices (P2, P4, D2)."""
    players = int(game["players"])
    secret = game["part"] == s.IN_REST and not game["strategic_rest"]
    waiting = {int(game["to_move"]), *game["queue"][: game["queue_len"]].tolist()}
    for seat in range(players):
        kept, active = int(game["kept"][seat]), game["cylinder"][seat].astype(bool)
        asked = secret and seat not in waiting and active.sum() >= 2
        if asked != (kept != s.NOBODY):
            value = None if kept == s.NOBODY else t.CARD_IDS[kept]
            refuse(
                f"seats[{seat}].kept",
                f"{value!r} now",
                "name an activated card" if asked else "write null",
            )
        if asked and kept not in game["card"][seat][active]:
            refuse(
                f"seats[{seat}].kept",
                f"{t.CARD_IDS[kept]!r} was not activated",
                "name one that was",
            )


def check_decision(game: Record) -> None:
    """The mover has a decision in this phase (D1)."""
    phase, seat, day = game["phase"], game["to_move"], game["day"]
    if phase == s.OVER:
        if day != t.N_DAYS:
            refuse("day", f"{day} in phase 'over'", f"the game ends on day {t.N_DAYS}")
        return
    if phase == s.DRAFT and day != 1:
        refuse("day", f"{day} in phase 'draft'", "the draft is on day 1")
    if phase == s.REST and day == 1:
        refuse("day", "1 in phase 'rest'", "in 'rest' the day is already the next one")
    if phase == s.REST and game["cylinder"][seat].sum() < 2:
        refuse(
            "to_move", f"{seat} used fewer than two cylinders", "name a seat that used two or more"
        )
    if phase == s.TURN and (
        game["passed"][seat] or (game["recruited"][seat] and not game["cylinders"][seat])
    ):
        refuse("to_move", f"{seat} has finished its turns", "name a seat that has not")
    if game["part"] == s.IN_REHEARSAL and day not in (4, 6):
        refuse("day", f"{day} in a rehearsal", "rehearsals are on days 4 and 6")
    at_end = game["disc_space"][:, seat] == t.ACT_LENGTH
    if phase == s.QUILL and at_end.all():
        refuse(
            "pending.quills",
            f"{game['quills']} with every disc of seat {seat} at the end",
            "they are lost",
        )
    if phase == s.BACK and (game["disc_space"][:, seat] == 1).all():
        refuse(
            "phase", f"'back' with every disc of seat {seat} on space 1", "nothing can move back"
        )
    if phase == s.DRAFT and not game["shown"].any():
        refuse("display.characters", "no cards in the draft", "show some")
    if phase == s.OBJECTIVE and game["drawn_len"] == 0:
        refuse("pending.drawn", "[]", "name the objectives drawn")


def check_winners(game: Record) -> None:
    """Most prestige wins, then most pounds (F4)."""
    players = int(game["players"])
    results = [(int(game["prestige"][seat]), int(game["pounds"][seat])) for seat in range(players)]
    expected = [seat for seat in range(players) if results[seat] == max(results)]
    winners = np.flatnonzero(game["winners"]).tolist()
    if winners != expected:
        refuse("winners", f"{winners}", f"prestige and pounds say {expected}")
