"""Plans: who meets, where they sit, and when an order is settled."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import polars as pl
import pytest

from shakespeare_agents.arena.matchmaking import plan_round, round_games
from shakespeare_agents.arena.seating import Seating
from shakespeare_agents.arena.settling import level_of, look_at
from tests.arena.simulated_results import digest_of, played, simulated

STRENGTHS = {"a": -300.0, "b": 0.0, "c": 5.0, "d": 300.0}
AGENTS = [digest_of(name) for name in STRENGTHS]
NOTHING = simulated({"a": 0.0}, tables=(1,), matches=1).head(0)


def planned(results=NOTHING, **changes):
    how: dict[str, Any] = {"agents": AGENTS, "tables": (4,), "seed": 0, "number": 0, "games": 48}
    return plan_round(results, **(how | changes))


def meetings(matches):
    """How often two agents met, by pair."""
    pairs = (itertools.combinations(sorted(match.lineup), 2) for match in matches)
    return Counter(itertools.chain(*pairs))


def named(*names):
    return tuple(sorted(map(digest_of, names)))


def seats(matches):
    """How often each agent sat at each seat."""
    return Counter(
        (agent, (i + rotation) % match.players)
        for match in matches
        for rotation in match.rotations
        for i, agent in enumerate(match.lineup)
    )


@pytest.mark.parametrize("players", [2, 3, 4])
def test_in_the_first_round_all_pairs_meet_equally_often(players):
    matches = planned(tables=(players,), games=24 * players)
    met = meetings(matches)
    assert len(met) == 6
    assert max(met.values()) - min(met.values()) <= 1
    assert sum(match.games for match in matches) == 24 * players
    assert [match.deal for match in matches] == list(range(24))


def test_games_are_shared_out_among_the_tables():
    games: Counter[int] = Counter()
    for match in planned(tables=(1, 2, 4), games=240):
        games[match.players] += match.games
    assert games == {1: 80, 2: 80, 4: 80}


def test_pairs_whose_order_is_open_meet_more_often():
    results = simulated(STRENGTHS, tables=(2,), matches=200, points=500.0)
    met = meetings(planned(results, tables=(2,), number=3, games=200))
    assert met.most_common(1)[0][0] == named("b", "c")
    assert met[named("b", "c")] > 70
    assert min(met.values()) >= 2
    assert len(met) == 6


def test_a_new_agent_catches_up():
    old = {name: 100.0 * i for i, name in enumerate("abcdefg")}
    results = simulated(old, tables=(2,), matches=400, points=500.0)
    agents = [digest_of(name) for name in (*old, "new")]
    met = meetings(planned(results, agents=agents, tables=(2,), number=4, games=200))
    games = Counter(agent for pair, times in met.items() for agent in pair * times)
    assert games.most_common(1)[0] == (digest_of("new"), games[digest_of("new")])
    assert games[digest_of("new")] > 50


def test_the_same_arguments_give_the_same_plan():
    results = simulated(STRENGTHS, tables=(2,), matches=20)
    plan = planned(results, tables=(2,), number=1)
    assert planned(results.reverse(), tables=(2,), number=1) == plan
    assert planned(results, tables=(2,), number=2) != plan


def test_deals_are_numbered_on_by_table_and_seed():
    results = simulated(STRENGTHS, tables=(2, 4), matches=7)
    matches = planned(results, number=1, tables=(2, 4))
    for players in (2, 4):
        deals = [match.deal for match in matches if match.players == players]
        assert deals == list(range(7, 7 + len(deals)))
    assert min(match.deal for match in planned(results, number=1, seed=5)) == 0


@pytest.mark.parametrize(("players", "rotations"), [(4, 1), (4, 3), (4, 2), (3, None), (2, 1)])
def test_everyone_sits_everywhere_equally_often(players, rotations):
    """Over two rounds: the second goes on where the first ended."""
    names = dict.fromkeys(("a", "b", "c", "d")[:players], 0.0)
    how: dict[str, Any] = {
        "agents": [digest_of(name) for name in names],
        "tables": (players,),
        "rotations": rotations,
    }
    games = 12 * (rotations or players)
    first = planned(games=games // 2, **how)
    second = planned(played(first, names), number=1, games=games // 2, **how)
    sat = seats(first + second)
    assert len(sat) == players**2
    assert len(set(sat.values())) == 1
    assert len(first + second) == 12
    assert all(len(match.rotations) == (rotations or players) for match in first)


@pytest.mark.parametrize(
    ("players", "rotations", "orders"), [(3, None, 2), (4, None, 6), (4, 2, 6), (5, None, 4)]
)
def test_everyone_sits_behind_everyone_equally_often(players, rotations, orders):
    """Over the matches of the same agents, at every seat."""
    agents = [digest_of(name) for name in "abcde"[:players]]
    each = rotations or players
    games = orders * players
    matches = planned(agents=agents, tables=(players,), rotations=rotations, games=games)
    assert {match.games for match in matches} == {each}
    around = [Seating(match, rotation).digests for match in matches for rotation in match.rotations]
    behind = Counter(
        (seat, digests[seat - 1], digests[seat]) for digests in around for seat in range(players)
    )
    assert len(behind) == players * players * (players - 1)
    assert len(set(behind.values())) == 1


@pytest.mark.parametrize(("names", "players"), [("ab", 4), ("abc", 4), ("ab", 5)])
def test_copies_fill_a_table_and_take_turns(names, players):
    agents = [digest_of(name) for name in names]
    matches = planned(agents=agents, tables=(players,), games=12 * players)
    copies = [Counter(match.lineup) for match in matches]
    assert all(max(held.values()) - min(held.values()) <= 1 for held in copies)
    assert all(set(held) == set(agents) for held in copies)
    total: Counter[str] = sum(copies, Counter())
    assert max(total.values()) - min(total.values()) <= 1


def test_without_another_agent_there_is_nobody_to_meet():
    with pytest.raises(ValueError, match="4 needs two different agents, the field has 1; add one"):
        planned(agents=AGENTS[:1])
    assert len(planned(agents=AGENTS[:1], tables=(1,), games=3)) == 3


def test_alone_all_play_the_same_deals_and_those_who_are_open_go_on():
    first = planned(tables=(1,), games=80)
    deals = {agent: {m.deal for m in first if m.lineup == (agent,)} for agent in AGENTS}
    assert all(found == set(range(20)) for found in deals.values())
    results = played(first, STRENGTHS)
    second = planned(results, tables=(1,), number=1, games=80)
    assert {match.lineup for match in second} == {(digest_of("b"),), (digest_of("c"),)}
    assert {match.deal for match in second} == set(range(20, 60))


def test_alone_who_is_new_plays_what_the_others_have_played():
    results = played(planned(tables=(1,), games=60, agents=AGENTS[:3]), STRENGTHS)
    new = planned(results, tables=(1,), number=1, games=15)
    assert {match.lineup for match in new} == {(digest_of("d"),)}
    assert [match.deal for match in new] == list(range(15))


def test_an_order_is_settled_when_all_neighbours_are():
    def settled(strengths, matches, **how):
        results = simulated(strengths, tables=(1, 4), matches=matches, points=500.0)
        agents = [digest_of(name) for name in strengths]
        found = look_at(results, agents=agents, tables=(1, 4), look=1, **how)
        return not any(ladder.undecided() for ladder in found.values())

    apart = {"a": 0.0, "b": 300.0, "c": 700.0}
    assert settled(apart, 80)
    assert not settled(apart, 9)
    assert not settled(apart | {"d": 702.0}, 80)
    assert settled(apart | {"d": 702.0}, 80, equal_within=200.0, solo_equal_within=1000.0)


def test_nobody_is_settled_who_has_not_played():
    results = simulated({"a": 0.0, "b": 600.0}, matches=80)
    ladder = look_at(results, agents=AGENTS[:3], tables=(4,), look=1)[4]
    assert ladder.order == (digest_of("b"), digest_of("a"), digest_of("c"))
    assert [(pair.first, pair.second) for pair in ladder.undecided()] == [ladder.order[1:]]


def test_a_table_is_settled_by_its_own_games_and_leaves_the_next_to_the_others():
    """Strong at two seats is weak at four: pooled they would seem equal."""
    agents = [digest_of(name) for name in "ab"]
    two = simulated({"a": 300.0, "b": 0.0}, tables=(2,), matches=80, points=500.0)
    four = simulated({"a": 0.0, "b": 300.0}, tables=(4,), matches=3, points=500.0)
    results = pl.concat([two, four])
    found = look_at(results, agents=agents, tables=(2, 4), look=1)
    assert (found[2].order, found[4].order) == (tuple(agents), tuple(agents[::-1]))
    assert [bool(found[players].undecided()) for players in (2, 4)] == [False, True]
    plan = planned(results, agents=agents, tables=(2, 4), number=1)
    assert {match.players for match in plan} == {4}


def test_all_ladders_share_the_level():
    """A lead that one table alone would settle is open where three are looked at."""
    results = simulated({"a": 19.0, "b": 0.0}, tables=(2,), matches=1500, points=500.0)
    agents = [digest_of(name) for name in "ab"]

    def is_open(*tables):
        return bool(look_at(results, agents=agents, tables=tables, look=1)[2].undecided())

    assert (is_open(2), is_open(2, 3, 4)) == (False, True)


def test_all_looks_together_have_the_level_of_one():
    assert sum(level_of(look, 1) for look in range(1, 100_000)) == pytest.approx(0.05, rel=1e-3)
    assert level_of(3, 7) == pytest.approx(level_of(3, 1) / 7)


def test_later_rounds_are_larger():
    assert [round_games(number, 100) for number in range(4)] == [100, 150, 225, 338]
