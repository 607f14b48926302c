"""Answers of an external program: each is judged by the stated rule, and the arena goes on."""

from __future__ import annotations

import gc
import random
import tempfile
from collections.abc import Hashable, Sequence
from pathlib import Path

import numpy as np

from shakespeare_agents.arena.games.referee import Answers
from shakespeare_agents.arena.programs import Limits, Program, ProgramAgent
from shakespeare_env.core import registry
from shakespeare_env.core.kernels import compile_all
from shakespeare_env.play.information_sets import InformationSets
from shakespeare_env.play.lineup import play_out
from tests.arena.programs import hostile_program
from tests.arena.programs.small_programs import PYTHON, TOKEN, descriptors, games, running
from tests.contract.random_games import TABLES, Table

PATIENCE = 120.0
ANSWERS = 20
"""That a case has at least."""
LIMITS = Limits(seconds_a_move=1.0, megabytes=60, seconds_to_start=1.0)
_TOGETHER = 3


def prepare() -> None:
    for name in registry.names():
        compile_all(registry.game(name))


def check(case: random.Random) -> str:
    withstands(str(case.getrandbits(32)), case.choice(TABLES), ANSWERS)
    return "judged"


class Judged(ProgramAgent):
    """Compares what its program is found to do with what it was to do."""

    def __init__(self, program: Program, seed: str) -> None:
        super().__init__(program)
        self.seed = seed
        self.asked = 0
        self.lost: dict[Hashable, str] = {}

    def answer(self, games: InformationSets, keys: Sequence[Hashable]) -> Answers:
        answers = super().answer(games, keys)
        for place, key in enumerate(keys):
            self.asked += 1
            name = hostile_program.plan(self.seed, self.asked)
            fault = answers.faults.get(place)
            kind = "" if fault is None else fault.kind
            said = "" if fault is None else f" ({fault.details})"
            expected = hostile_program.KINDS[name]
            assert kind == expected, f"{name} is judged as {kind or 'right'!r}{said}"
            if fault is not None:
                assert fault.details
                self.lost[key] = kind
        return answers


def withstands(seed: str, table: Table, answers: int) -> None:
    """Play with a hostile program until it has answered so often, and see that nothing is left."""
    table.batch(1, seed=0)  # what is opened once stays open
    gc.collect()  # what earlier work left
    before, others = descriptors(), running()
    with tempfile.TemporaryDirectory() as folder:
        counter = Path(folder, "counter")
        counter.touch()
        argv = [*PYTHON, str(hostile_program.__file__), seed, str(counter), TOKEN]
        with Judged(Program(argv, LIMITS, Path(folder)), seed) as hostile:
            while hostile.asked < answers:
                _play(hostile, table)
    gc.collect()
    left = [process for process in running() if process not in others]
    assert not left, f"processes left: {left}"
    assert descriptors() == before, "descriptors left open"


def _play(hostile: Judged, table: Table) -> None:
    """Games: the program loses those in which it fails, and plays on in the others."""
    hostile.lost.clear()
    batch, lineup = games(table, [hostile], _TOGETHER)
    play_out(batch, lineup)
    lineup.end()
    lost = {key[1]: kind for key, kind in hostile.lost.items() if isinstance(key, tuple)}
    assert {row: forfeit.fault.kind for row, forfeit in lineup.forfeits.items()} == lost
    finished = ~lineup.forfeited
    assert (batch.to_move[finished] == -1).all()
    assert np.array_equal(np.flatnonzero(lineup.forfeited), sorted(lost))
