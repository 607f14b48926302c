"""The action table: ids and texts, one for one, whoever moves at whatever table."""

import re

import pytest

from shakespeare_env import registry
from shakespeare_env.action_table import ActionTable, Block
from tests.contract.random_games import TABLES, sampled

GAMES = registry.names()
SEATS = [
    (name, players, seat)
    for name in GAMES
    for players in {registry.seats(name)[0], registry.seats(name)[-1]}
    for seat in {0, players - 1}
]

games = pytest.mark.parametrize("name", GAMES)
tables = pytest.mark.parametrize("table", TABLES, ids=str)
all_seats = pytest.mark.parametrize(("name", "players", "seat"), SEATS)
PLACE = re.compile(r"\{\+(\d+)\}")


def written(text, seat, players):
    """A text as a seat writes it: places count clockwise from it, if the table has them."""

    def named(place):
        number = int(place[1])
        return str((seat + number) % players if number < players else number)

    return PLACE.sub(named, text)


def is_at_table(text, players):
    """Whether a text names places of a table alone."""
    return all(int(place) < players for place in PLACE.findall(text))


@all_seats
def test_texts_and_ids_are_inverse_for_every_seat_and_table(name, players, seat):
    table = registry.game(name).actions
    texts, ids = table.texts_for(seat, players), table.ids_for(seat, players)
    assert len(texts) == len(set(texts)) == table.size
    assert [table.text(index, seat, players) for index in range(table.size)] == [*texts]
    at_table = [index for index in range(table.size) if is_at_table(table.texts[index], players)]
    assert ids == {texts[index]: index for index in at_table}
    for text, shown in zip(table.texts, texts, strict=True):
        assert shown == written(text, seat, players)
        assert "{" not in shown


@games
def test_ids_run_through_the_blocks_in_order(name):
    table = registry.game(name).actions
    assert [*table.start] == [block.name for block in table.blocks]
    number = 0
    for block in table.blocks:
        assert table.start[block.name] == number
        for text, description in zip(block.texts, block.descriptions, strict=True):
            assert (table.texts[number], table.descriptions[number]) == (text, description)
            assert text.strip() == text != ""
            assert description
            number += 1
    assert table.size == number == len(table.texts) == len(table.descriptions)


@tables
def test_a_position_reads_and_writes_the_moves_of_the_seat_to_move(table):
    for position in sampled(table, seed=12, every=9):
        actions, seat = position.game.actions, position.to_move or 0
        legal = position.action_mask().nonzero()[0].tolist()
        assert [position.move_text(action) for action in legal] == position.moves()
        assert [position.action_id(move) for move in position.moves()] == legal
        for action in range(actions.size):
            text = position.move_text(action)
            assert "{" not in text
            assert text == actions.text(action, seat, table.players)
            if not is_at_table(actions.texts[action], table.players):
                assert not position.is_move(text)
                continue
            assert position.action_id(text) == action
            assert position.is_move(text)
            assert position.describe_move(text) == actions.description(action, seat, table.players)
            assert "{" not in position.describe_move(text)


@tables
def test_what_no_seat_writes_is_no_move(table):
    position = table.position(seed=12)
    relative = {text for text in position.game.actions.texts if PLACE.search(text)}
    for text in ("", "castle", "{+0}", " ", *relative):
        assert not position.is_move(text)
        for ask in (position.action_id, position.describe_move):
            with pytest.raises(ValueError, match=r"has no move .*lists them all"):
                ask(text)
    for action in (-1, position.game.actions.size, 10**30):
        with pytest.raises(ValueError, match=f"action {action} is out of range 0 to"):
            position.move_text(action)


def test_a_text_may_hold_several_places():
    texts = ("swap:{+0}>{+1}", "swap:{+1}>{+2}", "give:{+11}")
    table = ActionTable([Block("swap", texts, texts)])
    assert table.texts_for(2, 3) == ("swap:2>0", "swap:0>1", "give:11")
    assert table.ids_for(2, 3) == {"swap:2>0": 0, "swap:0>1": 1}
    assert table.ids_for(0, 3) == {"swap:0>1": 0, "swap:1>2": 1}
    assert table.ids_for(0, 12)["give:11"] == 2


@pytest.mark.parametrize(
    ("blocks", "named"),
    [
        ([Block("a", ("x", "y", "x"), ("1", "2", "3"))], r"share a text: \['x'\]"),
        ([Block("a", ("x",), ("1",)), Block("b", ("x",), ("2",))], r"share a text: \['x'\]"),
        ([Block("a", ("x", "y"), ("1",))], "block 'a': 2 texts, 1 descriptions"),
        ([Block("b", (), ("1",))], "block 'b': 0 texts, 1 descriptions"),
    ],
)
def test_a_table_with_equal_texts_or_uneven_blocks_is_refused(blocks, named):
    with pytest.raises(ValueError, match=named):
        ActionTable(blocks)
