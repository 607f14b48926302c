"""Phase 3, mood: "ambiance" in the rule book (section M)."""

from __future__ import annotations

from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.shakespeare import actions
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.rules import boards


@rule
def lower_moods(game: Record) -> None:
    """Lower every mood by 1 for each purple stage set left on display (Rules M1)."""
    for seat in range(game["players"]):
        boards.shift_mood(game, seat, -game["display"][t.SET, t.PURPLE])


@rule
def serve(game: Record) -> None:
    """Pay out the mover's mood and reset it to 0 (Rules M2, M3).

    Some moods bring a move back or a white quill, and the seat has to choose the act. That choice
    is left open, marked in `back` or `quills`.
    """
    seat = game["to_move"]
    mood = game["mood"][seat]
    game["mood"][seat] = 0
    boards.gain_pounds(game, seat, t.MOOD_POUNDS[mood - t.LOWEST_MOOD])
    boards.gain_prestige(game, seat, t.MOOD_PRESTIGE[mood - t.LOWEST_MOOD])
    if mood == t.MOOD_BACK:
        game["back"] = 1
    elif mood == t.MOOD_QUILL:
        game["quills"] = 1


@rule
def legal(game: Record, mask: Any) -> int:
    """Mark a move back on every act on which the seat is past space 1 (Rules M2)."""
    count = 0
    for act in range(3):
        if boards.can_move_back(game, act, game["to_move"]):
            mask[actions.BACK + act] = True
            count += 1
    return count


@rule
def is_possible(game: Record) -> bool:
    """Return whether any act allows a move back; if not, nothing happens (Rules M2)."""
    seat = game["to_move"]
    return (
        boards.can_move_back(game, 0, seat)
        or boards.can_move_back(game, 1, seat)
        or boards.can_move_back(game, 2, seat)
    )


@rule
def play(game: Record, action: int) -> None:
    """Move back one space, on top of the pile (Rules M2, T7)."""
    seat = game["to_move"]
    act = action - actions.BACK
    game["back"] = 0
    boards.place(game, act, seat, game["disc_space"][act, seat] - 1)
