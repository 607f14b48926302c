"""An arena plays until it is enough, and ends the same however often it is interrupted."""

import subprocess
import sys
from collections import Counter
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from shakespeare_agents import RandomAgent
from shakespeare_arena import tournament
from shakespeare_arena.field import Field
from shakespeare_arena.intervals import wilson_interval
from shakespeare_arena.matchmaking import plan_round
from shakespeare_arena.standings import standings_of
from shakespeare_arena.standings.ladders import LEVEL
from shakespeare_arena.tournament import Ending, run_arena
from shakespeare_env.datasets.reading import read_results, results_files
from shakespeare_env.errors import ArenaError
from tests.arena.small_arenas import games


class Twin(RandomAgent):
    """Plays like `random`, from which no number of games can separate it."""


def breaks_down(observations, masks, rng):
    if (rng.random() < 0.3).any():
        raise RuntimeError("no idea")
    return masks.argmax(axis=1)


def broken(observations, masks, rng):
    raise RuntimeError("no idea")


def small(*agents, **how):
    """A field of two seats that plays all its games."""
    named = agents or ("random", Twin())
    given: dict[str, Any] = {"players": [2], "equal_within": 1e-6, "solo_equal_within": 1e-6}
    return Field.of(agents=list(named), **given | how)


class Stop(Exception):  # noqa: N818
    """In place of Ctrl-C."""


def test_games_are_played_at_all_tables_until_the_budget_is_spent(tmp_path):
    """Another seed deals others."""
    assert run_arena(small(players=[1, 2, 4], games=200), tmp_path) is Ending.games
    found = read_results(tmp_path)
    assert 200 <= len(found) < 200 + 3 * 4
    assert set(found["players"]) == {1, 2, 4}
    four = found.filter(players=4)
    assert set(four.group_by("match").len()["len"]) == {4}
    assert len(set(Counter(four["rotation"]).values())) == 1
    run_arena(small(games=230, seed=1), tmp_path)
    assert set(read_results(tmp_path)[len(found) :]["seed"]) == {1}


def test_played_again_it_only_goes_on(tmp_path, monkeypatch):
    """The files of a run are put together at its end."""
    monkeypatch.setattr(tournament, "SHARD_S", 0.1)
    run_arena(small(games=60), tmp_path)
    assert len(results_files(tmp_path)) == 1
    first = read_results(tmp_path)
    assert run_arena(small(games=60), tmp_path) is Ending.games
    assert_frame_equal(read_results(tmp_path), first)
    run_arena(small(games=100), tmp_path)
    more = read_results(tmp_path)
    assert_frame_equal(more[: len(first)], first)
    assert len(more) > len(first)


def test_an_interrupted_arena_ends_as_an_undisturbed_one(tmp_path, monkeypatch):
    """An agent that often fails sits out from the same round on."""
    monkeypatch.setattr(tournament, "SHARD_S", 0.1)
    field = small("random", Twin(), breaks_down, games=120)
    run_arena(field, tmp_path / "whole")
    for games_before in (1, 30, 45, 75):

        def interrupt(progress, games_before=games_before):
            if progress.games >= games_before:
                raise Stop

        with pytest.raises(Stop):
            run_arena(field, tmp_path / "cut", on_progress=interrupt)
    run_arena(field, tmp_path / "cut")
    assert_frame_equal(games(tmp_path / "cut"), games(tmp_path / "whole"))


def test_it_stops_once_the_order_is_settled(tmp_path):
    """Alone both play the same deals."""
    field = Field.of(agents=["random", "heuristic"], players=[1, 2])
    assert run_arena(field, tmp_path) is Ending.settled
    found = read_results(tmp_path)
    assert len(found) < field.games
    ladder = standings_of(found).ladder
    assert ladder["agent"].to_list() == ["heuristic", "random"]
    assert ladder["verdict"].to_list() == ["stronger", None]
    alone = found.filter(players=1).explode("agents").group_by("agents")
    assert alone.agg(pl.col("deal").sort())["deal"].n_unique() == 1


def test_minutes_count_from_the_first_move(tmp_path, monkeypatch):
    """What comes before it, as compiling does, may take long."""
    now = [0.0]

    def planned(*given, **options):
        now[0] += 1000.0
        return plan_round(*given, **options)

    monkeypatch.setattr(tournament, "plan_round", planned)
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    assert run_arena(small(minutes=1), tmp_path) is Ending.minutes
    assert len(read_results(tmp_path)) > 0


def test_a_changed_agent_is_a_new_one_and_a_renamed_one_the_same(tmp_path):
    """The budget counts the games of the field's own agents."""

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


def test_who_always_fails_sits_out_and_the_others_play_on(tmp_path):
    run_arena(small("random", Twin(), broken, games=400), tmp_path / "three")
    found = read_results(tmp_path / "three")
    lost = found.filter(pl.col("forfeited_by").is_not_null())
    with_broken = found.filter(pl.col("agents").list.contains("broken"))
    assert len(lost) == len(with_broken) < len(found) / 2
    assert standings_of(found).faults["fault"].to_list() == ["error"]
    # Of two it leaves the other nobody to meet.
    ending = run_arena(small("random", broken, games=400), tmp_path / "two")
    assert ending in (Ending.alone, Ending.settled)


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ({"agent": RandomAgent(), "name": "mine"}, "'mine' is the same agent as"),
        ("nobody", "the agent 'nobody': there is no agent or folder"),
        ("missing.py:A", "the agent 'missing.py:A': "),
        ({"program": ["no-such"]}, "'no-such': there is no program 'no-such'; give"),
    ],
)
def test_agents_that_cannot_play(tmp_path, agent, said):
    with pytest.raises(ArenaError, match=said):
        run_arena(small("random", agent), tmp_path)
    assert not list(tmp_path.iterdir())


KILLED = """
import sys
from pathlib import Path
from shakespeare_arena.field import Field
from shakespeare_arena import tournament
tournament.SHARD_S = 0.1
run_arena = tournament.run_arena
tell = lambda progress: print(progress.games, flush=True)
run_arena(Field.read(sys.argv[1]), Path(sys.argv[2]), on_progress=tell)
"""


def test_killing_an_arena_loses_and_repeats_nothing(tmp_path):
    path, folder = tmp_path / "field.toml", tmp_path / "killed"
    path.write_text(
        'agents = ["random", "greedy"]\nplayers = [2]\nequal_within = 1e-6\ngames = 300'
    )
    command = [sys.executable, "-c", KILLED, str(path), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        reported = 0
        while reported < 10:
            reported = int(process.stdout.readline())
        process.kill()
        reported = max([reported, *map(int, process.stdout.read().split())])
    assert len(read_results(folder)) >= reported
    for name in ("killed", "whole"):
        run_arena(Field.read(path), tmp_path / name)
    assert_frame_equal(games(folder), games(tmp_path / "whole"))


def test_identical_agents_are_seldom_taken_for_different(tmp_path):
    """Though an arena looks at its games after every round: at most one in twenty."""
    stronger = []
    for seed, players in enumerate([(2,), (4,), (2, 4), (1, 2, 4)] * 3):
        twins = [type(f"Twin {number}", (RandomAgent,), {})() for number in range(2 + seed % 3)]
        settings: dict[str, Any] = {"games": 200, "equal_within": 150.0, "seed": seed}
        run_arena(Field.of(players=players, agents=twins, **settings), tmp_path / str(seed))
        found = standings_of(read_results(tmp_path / str(seed)))
        verdicts = {*found.ladder["verdict"], *found.solo["verdict"]}
        stronger.append("stronger" in verdicts)
    assert wilson_interval(sum(stronger), len(stronger))[0] <= LEVEL
