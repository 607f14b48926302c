"""Properties of every game, at every seat count, in every variant, however it is played."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shakespeare_env import IllegalMove, Position
from tests.contract.random_games import TABLES, differing_fields, play_by_rule

tables = st.sampled_from(TABLES)
seeds = st.integers(0, 2**64 - 1)
salts = st.integers(0, 2**32)
stops = st.integers(0, 120)
some = settings(max_examples=25)


def played(table, seed, salt, stop):
    """A position after `stop` decisions, or the last one before the end."""
    position = table.position(seed)
    before = position.copy()
    for step, reached in enumerate(play_by_rule(position, salt)):
        if reached.to_move is None or step > stop:
            break
        before = reached.copy()
    return before


@some
@given(tables, seeds, salts)
def test_there_is_a_choice_until_the_end_and_observations_stay_within_the_layout(table, seed, salt):
    """A decision has two legal moves or more."""
    for position in play_by_rule(table.position(seed), salt):
        layout = position.game.layout
        for seat in range(table.players):
            seen = position.observation(seat)
            assert seen.dtype == np.int8
            outside = np.flatnonzero((seen < layout.low) | (seen > layout.high))
            assert not outside.size, [f.name for f in layout if f.start in outside]
        moves = position.moves()
        assert len(set(moves)) == len(moves) == position.action_mask().sum()
        if position.to_move is None:
            assert not moves
            assert position.winners
        else:
            assert len(moves) >= 2
            assert position.winners is None
            assert 0 <= position.to_move < table.players


@some
@given(tables, seeds, salts, stops)
def test_copies_are_independent_and_compared_by_what_they_say(table, seed, salt, stop):
    position = played(table, seed, salt, stop)
    before = position.record()
    ways = (Position.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one)))
    twins = [way(position) for way in ways]
    for twin in twins:
        assert twin == position
        *_, end = play_by_rule(twin, salt)
        assert end is twin != position
        assert differing_fields(end.record(), twins[0].record()) == []
    assert differing_fields(position.record(), before) == []
    reseeded = position.copy()
    reseeded.reseed(99)
    assert reseeded == position != "a position"
    with pytest.raises(TypeError):
        hash(position)


@some
@given(tables, seeds, salts, stops, st.integers(0, 10**6))
def test_an_illegal_move_changes_nothing(table, seed, salt, stop, pick):
    position = played(table, seed, salt, stop)
    mask = position.action_mask()
    before = position.record()
    illegal = np.flatnonzero(~mask)
    move = position.move_text(int(illegal[pick % len(illegal)]))
    with pytest.raises(IllegalMove) as caught:
        position.push(move)
    fault = caught.value
    seat = position.to_move
    assert (fault.move, fault.seat, fault.phase) == (move, seat, position.phase)
    assert (fault.legal, fault.game_index) == (position.moves(), None)
    assert f"seat {seat} decides in phase '{position.phase}'; legal: " in str(fault)
    for wrong in ("castle", "", f"{move}\n", "x" * 10**6, None, 3, True, b"pass", [move]):
        with pytest.raises(IllegalMove, match=f"seat {seat} decides"):
            position.push(wrong)
    assert differing_fields(position.record(), before) == []
    np.testing.assert_array_equal(position.action_mask(), mask)
