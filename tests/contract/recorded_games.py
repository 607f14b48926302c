"""Whole games recorded by other programs, to be replayed move by move.

A file is JSON lines: the first holds a position, every other one a move, the moves that were legal
and the next position. Chance is drawn by whoever plays: what it has had a hand in, a game's own
tests say (`Chance`), and check that both draws were possible.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from shakespeare_env import Position

Dict = dict[str, Any]
Chance = Callable[[Dict, Dict], Collection[str]]
"""(before, after) -> the entries of the position after in which chance has had a hand."""


class Step(NamedTuple):
    """A move of a recorded game; all positions are in notation."""

    number: int
    before: Dict
    move: str
    legal: list[str]
    after: Dict

    def played(self) -> Dict:
        """The position after the move, with what chance gives the engine."""
        position = Position.from_dict(self.before, seed=self.number)
        position.push(self.move)
        return position.to_dict()


@dataclass(frozen=True)
class RecordedGame:
    """A file of a folder; a test that it does not pass says where it differs."""

    folder: Path
    name: str

    def __str__(self) -> str:
        return self.name

    def positions(self) -> list[Dict]:
        """All positions, the first and the last one included."""
        return [line["position"] for line in _lines(self.folder / f"{self.name}.jsonl.gz")]

    def steps(self) -> Iterator[Step]:
        """All moves in order."""
        lines = _lines(self.folder / f"{self.name}.jsonl.gz")
        for number, (before, after) in enumerate(pairwise(lines), start=1):
            yield Step(number, before["position"], after["move"], after["legal"], after["position"])

    def draws(self, chance: Chance) -> Iterator[Step]:
        """The moves after which something was drawn."""
        return (step for step in self.steps() if chance(step.before, step.after))

    def check_positions(self) -> None:
        """Every position is read, and written as it was."""
        for number, position in enumerate(self.positions()):
            assert _texts(Position.from_dict(position).to_dict()) == _texts(position), number

    def check_legal_moves(self) -> None:
        """In every position the legal moves are those recorded."""
        for step in self.steps():
            found = sorted(Position.from_dict(step.before).moves())
            assert found == sorted(step.legal), (step.number, step.move)

    def check_moves(self, chance: Chance) -> None:
        """Every move leads to the position recorded, but for what chance has had a hand in."""
        for step in self.steps():
            found = step.played()
            drawn = chance(step.before, step.after)
            kept = {key: value for key, value in step.after.items() if key not in drawn}
            assert found.keys() == step.after.keys()
            assert _texts({key: found[key] for key in kept}) == _texts(kept), step.number

    def check_result(self, scores: Callable[[Dict], list[int]]) -> None:
        """The game ends where the record does, with its winners and its scores."""
        last = self.positions()[-1]
        end = Position.from_dict(last)
        assert (end.moves(), end.winners, end.scores()) == ([], last["winners"], scores(last))


def _texts(position: Dict) -> dict[str, str]:
    """Entry -> its JSON text, in which 1, 1.0 and true are different."""
    return {key: json.dumps(value, sort_keys=True) for key, value in position.items()}


@cache
def _lines(path: Path) -> list[Dict]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
