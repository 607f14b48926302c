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
    """Fill everything underneath these spaces with black."""
    filled: dict[str, str] = {}
    for top in tops:
        for space in UNDERNEATH[top]:
            filled |= below(space) | {space: "black"}
    return filled


def building(stage=None, sets=None, cards=("set_dresser_8",), others=None, **fields):
    """Return a turn of seat 0 with a set dresser, this stage and this display of stage sets."""
    seats = {0: seat(cards, stage=stage or {}, **fields), **(others or {})}
    return turn_position(sets=sets or {"black": 1}, seats=seats)


def can_take(d, card="set_dresser_8"):
    """Return the stage set moves after activating the card."""
    return starting(legal(d, f"activate:{card}"), "set:")


@pytest.mark.parametrize("space", UNDERNEATH)
def test_t13_a_space_is_open_as_soon_as_all_underneath_is_filled(space):
    d = building(below(space), ONE_EACH)
    moves = {move for move in can_take(d) if move.endswith(f">{space}")}
    assert moves == {f"set:{colour}>{space}" for colour in COLOURS}
    after = play(d, "activate:set_dresser_8", f"set:black>{space}")
    assert gained(d, after, 0) == (int(space in CANDLES), 0)
    assert not {move for move in can_take(building(seat_of(after, 0)["stage"])) if space in move}
    for missing in UNDERNEATH[space]:
        stage = {at: "black" for at in below(space) if at != missing}
        assert f"set:black>{space}" not in can_take(building(stage))


def test_t13_printed_elements_count_as_filled_and_take_nothing():
    # c1 lies on b1 and a printed element.
    assert "set:black>c1" in can_take(building({"a1": "pink", "a2": "pink", "b1": "pink"}))
    d = building(below("c1", "c2", "c3", "c4", "c5"))
    assert can_take(d) == {f"set:black>c{n}" for n in range(1, 6)}


@pytest.mark.parametrize(("space", "mirror"), MIRROR.items())
def test_t13_the_mirrored_space_must_be_empty_or_hold_the_same_colour_or_yellow(space, mirror):
    for colour, fitting in (("pink", {"pink"}), ("yellow", {*COLOURS})):
        d = building(below(space, mirror) | {mirror: colour}, ONE_EACH)
        moves = {move for move in can_take(d) if move.endswith(f">{space}")}
        assert moves == {f"set:{one}>{space}" for one in fitting}
    d = building(below(space, mirror) | {mirror: "green"}, {"yellow": 1}, ["jeweler"])
    assert f"set:yellow>{space}" in can_take(d, "jeweler")


def test_t13_a_yellow_element_scores_a_candle_too():
    d = building(below("c3"), {"yellow": 1}, ["jeweler"])
    assert gained(d, play(d, "activate:jeweler", "set:yellow>c3"), 0) == (1, 0)


# A colour, the prestige and pounds for seat 1, the moods of all seats, the tokens of seat 1.
EFFECTS = [
    ("black", (0, 0), [0, 0, 0, 0], 0),
    ("pink", (0, 1), [0, 0, 0, 0], 0),
    ("purple", (0, 0), [-1, 0, -1, -1], 0),
    ("blue", (0, 0), [0, 2, 0, 0], 0),
    ("green", (0, 0), [0, 0, 0, 0], 1),
    ("yellow", (0, 0), [0, 0, 0, 0], 0),
]


@pytest.mark.parametrize(("colour", "gain", "moods", "tokens"), EFFECTS)
def test_t14_a_stage_set_acts_at_once(colour, gain, moods, tokens):
    card = "jeweler" if colour == "yellow" else "set_dresser_8"
    d = turn_position(to_move=1, sets={colour: 2}, seats={1: seat([card])})
    after = play(d, f"activate:{card}", f"set:{colour}>a3")
    assert gained(d, after, 1) == gain
    assert (each(after, "mood"), each(after, "tokens")) == (moods, [0, tokens, 0, 0])
    assert after["supply_tokens"] == 8 - tokens


@pytest.mark.parametrize(("held", "gets"), [(7, 1), (8, 0)])
def test_t14_green_gives_a_token_only_if_one_is_left_in_the_supply(held, gets):
    d = building(sets={"green": 1}, others={1: seat(tokens=held)})
    after = play(d, "activate:set_dresser_8", "set:green>a3")
    assert (each(after, "tokens"), after["supply_tokens"]) == ([gets, held, 0, 0], 0)
    assert seat_of(after, 0)["stage"] == {"a3": "green"}


@pytest.mark.parametrize(
    ("mood", "up", "down"), [(-2, 0, -2), (-1, 1, -2), (0, 2, -1), (1, 3, 0), (2, 3, 1), (3, 3, 2)]
)
def test_t15_mood_stops_at_plus_3_and_minus_2(mood, up, down):
    d = turn_position(seats={0: seat(mood=mood)})
    assert seat_of(play(d, "activate:falstaff"), 0)["mood"] == up
    d = building(sets={"purple": 1}, others={1: seat(mood=mood)})
    assert seat_of(play(d, "activate:set_dresser_8", "set:purple>a3"), 1)["mood"] == down
