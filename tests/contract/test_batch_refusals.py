"""What `Batch` refuses, and that nothing changes where it does."""

from typing import Any

import numpy as np
import pytest

from shakespeare_env import Batch, IllegalMove, Position, registry
from shakespeare_env.batch_checks import as_actions, checked_rows
from shakespeare_env.errors import MemoryLimitError
from tests.contract.batches import assert_unchanged, played, snapshot
from tests.contract.random_games import FULL_TABLES, TABLES, chosen, record_of

GAMES = registry.names()
tables = pytest.mark.parametrize("table", TABLES, ids=str)
full_tables = pytest.mark.parametrize("table", FULL_TABLES, ids=str)
games = pytest.mark.parametrize("name", GAMES)


@tables
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint64])
def test_an_illegal_action_names_its_game_and_changes_nothing_in_any_game(table, dtype):
    batch = played(table)
    before = snapshot(batch)
    actions = chosen(batch.mask, 40).astype(dtype)
    actions[3] = np.argmin(batch.mask[3])
    with pytest.raises(IllegalMove, match="game 3") as caught:
        batch.step(actions)
    assert_unchanged(batch, before)
    fault = caught.value
    assert fault.game_index == 3
    assert fault.seat == batch.to_move[3]
    position = Position.of_record(batch.game, record_of(batch, 3))
    assert fault.move == position.move_text(int(actions[3]))
    assert fault.legal == position.moves()
    assert fault.phase == position.phase


@full_tables
@pytest.mark.parametrize("action", [-1, -2, -(2**62), "size", 2**31, 2**32 + 1, 2**62])
def test_an_action_out_of_range_is_an_illegal_move(table, action):
    batch = played(table)
    before = snapshot(batch)
    actions = chosen(batch.mask, 40)
    actions[1] = batch.actions.size if action == "size" else action
    with pytest.raises(IllegalMove, match="game 1") as caught:
        batch.step(actions)
    assert caught.value.move == actions[1]
    assert_unchanged(batch, before)


@full_tables
def test_the_first_illegal_action_is_found_among_those_of_some_games(table):
    batch = table.batch(6, seed=0)
    rows = np.array([1, 3, 4])
    legal = batch.mask[rows].argmax(axis=1).astype(np.int32)
    assert batch.first_illegal(legal, rows) == -1
    for place, action in ((2, -1), (1, batch.mask.shape[1]), (0, batch.mask[1].argmin())):
        legal[place] = action
        assert batch.first_illegal(legal, rows) == place


@full_tables
def test_the_largest_unsigned_action_is_an_illegal_move(table):
    batch = played(table)
    before = snapshot(batch)
    with pytest.raises(IllegalMove, match="game 0"):
        batch.step(np.full(5, 2**64 - 1, np.uint64))
    assert_unchanged(batch, before)


@full_tables
def test_actions_of_another_type_or_shape_are_refused(table):
    batch = played(table)
    before = snapshot(batch)
    legal = chosen(batch.mask, 40)
    others: list[Any] = [legal.astype(float), legal.astype(str), batch.mask[:, 0], [None] * 5]
    for actions in others:
        with pytest.raises(TypeError, match="integers"):
            batch.step(actions)
    others = [legal[:4], legal[:, None], np.append(legal, 0), legal[0]]
    for actions in others:
        with pytest.raises(ValueError, match="shape"):
            batch.step(actions)
    assert_unchanged(batch, before)


@games
@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        ({"n": 0}, ValueError, "n=0"),
        ({"n": -1}, ValueError, "n=-1"),
        ({"threads": 0}, ValueError, "threads=0"),
        ({"seed": -1}, ValueError, "seed=-1"),
        ({"seed": 2**64}, ValueError, "seed="),
        ({"seed": 1.5}, ValueError, r"seed=1\.5"),
        ({"seed": True}, ValueError, "seed=True"),
        ({"reward": "money"}, ValueError, "reward='money'"),
        ({"players": 0}, ValueError, "players=0"),
        ({"players": 99}, ValueError, "players=99"),
        ({"players": 2.0}, TypeError, r"players=.*2\.0"),
        ({"players": "2"}, TypeError, "players="),
        ({"n": 3, "players": ["most", "most"]}, ValueError, r"shape \(2,\); give one number or 3"),
        ({"n": 2, "players": ["most", 99]}, ValueError, "players=99"),
        ({"no_such_option": True}, TypeError, "no_such_option"),
    ],
)
def test_wrong_arguments_are_refused_by_name(name, arguments, error, named):
    """A seat count that is "most" is the greatest there is."""
    most = registry.seats(name)[-1]
    right: dict[str, Any] = {"n": 1, "players": most}
    if isinstance(arguments.get("players"), list):
        players = [most if count == "most" else count for count in arguments["players"]]
        arguments = arguments | {"players": players}
    with pytest.raises(error, match=named):
        Batch(name, **(right | arguments))


def test_an_unknown_game_is_refused_and_the_known_ones_named():
    with pytest.raises(ValueError, match=f"'chess'.*{GAMES[0]}"):
        Batch("chess", 1, players=3)


@games
def test_a_variant_is_refused_where_it_is_not_for_the_table(name):
    game = registry.game(name)
    for option, seats in game.options.items():
        on: dict[str, Any] = {option: True}
        with pytest.raises(TypeError, match=option):
            Batch(name, 1, players=seats[0], **(on | {option: 1}))
        for players in {game.min_seats, game.max_seats} - set(seats):
            with pytest.raises(ValueError, match=option):
                Batch(name, 2, players=[seats[0], players], **on)


@tables
def test_seats_that_are_not_at_the_table_are_refused(table):
    batch = played(table)
    for seats in ([table.players] * 5, [-1] * 5, [256] * 5, [0] * 4):
        with pytest.raises(ValueError, match="seat"):
            batch.observe(seats)
        with pytest.raises(ValueError, match="seat"):
            batch.determinize(slice(None), seats, [0] * 5)


@full_tables
def test_seeds_are_whole_numbers_of_64_bits_one_for_each_game(table):
    batch = played(table)
    before = snapshot(batch)
    wrong: list[Any] = [[0, 1, 2, 3, -1], [2**64] * 5, [0.0] * 5, [True] * 5, [1] * 4, [[1]] * 5]
    wrong += [np.arange(-1, 4), np.zeros(5), np.ones(5, bool), np.arange(4), np.ones((5, 1), int)]
    for seeds in wrong:
        with pytest.raises(ValueError, match="seed"):
            batch.determinize(slice(None), [0] * 5, seeds)
        assert_unchanged(batch, before)


@full_tables
def test_records_of_another_type_are_refused(table):
    batch = played(table)
    before = snapshot(batch)
    with pytest.raises(TypeError, match=table.game):
        batch.load([0], np.zeros(1, [("players", np.int8)]))
    assert_unchanged(batch, before)


def test_what_was_checked_is_not_the_callers_to_change():
    """Another thread may write into them while the step is under way."""
    actions, rows = np.zeros(3, np.int32), np.arange(3)
    assert not np.shares_memory(as_actions(actions, 3), actions)
    assert not np.shares_memory(checked_rows(3, rows), rows)


@pytest.mark.parametrize("name", GAMES)
def test_more_games_than_fit_the_machine_are_refused_before_memory_is_taken(name):
    with pytest.raises(MemoryLimitError, match=r"2,147,483,648 games of .*: play fewer at once"):
        Batch(name, n=2**31, players=registry.seats(name)[-1])
