"""Programs that attack the arena are judged by the rule, and killing one loses nothing."""

from tests.arena.attacks import kills
from tests.arena.programs import hostile_program
from tests.contract.random_games import TABLES
from tests.fuzz.targets import programs


def test_every_answer_is_judged_by_the_rule():
    """`make fuzz ARGS=programs` draws them."""
    kinds = set(hostile_program.KINDS.values())
    assert kinds == {"", "crash", "time", "memory", "flood", "garbage", "illegal"}
    table = next(table for table in TABLES if table.players == 2)
    programs.withstands(hostile_program.IN_TURN, table, len(hostile_program.in_turn()))


def test_killing_an_arena_loses_and_repeats_nothing(tmp_path):
    """`python -m tests.arena.attacks.kills` does it a hundred times.

    For datasets `tests/contract/test_dataset_damage.py` does it at every write.
    """
    kills.killed_and_whole(tmp_path, 400, times=2, seed=1, longest=0.1)
