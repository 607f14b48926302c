"""Standings: what each frame says of results whose figures are known."""

from __future__ import annotations

import dataclasses
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from shakespeare_agents.arena.matches import Match
from shakespeare_agents.arena.standings import bootstrap, standings_of
from shakespeare_agents.arena.standings.effects import deal_effects
from shakespeare_agents.arena.standings.seats import labels, seats
from shakespeare_agents.arena.standings.standings import SCHEMAS
from shakespeare_agents.arena.standings.verdicts import verdict
from tests.arena.simulated_results import digest_of, played, simulated

STRENGTHS = {"weak": -200.0, "fair": 0.0, "twin": 0.0, "strong": 250.0}


@pytest.fixture(autouse=True, scope="module")
def _few_replicates():
    """Enough for the order of these agents."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bootstrap, "REPLICATES", 50)
        yield


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
    row = played([match], dict.fromkeys(lineup, 0.0))
    fault = None if forfeited_by is None else "crash"
    return row.with_columns(
        places=pl.Series([places], dtype=pl.List(pl.Int8)),
        scores=pl.Series([scores], dtype=pl.List(pl.Int16)),
        forfeited_by=pl.lit(forfeited_by, pl.Int8),
        fault=pl.lit(fault, pl.String),
        fault_details=pl.lit(fault, pl.String),
    )


def test_every_frame_has_its_columns(standings):
    for name, frame in frames(standings).items():
        assert dict(frame.schema) == SCHEMAS[name], name
        assert name == "cycles" or len(frame), name


def test_there_are_standings_of_no_games_and_of_solo_games_alone(results):
    nothing = standings_of(results.head(0))
    assert nothing.games == 0
    assert not any(len(frame) for frame in frames(nothing).values())
    alone = standings_of(results.filter(pl.col("players") == 1))
    assert len(alone.solo) == 4
    assert not len(alone.ladder)


def test_the_same_results_give_the_same_standings_in_any_order(results, standings):
    again = standings_of(results.sample(fraction=1, shuffle=True, seed=3))
    for name, frame in frames(again).items():
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
    assert ladder["forfeits"].to_list()[-1] > 0
    assert ladder["forfeits"].to_list()[:-1] == [0, 0, 0]
    inside = (pl.col("low") < pl.col("rating")) & (pl.col("rating") < pl.col("high"))
    assert ladder.select(inside.all()).item()


def test_agents_of_one_name_are_told_apart_by_their_digests():
    lineup = (digest_of("a"), digest_of("b"))
    results = played([Match(2, 0, lineup, (0, 1))], {"a": 0.0, "b": 0.0})
    results = results.with_columns(agents=pl.Series([["a", "a"]] * 2))
    expected = {f"a {digest[:6]}" for digest in lineup}
    assert set(standings_of(results).ladder["agent"]) == expected


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
    assert not len(standings.scores)
    assert not len(standings.seats)
    assert standings.faults.rows() == [("b", "crash", 1, "crash")]


def test_pairs_are_two_sides_of_the_same_games(standings):
    pairs = standings.pairs
    turned = pairs.rename({"agent": "other", "other": "agent"}).select(pairs.columns)
    both = pairs.join(turned, on=["players", "agent", "other"], suffix="_theirs")
    assert len(both) == len(pairs) == 24
    for mine, theirs, sum_of in [
        ("ahead", "ahead", 1),
        ("low", "high", 1),
        ("expected", "expected", 1),
        ("score_lead", "score_lead", 0),
        ("score_low", "score_high", 0),
    ]:
        found = both[mine] + both[f"{theirs}_theirs"]
        assert found.to_list() == pytest.approx([sum_of] * 24, abs=1e-9), mine


def test_scores_are_compared_on_the_same_deals():
    """Scores of a deal go up and down together; their differences do not."""
    apart = played(
        [Match(2, d, (digest_of("a"), digest_of("b")), (0, 1)) for d in range(60)],
        {"a": 100.0, "b": 0.0},
        deal_luck=40.0,
    )
    standings = standings_of(apart)
    pair = standings.pairs.row(0, named=True)
    means = dict(standings.tables.select("agent", "mean_score").iter_rows())
    assert pair["score_lead"] == pytest.approx(means["a"] - means["b"])
    single = standings.tables.row(0, named=True)
    assert pair["score_high"] - pair["score_low"] < (single["score_high"] - single["score_low"]) / 4


def test_time_is_counted_by_decision_and_table(results, standings):
    for players in (1, 2, 4):
        games = results.filter(pl.col("players") == players)
        rows = games.explode("agents", "seconds", "decisions").filter(pl.col("agents") == "fair")
        at = (pl.col("agent") == "fair") & (pl.col("players") == players)
        fair = standings.times.row(by_predicate=at, named=True)
        seconds, decisions = rows["seconds"].cast(pl.Float64).sum(), rows["decisions"].sum()
        assert (fair["decisions"], fair["seconds"]) == (decisions, pytest.approx(seconds))
        assert fair["milliseconds"] == pytest.approx(1000 * seconds / decisions)
        assert fair["low"] < fair["milliseconds"] < fair["high"]
        assert standings.milliseconds(players)["fair"] == fair["milliseconds"]


LUCK: dict[str, dict[str, Any]] = {
    "nothing": {"deal_luck": 0.0},
    "deals": {"deal_luck": 2.0},
    "seats": {"deal_luck": 0.0, "seat_luck": 2.0},
}


@pytest.mark.parametrize("what", LUCK)
def test_what_deals_and_seats_decide_is_told_apart_from_strength(what):
    strengths = {"a": 300.0, "b": 0.0, "c": -300.0}
    results = simulated(strengths, tables=(2, 3), matches=300, points=1.0, **LUCK[what])
    two, three = deal_effects(seats(results, labels(results))).to_dicts()
    # Of the variance π²/6 of a Gumbel variable and 1/12 of rounding, plus 4 of luck.
    share = 4 / (4 + 1.645 + 1 / 12)
    deal, seat = {"nothing": (0, 0), "deals": (share, share), "seats": (0, share)}[what]
    assert (three["score_share"], three["seat_share"]) == pytest.approx((deal, seat), abs=0.1)
    assert two["score_share"] is None
    assert two["seat_share"] == pytest.approx(seat, abs=0.1)


def test_line_ups_that_met_once_tell_nothing_of_deals():
    results = simulated({"a": 0.0, "b": 0.0}, tables=(2,), matches=1)
    (row,) = deal_effects(seats(results, labels(results))).to_dicts()
    assert (row["matches"], row["score_share"], row["seat_share"]) == (1, None, None)


def solo(scores, faults=()):
    """Solo games: `scores[agent]` by deal, None where it did not play."""
    rows = []
    for agent, points in scores.items():
        for deal, score in enumerate(points):
            if score is not None:
                by = 0 if (agent, deal) in faults else None
                rows.append(game([1], [score], by, lineup=agent, deal=deal))
    return pl.concat(rows)


def test_solo_leads_are_of_the_deals_that_both_have_played():
    """By their means b is best, but its deals were the good ones."""
    results = solo({"a": [10, 20, 30, 40], "b": [None, None, 29, 38], "c": [9, 18, None, None]})
    ladder = standings_of(results).solo
    assert ladder["agent"].to_list()[:2] == ["a", "b"]
    a, b, _ = ladder.rows(named=True)
    assert (a["mean"], a["median"], b["mean"]) == (25, 25, 33.5)
    assert a["lead"] == 1.5
    assert (a["lead_low"] + a["lead_high"]) / 2 == pytest.approx(1.5)
    assert b["lead"] is None
    assert b["verdict"] == "open"


def test_a_forfeited_solo_game_counts_as_0():
    row = standings_of(solo({"a": [10, 20]}, faults={("a", 1)})).solo.row(0, named=True)
    assert (row["mean"], row["forfeits"], row["deals"]) == (5, 1, 2)


@pytest.mark.parametrize(
    ("lead", "error", "matches", "expected"),
    [
        (30, 10, 1000, "stronger"),
        (30, 10, 12, "stronger"),
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
