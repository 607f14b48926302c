"""Every answer is judged by the stated rule; `make fuzz ARGS=programs` draws them."""

from tests.arena import hostile_program
from tests.contract.random_games import TABLES
from tests.fuzz.targets import programs


def test_every_answer_is_judged_by_the_rule():
    kinds = set(hostile_program.KINDS.values())
    assert kinds == {"", "crash", "time", "memory", "flood", "garbage", "illegal"}
    table = next(table for table in TABLES if table.players == 2)
    programs.withstands(hostile_program.IN_TURN, table, len(hostile_program.in_turn()))
