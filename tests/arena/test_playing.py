"""Games of matches become rows. A row depends on its match alone, and can be replayed."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from shakespeare_agents import make
from shakespeare_arena.playing import places_of
from shakespeare_arena.seating import Match, RunSettings, Seating
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from tests.arena.small_arenas import play

LINEUP = ("random", "heuristic", "network,greedy=false", "greedy", "heuristic", "random")


def seatings(players, deals=range(3)):
    rotations = tuple(range(players))
    matches = [Match(players, deal, LINEUP[:players], rotations) for deal in deals]
    return [Seating(match, rotation) for match in matches for rotation in rotations]


def settings(game, seed=5, **agents):
    by_digest = {name: make(name, registry.game(game)) for name in LINEUP} | agents
    return RunSettings(game, (), seed, by_digest, {digest: digest.upper() for digest in by_digest})


class Fails:
    def act(self, observations, masks, rng):
        if (rng.random() < 0.01).any():
            raise RuntimeError("no idea")
        return masks.argmax(axis=1)


@pytest.mark.parametrize("game", registry.names())
def test_a_row_records_a_complete_game_and_depends_on_no_other(game):
    """Tables of all sizes are played together. A forfeited game ends where it was stopped."""
    run = settings(game, random=Fails())
    games = [seating for seats in registry.seats(game) for seating in seatings(seats)]
    timed = play(games, run).sort("key")
    thought = timed.select(pl.col("seconds").list.eval(pl.element() > 0)).to_series()
    decided = timed.select(pl.col("decisions").list.eval(pl.element() > 0)).to_series()
    assert (thought == decided).filter(timed["forfeited_by"].is_null()).all()
    results = timed.drop("seconds")
    played_alone = pl.concat([play([seating], run) for seating in games[::5]])
    played_together = results.filter(pl.col("key").is_in(played_alone["key"].to_list()))
    assert_frame_equal(played_alone.select(results.columns).sort("key"), played_together)
    assert results["key"].n_unique() == len(games)
    assert results["match"].n_unique() == 3 * len(registry.seats(game))
    assert 0 < results["forfeited_by"].count() < len(games)
    for row in results.iter_rows(named=True):
        players = row["players"]
        lost = row["forfeited_by"]
        batch = Batch(game, 1, players=players, autoreset=False)
        batch.reset(row["seed"], [row["deal"]])
        decisions = [0] * players
        for action in row["actions"]:
            decisions[batch.to_move[0]] += 1
            batch.step([action])
        assert decisions == row["decisions"]
        assert [name.lower() for name in row["agents"]] == row["digests"]
        assert row["digests"][row["rotation"]] == "random"
        assert batch.scores()[0, :players].tolist() == row["scores"]
        if lost is not None:
            assert batch.to_move[0] == lost
            assert row["digests"][lost] == "random"
            assert row["fault"] == "error"
            assert row["places"] == [players if seat == lost else 1 for seat in range(players)]
            assert "no idea" in row["fault_details"]
            continue
        assert batch.to_move[0] == -1
        assert batch.final_scores[0, :players].tolist() == row["scores"]
        winners = [place == 1 for place in row["places"]]
        assert players == 1 or winners == batch.final_winners[0, :players].tolist()


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
def test_winners_share_the_first_place_and_others_go_by_score(scores, winners, places):
    assert places_of(np.array([scores]), np.array([winners], bool)).tolist() == [places]
