"""Ladders, one for each number of seats."""

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from shakespeare_agents.arena.standings import standings_of
from shakespeare_agents.arena.standings.ladders import with_ranks
from tests.arena.simulated_results import simulated

AT_TWO = {"all-rounder": 150.0, "duellist": 300.0, "crowd": -150.0, "weak": -300.0}
AT_FOUR = {"all-rounder": 150.0, "duellist": -150.0, "crowd": 300.0, "weak": -300.0}


@pytest.fixture(scope="module")
def results():
    """Strengths depend on the table."""
    two = simulated(AT_TWO, tables=(2,), matches=200, points=500.0)
    four = simulated(AT_FOUR, tables=(4,), matches=100, points=500.0)
    return pl.concat([two, four])


@pytest.fixture(scope="module")
def standings(results):
    return standings_of(results)


def thinned(results, players, seed):
    """The results with every fourth match of one table, drawn at random."""
    here = results.filter(players=players)
    matches = here["match"].unique().sort().sample(fraction=0.25, seed=seed).to_list()
    return results.filter((pl.col("players") != players) | pl.col("match").is_in(matches))


@pytest.mark.parametrize(("players", "other"), [(2, 4), (4, 2)])
def test_games_of_one_table_move_no_rating_of_another(results, standings, players, other):
    fewer = standings_of(thinned(results, players, 0))
    assert fewer.ladders()[players]["games"].sum() < standings.ladders()[players]["games"].sum() / 3
    for frame in ("ladder", "pairs", "tables"):
        before, after = (
            getattr(found, frame).filter(players=other) for found in (standings, fewer)
        )
        assert_frame_equal(before, after)
    # Every ladder weighs the same in their mean.
    for name, mean in fewer.combined.select("agent", "rating").iter_rows():
        assert mean == pytest.approx(fewer.ladder.filter(agent=name)["rating"].mean())


def test_agents_whom_no_games_connect_are_not_compared():
    """Though the penalty gives all of them ratings."""
    two = {"a": 400.0, "b": -400.0}, {"c": 100.0, "d": -100.0}
    apart = pl.concat([simulated(pair, tables=(2,), matches=60, points=500.0) for pair in two])
    together = simulated(dict.fromkeys("abcd", 0.0), tables=(4,), matches=20)
    found = standings_of(pl.concat([apart, together]))
    ladder = found.ladders()[2]
    assert ladder["agent"].to_list() == ["a", "c", "d", "b"]
    assert ladder["verdict"].to_list() == ["open", "stronger", "open", None]
    assert ladder["lead"].is_null().to_list() == [True, False, True, True]
    assert ladder["rank"].to_list() == ["1=", "1=", "3=", "3="]
    assert found.combined.is_empty()


@pytest.mark.parametrize(
    ("verdicts", "apart", "ranks"),
    [
        ("", "", "1"),
        ("stronger equal open stronger", "", "1 2= 2= 2= 5"),
        ("open stronger equal", "", "1= 1= 3= 3="),
        ("open open open", "02", "1= 1= 2= 2="),
        ("open open open open", "02 24", "1= 1= 2= 2= 4"),
        ("open open stronger", "02", "1= 1= 2 4"),
    ],
)
def test_a_rank_counts_the_agents_that_are_surely_stronger(verdicts, apart, ranks):
    """So neighbours whose order is open share none with an agent that beats one of them."""
    rows = [{"verdict": verdict} for verdict in verdicts.split()] + [{}]
    found = with_ranks(rows, lambda first, second: f"{first}{second}" in apart.split())
    assert [row["rank"] for row in found] == ranks.split()
