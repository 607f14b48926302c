"""The puzzles of the package; `docs/puzzles.py` finds them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from shakespeare_agents.analysis.puzzles import Puzzle
from shakespeare_agents.table.live_table import Snapshot, first_snapshot
from shakespeare_agents.table.store import SeatPlan, TablePlan
from shakespeare_env.core.registry import box_fault

GRADES = {1: "easy", 2: "medium", 3: "hard"}


@dataclass(frozen=True)
class Try:
    """What a move in a puzzle is worth.

    Attributes:
        move: The move, in notation.
        loss: The share of the victory that it loses against the best one.
    """

    move: str
    loss: float

    @property
    def is_right(self) -> bool:
        """Whether it is the best move."""
        return self.loss == 0


@cache
def puzzles_of(game: str) -> Sequence[Puzzle]:
    """The puzzles of a game, easy ones first; none if another box than theirs is in force."""
    file = files(__package__) / "puzzles" / f"{game}.jsonl"
    if not file.is_file():
        return ()
    head, *lines = file.read_text(encoding="utf-8").splitlines()
    if box_fault(game, json.loads(head)["box_digest"]) is not None:
        return ()
    found = [Puzzle(**json.loads(line)) for line in lines]
    return sorted(found, key=lambda puzzle: puzzle.grade)


def stands(game: str, number: int, puzzle: Puzzle) -> Snapshot:
    """The table of a puzzle; its number counts from 1."""
    players, mover = puzzle.position["players"], puzzle.position["to_move"]
    seats = tuple(SeatPlan("You" if seat == mover else f"Player {seat}") for seat in range(players))
    plan = TablePlan(game, players, (), 0, seats, start=puzzle.position)
    return first_snapshot(plan, f"puzzle-{game}-{number}")


def tried(puzzle: Puzzle, move: str) -> Try | None:
    """What a move is worth; None if it is none of the puzzle's."""
    worths = puzzle.worths
    return Try(move, worths[puzzle.best] - worths[move]) if move in worths else None
