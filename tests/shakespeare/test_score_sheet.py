"""What a position tells of where prestige came from."""

from shakespeare_env.shakespeare.score_sheet import score_sheet
from tests.contract.playing import play
from tests.shakespeare.positions import everyone_on, last_turn, ready_to_pass, seat, turn_position


def test_during_the_game_prestige_is_one_row():
    d = turn_position(players=2, seats={0: seat(prestige=7), 1: seat(prestige=-1)})
    assert score_sheet(d) == [("so far", [7, -1])]


def test_at_the_end_yellow_elements_and_wages_are_told_apart():
    me = ready_to_pass(["othello"], stage={"a3": "yellow"}, objectives=["jewels"])
    d = last_turn(players=2, day=6, seats={0: me}, acts=everyone_on(4, 2))
    # 5 prestige, and the two places on Act II.
    assert score_sheet(play(d, "pass")) == [
        ("in play, and objectives", [7, 6]),
        ("yellow elements", [1, 0]),
        ("unpaid wages", [-2, 0]),
    ]
