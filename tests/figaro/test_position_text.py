"""Positions as text: exactly the notation's form, loss-free, and nothing else gets through."""

import copy
import random
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shakespeare_env import Position
from shakespeare_env.errors import PositionError
from tests.contract.random_games import game_from
from tests.figaro.cards import KINDS
from tests.figaro.samples import OURS, SAMPLES, positions, through_json
from tests.figaro.test_position_checks import KEYS

tables = pytest.mark.parametrize("table", OURS, ids=str)
any_table = st.sampled_from(OURS)
seeds = st.integers(0, 2**64 - 1)


@tables
def test_every_position_of_a_game_survives_json(table):
    for seed in range(3):
        for reached in positions(table, seed):
            d = reached.to_dict()
            read = Position.from_dict(through_json(d))
            assert read == reached
            assert read.to_dict() == d
            assert read.moves() == reached.moves()
            assert (read.to_move, read.winners) == (reached.to_move, reached.winners)


@tables
def test_positions_are_written_exactly_as_the_notation_says(table):
    for reached in positions(table, seed=8, every=3):
        d = reached.to_dict()
        assert tuple(d) == KEYS
        assert (d["game"], d["players"]) == ("figaro", table.players)
        assert all(type(d[key]) is int for key in ("players", "round", "king"))
        for hand in d["hands"]:
            assert list(hand) == sorted(hand)
            assert set(hand) <= set(KINDS)
            assert all(type(count) is int and count > 0 for count in hand.values())
        for pile in d["front"] + d["taken"]:
            assert set(pile) <= set(KINDS)
        for pile in d["taken"]:
            assert pile == sorted(pile)
        for number, pieces in enumerate(d["pieces"], start=1):
            scored = number < d["round"] or d["to_move"] is None
            assert len(pieces) == (0 if scored else table.players - 1)
        for row in d["pieces"] + d["roads"]:
            assert all(type(piece) is int for piece in row)
            assert row == sorted(row, reverse=True)
        if d["to_move"] is None:
            assert (d["round"], len(d["winners"])) == (3, 1)
            assert not any(d["hands"] + d["front"])
            assert any(d["taken"])
        else:
            assert d["winners"] is None
        assert reached.phase == ("over" if d["to_move"] is None else "turn")


def test_cards_lie_in_the_order_in_which_they_were_played():
    """Last card last, and a ring keeps its place in the pile that it passes on (B4)."""
    game = Position.from_dict(
        through_json(SAMPLES[0]())  # seat 2 to move, ring, blue-2 and blue-1 before it
    )
    game.push("play:jester-2>1")
    assert game.to_dict()["front"][1] == ["jester-1", "jester-2"]
    game.push("take")
    game.push("play:orange-2>3")
    game.push("ring")
    assert game.to_dict()["front"] == [["orange-2"], ["ring"], [], []]


@pytest.mark.parametrize("make", SAMPLES)
def test_chance_to_come_is_no_part_of_a_position(make):
    one, other = (Position.from_dict(make(), seed=seed) for seed in (1, 2))
    assert one == other
    assert one.to_dict() == other.to_dict()


@tables
def test_positions_that_differ_in_one_entry_are_not_equal(table):
    """Whatever an exchange of two cards or pieces changes in the text, `==` sees it."""
    rng = random.Random(3)
    for reached in positions(table, seed=11, every=4):
        d = reached.to_dict()
        if d["to_move"] is None:
            continue
        other = copy.deepcopy(d)
        giver, taker = rng.sample(range(table.players), 2)
        if other["taken"][giver]:
            card = other["taken"][giver].pop()
            other["taken"][taker] = sorted([*other["taken"][taker], card])
            assert Position.from_dict(other) != reached
        moved = d | {"king": (d["king"] + 1) % table.players}
        assert Position.from_dict(moved) != reached


def places(value: Any, way: tuple[Any, ...] = ()) -> Any:
    """The way to every value of a position, those of lists and objects too."""
    if way:
        yield way
    entries: Any = ()
    if isinstance(value, dict):
        entries = value.items()
    elif isinstance(value, list):
        entries = enumerate(value)
    for key, entry in entries:
        yield from places(entry, (*way, key))


WRONG = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 16),
    st.sampled_from([2**31, -(2**63), 2**64, 10**40, 1.0, float("nan"), float("inf")]),
    st.sampled_from([*KINDS, "", "?", "purple-4", "RING", "ring ", "\0", "é" * 1000]),
    st.lists(st.sampled_from(KINDS), max_size=12),
    st.lists(st.integers(-1, 16), max_size=6),
    st.dictionaries(st.sampled_from([*KINDS, "joker"]), st.integers(-1, 9), max_size=4),
    st.just([[]]),
    st.just([{}, {}, {}, {}]),
)


def read_or_refused(d: Any, named: str) -> Position | None:
    """The position, or None where it is refused in words that begin so."""
    try:
        return Position.from_dict(d)
    except PositionError as fault:
        refusal = str(fault)
    assert re.match(named, refusal, re.DOTALL), refusal
    return None


def mutated(d: Any, draw: Any) -> Any:
    """A copy of a position with one value replaced, removed, doubled or taken from elsewhere."""
    d = copy.deepcopy(d)
    ways = list(places(d))
    *way, last = draw(st.sampled_from(ways))
    entry = d
    for key in way:
        entry = entry[key]
    what = draw(st.sampled_from(["replace", "remove", "double", "move", "count"]))
    if what == "remove":
        del entry[last]
    elif what == "double" and isinstance(entry, list):
        entry.append(copy.deepcopy(entry[last]))
    elif what == "move":
        source: Any = d
        for key in draw(st.sampled_from(ways)):
            source = source[key]
        entry[last] = copy.deepcopy(source)
    elif what == "count" and type(entry[last]) is int:
        entry[last] += draw(st.sampled_from([-1, 1]))
    else:
        entry[last] = draw(WRONG)
    return d


@pytest.mark.slow
@settings(max_examples=200)
@given(any_table, st.integers(0, 50), st.integers(0, 40), st.integers(0, 2**32), st.data())
def test_a_wrong_value_is_refused_or_leaves_a_position_that_can_be_played(
    table, seed, decisions, salt, data
):
    """No value makes the reader fail in another way, or lets through what the rules cannot play."""
    position = table.position(seed)
    for number, _ in enumerate(game_from(position, salt)):
        if number == decisions * 6:
            break
    d = mutated(position.to_dict(), data.draw)
    read = read_or_refused(d, named=r"[^ ]+: .*; ")
    if read is None:
        return
    text = read.to_dict()
    assert Position.from_dict(text) == read
    assert Position.from_dict(through_json(text)).to_dict() == text
    for seat in range(read.players):
        assert read.determinize(seat, salt).to_move == read.to_move
    for reached in game_from(read, salt):
        assert Position.from_dict(reached.to_dict()) == reached


@pytest.mark.slow
@settings(max_examples=60)
@given(any_table, seeds, st.integers(0, 40), st.integers(0, 2**32), st.data())
def test_cards_and_pieces_that_change_places_leave_a_position_that_can_be_played(
    table, seed, decisions, salt, data
):
    """Two entries of the same kind are exchanged: most of these positions stand."""
    position = table.position(seed)
    for number, _ in enumerate(game_from(position, salt)):
        if number == decisions * 4:
            break
    d = position.to_dict()
    heaps = [heap for key in ("front", "taken") for heap in d[key] if heap]
    if len(heaps) > 1:
        one, other = data.draw(st.sampled_from(heaps)), data.draw(st.sampled_from(heaps))
        first, second = (data.draw(st.integers(0, len(heap) - 1)) for heap in (one, other))
        one[first], other[second] = other[second], one[first]
    read = read_or_refused(d, named="front")
    if read is None:
        return
    for reached in game_from(read, salt):
        assert Position.from_dict(reached.to_dict()) == reached
