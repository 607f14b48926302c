"""Games of matches: a row each, which depends on nothing but the match, and can be replayed."""

from __future__ import annotations

from itertools import chain

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from shakespeare_agents import make
from shakespeare_agents.arena import Entrant, evaluate, playing
from shakespeare_agents.arena.matches import Match
from shakespeare_agents.arena.playing import places_of, play
from shakespeare_agents.arena.seating import Rules, Seating
from shakespeare_env import registry
from shakespeare_env.batch import Batch
from tests.contract.each_table import plain_tables, small_tables

UNTIMED = pl.exclude("seconds")


def seatings(players, lineup, deals=range(3)):
    matches = [Match(players, deal, lineup, tuple(range(players))) for deal in deals]
    return [Seating(match, turn) for match in matches for turn in match.rotations]


def rules(game, seed=5, **agents):
    given = agents or {name: make(name, registry.game(game)) for name in ("random", "heuristic")}
    return Rules(game, (), seed, given, {digest: digest.upper() for digest in given})


def rows(games, how):
    kept: list[pl.DataFrame] = []
    play(games, how, kept.append)
    return pl.concat(kept)


def lineup(players):
    return tuple(("random", "heuristic", "random", "random", "heuristic", "random")[:players])


@plain_tables
def test_a_row_tells_the_game(table):
    games, how = seatings(table.players, lineup(table.players)), rules(table.game)
    found = rows(games, how)
    assert found["key"].n_unique() == len(games)
    assert found["match"].n_unique() == 3
    for row in found.iter_rows(named=True):
        batch = Batch(table.game, 1, players=table.players, autoreset=False)
        batch.reset(row["seed"], [row["deal"]])
        decisions = [0] * table.players
        for action in row["actions"]:
            decisions[batch.to_move[0]] += 1
            batch.step([action])
        assert batch.to_move[0] == -1
        assert batch.final_scores[0, : table.players].tolist() == row["scores"]
        assert decisions == row["decisions"]
        assert [name.lower() for name in row["agents"]] == row["digests"]
        assert row["digests"][row["rotation"]] == "random"
        assert all(spent >= 0 for spent in row["seconds"])
        winners = [place == 1 for place in row["places"]]
        if table.players > 1:
            assert winners == batch.final_winners[0, : table.players].tolist()
        assert (row["forfeited_by"], row["fault"], row["fault_details"]) == (None,) * 3


@small_tables
def test_the_games_are_those_of_evaluate(table):
    """The same deals, draws and seats."""
    how = rules(table.game)
    found = rows(seatings(table.players, lineup(table.players)), how)
    entrants = [Entrant(digest, how.agents[digest]) for digest in lineup(table.players)]
    result = evaluate(entrants, table.game, games=3 * table.players, seed=5, order="fixed")
    pairs = zip(chain(*found["digests"]), chain(*found["scores"]), strict=True)
    scores = [score for digest, score in pairs if digest == "random"]
    assert sum(scores) / len(scores) == pytest.approx(result["random"].mean_score)


@small_tables
def test_a_game_does_not_depend_on_those_beside_it(table):
    games, how = seatings(table.players, lineup(table.players)), rules(table.game)
    together = rows(games, how).select(UNTIMED).sort("key")
    alone = pl.concat([rows([one], how) for one in games]).select(UNTIMED).sort("key")
    assert_frame_equal(together, alone)


def test_tables_of_different_sizes_are_played_together():
    for name in registry.names():
        sizes = registry.seats(name)
        games = [one for seats in sizes for one in seatings(seats, lineup(seats), range(1))]
        found = rows(games, rules(name))
        assert sorted(found["players"]) == sorted(one.match.players for one in games)


def test_keys_change_with_all_that_decides_a_game():
    game = registry.DEFAULT
    one = Seating(Match(2, 7, ("random", "heuristic"), (0, 1)), 0)
    keys = {
        rules(game).key(one),
        rules(game, seed=6).key(one),
        rules(game).key(Seating(one.match, 1)),
        rules(game).key(Seating(Match(2, 8, one.match.lineup, (0, 1)), 0)),
        rules(game).key(Seating(Match(2, 7, ("random", "random"), (0, 1)), 0)),
        rules(game).key(Seating(Match(3, 7, ("random", "heuristic", "random"), (0, 1)), 0)),
    }
    assert len(keys) == 6
    assert rules(game).match_key(one.match) not in keys
    fewer = Match(2, 7, ("random", "heuristic"), (0,))
    assert rules(game).key(Seating(fewer, 0)) == rules(game).key(one)


@small_tables
def test_a_fault_costs_its_game_and_no_other(table):
    class Fails:
        def act(self, observations, masks, rng):
            if (rng.random() < 0.01).any():
                raise RuntimeError("no idea")
            return masks.argmax(axis=1)

    heuristic = make("heuristic", registry.game(table.game))
    how = rules(table.game, random=Fails(), heuristic=heuristic)
    games = seatings(table.players, lineup(table.players), range(12))
    found = rows(games, how)
    assert len(found) == len(games)
    lost = found.filter(pl.col("forfeited_by").is_not_null())
    assert 0 < len(lost) < len(found)
    for row in lost.iter_rows(named=True):
        seat = row["forfeited_by"]
        assert row["digests"][seat] == "random"
        assert row["places"] == [table.players if s == seat else 1 for s in range(table.players)]
        assert row["fault"] == "error"
        assert "no idea" in row["fault_details"]
        batch = Batch(table.game, 1, players=table.players, autoreset=False)
        batch.reset(row["seed"], [row["deal"]])
        for action in row["actions"]:
            batch.step([action])
        assert batch.to_move[0] == seat
        assert batch.scores()[0, : table.players].tolist() == row["scores"]


def test_an_interruption_keeps_what_has_ended(monkeypatch):
    monkeypatch.setattr(playing, "KEPT_EVERY_S", 0.0)
    game = registry.DEFAULT
    games, how = seatings(2, lineup(2), range(20)), rules(game)
    kept: list[pl.DataFrame] = []
    told = []

    def interrupt(decisions):
        told.append(decisions)
        if sum(map(len, kept)) >= 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(games, how, kept.append, interrupt)
    found = pl.concat(kept)
    assert 5 <= len(found) < len(games)
    assert found["key"].n_unique() == len(found)
    assert sum(told) > 0


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
