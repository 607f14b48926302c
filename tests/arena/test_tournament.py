"""An arena plays until it is enough, and ends the same however often it is interrupted."""

from __future__ import annotations

from collections import Counter
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from shakespeare_agents import RandomAgent
from shakespeare_agents.arena import playing, tournament
from shakespeare_agents.arena.field import Field
from shakespeare_agents.arena.matches import Match
from shakespeare_agents.arena.matchmaking import plan_round
from shakespeare_agents.arena.pace import Pace
from shakespeare_agents.arena.seating import Seating
from shakespeare_agents.arena.standings import standings_of
from shakespeare_agents.arena.tournament import Ending, run_arena
from shakespeare_env import registry
from shakespeare_env.datasets.results_reading import read_results, results_files
from shakespeare_env.errors import ArenaError
from tests.arena.kills import TWIN, endless, games, kill_often


class Twin(RandomAgent):
    """Plays like `random`, from which nothing will ever tell it."""


TWINS: dict[str, Any] = {
    "agents": ["random", Twin()],
    "equal_within": 1e-6,
    "solo_equal_within": 1e-6,
}
SMALL: dict[str, Any] = {**TWINS, "players": [2]}


class Stop(Exception):  # noqa: N818
    """In place of Ctrl-C."""


@pytest.mark.parametrize("game", registry.names())
def test_games_are_played_at_all_tables_until_the_budget_is_spent(game, tmp_path):
    tables = list(registry.seats(game))
    field = Field.of(**TWINS, game=game, players=tables, games=150)
    assert run_arena(field, tmp_path) is Ending.games
    found = read_results(tmp_path)
    assert 150 <= len(found) < 150 + len(tables) * max(tables)
    assert set(found["players"]) == set(tables)
    for _, group in found.filter(pl.col("players") > 1).group_by("match"):
        assert sorted(group["rotation"]) == list(range(group["players"][0]))


def test_played_again_it_only_goes_on(tmp_path):
    run_arena(Field.of(**SMALL, games=60), tmp_path)
    first = read_results(tmp_path)
    assert run_arena(Field.of(**SMALL, games=60), tmp_path) is Ending.games
    assert_frame_equal(read_results(tmp_path), first)
    run_arena(Field.of(**SMALL, games=100), tmp_path)
    more = read_results(tmp_path)
    assert_frame_equal(more[: len(first)], first)
    assert len(more) > len(first)


def test_an_interrupted_arena_ends_as_an_undisturbed_one(tmp_path, monkeypatch):
    monkeypatch.setattr(playing, "KEPT_EVERY_S", 0.0)
    field = Field.of(**SMALL, games=120)
    run_arena(field, tmp_path / "whole")
    for games_before in (1, 30, 31, 75, 110):

        def interrupt(progress, games_before=games_before):
            if progress.games >= games_before:
                raise Stop

        with pytest.raises(Stop):
            run_arena(field, tmp_path / "cut", on_progress=interrupt)
    run_arena(field, tmp_path / "cut")
    assert_frame_equal(games(tmp_path / "cut"), games(tmp_path / "whole"))


def test_so_does_one_with_an_agent_that_always_fails(tmp_path, monkeypatch):
    """It sits out from the same round on, however much of a round was played before."""
    monkeypatch.setattr(playing, "KEPT_EVERY_S", 0.0)

    def breaks_down(observations, masks, rng):
        if (rng.random() < 0.3).any():
            raise RuntimeError("no idea")
        return masks.argmax(axis=1)

    field = Field.of(**{**SMALL, "agents": ["random", Twin(), breaks_down]}, games=150)
    run_arena(field, tmp_path / "whole")
    for games_before in (15, 30, 45):

        def interrupt(progress, games_before=games_before):
            if progress.games >= games_before:
                raise Stop

        with pytest.raises(Stop):
            run_arena(field, tmp_path / "cut", on_progress=interrupt)
    run_arena(field, tmp_path / "cut")
    assert_frame_equal(games(tmp_path / "cut"), games(tmp_path / "whole"))


def test_killing_it_loses_and_repeats_nothing(tmp_path):
    """`python -m tests.arena.kills` does it a hundred times."""
    field = tmp_path / "field.toml"
    (tmp_path / "twin.py").write_text(TWIN)
    field.write_text(endless(400))
    kill_often(field, tmp_path / "killed", times=2, seed=1, longest_s=0.1)
    for folder in ("killed", "whole"):
        run_arena(Field.read(field), tmp_path / folder)
    assert games(tmp_path / "killed").equals(games(tmp_path / "whole"))


def test_it_stops_once_the_order_is_settled(tmp_path):
    field = Field.of(agents=["random", "heuristic"], players=[2])
    assert run_arena(field, tmp_path) is Ending.settled
    assert len(read_results(tmp_path)) < field.games
    ladder = standings_of(read_results(tmp_path)).ladder
    assert ladder["agent"].to_list() == ["heuristic", "random"]
    assert ladder["verdict"].to_list() == ["stronger", None]


def test_alone_mean_scores_settle_it(tmp_path):
    field = Field.of(agents=["random", "heuristic"], players=[1])
    assert run_arena(field, tmp_path) is Ending.settled
    found = read_results(tmp_path)
    deals = {
        name: sorted(rows["deal"]) for (name,), rows in found.explode("agents").group_by("agents")
    }
    assert deals["random"] == deals["heuristic"]


def test_it_stops_after_some_minutes_and_drops_games_in_progress(tmp_path):
    field = Field.of(**SMALL, minutes=0.01 / 60)
    assert run_arena(field, tmp_path) is Ending.minutes
    run_arena(Field.of(**SMALL, games=40), tmp_path)
    assert len(read_results(tmp_path)) >= 40


def test_minutes_count_from_the_first_move(tmp_path, monkeypatch):
    """What comes before it, as compiling does, may take long."""
    now = [0.0]

    def planned(*given, **options):
        now[0] += 1000.0
        return plan_round(*given, **options)

    monkeypatch.setattr(tournament, "plan_round", planned)
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    assert run_arena(Field.of(**SMALL, minutes=1), tmp_path) is Ending.minutes
    assert len(read_results(tmp_path)) > 0


def test_its_files_are_put_together_at_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(playing, "KEPT_EVERY_S", 0.0)
    run_arena(Field.of(**SMALL, games=60), tmp_path)
    assert len(results_files(tmp_path)) == 1


def test_a_changed_agent_is_a_new_one(tmp_path):
    run_arena(Field.of(agents=["random", "greedy"], players=[2], games=40), tmp_path)
    changed = [{"agent": "greedy,samples=2", "name": "greedy"}, "random"]
    run_arena(Field.of(agents=changed, players=[2], games=40), tmp_path)
    labels = standings_of(read_results(tmp_path)).ladder["agent"].to_list()
    assert len(labels) == 3
    assert len([label for label in labels if label.startswith("greedy")]) == 2


def test_a_renamed_agent_is_the_same(tmp_path):
    greedy = Field.of(agents=["random", "greedy"], players=[2], games=40)
    run_arena(greedy, tmp_path)
    before = read_results(tmp_path)
    renamed = [{"agent": "greedy", "name": "other"}, "random"]
    run_arena(Field.of(agents=renamed, players=[2], games=40), tmp_path)
    assert_frame_equal(read_results(tmp_path), before)


def test_another_seed_deals_other_games(tmp_path):
    run_arena(Field.of(**SMALL, games=30), tmp_path)
    first = len(read_results(tmp_path))
    run_arena(Field.of(**SMALL, games=60, seed=1), tmp_path)
    assert set(read_results(tmp_path)[first:]["seed"]) == {1}


def test_a_part_of_the_rotations_leaves_the_seats_balanced(tmp_path):
    field = Field.of(**TWINS, players=[4], rotations=2, games=160)
    run_arena(field, tmp_path)
    found = read_results(tmp_path)
    assert set(found.group_by("match").len()["len"]) == {2}
    turns = Counter(found["rotation"].to_list()).values()
    assert max(turns) - min(turns) <= 0.2 * len(found)


def test_who_always_fails_sits_out_and_the_others_play_on(tmp_path):
    def broken(observations, masks, rng):
        raise RuntimeError("no idea")

    field = Field.of(**{**SMALL, "agents": ["random", Twin(), broken]}, games=400)
    run_arena(field, tmp_path)
    found = read_results(tmp_path)
    lost = found.filter(pl.col("forfeited_by").is_not_null())
    with_broken = found.filter(pl.col("agents").list.contains("broken"))
    assert len(lost) == len(with_broken) < len(found) / 2
    assert standings_of(found).faults["fault"].to_list() == ["error"]


def test_two_of_a_kind_leave_nobody_to_meet(tmp_path):
    def broken(observations, masks, rng):
        raise RuntimeError("no idea")

    field = Field.of(agents=["random", broken], players=[2], games=400, equal_within=1e-6)
    assert run_arena(field, tmp_path) in (Ending.alone, Ending.settled)


@pytest.mark.parametrize(
    ("agents", "said"),
    [
        (["random", {"agent": RandomAgent(), "name": "mine"}], "'mine' is the same agent as"),
        (["random", "nobody"], "the agent 'nobody': there is no agent or folder"),
        (["random", "greedy,samples=x"], "the agent 'greedy,samples=x': "),
        (["random", "missing.py:A"], "the agent 'missing.py:A': "),
        (["random", {"program": ["no-such"]}], "'no-such': there is no program 'no-such'; give"),
        (["random", {"program": ["./no-such"]}], "there is no program './no-such'; give"),
    ],
)
def test_agents_that_cannot_play(tmp_path, agents, said):
    with pytest.raises(ArenaError, match=said):
        run_arena(Field.of(agents=agents), tmp_path)
    assert not list(tmp_path.iterdir())


def test_slow_agents_are_not_asked_for_many_games_at_once():
    known = pl.DataFrame({"digests": [["a", "b"]], "seconds": [[1.5, 0.4]]})
    pace = Pace(known, seconds=10)
    many = [Seating(Match(2, 0, ("a", "b"), (0, 1)), 0)] * 1000
    assert pace.first_of(many) == 5
    assert pace.first_of(many[:3]) == 3


def test_agents_of_the_field_alone_spend_its_budget(tmp_path):
    run_arena(Field.of(agents=["random", "greedy"], players=[2], games=40), tmp_path)
    before = len(read_results(tmp_path))
    run_arena(Field.of(**SMALL, games=40), tmp_path)
    assert len(read_results(tmp_path)) >= before + 40
