"""The worked examples of the rule book, played as scenes."""

from tests.contract.playing import legal, play
from tests.shakespeare import positions as p

RED, BLUE, GREEN, YELLOW = range(4)


def test_wagers_of_day_1():
    # Red 2, Green 5, Blue and Yellow 3; Blue is above Yellow on the Initiative track.
    d = p.wager_position(
        day=1, order=[BLUE, RED, YELLOW, GREEN], initiative=[BLUE, RED, YELLOW, GREEN]
    )
    after = play(d, "wager:3", "wager:2", "wager:3", "wager:5")
    assert after["order"] == [RED, BLUE, YELLOW, GREEN]
    assert p.each(after, "prestige") == [6, 5, 5, 5]
    assert after["initiative"] == []
    assert p.each(after, "cylinders") == [2, 3, 5, 3]


def green_builds():
    """Green, with a set dresser 8 and a jeweler, is to move; Red follows."""
    return p.turn_position(
        day=2,
        order=[RED, BLUE, YELLOW, GREEN],
        to_move=GREEN,
        sets={"green": 1, "pink": 1, "black": 1, "yellow": 1},
        seats={GREEN: p.seat(["set_dresser_8", "jeweler"])},
    )


def test_green_builds_green_pink_and_black():
    d = green_builds()
    d = play(d, "activate:set_dresser_8", "set:green>a3")
    assert p.seat_of(d, GREEN)["tokens"] == 1
    d = play(d, "set:pink>a2")
    assert p.seat_of(d, GREEN)["pounds"] == 1
    # Black may not mirror pink; anywhere else on the first line, or on top of the two.
    assert p.starting(legal(d), "set:") == {"set:black>a1", "set:black>a5", "set:black>b2"}
    after = play(d, "set:black>b2")
    assert p.seat_of(after, GREEN)["stage"] == {"a3": "green", "a2": "pink", "b2": "black"}
    assert p.seat_of(after, GREEN)["prestige"] == 5
    assert after["to_move"] == RED


def test_greens_jeweler_puts_a_joker_beside_the_green_element():
    d = green_builds()
    d = play(d, "activate:set_dresser_8", "set:green>a3", "set:pink>a2", "set:black>b2")
    d = play(d, *["activate:falstaff"] * 3)
    assert d["to_move"] == GREEN
    after = play(d, "activate:jeweler", "set:yellow>a4")
    assert p.seat_of(after, GREEN)["stage"]["a4"] == "yellow"
    # Pink at a2 and the joker at a4 count as mirrored, so the line above may go on.
    assert p.gained(d, after, GREEN) == (0, 0)


def test_the_rehearsal_of_day_4():
    # Red, last by initiative, has Lady Macbeth, Hamlet and an extra in complete costumes; those
    # of the Author and Falstaff are not complete.
    complete, begun = ["black", "pink", "pink"], ["purple", "purple"]
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


def test_green_rests_all_but_the_jeweler():
    used = ["author", "falstaff", "queen", "set_dresser_8", "jeweler"]
    green = p.finished(["set_dresser_8", "jeweler"], used=used)
    d = p.last_turn(seats={RED: p.ready_to_pass(), GREEN: green})
    waiting = play(d, "pass")
    assert waiting["to_move"] == GREEN
    after = play(waiting, "keep:jeweler")
    rests = {card["card"]: card["rest"] for card in p.seat_of(after, GREEN)["troupe"]}
    assert rests == dict.fromkeys(used, True) | {"handyman_board": False, "jeweler": False}
    assert not any(card["cylinder"] for card in p.seat_of(after, GREEN)["troupe"])
