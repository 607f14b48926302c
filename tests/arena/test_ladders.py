"""Ladders, one for each number of seats."""

from typing import Any

import polars as pl
import pytest
import scipy.stats
from polars.testing import assert_frame_equal

from shakespeare_arena.report import report_html
from shakespeare_arena.sheets import ladder_markdown
from shakespeare_arena.standings import standings_of
from shakespeare_arena.standings.ladders import with_ranks
from shakespeare_arena.standings.ratings import ratings
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


def test_a_ladder_of_agents_that_beat_each_other_in_a_circle_says_that_it_is_false(
    standings, tmp_path
):
    """Pairs come first, intervals are wider; ladders whose model is true are as they were."""
    assert standings.fits["widening"].to_list() == [1.0, 1.0]
    assert "chi-square" in ladder_markdown(standings)
    circle = {"a": 150.0, "b": 0.0}, {"b": 150.0, "c": 0.0}, {"c": 150.0, "a": 0.0}
    weak = [{name: 200.0, "weak": 0.0} for name in "abc"]
    how: dict[str, Any] = {"tables": (2,), "matches": 60, "points": 500.0}
    results = pl.concat([simulated(pair, seed=i, **how) for i, pair in enumerate((*circle, *weak))])
    found = standings_of(results)
    (fit,) = found.fits.to_dicts()
    z = {(a, b): z for a, b, z in found.pairs.select("agent", "other", "z").iter_rows()}
    assert min(z["a", "b"], z["b", "c"], z["c", "a"]) > 3
    assert z["a", "b"] == -z["b", "a"]
    assert fit["chi_square"] == pytest.approx(sum(one**2 for one in z.values()) / 2)
    assert (fit["compared"], fit["freedom"]) == (6, 3)
    assert fit["p"] == pytest.approx(scipy.stats.chi2.sf(fit["chi_square"], 3))
    assert fit["widening"] == pytest.approx((fit["chi_square"] / 3) ** 0.5)
    narrow = ratings(results).errors().max() * scipy.stats.t.ppf(0.975, 179)
    widest = found.ladder.select(pl.col("high") - pl.col("low")).to_numpy().max() / 2
    assert widest == pytest.approx(narrow * fit["widening"], rel=1e-3)
    page = report_html(found, tmp_path)
    assert 0 < page.index('id="pairs"') < page.index('id="ladder"')
    assert f"{fit['widening']:.1f} times as wide" in page
