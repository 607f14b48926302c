"""Cycles: planted ones are found, and transitive fields show hardly ever one."""

import itertools

import numpy as np
import polars as pl
import pytest

from shakespeare_agents.arena.standings.cycles import cycles
from shakespeare_agents.arena.standings.figures import pairs

pytestmark = pytest.mark.usefixtures("few_replicates")


def cycles_of(chances, *, matches, seed) -> pl.DataFrame:
    """Of meetings: `chances[agent, other]` is how often one finishes ahead of the other."""
    rng = np.random.default_rng(seed)
    met = pl.DataFrame(
        {
            "agent": np.repeat([pair[0] for pair in chances], matches),
            "other": np.repeat([pair[1] for pair in chances], matches),
            "match": np.arange(len(chances) * matches),
            "ahead": rng.random(len(chances) * matches) < np.repeat([*chances.values()], matches),
        }
    ).with_columns(pl.col("ahead").cast(pl.Float64))
    turned = met.select(agent="other", other="agent", match="match", ahead=1 - pl.col("ahead"))
    met = pl.concat([met, turned]).with_columns(
        key="match", players=pl.lit(2, pl.Int64), score_lead=pl.lit(0.0)
    )
    agents = sorted({agent for pair in chances for agent in pair})
    return cycles(pairs(met, pl.DataFrame({"players": 2, "agent": agents, "rating": 0.0})))


def test_transitive_fields_show_a_false_cycle_in_at_most_one_of_twenty():
    """Three kinds, each far ahead of the next, the first and the last equal.

    Nobody is behind whom it ought to be ahead of, but every side between the first kind and the
    last is at one half: where false cycles are most likely, about one in five without a correction.
    """
    agents = [f"{kind}{number}" for kind in "abc" for number in range(3)]
    chances = {
        (one, other): 0.8 if one[0] + other[0] in ("ab", "bc") else 0.5
        for one, other in itertools.combinations(agents, 2)
    }
    found = [cycles_of(chances, matches=30, seed=seed)["significant"].any() for seed in range(100)]
    assert np.mean(found) <= 0.05


@pytest.mark.parametrize("others", [0, 6])
def test_rock_paper_scissors_is_found(others):
    """Beside others, too, that make a hundred triples more."""
    names = ["rock", "scissors", "paper"]
    chances = {("rock", "scissors"): 0.7, ("scissors", "paper"): 0.7, ("paper", "rock"): 0.7}
    for number in range(others):
        chances |= {(name, f"other {number}"): 0.7 for name in names}
        names.append(f"other {number}")
    found = cycles_of(chances, matches=150, seed=1).filter(pl.col("significant"))
    (row,) = found.to_dicts()
    three = (row["first"], row["second"], row["third"])
    assert (row["players"], three) == (2, ("paper", "rock", "scissors"))
    assert 0.6 < row["weakest"] < 0.75
    assert row["p_value"] < 0.01


def test_chances_are_those_of_holm_and_few_matches_show_no_cycle():
    """Two triples in two directions each: the surer of two cycles counts fourfold, the other 3."""
    sure = {("a", "b"): 0.75, ("b", "c"): 0.75, ("c", "a"): 0.75}
    less = {("d", "e"): 0.66, ("e", "f"): 0.66, ("f", "d"): 0.66}
    alone = cycles_of(sure, matches=100, seed=3)["p_value"][0]
    both = cycles_of(sure | less, matches=100, seed=3)
    assert both["p_value"][0] == pytest.approx(2 * alone)
    assert both["p_value"].is_sorted()
    assert both["first"].to_list() == ["a", "d"]
    for matches, significant in ((9, False), (12, True)):
        (row,) = cycles_of(dict.fromkeys(sure, 1.0), matches=matches, seed=0).to_dicts()
        assert (row["weakest"], row["significant"]) == (1, significant)
