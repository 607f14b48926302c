"""Cycles: planted ones are found, and transitive fields show hardly ever one."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest

from shakespeare_agents.arena.matches import Match
from shakespeare_agents.arena.standings import bootstrap, standings_of
from shakespeare_agents.arena.standings.cycles import cycles
from shakespeare_agents.arena.standings.pairs import pairs
from tests.arena.simulated_results import digest_of, played

FIELDS = 100


@pytest.fixture(autouse=True, scope="module")
def _few_replicates():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bootstrap, "REPLICATES", 20)
        yield


def cycles_of(chances, *, matches, seed, players=2) -> pl.DataFrame:
    """Of meetings: `chances[agent, other]` is how often one finishes ahead of the other."""
    rng = np.random.default_rng(seed)
    won = [(rng.random(matches) < chance).astype(float) for chance in chances.values()]
    met = pl.DataFrame(
        {
            "agent": np.repeat([pair[0] for pair in chances], matches),
            "other": np.repeat([pair[1] for pair in chances], matches),
            "match": np.arange(len(chances) * matches),
            "ahead": np.concatenate(won),
        }
    )
    turned = met.select(agent="other", other="agent", match="match", ahead=1 - pl.col("ahead"))
    met = pl.concat([met, turned]).with_columns(
        key="match", players=pl.lit(players, pl.Int64), score_lead=pl.lit(0.0)
    )
    agents = sorted({agent for pair in chances for agent in pair})
    rated = pl.DataFrame({"players": players, "agent": agents, "rating": 0.0})
    return cycles(pairs(met, rated))


def transitive(each):
    """Three kinds, each far ahead of the next, the first and the last equal.

    Nobody is behind whom it ought to be ahead of, but every side between the first kind and the
    last is at one half: where false cycles are most likely.
    """
    kinds = [(kind, number) for kind in "abc" for number in range(each)]
    chances = {}
    for one, other in itertools.combinations(kinds, 2):
        beside = (one[0] + other[0]) in ("ab", "bc")
        chances["".join(map(str, one)), "".join(map(str, other))] = 0.8 if beside else 0.5
    return chances


def test_transitive_fields_show_a_false_cycle_in_at_most_one_of_twenty():
    """Without a correction it is about one in five."""
    chances = transitive(3)
    false = [
        cycles_of(chances, matches=30, seed=seed)["significant"].any() for seed in range(FIELDS)
    ]
    assert np.mean(false) <= 0.05


@pytest.mark.parametrize("others", [0, 6])
def test_rock_paper_scissors_is_found(others):
    """Beside others, too, that make a hundred triples more."""
    chances = {("rock", "scissors"): 0.7, ("scissors", "paper"): 0.7, ("paper", "rock"): 0.7}
    names = ["rock", "paper", "scissors", *(f"other {number}" for number in range(others))]
    for one, other in itertools.combinations(names, 2):
        if other.startswith("other"):
            chances[one, other] = 0.7
    found = cycles_of(chances, matches=150, seed=1).filter(pl.col("significant"))
    (row,) = found.to_dicts()
    assert (row["players"], row["first"], row["second"], row["third"]) == (
        2,
        "paper",
        "rock",
        "scissors",
    )
    assert 0.6 < row["weakest"] < 0.75
    assert row["p_value"] < 0.01


def test_chances_are_those_of_holm():
    """Two triples in two directions each: the surer of two cycles counts fourfold, the other 3."""
    sure = {("a", "b"): 0.75, ("b", "c"): 0.75, ("c", "a"): 0.75}
    less = {("d", "e"): 0.66, ("e", "f"): 0.66, ("f", "d"): 0.66}
    single = [cycles_of(rows, matches=100, seed=3)["p_value"][0] for rows in (sure, less)]
    (alone, _), both = single, cycles_of(sure | less, matches=100, seed=3)
    assert both["p_value"][0] == pytest.approx(2 * alone)
    # The generator has gone on: the second cycle's meetings are others, its order is the same.
    assert both["p_value"].is_sorted()
    assert both["first"].to_list() == ["a", "d"]


def test_few_matches_show_no_cycle():
    for matches, significant in ((9, False), (12, True)):
        (row,) = cycles_of(
            {("a", "b"): 1.0, ("b", "c"): 1.0, ("c", "a"): 1.0}, matches=matches, seed=0
        ).to_dicts()
        assert row["weakest"] == 1
        assert row["significant"] == significant


def test_tables_that_contradict_each_other_make_no_cycle():
    """Pooled, a of two seats, b of three and c of four would be ahead in a circle."""
    orders = {2: "abc", 3: "bca", 4: "cab"}
    rows = []
    for players, order in orders.items():
        strengths = {name: -250.0 * place for place, name in enumerate(order)}
        lineups = itertools.combinations(order, 2) if players == 2 else [order]
        matches = [
            Match(players, deal, tuple(map(digest_of, (*lineup, *order)))[:players], (0, 1))
            for lineup in lineups
            for deal in range(60)
        ]
        rows.append(played(matches, strengths))
    found = standings_of(pl.concat(rows))
    assert [rows["agent"].str.join("").item() for rows in found.ladders().values()] == list(
        orders.values()
    )
    assert found.cycles.filter(pl.col("significant")).is_empty()
