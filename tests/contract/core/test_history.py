"""`Batch.history`: the last decisions of each game, as each seat knows them."""

import copy
import pickle

import numpy as np
import pytest

from shakespeare_env import Batch, Position
from tests.contract import knowledge
from tests.contract.each_table import full_tables
from tests.contract.games import small_games
from tests.contract.random_games import (
    PLAIN_FULL_TABLES,
    Table,
    actions_by_rule,
    sample_positions,
    stack_records,
)

LENGTH = 7
GAMES = 2
TABLES = [*PLAIN_FULL_TABLES, Table("facedown", 3)]


@pytest.fixture(scope="module", autouse=True)
def _small_games():
    with small_games.registered():
        yield


def batch_with_history(table, n, seed, **arguments):
    """Return a batch that keeps `LENGTH` decisions."""
    batch = table.batch(n, seed, **arguments)
    batch.keep_history(LENGTH)
    return batch


def is_secret(batch, row, action):
    """Return whether a move of the seat to move is secret when it is made."""
    position = Position.of_record(batch.game, batch.save([row])[0])
    return batch.game.is_secret(position.to_dict(), position.move_text(action))


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_a_seat_observes_the_decisions_of_all_seats_but_for_secret_actions(table):
    """The latest comes first. A new game begins without any."""
    batch = batch_with_history(table, GAMES, seed=3)
    decisions: list[list[tuple[int, int, bool]]] = [[] for _ in range(GAMES)]
    hidden = 0
    secrets = 0
    for step in range(100):
        for seat in range(table.players):
            history = batch.history(np.full(GAMES, seat))
            assert history.dtype == np.int16
            for shown, made in zip(history.tolist(), decisions, strict=True):
                for place in range(LENGTH):
                    if place >= len(made):
                        assert shown[place] == [0, 0]
                        continue
                    mover, action, secret = made[-1 - place]
                    distance, number = shown[place]
                    assert distance == 1 + (mover - seat) % table.players
                    hidden += number == 0
                    assert number == action + 1 or (number == 0 and secret and mover != seat)
        assert np.array_equal(batch.history(), batch.history(batch.to_move))
        movers = batch.to_move.copy()
        actions = actions_by_rule(batch.mask, step)
        for row, (mover, action) in enumerate(zip(movers, actions.tolist(), strict=True)):
            secret = is_secret(batch, row, action)
            secrets += secret
            decisions[row].append((int(mover), action, secret))
        _, done = batch.step(actions)
        for row in np.flatnonzero(done).tolist():
            decisions[row] = []
    assert (hidden > 0) == (secrets > 0)


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_games_that_look_alike_to_a_seat_have_the_same_history(table):
    """In one of them, the other seats hold other secrets and make other secret choices."""
    compared = 0
    other_choices = 0
    for position in sample_positions(table, seed=6, every=20):
        if position.to_move is None:
            continue
        for seat in range(table.players):
            worlds = [position.copy(), position.determinize(seat, seed=8)]
            batches = []
            for world in worlds:
                world.reseed(9)
                batch = batch_with_history(table, 1, seed=0, autoreset=False)
                batch.load([0], stack_records([world.record()]))
                batches.append(batch)
            true, possible = batches
            for step in range(12):
                views = [view_of(batch, seat) for batch in batches]
                if views[0] != views[1] or true.to_move[0] < 0:
                    break
                assert np.array_equal(true.history([seat]), possible.history([seat]))
                compared += 1
                (action,) = actions_by_rule(true.mask, step).tolist()
                choice = action
                if true.to_move[0] != seat and is_secret(true, 0, action):
                    choice = int(np.flatnonzero(possible.mask[0])[-1])
                if not possible.mask[0, choice]:
                    break
                other_choices += choice != action
                true.step([action])
                possible.step([choice])
    assert compared > 30
    assert (other_choices > 0) == has_secret_moves(table)


def view_of(batch, seat):
    """Return what a seat observes, and who is to move."""
    return batch.observe([seat]).tobytes(), batch.to_move.tolist()


def has_secret_moves(table):
    """Return whether the game of a table has secret moves."""
    if table in PLAIN_FULL_TABLES:
        return knowledge.of(table.game, "facts").SECRET_MOVES
    return True  # in "facedown"


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_a_position_has_the_decisions_that_led_to_it(table):
    """It keeps them in copies and pickles, and in possible games as far as the seat knows them."""
    played = batch_with_history(table, 1, seed=3, autoreset=False)
    position = table.position(3)
    for step in range(25):
        if position.to_move is None:  # "facedown" is short
            break
        actions = actions_by_rule(played.mask, step)
        position.push(position.move_text(int(actions[0])))
        played.step(actions)
        if step == 1:
            position = pickle.loads(pickle.dumps(position.copy()))
        if step == 2:
            position.reseed(4)
            played.load([0], stack_records([position.record()]), played.decisions([0]))
    for seat in range(table.players):
        seats = np.array([seat], np.int8)
        possible = position.determinize(seat, seed=5)
        for twin in (position, possible, pickle.loads(pickle.dumps(possible))):
            assert np.array_equal(loaded(twin).history(seats), played.history(seats))
        known = possible.decisions(LENGTH)
        assert np.array_equal(known, position.decisions(LENGTH, seat))
        unknown = known["hidden"] & (known["seat"] != seat)
        assert (known["action"][unknown] == -1).all()
    assert Position.from_dict(position.to_dict()).decisions(LENGTH)["seat"].max() == -1


def loaded(position):
    """Return a batch of a position with the decisions that led to it."""
    batch = Batch(position.game.name, players=position.players, autoreset=False)
    batch.keep_history(LENGTH)
    batch.load([0], stack_records([position.record()]), position.decisions(LENGTH))
    return batch


@full_tables
def test_a_history_depends_on_no_other_game(table):
    """Nor on the number of games, the threads or the games that are stepped."""
    together = batch_with_history(table, 300, seed=5, threads=2, autoreset=False)
    alone = batch_with_history(table, 1, seed=5, autoreset=False)
    row = 123
    alone.reset(5, [row])
    for step in range(60):
        assert np.array_equal(alone.history(), together.history(rows=[row]))
        actions = actions_by_rule(together.mask, step)
        alone.step(actions[[row]])
        if step % 2:
            together.step(actions)
        else:  # in two parts
            for part in (np.arange(0, 300, 3), np.setdiff1d(np.arange(300), np.arange(0, 300, 3))):
                together.step(actions[part], part)


@full_tables
def test_copies_continue_the_history_and_games_that_begin_anew_have_none(table):
    batch = batch_with_history(table, 2, seed=1)
    for step in range(5):
        batch.step(actions_by_rule(batch.mask, step))
    for twin in (copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))):
        assert np.array_equal(twin.history(), batch.history())
        twin.restart([0])
        assert not twin.history(rows=[0]).any()
        assert np.array_equal(twin.history(rows=[1]), batch.history(rows=[1]))
        twin.load([1], batch.save([0]))
        assert not twin.history().any()
    assert batch.copies([0, 1]).history_length == 0
    batch.keep_history(2 * LENGTH)  # longer, with what is known
    assert batch.history().shape == (2, 2 * LENGTH, 2)
    assert batch.history()[:, :5, 0].all()
    batch.keep_history(1)
    assert batch.history_length == 2 * LENGTH


def test_the_history_of_a_possible_game_does_not_hold_the_true_secrets():
    """They stay unknown even when the possible game reveals other ones."""
    batch = Batch("shakespeare", players=2)
    batch.keep_history(2)
    while batch.actions.texts[batch.mask[0].argmax()] != "wager:1":
        batch.step(batch.mask.argmax(1))
    first = int(batch.to_move[0])
    second = 1 - first
    batch.step(batch.mask.argmax(1))
    batch.determinize([0], [second], [1])
    batch.step(batch.mask.argmax(1))
    assert batch.history([second])[0, 1].tolist() == [2, 0]
    assert batch.history([first])[0, 0, 1] > 0


@pytest.mark.parametrize("length", [-1, 2.5, "3"])
def test_a_history_has_a_length(length):
    with pytest.raises((TypeError, ValueError), match="history="):
        Batch(players=2).keep_history(length)
