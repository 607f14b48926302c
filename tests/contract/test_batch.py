"""`Batch`: its arrays, its steps and what it refuses."""

import numpy as np
import pytest

from shakespeare_env import Batch, IllegalMove, registry
from tests.contract.random_games import (
    FULL_TABLES,
    LONGEST,
    TABLES,
    chosen,
    differing_fields,
    move_by_rule,
)

GAMES = registry.names()
tables = pytest.mark.parametrize("table", TABLES, ids=str)
full_tables = pytest.mark.parametrize("table", FULL_TABLES, ids=str)
games = pytest.mark.parametrize("name", GAMES)


def arrays_of(batch):
    """Name -> array, for every array that a batch shows."""
    width = batch.game.max_seats
    shapes = {
        "players": ((), np.int8),
        "to_move": ((), np.int8),
        "mask": ((batch.actions.size,), np.bool_),
        "obs": ((batch.game.layout.size,), np.int8),
        "rewards": ((width,), np.float32),
        "done": ((), np.bool_),
        "final_scores": ((width,), np.int16),
        "final_winners": ((width,), np.bool_),
    }
    return {name: (getattr(batch, name), shape, dtype) for name, (shape, dtype) in shapes.items()}


def snapshot(batch):
    """Copies of everything a step could change."""
    shown = {name: array.copy() for name, (array, _, _) in arrays_of(batch).items()}
    return shown, batch.save(slice(None))


def assert_unchanged(batch, before):
    shown, records = before
    for name, array in shown.items():
        np.testing.assert_array_equal(getattr(batch, name), array, name)
    assert differing_fields(batch.save(slice(None)), records) == []


def played(table, n=5, seed=40, steps=40, **arguments):
    """A batch some steps into its games."""
    batch = table.batch(n, seed=seed, **arguments)
    for step in range(steps):
        batch.step(chosen(batch.mask, step))
    return batch


def played_out(table, n, seed):
    """A batch without autoreset in which every game is over."""
    batch = table.batch(n, seed=seed, autoreset=False)
    for step in range(LONGEST):
        if (batch.to_move < 0).all():
            return batch
        batch.step(chosen(batch.mask, step))
    raise AssertionError("some game does not end")


# ---- arrays --------------------------------------------------------------------------------------


@tables
def test_arrays_have_their_shapes_and_types_and_are_written_in_place(table):
    batch = table.batch(6, seed=41)
    before = arrays_of(batch)
    for name, (array, shape, dtype) in before.items():
        assert array.shape == (6, *shape), name
        assert array.dtype == dtype, name
    first = batch.obs.copy()
    for step in range(30):
        rewards, done = batch.step(chosen(batch.mask, step))
        assert rewards is batch.rewards
        assert done is batch.done
    batch.reset(1)
    batch.load([0], batch.save([1]))
    batch.determinize([0], [0], [0])
    for name, (array, _, _) in before.items():
        assert getattr(batch, name) is array, name
    assert not np.array_equal(first, batch.obs)
    assert batch.n == 6
    assert batch.actions is batch.game.actions


@games
def test_seats_can_differ_from_game_to_game(name):
    game = registry.game(name)
    seats = [*range(game.min_seats, game.max_seats + 1)] * 2
    for players in (seats, np.array(seats), tuple(seats)):
        batch = Batch(name, len(seats), players=players, seed=42)
        assert batch.players.tolist() == seats
        assert batch.save(slice(None))["players"].tolist() == seats
    for step in range(LONGEST):
        assert (batch.to_move < batch.players).all()
        batch.step(chosen(batch.mask, step))
        absent = np.arange(game.max_seats) >= batch.players[:, None]
        assert not batch.rewards[absent].any()
        if batch.done.all() or step > 400:
            break
    assert not batch.final_winners[absent].any()


@tables
def test_there_is_a_choice_in_every_game(table):
    """D1: two legal actions or more, and the seat to move sees that it decides."""
    batch = table.batch(20, seed=43)
    for step in range(300):
        assert (batch.mask.sum(axis=1) >= 2).all()
        assert batch.obs.any(axis=1).all()
        batch.step(chosen(batch.mask, step))


@tables
def test_observe_gives_each_seat_what_the_position_gives_it(table):
    batch = table.batch(3, seed=44)
    position = table.position(seed=44)  # game 0 of the batch
    for step in range(100):
        for seat in range(table.players):
            seen = batch.observe([seat] * 3)
            np.testing.assert_array_equal(seen[0], position.observation(seat))
            own = batch.to_move == seat
            np.testing.assert_array_equal(seen[own], batch.obs[own])
        position.push(move_by_rule(position, step))
        batch.step(chosen(batch.mask, step))
        if batch.done[0]:
            break
    assert (seen.dtype, seen.shape) == (np.int8, batch.obs.shape)


@full_tables
def test_random_actions_are_legal_and_reach_every_legal_action(table):
    batch = table.batch(1, seed=44)
    for _ in range(3):
        legal = set(np.flatnonzero(batch.mask[0]).tolist())
        drawn = [batch.random_actions() for _ in range(60 * len(legal))]
        assert drawn[0].dtype == np.int32
        assert {int(actions[0]) for actions in drawn} == legal
        batch.step(drawn[0])


# ---- the end of a game ---------------------------------------------------------------------------


@tables
def test_without_autoreset_finished_games_wait_for_the_others(table):
    batch = played_out(table, 4, seed=45)
    assert not batch.mask.any()
    assert not batch.obs.any()
    assert (batch.random_actions() == -1).all()
    before = batch.save(slice(None))
    scores, winners = batch.final_scores.copy(), batch.final_winners.copy()
    rewards, done = batch.step([-1] * 4)
    assert not rewards.any()
    assert not done.any()
    assert differing_fields(batch.save(slice(None)), before) == []
    np.testing.assert_array_equal(batch.final_scores, scores)
    np.testing.assert_array_equal(batch.final_winners, winners)
    for action in (0, batch.actions.size):
        with pytest.raises(IllegalMove, match="over") as caught:
            batch.step([-1, -1, action, -1])
        assert (caught.value.game_index, caught.value.seat) == (2, None)
    batch.reset(46)
    assert (batch.to_move >= 0).all()


@tables
def test_with_autoreset_the_next_game_has_begun_where_one_is_done(table):
    batch = table.batch(4, seed=47)
    waiting = table.batch(4, seed=47, autoreset=False)
    begun = table.batch(4, seed=47)
    ended = np.zeros(4, bool)
    for step in range(LONGEST):
        batch.step(chosen(batch.mask, step))
        waiting.step(np.where(ended, -1, chosen(waiting.mask, step)))
        for number in np.flatnonzero(batch.done & ~ended):
            np.testing.assert_array_equal(batch.rewards[number], waiting.rewards[number])
            np.testing.assert_array_equal(batch.final_scores[number], waiting.final_scores[number])
            np.testing.assert_array_equal(
                batch.final_winners[number], waiting.final_winners[number]
            )
            assert waiting.to_move[number] == -1
            assert batch.mask[number].any()
            # The new game is one that begins, but not the one that the row began with.
            assert batch.save(number)["random"] != begun.save(number)["random"]
            start = batch.game.to_dict(batch.save(number))
            first = batch.game.to_dict(begun.save(number))
            assert start.keys() == first.keys()
            assert start != first
            assert start["seats"] == first["seats"]
        ended |= batch.done
        if ended.all():
            return
    raise AssertionError("some game does not end")


# ---- refusals ------------------------------------------------------------------------------------


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
    assert fault.move == batch.actions.texts[int(actions[3])]
    assert fault.legal == [batch.actions.texts[i] for i in np.flatnonzero(batch.mask[3])]
    assert fault.phase == batch.game.phase(batch.save(3))


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
    for actions in (legal.astype(float), legal.astype(str), batch.mask[:, 0], [None] * 5):
        with pytest.raises((TypeError, ValueError), match="integers"):
            batch.step(actions)
    for actions in (legal[:4], legal[:, None], np.append(legal, 0), legal[0]):
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
        ({"n": 3, "players": [4, 4]}, ValueError, "2 entries for 3 games"),
        ({"n": 2, "players": [4, 99]}, ValueError, "players=99"),
        ({"no_such_option": True}, TypeError, "no_such_option"),
    ],
)
def test_wrong_arguments_are_refused_by_name(name, arguments, error, named):
    right = {"n": 1, "players": registry.game(name).max_seats}
    with pytest.raises(error, match=named):
        Batch(name, **(right | arguments))


def test_an_unknown_game_is_refused_and_the_known_ones_named():
    with pytest.raises(ValueError, match=f"'chess'.*{GAMES[0]}"):
        Batch("chess", 1, players=2)


@games
def test_a_variant_is_refused_where_it_is_not_for_the_table(name):
    game = registry.game(name)
    for option, seats in game.options.items():
        with pytest.raises(TypeError, match=option):
            Batch(name, 1, players=seats[0], **{option: 1})
        for players in {game.min_seats, game.max_seats} - set(seats):
            with pytest.raises(ValueError, match=option):
                Batch(name, 2, players=[seats[0], players], **{option: True})


@tables
def test_seats_that_are_not_at_the_table_are_refused(table):
    batch = played(table)
    for seats in ([table.players] * 5, [-1] * 5, [0] * 4):
        with pytest.raises(ValueError, match="seat"):
            batch.observe(seats)
        with pytest.raises(ValueError, match="seat"):
            batch.determinize(slice(None), seats, [0] * 5)


@full_tables
def test_records_of_another_type_are_refused(table):
    batch = played(table)
    before = snapshot(batch)
    with pytest.raises(TypeError, match=table.game):
        batch.load([0], np.zeros(1, [("players", np.int8)]))
    assert_unchanged(batch, before)
