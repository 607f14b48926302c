"""An arena plays until its order is settled or its budget spent, however it is interrupted."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from shakespeare_agents import RandomAgent
from shakespeare_arena import tournament
from shakespeare_arena.config import ArenaConfig, open_contenders
from shakespeare_arena.games import playing, recording
from shakespeare_arena.intervals import wilson_interval
from shakespeare_arena.ladders.standings import LEVEL, standings_of
from shakespeare_arena.matchmaking import plan_round
from shakespeare_arena.tournament import Ending, run_arena
from shakespeare_env.core import registry
from shakespeare_env.datasets.reading import read_results, results_files
from shakespeare_env.errors import ArenaError
from tests.arena.small_arenas import games


class Twin(RandomAgent):
    """An agent that plays like `random`, so that no number of games settles their order."""

    version = 1


def breaks_down(observations, masks, rng):
    if (rng.random() < 0.3).any():
        raise RuntimeError("no idea")
    return masks.argmax(axis=1)


def broken(observations, masks, rng):
    raise RuntimeError("no idea")


breaks_down.version = broken.version = 1  # type: ignore[attr-defined]


def small(*agents, **changes):
    """Configure an arena that plays all its games, at two seats unless changed."""
    settings: dict[str, Any] = {"players": [2], "equal_within": 1e-6, "solo_equal_within": 1e-6}
    return ArenaConfig.of(agents=list(agents or ("random", Twin())), **settings | changes)


class Stop(Exception):  # noqa: N818
    """An interruption, in place of Ctrl-C."""


def test_an_arena_plays_at_all_tables_until_its_games_are_played_and_can_be_continued(
    tmp_path, monkeypatch
):
    """The games are in one file, and none is played twice. Another seed deals other games."""
    monkeypatch.setattr(recording, "WRITE_EVERY_S", 0.1)
    assert run_arena(small(players=[1, 2, 4], games=200), tmp_path) is Ending.games
    first = read_results(tmp_path)
    assert 200 <= len(first) < 200 + 3 * 4
    assert set(first["players"]) == {1, 2, 4}
    four = first.filter(players=4)
    assert set(four.group_by("match").len()["len"]) == {2, 4}
    assert not four.select("match", pl.col("digests").list.join(" ")).is_duplicated().any()
    assert len(results_files(tmp_path)) == 1
    run_arena(small(players=[1, 2, 4], games=200), tmp_path)
    assert_frame_equal(read_results(tmp_path), first)
    run_arena(small(games=230, seed=1), tmp_path)
    more = read_results(tmp_path)
    assert_frame_equal(more[: len(first)], first)
    assert set(more[len(first) :]["seed"]) == {1}


def test_an_interrupted_arena_plays_the_games_of_an_uninterrupted_one(tmp_path, monkeypatch):
    """An agent that often fails sits out from the same round on."""
    monkeypatch.setattr(recording, "WRITE_EVERY_S", 0.1)
    config = small("random", Twin(), breaks_down, games=120)
    run_arena(config, tmp_path / "undisturbed")
    monkeypatch.setattr(playing, "GAMES_AT_ONCE", 4)
    for games_before in (1, 45, 75):

        def interrupt(_number, finished, *_, games_before=games_before):
            if finished >= games_before:
                raise Stop

        with pytest.raises(Stop):
            run_arena(config, tmp_path / "cut", on_progress=interrupt)
        assert len(read_results(tmp_path / "cut")) >= games_before
    run_arena(config, tmp_path / "cut")
    assert_frame_equal(games(tmp_path / "cut"), games(tmp_path / "undisturbed"))


def test_an_arena_stops_once_the_order_is_settled(tmp_path):
    """In the solo game both agents play the same deals."""
    config = ArenaConfig.of(agents=["random", "heuristic"], players=[1, 2])
    assert run_arena(config, tmp_path) is Ending.settled
    results = read_results(tmp_path)
    assert len(results) < config.games
    ladder = standings_of(results).ladder
    assert ladder["agent"].to_list() == ["heuristic", "random"]
    assert ladder["verdict"].to_list() == ["stronger", None]
    alone = results.filter(players=1).explode("agents").group_by("agents")
    assert alone.agg(pl.col("deal").sort())["deal"].n_unique() == 1


def test_minutes_count_from_the_first_move(tmp_path, monkeypatch):
    """Compiling and everything else before the first move may take long."""
    now = 0.0

    def plan_slowly(*arguments, **options):
        nonlocal now
        now += 1000.0
        return plan_round(*arguments, **options)

    monkeypatch.setattr(tournament, "plan_round", plan_slowly)
    monkeypatch.setattr("time.monotonic", lambda: now)
    assert run_arena(small(minutes=1), tmp_path) is Ending.minutes
    assert len(read_results(tmp_path)) > 0


def test_a_changed_agent_is_another_one_and_a_renamed_agent_is_the_same(tmp_path):
    """The games to play count those of the arena's own agents only."""

    def played(*agents):
        run_arena(small(*agents, games=40), tmp_path)
        return read_results(tmp_path)

    before = played("random", "greedy")
    assert_frame_equal(played({"agent": "greedy", "name": "other"}, "random"), before)
    after = played({"agent": "greedy,samples=2", "name": "greedy"}, "random")
    assert len(after) >= len(before) + 40
    labels = standings_of(after).ladder["agent"].to_list()
    assert len(labels) == 3
    assert len([label for label in labels if label.startswith("greedy")]) == 2


def test_an_agent_that_always_fails_sits_out_and_the_others_play_on(tmp_path):
    run_arena(small("random", Twin(), broken, games=400), tmp_path / "three")
    results = read_results(tmp_path / "three")
    forfeited = results.filter(pl.col("forfeited_by").is_not_null())
    with_broken = results.filter(pl.col("agents").list.contains("broken"))
    assert len(forfeited) == len(with_broken) < len(results) / 2
    # If there are two agents, the other one has nobody to meet.
    ending = run_arena(small("random", broken, games=400), tmp_path / "two")
    assert ending in (Ending.alone, Ending.settled)


def test_arenas_in_threads_share_the_working_folder_or_take_turns(tmp_path):
    """The working folder is left when the last of them ends, whichever that is."""
    before = Path.cwd()
    game = registry.game("figaro")
    here = small(game="figaro", players=[3])
    there = here.model_copy(update={"folder": tmp_path})
    other = open_contenders(there, game)
    with open_contenders(there, game), ThreadPoolExecutor(1) as pool:
        pool.submit(other.__enter__).result()
        with pytest.raises(ArenaError, match=f"runs an arena in {tmp_path}"):
            pool.submit(open_contenders(here, game).__enter__).result()
    assert Path.cwd() == tmp_path
    other.__exit__(None, None, None)
    assert Path.cwd() == before


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ({"agent": RandomAgent(), "name": "mine"}, "'mine' is the same agent as"),
        ({"program": ["no-such"]}, "'no-such': there is no program 'no-such'; give"),
    ],
)
def test_an_agent_that_cannot_play_is_named_and_nothing_is_written(tmp_path, agent, said):
    with pytest.raises(ArenaError, match=said):
        run_arena(small("random", agent), tmp_path)
    assert not list(tmp_path.iterdir())


def test_identical_agents_are_seldom_judged_different(tmp_path):
    """At most one arena in twenty does so, though it looks at its games after every round."""
    stronger = []
    for seed, players in enumerate([(2,), (4,), (2, 4), (1, 2, 4)] * 3):
        twins = [
            type(f"Twin {number}", (RandomAgent,), {"version": 1})()
            for number in range(2 + seed % 3)
        ]
        settings: dict[str, Any] = {"games": 200, "equal_within": 150.0, "seed": seed}
        run_arena(ArenaConfig.of(players=players, agents=twins, **settings), tmp_path / str(seed))
        standings = standings_of(read_results(tmp_path / str(seed)))
        verdicts = {*standings.ladder["verdict"], *standings.solo["verdict"]}
        stronger.append("stronger" in verdicts)
    assert wilson_interval(sum(stronger), len(stronger))[0] <= LEVEL
