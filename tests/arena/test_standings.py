"""Standings: each of their frames, computed from results whose figures are known."""

import dataclasses
import io

import polars as pl
import pytest
import scipy.stats
from polars.testing import assert_frame_equal
from rich.console import Console

from shakespeare_arena.games.seating import Match
from shakespeare_arena.ladders.ratings import Lead, fit_ratings
from shakespeare_arena.ladders.sheets import standings_tables
from shakespeare_arena.ladders.standings import SCHEMAS, standings_of, verdict, with_ranks
from shakespeare_env.errors import DatasetError
from tests.arena.simulated_results import digest_of, played, simulated

STRENGTHS = {"weak": -200.0, "fair": 0.0, "twin": 0.0, "strong": 250.0}
AT_TWO = {"all-rounder": 150.0, "duellist": 300.0, "crowd": -150.0, "weak": -300.0}
AT_FOUR = {"all-rounder": 150.0, "duellist": -150.0, "crowd": 300.0, "weak": -300.0}


@pytest.fixture(scope="module")
def results():
    return simulated(
        STRENGTHS,
        tables=(1, 2, 4),
        matches=60,
        seed=1,
        points=3.0,
        seat_luck=0.5,
        forfeits={"weak": 0.05},
    )


@pytest.fixture(scope="module")
def standings(results):
    return standings_of(results)


def game(places, scores, forfeited_by=None, *, lineup="abc", deal=0):
    """Return one game's row."""
    match = Match(len(lineup), deal, tuple(map(digest_of, lineup)), (0,))
    fault = None if forfeited_by is None else "crash"
    return played([match], dict.fromkeys(lineup, 0.0)).with_columns(
        places=pl.Series([places], dtype=pl.List(pl.Int8)),
        scores=pl.Series([scores], dtype=pl.List(pl.Int16)),
        forfeited_by=pl.lit(forfeited_by, pl.Int8),
        fault=pl.lit(fault, pl.String),
        fault_details=pl.lit(fault, pl.String),
    )


def test_the_same_results_give_the_same_standings_in_any_order(results, standings):
    again = standings_of(results.sample(fraction=1, shuffle=True, seed=3))
    for field in dataclasses.fields(again):
        if field.name in SCHEMAS:
            frame = getattr(again, field.name)
            assert dict(frame.schema) == SCHEMAS[field.name], field.name
            assert len(frame), field.name
            assert_frame_equal(frame, getattr(standings, field.name))


def test_results_with_a_game_twice_are_refused(results):
    with pytest.raises(DatasetError, match=r"several games have the key .* results.unique"):
        standings_of(pl.concat([results, results[3:4]]))


@pytest.mark.parametrize("players", [2, 4])
def test_a_ladder_is_in_order_of_strength(standings, players):
    ladder = standings.ladders()[players]
    assert ladder["agent"][0] == "strong"
    assert ladder["agent"][-1] == "weak"
    assert ladder["verdict"].to_list() == ["stronger", "open", "stronger", None]
    assert ladder["rank"].to_list() == ["1", "2=", "2=", "4"]
    assert ladder["rating"][1:3].mean() == pytest.approx(0, abs=1e-6)
    leads = -ladder["rating"].diff().drop_nulls()
    assert ladder["lead"].drop_nulls().to_list() == pytest.approx(leads.to_list())
    assert [forfeits > 0 for forfeits in ladder["forfeits"]] == [False, False, False, True]
    assert ladder["rating"].is_between(ladder["low"], ladder["high"], closed="none").all()


def test_games_of_one_table_move_no_rating_of_another():
    """Strengths depend on the table, so each ladder counts its own games alone."""
    two = simulated(AT_TWO, tables=(2,), matches=100, points=500.0)
    four = simulated(AT_FOUR, tables=(4,), matches=100, points=500.0)
    complete = standings_of(pl.concat([two, four]))
    assert complete.fits["widening"].to_list() == [1.0, 1.0]
    fewer = standings_of(pl.concat([two, four[:100]]))
    for frame in ("ladder", "pairs", "tables"):
        before = getattr(complete, frame).filter(players=2)
        after = getattr(fewer, frame).filter(players=2)
        assert_frame_equal(before, after)


def test_agents_that_no_games_connect_are_not_compared():
    """The penalty gives all of them ratings, but these do not compare."""
    two = {"a": 400.0, "b": -400.0}, {"c": 100.0, "d": -100.0}
    apart = pl.concat([simulated(pair, tables=(2,), matches=60, points=500.0) for pair in two])
    together = simulated(dict.fromkeys("abcd", 0.0), tables=(4,), matches=20)
    standings = standings_of(pl.concat([apart, together]))
    ladder = standings.ladders()[2]
    assert ladder["agent"].to_list() == ["a", "c", "d", "b"]
    assert ladder["verdict"].to_list() == ["open", "stronger", "open", None]
    assert ladder["lead"].is_null().to_list() == [True, False, True, True]
    assert ladder["rank"].to_list() == ["1=", "1=", "3=", "3="]


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
    """Neighbours whose order is open share no rank with an agent that beats one of them."""
    rows = [{"verdict": verdict} for verdict in verdicts.split()] + [{}]
    ranked = with_ranks(rows, lambda first, second: f"{first}{second}" in apart.split())
    assert [row["rank"] for row in ranked] == ranks.split()


def test_a_ladder_misfits_agents_that_beat_each_other_in_a_circle():
    """It comes after the pairs, and its intervals are wider."""
    circle = {"a": 150.0, "b": 0.0}, {"b": 150.0, "c": 0.0}, {"c": 150.0, "a": 0.0}
    weak = [{name: 200.0, "weak": 0.0} for name in "abc"]
    results = pl.concat(
        [
            simulated(pair, seed=seed, tables=(2,), matches=60, points=500.0)
            for seed, pair in enumerate((*circle, *weak))
        ]
    )
    standings = standings_of(results)
    (fit,) = standings.fits.to_dicts()
    pairs = standings.pairs.select("agent", "other", "z").iter_rows()
    z = {(agent, other): value for agent, other, value in pairs}
    assert min(z["a", "b"], z["b", "c"], z["c", "a"]) > 3
    assert z["a", "b"] == -z["b", "a"]
    assert fit["chi_square"] == pytest.approx(sum(each**2 for each in z.values()) / 2)
    assert (fit["compared"], fit["freedom"]) == (6, 3)
    assert fit["p"] == pytest.approx(scipy.stats.chi2.sf(fit["chi_square"], 3))
    assert fit["widening"] == pytest.approx((fit["chi_square"] / 3) ** 0.5)
    narrow = fit_ratings(results).errors().max() * scipy.stats.t.ppf(0.975, 179)
    widest = standings.ladder.select(pl.col("high") - pl.col("low")).to_numpy().max() / 2
    assert widest == pytest.approx(narrow * fit["widening"], rel=1e-3)
    text = io.StringIO()
    Console(file=text, width=80, color_system=None).print(standings_tables(standings))
    page = text.getvalue()
    assert 0 < page.index("Ahead of, %") < page.index("Lead, 95 %")
    assert f"{fit['widening']:.1f} times as wide" in " ".join(page.split())


def test_a_forfeited_game_counts_only_as_a_defeat_of_its_loser_by_each_other_agent():
    standings = standings_of(game([1, 3, 1], [40, 50, 60], forfeited_by=1))
    pairs = standings.pairs.select("agent", "other", "ahead").iter_rows()
    ahead = {(agent, other): share for agent, other, share in pairs}
    assert ahead == {("a", "b"): 1, ("c", "b"): 1, ("b", "a"): 0, ("b", "c"): 0}
    assert standings.pairs["score_lead"].null_count() == 4
    assert standings.tables["mean_score"].null_count() == 3
    assert standings.faults.rows() == [("b", "crash", 1, "crash")]
    # Each winner gets a share of the victory. A single match has no interval.
    table = standings.tables
    win_rates = dict(table.select("agent", "win_rate").iter_rows())
    assert win_rates == {"a": 0.5, "b": 0, "c": 0.5}
    assert table["low"].null_count() == 3


def test_time_is_counted_by_decision_and_table(results, standings):
    rows = results.filter(players=4).explode("agents", "seconds", "decisions").filter(agents="fair")
    fair = standings.times.filter(agent="fair", players=4).row(0, named=True)
    seconds = rows["seconds"].cast(pl.Float64).sum()
    decisions = rows["decisions"].sum()
    assert (fair["decisions"], fair["seconds"]) == (decisions, pytest.approx(seconds))
    assert fair["milliseconds"] == pytest.approx(1000 * seconds / decisions)
    assert fair["low"] < fair["milliseconds"] < fair["high"]


def test_solo_leads_are_of_the_deals_that_both_have_played():
    """b has the best mean, but only because its deals were good. A forfeited game counts as 0."""
    scores = {"a": {0: 10, 1: 20, 2: 30, 3: 40}, "b": {2: 29, 3: 38}, "c": {0: 9, 1: 18}}
    results = pl.concat(
        game([1], [score], lineup=agent, deal=deal)
        for agent, played in scores.items()
        for deal, score in played.items()
    )
    ladder = standings_of(results).solo
    assert ladder["agent"].to_list()[:2] == ["a", "b"]
    a, b, _ = ladder.rows(named=True)
    assert (a["mean"], a["median"], b["mean"]) == (25, 25, 33.5)
    assert a["lead"] == 1.5
    assert (a["lead_low"] + a["lead_high"]) / 2 == pytest.approx(1.5)
    assert (b["lead"], b["verdict"]) == (None, "open")
    lost = pl.concat([game([1], [10], lineup="a"), game([1], [20], 0, lineup="a", deal=1)])
    row = standings_of(lost).solo.row(0, named=True)
    assert (row["mean"], row["forfeits"], row["deals"]) == (5, 1, 2)


@pytest.mark.parametrize(
    ("lead", "error", "matches", "expected"),
    [
        (22, 10, 1000, "stronger"),
        (22, 10, 12, "open"),  # by Student's t, whose interval is wider with few matches
        (30, 10, 9, "open"),  # too few matches
        (0, 10, 1000, "equal"),
        (10, 6, 1000, "open"),
        (5, 2, 1000, "stronger"),
        (5, 3, 1000, "equal"),
        (15, float("nan"), 1000, "open"),
    ],
)
def test_a_verdict_needs_matches_and_a_lead_beyond_its_interval(lead, error, matches, expected):
    assert verdict(Lead(lead, error, matches), level=0.05, equal_within=20) == expected
