"""The action table: ids and texts, one for one, whoever moves at whatever table."""

import re

import pytest

from shakespeare_env.core.action_table import ActionTable, Block
from tests.contract.each_table import plain_tables
from tests.contract.random_games import sampled

PLACE = re.compile(r"\{\+(\d+)\}")


@plain_tables
def test_texts_and_ids_are_inverse_for_every_seat(table):
    """Places count clockwise from the seat; what names one that the table lacks is no move."""
    actions, players = table.position(seed=0).game.actions, table.players
    for seat in range(players):
        texts, ids = actions.texts_for(seat, players), actions.ids_for(seat, players)
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
    for position in sampled(table, seed=12, every=30):
        actions, seat = position.game.actions, position.to_move or 0
        legal = position.action_mask().nonzero()[0].tolist()
        assert [position.move_text(action) for action in legal] == position.moves()
        ids = actions.ids_for(seat, table.players)
        for action in range(actions.size):
            text = position.move_text(action)
            assert text == actions.text(action, seat, table.players)
            assert position.is_move(text) == (text in ids)
            if text in ids:
                assert position.action_id(text) == action
                described = actions.description(action, seat, table.players)
                assert position.describe_move(text) == described
                assert "{" not in described
    for text in ("", "castle", "{+0}"):
        for ask in (position.action_id, position.describe_move):
            with pytest.raises(ValueError, match=r"has no move .*lists them all"):
                ask(text)
    for action in (-1, position.game.actions.size):
        with pytest.raises(ValueError, match=f"action {action} is out of range 0 to"):
            position.move_text(action)


def test_a_text_may_hold_several_places():
    texts = ("swap:{+0}>{+1}", "swap:{+1}>{+2}", "give:{+11}")
    table = ActionTable([Block("swap", texts, texts)])
    assert table.texts_for(2, 3) == ("swap:2>0", "swap:0>1", "give:11")
    assert table.ids_for(0, 3) == {"swap:0>1": 0, "swap:1>2": 1}
    assert table.ids_for(0, 12)["give:11"] == 2


@pytest.mark.parametrize(
    ("blocks", "named"),
    [
        ([Block("a", ("x",), ("1",)), Block("b", ("x",), ("2",))], r"share a text: \['x'\]"),
        ([Block("a", ("x", "y"), ("1",))], "block 'a': 2 texts, 1 descriptions"),
    ],
)
def test_a_table_with_equal_texts_or_uneven_blocks_is_refused(blocks, named):
    with pytest.raises(ValueError, match=named):
        ActionTable(blocks)
