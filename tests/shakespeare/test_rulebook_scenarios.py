"""The worked examples of the rule book, played as scenes."""

from tests.contract.playing import legal, play
from tests.shakespeare import positions as p

RED, BLUE, GREEN, YELLOW = range(4)


def test_green_builds_green_pink_and_black_and_a_joker_beside_green():
    d = p.turn_position(
        day=2,
        order=[RED, BLUE, YELLOW, GREEN],
        to_move=GREEN,
        sets={"green": 1, "pink": 1, "black": 1, "yellow": 1},
        seats={GREEN: p.seat(["set_dresser_8", "jeweler"])},
    )
    d = play(d, "activate:set_dresser_8", "set:green>a3", "set:pink>a2")
    assert [p.seat_of(d, GREEN)[field] for field in ("tokens", "pounds")] == [1, 1]
    # Black may not mirror pink; anywhere else on the first line, or on top of the two.
    assert p.starting(legal(d), "set:") == {"set:black>a1", "set:black>a5", "set:black>b2"}
    built = play(d, "set:black>b2")
    assert (p.each(built, "prestige"), built["to_move"]) == ([5] * 4, RED)
    # Pink at a2 and the joker at a4 count as mirrored, so the line above may go on.
    after = play(built, *["activate:falstaff"] * 3, "activate:jeweler", "set:yellow>a4")
    stage = {"a3": "green", "a2": "pink", "b2": "black", "a4": "yellow"}
    assert p.seat_of(after, GREEN)["stage"] == stage
    assert p.gained(built, after, GREEN) == (0, 0)


def test_the_rehearsal_of_day_4():
    # Red, last by initiative, has Lady Macbeth, Hamlet and an extra in complete costumes; those
    # of the Author and Falstaff are not complete.
    complete = ["black", "pink", "pink"]
    begun = ["purple", "purple"]
    red = p.finished(
        ["lady_macbeth", "hamlet", "extra:jeweler"],
        costumes={"lady_macbeth": complete, "hamlet": complete, "extra1": complete}
        | {"author": begun, "falstaff": begun},
        resting=["hamlet"],
    )
    d = p.last_turn(
        day=4,
        to_move=BLUE,
        order=[RED, GREEN, YELLOW, BLUE],
        initiative=[BLUE, GREEN, YELLOW],
        seats={RED: red, BLUE: p.ready_to_pass(used=["author"])}
        | {i: p.finished(used=["falstaff"]) for i in (GREEN, YELLOW)},
        acts={act: {4: [RED, BLUE, GREEN, YELLOW]} for act in ("I", "II", "III")},
    )
    waiting = play(d, "pass")
    assert waiting["initiative"] == [BLUE, GREEN, YELLOW, RED]
    assert (waiting["to_move"], waiting["pending"]["quills"]) == (RED, 1)
    assert p.spaces(waiting, RED) == (5, 5, 5)
    assert p.gained(d, waiting, RED) == (1, 0)
    after = play(waiting, "quill:II")
    assert p.space(after, "II", RED) == 6


def test_the_acts_are_scored_on_day_4():
    d = p.last_turn(
        day=4,
        acts={
            "I": {3: [GREEN], 4: [BLUE, RED], 6: [YELLOW]},
            "II": {2: [YELLOW], 5: [BLUE, GREEN], 7: [RED]},
            "III": {4: [RED], 5: [YELLOW], 6: [GREEN], 10: [BLUE]},
        },
    )
    after = play(d, "pass")
    assert p.gained(d, after, RED) == (2, 0)
    assert p.gained(d, after, BLUE) == (1 + 3, 0)
    assert p.gained(d, after, GREEN) == (-1 + 1, 0)
    assert p.gained(d, after, YELLOW) == (-1, 1)
