"""Games of matches: a row each, which depends on nothing but the match, and can be replayed."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from shakespeare_agents import make
from shakespeare_arena.games.playing import places_of, play
from shakespeare_arena.games.seating import Match, Rules, Seating
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from tests.contract.each_table import small_tables

LINEUP = ("random", "heuristic", "network,greedy=false", "greedy", "heuristic", "random")


def seatings(players, deals=range(3)):
    turns = tuple(range(players))
    matches = [Match(players, deal, LINEUP[:players], turns) for deal in deals]
    return [Seating(match, turn) for match in matches for turn in match.rotations]


def rules(game, seed=5, **agents):
    given = {name: make(name, registry.game(game)) for name in LINEUP} | agents
    return Rules(game, (), seed, given, {digest: digest.upper() for digest in given})


def replayed(row):
    """The batch of a row's game where it ended, and the decisions of each seat."""
    batch = Batch(row["game"], 1, players=row["players"], autoreset=False)
    batch.reset(row["seed"], [row["deal"]])
    decisions = [0] * row["players"]
    for action in row["actions"]:
        decisions[batch.to_move[0]] += 1
        batch.step([action])
    return batch, decisions


@pytest.mark.parametrize("game", registry.names())
def test_a_row_says_all_of_a_game_and_depends_on_no_other(game):
    """Tables of different sizes are played together."""
    games = [one for seats in registry.seats(game) for one in seatings(seats, range(2))]
    found = play(games, rules(game)).select(pl.exclude("seconds")).sort("key")
    alone = pl.concat([play([one], rules(game)) for one in games[::3]])
    some = found.filter(pl.col("key").is_in(alone["key"].to_list()))
    assert_frame_equal(alone.select(found.columns).sort("key"), some)
    assert found["key"].n_unique() == len(games)
    assert found["match"].n_unique() == 2 * len(registry.seats(game))
    for row in found.iter_rows(named=True):
        players = row["players"]
        batch, decisions = replayed(row)
        assert batch.to_move[0] == -1
        assert batch.final_scores[0, :players].tolist() == row["scores"]
        assert decisions == row["decisions"]
        assert [name.lower() for name in row["agents"]] == row["digests"]
        assert row["digests"][row["rotation"]] == "random"
        if players > 1:
            winners = [place == 1 for place in row["places"]]
            assert winners == batch.final_winners[0, :players].tolist()
        assert (row["forfeited_by"], row["fault"], row["fault_details"]) == (None,) * 3


def test_keys_change_with_all_that_decides_a_game():
    lineup = LINEUP[:2]
    one = Match(2, 7, lineup, (0, 1))
    how, other = rules(registry.DEFAULT), rules(registry.DEFAULT, seed=6)
    others = [replace(one, deal=8), replace(one, lineup=("random", "random"))]
    others.append(replace(one, players=3, lineup=LINEUP[:3]))
    keys = {how.key(Seating(match, 0)) for match in (one, *others)}
    keys |= {other.key(Seating(one, 0)), how.key(Seating(one, 1)), how.match_key(one)}
    assert len(keys) == 7
    assert how.key(Seating(Match(2, 7, lineup, (0,)), 0)) == how.key(Seating(one, 0))


@small_tables
def test_a_fault_costs_its_game_and_no_other(table):
    class Fails:
        def act(self, observations, masks, rng):
            if (rng.random() < 0.01).any():
                raise RuntimeError("no idea")
            return masks.argmax(axis=1)

    games = seatings(table.players, range(12))
    found = play(games, rules(table.game, random=Fails()))
    lost = found.filter(pl.col("forfeited_by").is_not_null())
    assert 0 < len(lost) < len(found) == len(games)
    for row in lost.iter_rows(named=True):
        seat = row["forfeited_by"]
        assert row["digests"][seat] == "random"
        assert row["places"] == [table.players if s == seat else 1 for s in range(table.players)]
        assert row["fault"] == "error"
        assert "no idea" in row["fault_details"]
        batch, _ = replayed(row)
        assert batch.to_move[0] == seat
        assert batch.scores()[0, : table.players].tolist() == row["scores"]


@pytest.mark.parametrize(
    ("scores", "winners", "places"),
    [
        ([5, 9, 7], [0, 1, 0], [3, 1, 2]),
        ([9, 9, 7], [1, 1, 0], [1, 1, 3]),
        ([9, 9, 7], [1, 0, 0], [1, 2, 3]),
        ([9, 7, 7, 3], [1, 0, 0, 0], [1, 2, 2, 4]),
        ([4], [0], [1]),
    ],
)
def test_places(scores, winners, places):
    found = places_of(np.array([scores]), np.array([winners], bool))
    assert found.tolist() == [places]
