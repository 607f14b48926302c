"""An external program as an agent."""

from __future__ import annotations

import sys
import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from shakespeare_agents.programs import Answers, Fault, Process, Program, ProgramError

from shakespeare_env.checks.json_input import FieldError, Fields, dump_line, parse_object
from shakespeare_env.errors import ArenaError
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.information_sets import InformationSets

MOST_FAULTS = 10
"""Faults in a row after which the other games decided together are lost unasked, since waiting for
thousands of answers would hold up everybody else."""


@dataclass
class _Game:
    """The id by which a program knows a game, and the seconds it has thought in it."""

    number: int
    seconds: float = 0.0


class ProgramAgent:
    """Asks a program, which is started when first asked and anew after every fault.

    Several games are asked about one after the other. Close it, or use it in `with`, to end
    the program; at the latest it ends with the interpreter.

    Attributes:
        program: What is started.

    Raises:
        ArenaError: this is Windows.
    """

    def __init__(self, program: Program) -> None:
        if sys.platform == "win32":
            raise ArenaError(f"{program}: programs play on Linux and macOS; on Windows use WSL")
        self.program = program
        self._process: Process | None = None
        self._games: dict[Hashable, _Game] = {}
        self._over: list[int] = []
        self._questions, self._numbers = count(1), count(1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"ProgramAgent({self.program})"

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy elsewhere starts a program of its own."""
        folder = self.program.folder.resolve()
        return ProgramAgent, (replace(self.program, folder=folder),)

    def close(self) -> None:
        """End the program and all that it has started."""
        process, self._process = self._process, None
        self._over.clear()
        if process is not None:
            process.kill()

    def answer(self, games: InformationSets, keys: Sequence[Hashable]) -> Answers:
        """Decide in m games, known by m keys; a fault loses one and starts the program anew."""
        actions, seconds = np.full(len(keys), -1), np.zeros(len(keys))
        faults: dict[int, Fault] = {}
        in_a_row = 0
        for place, key in enumerate(keys):
            if in_a_row == MOST_FAULTS:
                unasked = f"it was not asked any more after {MOST_FAULTS} faults in a row"
                faults[place] = Fault(faults[place - 1].kind, unasked)
                continue
            if key not in self._games:
                self._games[key] = _Game(next(self._numbers))
            game = self._games[key]
            before = game.seconds
            try:
                actions[place] = self._decide(games, place, game)
                in_a_row = 0
            except ProgramError as error:
                faults[place] = error.fault
                in_a_row += 1
                self.close()
            except BaseException:  # a late answer would pass for the next question's
                self.close()
                raise
            seconds[place] = game.seconds - before
        return Answers(actions, seconds, faults)

    def end(self, keys: Sequence[Hashable]) -> None:
        """Forget games that are over; the program learns of it with the next question."""
        for key in keys:
            game = self._games.pop(key, None)
            if game is not None:
                self._over.append(game.number)

    def search(self, games: InformationSets, rng: GameGenerators) -> NDArray[np.int64]:
        """int64[m]: decide without a referee; each decision counts as a game of its own.

        Raises:
            ProgramError: the program has failed.
        """
        keys = [object() for _ in range(len(games))]
        answers = self.answer(games, keys)
        self.end(keys)
        for fault in answers.faults.values():
            raise ProgramError(fault)
        return answers.actions.astype(np.int64)

    def _decide(self, games: InformationSets, place: int, game: _Game) -> int:
        limits = self.program.limits
        left = max(0.0, min(limits.seconds_a_move, limits.seconds_a_game - game.seconds))
        limit = f"{limits.seconds_a_move:g} s"
        if left < limits.seconds_a_move:
            limit = f"{limits.seconds_a_game:g} s in one game"
        number = next(self._questions)
        asked = question(games, place, number=number, game_id=game.number, seconds=left)
        begun = time.monotonic()
        if self._process is None:
            begun += limits.seconds_to_start
            limit += f", and {limits.seconds_to_start:g} s to start"
            self._process = Process(self.program)
        else:
            asked = b"".join(map(notice_of_end, self._over)) + asked
        self._over.clear()
        try:
            line = self._process.ask(asked, begun + left, limit)
        finally:
            game.seconds += max(0.0, time.monotonic() - begun)
        return action_in(line, number, games.moves(place))


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
