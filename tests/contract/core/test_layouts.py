"""The action table and the observation: the same for every seat at whatever table."""

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from shakespeare_env import observation_layout
from shakespeare_env.core import registry
from shakespeare_env.core.game import LayoutEntry, ObservationField, ObservationLayout
from tests.contract import knowledge
from tests.contract.batches import games
from tests.contract.each_table import plain_tables
from tests.contract.random_games import sample_positions

PLACE = re.compile(r"\{\+(\d+)\}")


@plain_tables
def test_texts_and_ids_are_inverse_for_every_seat(table):
    """Places count clockwise from the seat; what names one that the table lacks is no move."""
    actions = table.position(seed=0).game.actions
    players = table.players
    for seat in range(players):
        texts = actions.texts_for(seat, players)
        ids = actions.ids_for(seat, players)
        assert len(texts) == len(set(texts)) == actions.size
        at_table = {}
        for index, (text, shown) in enumerate(zip(actions.texts, texts, strict=True)):
            places = [int(place) for place in PLACE.findall(text)]
            if all(place < players for place in places):
                at_table[shown] = index
                for place in places:
                    text = text.replace(f"{{+{place}}}", str((seat + place) % players))
                assert shown == text
            assert "{" not in shown
            assert actions.text(index, seat, players) == shown.strip() != ""
        assert ids == at_table


@plain_tables
def test_a_position_reads_and_writes_the_moves_of_the_seat_to_move(table):
    for position in sample_positions(table, seed=12, every=30):
        legal = position.action_mask().nonzero()[0].tolist()
        moves = position.moves()
        assert [position.move_text(action) for action in legal] == moves
        assert [position.action_id(text) for text in moves] == legal
        assert all(map(position.is_move, moves))
    for text in ("", "castle", "{+0}"):
        for ask in (position.action_id, position.describe_move):
            with pytest.raises(ValueError, match=r"has no move .*lists them all"):
                ask(text)
    with pytest.raises(ValueError, match="out of range"):
        position.move_text(position.game.actions.size)


def blocks(layout):
    """Seat number -> the fields of its block, without the seat's number."""
    found: dict[int, dict[str, ObservationField]] = {}
    for field in layout:
        if match := re.fullmatch(r"seat(\d+)\.(\w+)", field.name):
            found.setdefault(int(match[1]), {})[match[2]] = field
    return found


@games
def test_described_fields_cover_the_observation_and_seats_have_equal_blocks(name):
    layout = observation_layout(name)
    covered = np.zeros(layout.size, int)
    for field in layout:
        assert field.slice == slice(field.start, field.start + field.size)
        covered[field.slice] += 1
        assert -128 <= field.low < field.high <= 127
        assert field.description
        assert (layout.low[field.slice] == field.low).all()
        assert (layout.high[field.slice] == field.high).all()
        assert layout[field.name] == field
    assert (covered == 1).all()
    by_seat = blocks(layout)
    assert list(by_seat) == list(range(registry.game(name).max_seats))
    for block in by_seat.values():
        for key, field in block.items():
            alike = replace(field, name=by_seat[0][key].name, start=by_seat[0][key].start)
            assert alike == by_seat[0][key]
        assert block.keys() == by_seat[0].keys()


def test_a_field_says_in_data_and_in_words_what_its_numbers_are():
    day, pounds = ObservationLayout(
        [
            LayoutEntry("day", 2, 0, 1, "the day", ("first", "second"), is_one_hot=True),
            ("pounds", 1, 0, 9, "pounds"),
        ]
    )
    assert (day.names, day.is_one_hot) == (("first", "second"), True)
    assert day.description == "one-hot: the day: first, second"
    assert (pounds.names, pounds.is_one_hot, pounds.description) == ((), False, "pounds")


def test_a_field_names_all_of_its_numbers_or_none():
    with pytest.raises(ValueError, match=r"'day' has 3 numbers and 1 names"):
        ObservationLayout([LayoutEntry("day", 3, 0, 1, "the day", ("first",))])


def test_offsets_are_the_starts_of_fields_by_name_without_their_prefix():
    layout = ObservationLayout(
        [("seat0.pounds", 1, 0, 9, ""), ("seat1.pounds", 1, 0, 9, ""), ("day", 2, 0, 1, "")]
    )
    assert layout.offsets("seat1.")._asdict() == {"pounds": 1}
    assert layout.offsets()._asdict() == {"day": 2}


@plain_tables
def test_all_seats_see_the_same_table_each_from_its_own_place(table):
    """Every block that shows a seat agrees on all that is public.

    The first block is the observer's, and those of absent seats are zero. Fields outside the blocks
    are public but for those that begin with `own_` or `known_`.
    """
    layout = observation_layout(table.game)
    own = knowledge.of(table.game, "facts").OWN_FIELDS
    found = blocks(layout)
    assert own <= set(found[0])
    for position in sample_positions(table, seed=61, every=10):
        seen = [position.observation(seat) for seat in range(table.players)]
        for field in layout:
            if not field.name.startswith(("seat", "own_", "known_")):
                assert len({observation[field.slice].tobytes() for observation in seen}) == 1
        for observer, observation in enumerate(seen):
            for place, block in found.items():
                shown = {name: observation[field.slice] for name, field in block.items()}
                present = any(numbers.any() for numbers in shown.values())
                assert present == (place < table.players)
                if present:
                    owner = seen[(observer + place) % table.players]
                    for name in shown.keys() - own:
                        field = found[0][name]
                        np.testing.assert_array_equal(shown[name], owner[field.slice], name)
    for seat, ask in product((-1, table.players, 256), (position.observation, position.seen_by)):
        with pytest.raises(ValueError, match=f"seat {seat}|seat={seat}"):
            ask(seat)
