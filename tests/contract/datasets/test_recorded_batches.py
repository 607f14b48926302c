"""Recorded decisions as NumPy arrays: what a batch holds, its order, its parts, its secrets."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from shakespeare_env.datasets import Decisions, frames, read_batches, read_decisions
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
    """What a seat does not know changes no observation."""
    batches = read_batches(folder, size=SIZE)
    whole = joined(batches)
    rows = read_decisions(folder).collect()
    for name in ("action", "seat", "game_id", "number"):
        assert getattr(whole, f"{name}s").tolist() == rows[name].to_list()
    assert [batches.agents[agent] for agent in whole.agents] == rows["agent"].to_list()
    legal = [np.flatnonzero(mask).tolist() for mask in whole.masks]
    assert legal == rows["legal_actions"].to_list()
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
            possible = position.determinize(seat, seed=at)
            for one in (position, possible):
                assert whole.observations[at].tolist() == one.observation(seat).tolist()
            assert whole.scores_before[at].tolist() == [scores[one] for one in around] + absent
            assert whole.scores[at].tolist() == [game["scores"][one] for one in around] + absent
            shares = [firsts[one] / sum(firsts) for one in around]
            assert whole.shares[at].tolist() == pytest.approx(shares + absent)
            at += 1
    assert at == whole.size == batches.decisions


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
    assert len({game for game, _ in orders[0][:SIZE]}) > 1, "games are mixed"
    shuffled, plain = joined(batches), joined(read_batches(folder, size=SIZE))
    back = plain.rows(np.array([in_order.index(key) for key in orders[0]]))
    for one, other in zip(shuffled, back, strict=True):
        np.testing.assert_array_equal(one, other)
    for buffer in (1, 100):
        sizes = [one.size for one in read_batches(folder, size=SIZE, seed=3, buffer=buffer)]
        assert set(sizes[:-1]) == {SIZE}
        assert sum(sizes) == batches.decisions


@pytest.mark.parametrize("seed", [None, 3])
def test_parts_share_the_games_out(folder, seed):
    batches = read_batches(folder, size=SIZE, seed=seed)
    parts = [keys(batches.epoch(1, part=(part, 3))) for part in range(3)]
    assert sorted(key for part in parts for key in part) == sorted(keys(batches.epoch(1)))
    shared = [{game for game, _ in part} for part in parts]
    assert sum(map(len, shared)) == len(set.union(*shared)) == batches.games
    assert not list(batches.epoch(0, part=(99, 100)))


def test_one_agents_decisions_alone(folder):
    rows = read_decisions(folder).select("game_id", "number", "agent").collect()
    for agent in set(rows["agent"]):
        own = list(rows.filter(agent=agent).select("game_id", "number").iter_rows())
        for seed in (None, 1):
            batches = read_batches(folder, size=SIZE, agent=agent, seed=seed)
            assert sorted(keys(batches)) == own
            assert batches.decisions == len(own)


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


@pytest.mark.parametrize("folder", KINDS[-1:], indirect=True)
def test_what_cannot_be_asked_is_refused(folder):
    wrong: dict[str, Any] = {"size": 1.5, "buffer": 0, "seed": -1, "agent": "nobody"}
    for name, value in wrong.items():
        with pytest.raises((DatasetError, ValueError, TypeError), match=f"{name}.*{value}"):
            read_batches(folder, **{"size": SIZE, name: value})
    for epoch in ((-1,), (0.5,), (0, (2, 2)), (0, (-1, 2)), (0, (0,)), (0, 1)):
        with pytest.raises((ValueError, TypeError), match=r"epoch|part"):
            read_batches(folder, size=SIZE).epoch(*epoch)
