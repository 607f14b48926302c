"""What a program is asked, and what its answer says (docs/programs.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_agents.arena.faults import Fault
from shakespeare_agents.arena.programs.process import ProgramError
from shakespeare_env.information_sets import InformationSets
from shakespeare_env.json_input import FieldError, Fields, dump_line, parse_object


def question(
    games: InformationSets, place: int, *, number: int, game_id: int, seconds: float
) -> bytes:
    """The line that asks for a move in one of some games.

    It is made from information sets, which hold nothing that the seat may not know.

    Args:
        games: The games.
        place: The index of the game.
        number: A number that the answer must repeat.
        game_id: The id by which the program knows the game.
        seconds: The time left for the move.
    """
    return _line(
        {
            "id": number,
            "command": "move",
            "game_id": game_id,
            "seat": int(games.seats[place]),
            "seconds": round(seconds, 3),
            "position": games.seen(place),
            "observation": games.observations[place].tolist(),
            "moves": list(games.moves(place)),
        }
    )


def notice_of_end(game_id: int) -> bytes:
    """The line that says that a game is over."""
    return _line({"command": "end", "game_id": game_id})


def action_in(line: bytes, number: int, moves: Mapping[str, int]) -> int:
    """The action that an answer chooses.

    Raises:
        ProgramError: it is garbage, or no legal move.
    """
    try:
        fields = Fields(parse_object(line))
        fields.only("id", "move")
        if fields.identifier("id") != number:
            raise fields.wrong("id", f"must be {number}, as in the question")
        move = fields.text("move")
    except FieldError as fault:
        raise ProgramError(Fault("garbage", f"in its answer: {fault}")) from fault
    except ValueError as fault:
        raise ProgramError(Fault("garbage", f"its answer is {fault}")) from fault
    if move not in moves:
        legal = ", ".join(moves)
        raise ProgramError(Fault("illegal", f"{fields.shown(move)} is not legal; legal: {legal}"))
    return moves[move]


def _line(value: Mapping[str, Any]) -> bytes:
    return f"{dump_line(value)}\n".encode()
