"""The order of decisions: what is legal, what a move does, and which decision comes next.

The choices that a move opens come first: white quills, elements, a disc to move back, the Queen's
gift and the objectives to choose from. Then comes the next seat of the same part of the game, then
the next part.

The state's `part` says which part of the game is under way: the draft, or a phase of the day in the
rule book. So a phase of the rule book is a `part` here. The state's `phase` says what kind of
decision is next. A part can have several of these.
"""

from __future__ import annotations

from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.shakespeare import state as s
from shakespeare_env.shakespeare.box.tables import N_CYLINDERS, N_DAYS
from shakespeare_env.shakespeare.rules.boards import discard_characters, show_characters
from shakespeare_env.shakespeare.rules.phases import (
    craft,
    draft,
    mood,
    queen,
    quill,
    rehearsal,
    rest,
    turn,
    wager,
)
from shakespeare_env.shakespeare.rules.phases.craft import close_craft, is_craft_open
from shakespeare_env.shakespeare.rules.scoring import finish


@rule
def legal(game: Record, mask: Any) -> int:
    """Mark the legal actions in bool[A], all False before, and return their number."""
    phase = game["phase"]
    if phase == s.TURN:
        return turn.legal(game, mask)
    if phase == s.CRAFT:
        return craft.legal(game, mask)
    if phase == s.QUILL:
        return quill.legal(game, mask)
    if phase == s.WAGER:
        return wager.legal(game, mask)
    if phase == s.REST:
        return rest.legal(game, mask)
    if phase == s.CHOOSE_QUEEN:
        return queen.legal_gifts(game, mask)
    if phase == s.OBJECTIVE:
        return queen.legal_objectives(game, mask)
    if phase == s.BACK:
        return mood.legal(game, mask)
    if phase == s.DRAFT:
        return draft.legal(game, mask)
    return 0


@rule
def play(game: Record, action: int) -> None:
    """Play a legal action and find the next decision."""
    phase = game["phase"]
    if phase == s.TURN:
        turn.play(game, action)
    elif phase == s.CRAFT:
        craft.play(game, action)
    elif phase == s.QUILL:
        quill.play(game, action)
    elif phase == s.WAGER:
        wager.play(game, action)
    elif phase == s.REST:
        rest.play(game, action)
    elif phase == s.CHOOSE_QUEEN:
        queen.play_gift(game, action)
    elif phase == s.OBJECTIVE:
        queen.play_objective(game, action)
    elif phase == s.BACK:
        mood.play(game, action)
    elif phase == s.DRAFT:
        draft.play(game, action)
    find_decision(game)


@rule
def find_decision(game: Record) -> None:
    """Move on to the next decision, or to the end of the game."""
    while not (has_open_choice(game) or next_of_part(game)):
        next_part(game)


@rule
def has_open_choice(game: Record) -> bool:
    """Return whether a choice that a move opened is left, and set its phase (Rules T8, T18).

    White quills come before elements. Impossible choices lapse: quills with nowhere to go (Rules
    T6), mandatory elements that cannot be placed (T16, T18), and moves back from space 1 (M2).
    """
    if game["quills"] > 0:
        if quill.is_possible(game):
            game["phase"] = s.QUILL
            return True
        game["quills"] = 0
    if is_craft_open(game):
        if game["craft_optional"] or craft.is_possible(game):
            game["phase"] = s.CRAFT
            return True
        close_craft(game)
    if game["back"]:
        if mood.is_possible(game):
            game["phase"] = s.BACK
            return True
        game["back"] = 0
    if game["queen"]:
        game["phase"] = s.CHOOSE_QUEEN
        return True
    if game["drawn_len"] > 0:
        game["phase"] = s.OBJECTIVE
        return True
    return False


@rule
def next_of_part(game: Record) -> bool:
    """Move on to the part's next decision; return False if the part is finished."""
    part = game["part"]
    if part == s.IN_TURNS:
        return let_decide(game, turn.next_seat(game), s.TURN)
    if part == s.IN_WAGER:
        return let_decide(game, wager.next_seat(game), s.WAGER)
    if part == s.IN_DRAFT:
        return let_decide(game, draft.next_seat(game), s.DRAFT)
    if part == s.IN_END:
        return True
    while game["queue_len"] > 0:
        game["to_move"] = game["queue"][0]
        game["queue_len"] -= 1
        for place in range(game["queue_len"]):
            game["queue"][place] = game["queue"][place + 1]
        game["queue"][game["queue_len"]] = s.NOBODY
        if part == s.IN_MOOD:
            mood.serve(game)
        elif part == s.IN_REHEARSAL:
            rehearsal.serve(game)
        elif rest.cylinders_used(game, game["to_move"]) >= 2:  # the part is IN_REST
            game["phase"] = s.REST
            return True
        if has_open_choice(game):
            return True
    return False


@rule
def let_decide(game: Record, seat: int, phase: int) -> bool:
    """Let a seat decide next in a phase; return False if the seat is NOBODY."""
    if seat == s.NOBODY:
        return False
    game["to_move"] = seat
    game["phase"] = phase
    return True


@rule
def next_part(game: Record) -> None:
    """End the part under way and start the next one."""
    part = game["part"]
    if part == s.IN_DRAFT:
        discard_characters(game)  # S5
        show_characters(game)
        begin_day(game)
    elif part == s.IN_WAGER:
        wager.reveal(game)
        begin_turns(game)
    elif part == s.IN_TURNS:
        turn.complete_initiative(game)
        if game["players"] == 1:
            turn.score_solo(game)
        mood.lower_moods(game)
        game["part"] = s.IN_MOOD
        queue_seats(game, game["order"])
    elif part == s.IN_MOOD and rehearsal.is_today(game):
        game["part"] = s.IN_REHEARSAL
        queue_seats(game, game["initiative"])
    elif part == s.IN_MOOD:
        begin_rest(game)
    elif part == s.IN_REHEARSAL:
        rehearsal.score_acts(game)
        if game["day"] == N_DAYS:
            end(game)
        else:
            if game["players"] == 1:
                rehearsal.move_neutral_discs(game)
            begin_rest(game)
    elif part == s.IN_REST:
        rest.reveal(game)
        begin_day(game)


@rule
def begin_day(game: Record) -> None:
    """Start a day, with wagers or, in solo, with turns (Rules W1, V1)."""
    rest.begin_day(game)
    if game["players"] == 1:
        wager.clear_initiative(game)
        game["cylinders"][0] = N_CYLINDERS
        begin_turns(game)
    else:
        game["part"] = s.IN_WAGER


@rule
def begin_turns(game: Record) -> None:
    """Give the first in Order the first turn (Rules T1)."""
    game["part"] = s.IN_TURNS
    # `turn.next_seat` begins with the seat after the mover, so here with the first in Order.
    game["to_move"] = game["order"][game["players"] - 1]


@rule
def begin_rest(game: Record) -> None:
    """Do the upkeep and start the rest (Rules U1 to U3, P1).

    Seats choose in Order (D2), or by Initiative with strategic rest (P4).
    """
    rest.renew(game)
    rest.remove_rest_tokens(game)
    game["part"] = s.IN_REST
    queue_seats(game, game["initiative"] if game["strategic_rest"] else game["order"])


@rule
def queue_seats(game: Record, seats: Any) -> None:
    """Queue all seats, in the given order."""
    for place in range(game["players"]):
        game["queue"][place] = seats[place]
    game["queue_len"] = game["players"]


@rule
def end(game: Record) -> None:
    """Score the end of the game and close it (section F)."""
    finish(game)
    game["part"] = s.IN_END
    game["phase"] = s.OVER
    game["to_move"] = s.NOBODY
