"""External programs as agents: the questions that they get and the answers that they give.

Questions and answers are lines of JSON.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.json_input import dump_line, parse_object
from shakespeare_agents.programs import Fault, Program, ProgramError, RunningProgram
from shakespeare_env.checks.values import short_repr
from shakespeare_env.errors import ArenaError
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.information_sets import InformationSets

MOST_FAULTS = 10
"""After so many faults in a row, a program is not asked about the rest of a batch of games.

It loses these games, since waiting for thousands of answers would hold up all other players.
"""


class Answers(NamedTuple):
    """An agent's answers in m games."""

    actions: NDArray[np.integer]  # int[m], -1 where there is a fault
    seconds: NDArray[np.float64] | float  # float64[m], the time for each game, or one for all
    faults: Mapping[int, Fault]  # by index among the m games


class ProgramAgent(AbstractContextManager["ProgramAgent"]):
    """An agent that asks a program for its moves.

    The program is started for the first question, and again after every fault. It ends when the
    agent is closed, at the end of a `with` block, or with the interpreter.

    Raises:
        ArenaError: this is Windows.
    """

    def __init__(self, program: Program) -> None:
        if sys.platform == "win32":
            raise ArenaError(f"{program}: programs play on Linux and macOS; on Windows use WSL")
        self.program = program
        self._running: RunningProgram | None = None
        self._game_ids: dict[Hashable, int] = {}
        self._seconds: defaultdict[int, float] = defaultdict(float)  # by game id
        self._unannounced_ends: list[int] = []  # games whose end the program has not been told
        self._question_numbers = count(1)
        self._next_game_ids = count(1)

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"ProgramAgent({self.program})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle only the command. The unpickled copy starts a program of its own."""
        folder = self.program.folder.resolve()
        return ProgramAgent, (replace(self.program, folder=folder),)

    def close(self) -> None:
        """End the program and all processes that it has started."""
        running = self._running
        self._running = None
        self._unannounced_ends.clear()
        if running is not None:
            running.kill()

    def answer(self, games: InformationSets, keys: Sequence[Hashable]) -> Answers:
        """Decide in m games, which m keys identify.

        A fault counts in one game only. The program is started again for the next game.
        """
        actions = np.full(len(keys), -1)
        seconds = np.zeros(len(keys))
        faults: dict[int, Fault] = {}
        faults_in_a_row = 0
        for row, key in enumerate(keys):
            if faults_in_a_row == MOST_FAULTS:
                details = f"it was not asked any more after {MOST_FAULTS} faults in a row"
                faults[row] = Fault(faults[row - 1].kind, details)
                continue
            if key not in self._game_ids:
                self._game_ids[key] = next(self._next_game_ids)
            game_id = self._game_ids[key]
            seconds_before = self._seconds[game_id]
            try:
                actions[row] = self._decide(games, row, game_id)
                faults_in_a_row = 0
            except ProgramError as error:
                faults[row] = error.fault
                faults_in_a_row += 1
                self.close()
            except BaseException:  # a late answer must not be taken for the next question's
                self.close()
                raise
            seconds[row] = self._seconds[game_id] - seconds_before
        return Answers(actions, seconds, faults)

    def end(self, keys: Sequence[Hashable]) -> None:
        """Forget games that are over. The program is told of their end with its next question."""
        game_ids = [self._game_ids.pop(key) for key in keys if key in self._game_ids]
        self._unannounced_ends += game_ids
        for game_id in game_ids:
            del self._seconds[game_id]

    def search(self, games: InformationSets, rng: GameGenerators) -> NDArray[np.int64]:
        """Return the chosen actions, int64[m], for callers without a referee.

        A fault raises an exception here, while an arena's referee counts it as a lost game. The
        program sees each decision as one of a new game.

        Raises:
            ProgramError: the program has failed.
        """
        keys = [object() for _ in range(len(games))]
        answers = self.answer(games, keys)
        self.end(keys)
        for fault in answers.faults.values():
            raise ProgramError(fault.kind, fault.details)
        return answers.actions.astype(np.int64)

    def _decide(self, games: InformationSets, row: int, game_id: int) -> int:
        limits = self.program.limits
        left_of_game = limits.seconds_a_game - self._seconds[game_id]
        left = max(0.0, min(limits.seconds_a_move, left_of_game))
        limit = f"{limits.seconds_a_move:g} s"
        if left < limits.seconds_a_move:
            limit = f"{limits.seconds_a_game:g} s in one game"
        number = next(self._question_numbers)
        question = move_request(games, row, number=number, game_id=game_id, seconds=left)

        began = time.monotonic()
        if self._running is None:
            # The time to start is granted in addition, so the clock begins that much later.
            began += limits.seconds_to_start
            limit += f", and {limits.seconds_to_start:g} s to start"
            # A new process knows no earlier games, so it is not told that they are over.
            self._running = RunningProgram(self.program)
        else:
            question = b"".join(map(end_notice, self._unannounced_ends)) + question
        self._unannounced_ends.clear()
        try:
            line = self._running.ask(question, began + left, limit)
        finally:
            self._seconds[game_id] += max(0.0, time.monotonic() - began)
        return parse_answer(line, number, games.moves(row))


def move_request(
    games: InformationSets, row: int, *, number: int, game_id: int, seconds: float
) -> bytes:
    """Return the line that asks for a move in one game.

    It is made from information sets, which hold nothing that the seat may not know.

    Args:
        games: The games.
        row: The index of the game among them.
        number: The number of the question, which the answer must repeat.
        game_id: The number of the game.
        seconds: The time left for the answer.
    """
    return _line(
        id=number,
        command="move",
        game_id=game_id,
        seat=int(games.seats[row]),
        seconds=round(seconds, 3),
        position=games.seen(row),
        observation=games.observations[row].tolist(),
        moves=list(games.moves(row)),
    )


def end_notice(game_id: int) -> bytes:
    """Return the line that tells a program that a game is over."""
    return _line(command="end", game_id=game_id)


def _line(**fields: Any) -> bytes:
    return f"{dump_line(fields)}\n".encode()


def parse_answer(line: bytes, number: int, moves: Mapping[str, int]) -> int:
    """Return the action that an answer chooses.

    Args:
        line: The answer.
        number: The number of the question.
        moves: The actions of the legal moves, by the moves' text.

    Raises:
        ProgramError: the answer is garbage, or does not name a legal move.
    """
    try:
        answer = parse_object(line)
    except ValueError as fault:
        raise ProgramError("garbage", f"its answer is {fault}") from fault
    if answer.keys() != {"id", "move"}:
        given = short_repr(list(answer))
        raise ProgramError("garbage", f"its answer has the fields {given}; give only id and move")
    identifier = answer["id"]
    if type(identifier) is not int or identifier != number:
        details = f"its answer has id={short_repr(identifier)}; it must repeat id={number}"
        raise ProgramError("garbage", details)
    move = answer["move"]
    if not isinstance(move, str):
        raise ProgramError("garbage", f"its answer has move={short_repr(move)}; give a text")
    if move not in moves:
        raise ProgramError("illegal", f"{short_repr(move)} is not legal; legal: {', '.join(moves)}")
    return moves[move]
