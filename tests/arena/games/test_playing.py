"""Games of matches become rows. A row depends on its match alone, and can be replayed."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from shakespeare_agents import make
from shakespeare_agents.making import Entrant
from shakespeare_agents.workers import Workers
from shakespeare_arena.games import playing
from shakespeare_arena.games.deals import play_to_scores
from shakespeare_arena.games.pace import Pace
from shakespeare_arena.games.playing import shards_of
from shakespeare_arena.games.rows import places_of
from shakespeare_arena.games.seating import Match, RunSettings, Seating
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.play.lineup import Call
from tests.arena.small_arenas import play
from tests.workers.agents_for_tests import AsyncDrawing, Drawing

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


def test_a_game_that_ends_makes_room_for_the_next(monkeypatch):
    """Results come one after another, and at most so many games are played at once."""
    monkeypatch.setattr(playing, "GAMES_AT_ONCE", 5)
    game = registry.names()[-1]
    games = seatings(registry.seats(game)[0], deals=range(6))
    steps = list(play_to_scores(games, settings(game)))
    assert max(step.decisions for step in steps) == 5
    ended = [len(step.result.deals) for step in steps if step.result is not None]
    assert sum(ended) == sum(step.games for step in steps) == len(games)
    assert len(ended) > len(games) / 5
    # Rows are idle only once all games have begun.
    full = [step.decisions == 5 for step in steps]
    begun_all = len(games) - 5
    first_idle = full.index(False, 3)
    assert sum(step.games for step in steps[:first_idle]) > begun_all


def paced(seconds, most=256, steps=20):
    """Return the games at once after some steps, given the seconds of each agent's calls.

    Every agent decides in about an equal share of the games, as the moves of a game have it.
    """
    pace = Pace(most)
    for step in range(steps):
        share = max(pace.games // len(seconds), 1)
        calls = []
        for index, of_call in enumerate(seconds):
            rows = np.arange(share + (step + index) % 2)
            calls.append(Call(index, rows, of_call(len(rows), step) / len(rows)))
        pace.note(calls)
    return pace.games


def test_many_games_are_played_at_once_unless_their_agents_take_long_for_each():
    def quick(rows, _step):
        return 1e-5 * rows

    def service(rows, _step):
        return 2.0 + 0.01 * rows

    def one_by_one(rows, _step):
        return 0.1 * rows

    def after_compiling(rows, step):
        return 0.1 * rows + (20.0 if step == 0 else 0.0)

    assert paced([quick, quick]) == 256
    assert paced([service, quick]) == 256
    assert paced([service, service]) == 256
    assert paced([one_by_one, quick]) < 16
    assert paced([after_compiling, quick]) < 16
    assert paced([service, one_by_one]) < 256
    assert paced([quick], most=3) == 3


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("reports_at_the_end", [False, True])
def test_shards_share_all_games_and_end_with_small_ones(size, reports_at_the_end):
    workers = Workers()
    workers.size = size
    workers.reports_at_the_end = reports_at_the_end
    games = seatings(2, deals=range(500))
    shards = list(shards_of(games, len(games), workers))
    assert sorted(map(id, (game for shard in shards for game in shard))) == sorted(map(id, games))
    sizes = [len(shard) for shard in shards]
    if reports_at_the_end:
        assert max(sizes) <= 128
    elif size == 1:
        assert sizes == [1000]
    if size > 1:
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[-1] == 1


def test_games_of_agents_that_wait_are_shared_at_once():
    """Every shard takes as long as its longest game, however many games it has."""
    workers = Workers()
    workers.size = 2
    games = seatings(2, deals=range(500))
    entrants = [Entrant("drawing", Drawing()), Entrant("asynchronous", AsyncDrawing())]
    shards = list(shards_of(games, len(games), workers, entrants))
    assert [len(shard) for shard in shards] == [500, 500]
