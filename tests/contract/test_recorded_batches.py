"""Recorded decisions as NumPy arrays: what a batch holds, its order, its parts, its secrets."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from shakespeare_env.datasets import (
    Batches,
    Decisions,
    frames,
    read_batches,
    read_decisions,
    read_recorded,
)
from shakespeare_env.errors import DatasetError
from tests.contract import recorded_folders
from tests.contract.recorded_folders import KINDS, games_of, played

SIZE = 64


@pytest.fixture(scope="module", params=KINDS)
def folder(request, tmp_path_factory):
    return recorded_folders.recorded(request.param, tmp_path_factory.mktemp("of") / "games")


def joined(batches):
    return Decisions._make(map(np.concatenate, zip(*batches, strict=True)))


def keys(batches):
    """Which decisions, in order."""
    whole = joined(batches)
    return list(zip(whole.game_ids.tolist(), whole.numbers.tolist(), strict=True))


def test_a_batch_holds_what_was_seen_and_done_and_what_became_of_it(folder):
    batches = read_batches(folder, size=SIZE)
    whole = joined(batches)
    rows = read_decisions(folder).collect()
    for name in ("action", "seat", "game_id", "number"):
        assert getattr(whole, f"{name}s").tolist() == rows[name].to_list()
    assert [batches.agents[agent] for agent in whole.agents] == rows["agent"].to_list()
    assert [np.flatnonzero(mask).tolist() for mask in whole.masks] == rows[
        "legal_actions"
    ].to_list()
    values = [None if np.isnan(value) else value for value in whole.values.tolist()]
    assert values == rows["value"].to_list()
    at = 0
    for game in games_of(folder):
        players = game["players"]
        firsts = [place == 1 for place in game["places"]]
        for position in played(game)[: len(game["actions"])]:
            seat = position.to_move
            assert seat is not None
            around = [(seat + place) % players for place in range(players)]
            absent = [0] * (whole.scores.shape[1] - players)
            scores = position.scores()
            assert whole.players[at] == players
            assert whole.observations[at].tolist() == position.observation(seat).tolist()
            assert whole.scores_before[at].tolist() == [scores[one] for one in around] + absent
            assert whole.scores[at].tolist() == [game["scores"][one] for one in around] + absent
            shares = [firsts[one] / sum(firsts) for one in around]
            assert whole.shares[at].tolist() == pytest.approx(shares + absent)
            at += 1
    assert at == whole.size == batches.decisions


def test_what_a_seat_does_not_know_changes_no_observation(folder):
    whole = joined(read_batches(folder, size=SIZE))
    at = 0
    for game in games_of(folder)[:2]:
        for position in played(game)[: len(game["actions"])]:
            seat = position.to_move
            assert seat is not None
            other = position.determinize(seat, seed=at)
            assert (other.observation(seat) == whole.observations[at]).all()
            at += 1


@pytest.mark.parametrize("seed", [None, 3])
def test_batches_have_the_size_asked_for_and_the_last_what_is_left(folder, seed):
    for buffer in (1, 100, 10**6):
        batches = read_batches(folder, size=SIZE, seed=seed, buffer=buffer)
        *most, last = [batch.size for batch in batches]
        assert set(most) == {SIZE}
        assert 0 < last <= SIZE
        assert sum(most) + last == batches.decisions


def test_a_seed_gives_every_epoch_an_order_of_its_own_and_the_same_again(folder):
    batches = read_batches(folder, size=SIZE, seed=3)
    in_order = keys(read_batches(folder, size=SIZE))
    orders = [keys(batches.epoch(epoch)) for epoch in (0, 1)]
    orders.append(keys(read_batches(folder, size=SIZE, seed=4)))
    for number, order in enumerate(orders):
        assert sorted(order) == in_order
        assert order not in (in_order, *orders[:number])
    assert orders[1] == keys(batches.epoch(1))
    assert orders[0] == keys(batches)
    first = [game for game, _ in orders[0][:SIZE]]
    assert len(set(first)) > 1, "games are mixed"
    shuffled, plain = joined(batches), joined(read_batches(folder, size=SIZE))
    back = plain.rows(np.array([in_order.index(key) for key in orders[0]]))
    for one, other in zip(shuffled, back, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("seed", [None, 3])
def test_parts_share_the_games_out(folder, seed):
    batches = read_batches(folder, size=SIZE, seed=seed)
    for count in (1, 2, 3):
        parts = [keys(batches.epoch(1, part=(part, count))) for part in range(count)]
        assert sorted(key for part in parts for key in part) == sorted(keys(batches.epoch(1)))
        shared = [{game for game, _ in part} for part in parts]
        assert sum(map(len, shared)) == len(set.union(*shared)) == batches.games


def test_more_parts_than_games_leave_some_empty(folder):
    assert not list(read_batches(folder, size=SIZE).epoch(0, part=(99, 100)))


def test_one_agents_decisions_alone(folder):
    rows = read_decisions(folder).select("game_id", "number", "agent").collect()
    for agent in set(rows["agent"]):
        batches = read_batches(folder, size=SIZE, agent=agent)
        own = rows.filter(agent=agent)
        assert keys(batches) == list(own.select("game_id", "number").iter_rows())
        assert batches.decisions == own.height
        assert batches.games == own["game_id"].n_unique()
        shuffled = read_batches(folder, size=SIZE, agent=agent, seed=1)
        assert sorted(keys(shuffled)) == keys(batches)
        assert {shuffled.agents[one] for one in joined(shuffled).agents} == {agent}


def test_they_go_to_other_processes_and_touch_no_generator(folder, monkeypatch):
    batches = read_batches(folder, size=SIZE, seed=3)
    assert len(pickle.dumps(batches)) < 10 * batches.decisions + 5000
    # Not Polars either, which survives no fork.
    monkeypatch.setattr(frames, "import_module", None)
    before = np.random.get_state(legacy=False)["state"]["key"].tolist()
    there = pickle.loads(pickle.dumps(batches))
    for one, other in zip(joined(batches), joined(there), strict=True):
        np.testing.assert_array_equal(one, other)
    assert np.random.get_state(legacy=False)["state"]["key"].tolist() == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"size": 0}, "size=0"),
        ({"size": 1.5}, "size=1.5"),
        ({"buffer": 0}, "buffer=0"),
        ({"seed": -1}, "seed"),
        ({"agent": "nobody"}, "has no agent 'nobody'; its agents: "),
    ],
)
def test_arguments_that_cannot_be_are_refused(folder, arguments, said):
    with pytest.raises((DatasetError, ValueError, TypeError), match=said):
        read_batches(folder, **{"size": SIZE, **arguments})


@pytest.mark.parametrize(
    "arguments", [(-1,), (0.5,), (0, (2, 2)), (0, (-1, 2)), (0, (0,)), (0, (0, 1.5)), (0, 1)]
)
def test_epochs_and_parts_that_cannot_be_are_refused(folder, arguments):
    with pytest.raises((ValueError, TypeError), match=r"epoch|part"):
        read_batches(folder, size=SIZE).epoch(*arguments)


def test_no_games_are_told_apart_from_no_folder(folder):
    with pytest.raises(DatasetError, match="no games"):
        Batches(read_recorded(folder).head(0), size=SIZE, source="there")
