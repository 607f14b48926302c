"""Standings: what each frame says of results whose figures are known."""

import dataclasses
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from shakespeare_arena.games.seating import Match
from shakespeare_arena.standings import standings_of
from shakespeare_arena.standings.frames import SCHEMAS
from shakespeare_arena.standings.ladders import verdict
from tests.arena.simulated_results import digest_of, played, simulated

STRENGTHS = {"weak": -200.0, "fair": 0.0, "twin": 0.0, "strong": 250.0}


@pytest.fixture(scope="module")
def results():
    how: dict[str, Any] = {"points": 3.0, "seat_luck": 0.5, "forfeits": {"weak": 0.05}}
    return simulated(STRENGTHS, tables=(1, 2, 4), matches=60, seed=1, **how)


@pytest.fixture(scope="module")
def standings(results):
    return standings_of(results)


def frames(standings):
    fields = dataclasses.fields(standings)
    return {f.name: getattr(standings, f.name) for f in fields if f.name in SCHEMAS}


def game(places, scores, forfeited_by=None, *, lineup="abc", deal=0):
    """One game's row."""
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
    for name, frame in frames(again).items():
        assert dict(frame.schema) == SCHEMAS[name], name
        assert len(frame), name
        assert_frame_equal(frame, frames(standings)[name])


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


def test_a_shared_victory_counts_a_part_of_one():
    table = standings_of(game([1, 1, 3], [9, 9, 2])).tables
    assert dict(table.select("agent", "win_rate").iter_rows()) == {"a": 0.5, "b": 0.5, "c": 0}
    assert table["low"].null_count() == 3  # of a single match


def test_whoever_forfeits_was_beaten_by_each_and_nothing_else_is_counted():
    standings = standings_of(game([1, 3, 1], [40, 50, 60], forfeited_by=1))
    ahead = {(a, o): s for a, o, s in standings.pairs.select("agent", "other", "ahead").iter_rows()}
    assert ahead == {("a", "b"): 1, ("c", "b"): 1, ("b", "a"): 0, ("b", "c"): 0}
    assert standings.pairs["score_lead"].null_count() == 4
    assert standings.tables["mean_score"].null_count() == 3
    assert standings.faults.rows() == [("b", "crash", 1, "crash")]


def test_pairs_are_two_sides_of_the_same_games(standings):
    pairs = standings.pairs
    turned = pairs.rename({"agent": "other", "other": "agent"}).select(pairs.columns)
    both = pairs.join(turned, on=["players", "agent", "other"], suffix="_theirs")
    assert len(both) == len(pairs) == 24
    shares = {"ahead": "ahead", "low": "high", "expected": "expected"}
    scores = {"score_lead": "score_lead", "score_low": "score_high"}
    for mine, theirs in (shares | scores).items():
        found = both[mine] + both[f"{theirs}_theirs"]
        assert found.to_list() == pytest.approx([float(mine in shares)] * 24, abs=1e-9), mine


def test_time_is_counted_by_decision_and_table(results, standings):
    for players in (1, 4):
        games = results.filter(players=players)
        rows = games.explode("agents", "seconds", "decisions").filter(agents="fair")
        fair = standings.times.filter(agent="fair", players=players).row(0, named=True)
        seconds, decisions = rows["seconds"].cast(pl.Float64).sum(), rows["decisions"].sum()
        assert (fair["decisions"], fair["seconds"]) == (decisions, pytest.approx(seconds))
        assert fair["milliseconds"] == pytest.approx(1000 * seconds / decisions)
        assert fair["low"] < fair["milliseconds"] < fair["high"]


def test_solo_leads_are_of_the_deals_that_both_have_played():
    """By their means b is best, but its deals were the good ones; a forfeited game counts as 0."""
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
        (22, 10, 12, "open"),  # by Student's t
        (30, 10, 9, "open"),
        (0, 10, 1000, "equal"),
        (10, 6, 1000, "open"),
        (5, 2, 1000, "stronger"),
        (5, 3, 1000, "equal"),
        (15, float("nan"), 1000, "open"),
    ],
)
def test_a_verdict(lead, error, matches, expected):
    assert verdict(lead, error, matches, level=0.05, equal_within=20) == expected
