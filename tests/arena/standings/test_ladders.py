"""Ladders, one for each number of seats, and cycles of who finishes ahead of whom."""

import itertools

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from shakespeare_agents.arena.standings import standings_of
from shakespeare_agents.arena.standings.cycles import cycles
from shakespeare_agents.arena.standings.figures import pairs
from shakespeare_agents.arena.standings.verdicts import Levels, with_ranks
from tests.arena.simulated_results import simulated

pytestmark = pytest.mark.usefixtures("few_replicates")
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


def test_verdicts_get_stricter_with_every_ladder():
    """One lead in twenty would be luck on each ladder; it is one on all of them together."""
    two = simulated({"a": 31.0, "b": 0.0}, tables=(2,), matches=500, points=500.0)
    three = simulated(dict.fromkeys("abcdefgh", 0.0), tables=(3,), matches=30)
    alone, beside = (standings_of(rows).ladders()[2] for rows in (two, pl.concat([two, three])))
    assert alone["lead_low"].to_list() == beside["lead_low"].to_list()
    assert (alone["verdict"][0], beside["verdict"][0]) == ("stronger", "open")
    assert (alone["rank"][0], beside["rank"][0]) == ("1", "1=")
    for agents, neighbours, couples in ([2], 1, 1), ([6], 5, 15), ([6, 6, 0, 3], 12, 33):
        levels = Levels.of(agents)
        assert levels.neighbours == pytest.approx(0.05 / neighbours)
        assert levels.pairs == pytest.approx(0.05 / couples)


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
