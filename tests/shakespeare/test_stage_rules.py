"""The stage and its elements: rules T13 to T15."""

import pytest

from tests.contract.playing import legal, play
from tests.shakespeare.positions import each, gained, seat, seat_of, starting, turn_position

COLOURS = ("black", "pink", "purple", "blue", "green")
ONE_EACH = dict.fromkeys(COLOURS, 1)
UNDERNEATH = {
    "a1": [], "a2": [], "a3": [], "a4": [], "a5": [],
    "b1": ["a1", "a2"], "b2": ["a2", "a3"], "b3": ["a3", "a4"], "b4": ["a4", "a5"],
    "c1": ["b1"], "c2": ["b1", "b2"], "c3": ["b2", "b3"], "c4": ["b3", "b4"], "c5": ["b4"],
}  # fmt: skip
MIRROR = {
    "a1": "a5", "a2": "a4", "a4": "a2", "a5": "a1", "b1": "b4", "b2": "b3", "b3": "b2",
    "b4": "b1", "c1": "c5", "c2": "c4", "c4": "c2", "c5": "c1",
}  # fmt: skip
CANDLES = {"b1", "b4", "c2", "c3", "c4"}


def below(*tops):
    """Everything underneath these spaces, filled with black."""
    filled: dict[str, str] = {}
    for top in tops:
        for space in UNDERNEATH[top]:
            filled |= below(space) | {space: "black"}
    return filled


def building(stage=None, sets=None, cards=("set_dresser_8",), others=None, **fields):
    """Seat 0 to move, with a set dresser, this stage and this display of stage sets."""
    seats = {0: seat(cards, stage=stage or {}, **fields), **(others or {})}
    return turn_position(sets=sets or {"black": 1}, seats=seats)


def can_take(d, card="set_dresser_8"):
    """The stage set moves after activating the card."""
    return starting(legal(d, f"activate:{card}"), "set:")


@pytest.mark.parametrize("space", UNDERNEATH)
def test_t13_a_space_is_open_as_soon_as_all_underneath_is_filled(space):
    assert f"set:black>{space}" in can_take(building(below(space)))


@pytest.mark.parametrize(
    ("space", "missing"), [(top, under) for top in UNDERNEATH for under in UNDERNEATH[top]]
)
def test_t13_a_space_is_closed_while_one_underneath_is_empty(space, missing):
    stage = below(*(under for under in UNDERNEATH[space] if under != missing), missing)
    stage |= {under: "black" for under in UNDERNEATH[space] if under != missing}
    assert missing not in stage
    assert f"set:black>{space}" not in can_take(building(stage))


def test_t13_printed_elements_count_as_filled():
    # c1 lies on b1 and a printed element; b1 lies on a1 and a2.
    assert "set:black>c1" in can_take(building({"a1": "pink", "a2": "pink", "b1": "pink"}))


def test_t13_nothing_goes_on_the_printed_elements():
    d = building(below("c1", "c2", "c3", "c4", "c5"))
    assert can_take(d) == {f"set:black>c{n}" for n in range(1, 6)}


@pytest.mark.parametrize("space", UNDERNEATH)
def test_t13_a_filled_space_takes_nothing_more(space):
    stage = below(space) | {space: "black"}
    moves = can_take(building(stage, ONE_EACH))
    assert not {move for move in moves if move.endswith(f">{space}")}


@pytest.mark.parametrize(("space", "mirror"), MIRROR.items())
def test_t13_the_mirrored_space_must_hold_the_same_colour(space, mirror):
    stage = below(space, mirror) | {mirror: "pink"}
    moves = can_take(building(stage, ONE_EACH))
    assert {move for move in moves if move.endswith(f">{space}")} == {f"set:pink>{space}"}


@pytest.mark.parametrize("space", MIRROR)
def test_t13_with_an_empty_mirror_any_colour_will_do(space):
    moves = can_take(building(below(space), ONE_EACH))
    expected = {f"set:{colour}>{space}" for colour in COLOURS}
    assert {move for move in moves if move.endswith(f">{space}")} == expected


@pytest.mark.parametrize("space", ["a3", "c3"])
def test_t13_a_space_in_the_middle_is_its_own_mirror(space):
    moves = can_take(building(below(space), ONE_EACH))
    assert {f"set:{colour}>{space}" for colour in COLOURS} <= moves


@pytest.mark.parametrize(("space", "mirror"), MIRROR.items())
def test_t13_beside_a_yellow_mirror_any_colour_will_do(space, mirror):
    stage = below(space, mirror) | {mirror: "yellow"}
    moves = can_take(building(stage, ONE_EACH))
    expected = {f"set:{colour}>{space}" for colour in COLOURS}
    assert {move for move in moves if move.endswith(f">{space}")} == expected


@pytest.mark.parametrize(("space", "mirror"), MIRROR.items())
def test_t13_a_yellow_element_goes_beside_any_colour(space, mirror):
    stage = below(space, mirror) | {mirror: "green"}
    d = building(stage, {"yellow": 1}, ["jeweler"])
    assert f"set:yellow>{space}" in can_take(d, "jeweler")


@pytest.mark.parametrize("space", UNDERNEATH)
def test_t13_filling_a_candle_space_scores_1_prestige(space):
    d = building(below(space))
    after = play(d, "activate:set_dresser_8", f"set:black>{space}")
    assert gained(d, after, 0) == (int(space in CANDLES), 0)


def test_t13_a_yellow_element_scores_a_candle_too():
    d = building(below("c3"), {"yellow": 1}, ["jeweler"])
    assert gained(d, play(d, "activate:jeweler", "set:yellow>c3"), 0) == (1, 0)


def test_t13_the_row_above_opens_within_the_same_action():
    d = building({"a1": "pink"}, {"black": 2})
    after = play(d, "activate:set_dresser_8", "set:black>a2", "set:black>b1")
    assert seat_of(after, 0)["stage"] == {"a1": "pink", "a2": "black", "b1": "black"}


# Colour -> what seat 1 gains, the mood of all four, the tokens of seat 1.
EFFECTS = [
    ("black", (0, 0), [0, 0, 0, 0], 0),
    ("pink", (0, 1), [0, 0, 0, 0], 0),
    ("purple", (0, 0), [-1, 0, -1, -1], 0),
    ("blue", (0, 0), [0, 2, 0, 0], 0),
    ("green", (0, 0), [0, 0, 0, 0], 1),
]


@pytest.mark.parametrize(("colour", "gain", "moods", "tokens"), EFFECTS)
def test_t14_a_stage_set_acts_at_once(colour, gain, moods, tokens):
    seats = {1: seat(["set_dresser_8"])}
    d = turn_position(to_move=1, sets={colour: 2}, seats=seats)
    after = play(d, "activate:set_dresser_8", f"set:{colour}>a3", *(["done"] * (colour != "green")))
    assert gained(d, after, 1) == gain
    assert each(after, "mood") == moods
    assert each(after, "tokens") == [0, tokens, 0, 0]
    assert after["supply_tokens"] == 8 - tokens


def test_t14_yellow_does_nothing():
    d = building(sets={"yellow": 2}, cards=["jeweler"])
    after = play(d, "activate:jeweler", "set:yellow>a3")
    assert gained(d, after, 0) == (0, 0)
    assert (each(after, "mood"), each(after, "tokens")) == ([0] * 4, [0] * 4)


def test_t14_every_element_acts_for_itself():
    d = building(sets={"pink": 2, "purple": 1})
    moves = ["set:pink>a1", "set:purple>a3", "set:pink>a5"]
    after = play(d, "activate:set_dresser_8", *moves)
    assert gained(d, after, 0) == (0, 2)
    assert each(after, "mood") == [0, -1, -1, -1]


def test_t14_green_gives_a_token_only_if_one_is_left_in_the_supply():
    d = building(sets={"green": 1}, others={1: seat(tokens=8)})
    assert d["supply_tokens"] == 0
    after = play(d, "activate:set_dresser_8", "set:green>a3")
    assert (each(after, "tokens"), after["supply_tokens"]) == ([0, 8, 0, 0], 0)
    assert seat_of(after, 0)["stage"] == {"a3": "green"}


def test_t14_green_gives_the_last_token():
    d = building(sets={"green": 1}, others={1: seat(tokens=7)})
    after = play(d, "activate:set_dresser_8", "set:green>a3")
    assert (each(after, "tokens"), after["supply_tokens"]) == ([1, 7, 0, 0], 0)


@pytest.mark.parametrize(("mood", "after"), [(-2, 0), (-1, 1), (0, 2), (1, 3), (2, 3), (3, 3)])
def test_t15_mood_stops_at_plus_3(mood, after):
    d = turn_position(seats={0: seat(mood=mood)})
    assert seat_of(play(d, "activate:falstaff"), 0)["mood"] == after


@pytest.mark.parametrize(("mood", "after"), [(-2, -2), (-1, -2), (0, -1), (3, 2)])
def test_t15_mood_stops_at_minus_2(mood, after):
    d = building(sets={"purple": 1}, others={1: seat(mood=mood)})
    d = play(d, "activate:set_dresser_8", "set:purple>a3")
    assert seat_of(d, 1)["mood"] == after


def test_t15_steps_past_an_end_are_not_remembered():
    d = building(sets={"blue": 1, "purple": 1}, mood=2, others={1: seat(["set_dresser_6"])})
    d = play(d, "activate:set_dresser_8", "set:blue>a3", "done")
    d = play(d, "activate:set_dresser_6", "set:purple>a3")
    assert seat_of(d, 0)["mood"] == 2
