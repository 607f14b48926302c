"""Matchmaking: which agents meet, where they sit, and when an order is settled."""

import itertools
from collections import Counter
from typing import Any

import pytest

from shakespeare_arena.games.seating import Seating
from shakespeare_arena.matchmaking import ladders_at_look, level_at_look, plan_round
from tests.arena.simulated_results import digest_of, played, simulated

STRENGTHS = {"a": -300.0, "b": 0.0, "c": 5.0, "d": 300.0}
AGENTS = [digest_of(name) for name in "abcde"]
NOTHING = simulated({"a": 0.0}, tables=(1,), matches=1).head(0)


def planned(results=NOTHING, *, tables=(4,), number=0, **changes):
    """Plan a round of 48 games of four agents, unless changed."""
    options: dict[str, Any] = {"agents": AGENTS[:4], "games": 48, "seed": 0, **changes}
    ladders = look(results, options["agents"], tables, look=number + 1)
    return plan_round(results, ladders, number=number, **options)


def meetings(matches):
    """Count how often two agents met, by pair."""
    pairs = (itertools.combinations(sorted(match.lineup), 2) for match in matches)
    return Counter(itertools.chain(*pairs))


def look(results, agents, tables, **options):
    return ladders_at_look(results, agents=agents, tables=tables, **{"look": 1} | options)


def test_in_the_first_round_tables_share_the_games_and_all_pairs_meet_equally_often():
    matches = planned(tables=(1, 2, 4), games=240)
    for players in (2, 4):
        at_table = [match for match in matches if match.players == players]
        assert sum(len(match.rotations) for match in at_table) == 80
        met = meetings(at_table).values()
        assert len(met) == 6
        assert max(met) - min(met) <= 1
        assert [match.deal for match in at_table] == list(range(80 // players))


def test_pairs_whose_order_is_open_meet_more_often():
    results = simulated(STRENGTHS, tables=(2,), matches=200, points=500.0)
    met = meetings(planned(results, tables=(2,), number=3, games=200))
    (pair, times), *_ = met.most_common(1)
    assert set(pair) == {digest_of("b"), digest_of("c")}
    assert times > 70
    assert len(met) == 6
    assert min(met.values()) >= 2


def test_a_plan_is_repeatable_and_goes_on_numbering_deals_by_table_and_seed():
    results = simulated(STRENGTHS, tables=(2, 4), matches=7)
    plan = planned(results, number=1, tables=(2, 4))
    assert planned(results.reverse(), number=1, tables=(2, 4)) == plan
    more = simulated(STRENGTHS, tables=(2,), matches=20)
    assert planned(more, number=2, tables=(2,)) != planned(more, number=1, tables=(2,))
    for players in (2, 4):
        deals = [match.deal for match in plan if match.players == players]
        assert deals == list(range(7, 7 + len(deals)))
    assert min(match.deal for match in planned(results, number=1, seed=5)) == 0


@pytest.mark.parametrize("players", [3, 4])
def test_everyone_sits_everywhere_equally_often(players):
    """They do over two rounds, the second of which goes on where the first ended."""
    names = dict.fromkeys("abcd"[:players], 0.0)
    setup: dict[str, Any] = {"tables": (players,), "agents": AGENTS[:players]}
    setup["games"] = 6 * players
    first = planned(**setup)
    matches = first + planned(played(first, names), number=1, **setup)
    follows = Counter(
        pair
        for match in matches
        for pair in zip(match.lineup, (*match.lineup[1:], match.lineup[0]), strict=True)
    )
    assert len(follows) == players * (players - 1)
    assert len(set(follows.values())) == 1
    assert len(matches) == 12
    assert {match.rotations for match in matches} == {tuple(range(players))}


def test_copies_sit_everywhere_equally_often_and_repeat_no_game():
    """If rotations are equal, more deals are played, here by two agents at four seats."""
    names = dict.fromkeys("ab", 0.0)
    setup: dict[str, Any] = {"agents": AGENTS[:2], "games": 36}
    first = planned(**setup)
    matches = first + planned(played(first, names), number=1, **setup)
    assert [match.deal for match in matches] == list(range(len(matches)))
    follows: Counter[tuple[str, str]] = Counter()
    games = 0
    for match in matches:
        seated = [Seating(match, rotation).digests for rotation in match.rotations]
        assert len(set(seated)) == len(seated)
        assert len({digests[0] for digests in seated}) == 2, "both sit at every seat"
        games += len(seated)
        for digests in seated:
            follows.update(zip(digests, (*digests[1:], digests[0]), strict=True))
    assert games == 72
    pairs = {pair: count / games for pair, count in follows.items()}
    a, b = AGENTS[:2]
    assert pairs == pytest.approx({(a, a): 2 / 3, (b, b): 2 / 3, (a, b): 4 / 3, (b, a): 4 / 3})


def test_in_the_solo_game_all_play_the_same_deals_and_those_whose_order_is_open_go_on():
    first = planned(tables=(1,), games=80)
    for agent in AGENTS[:4]:
        assert {match.deal for match in first if match.lineup == (agent,)} == set(range(20))
    second = planned(played(first, STRENGTHS), tables=(1,), number=1, games=80)
    assert {match.lineup for match in second} == {(digest_of("b"),), (digest_of("c"),)}
    assert {match.deal for match in second} == set(range(20, 60))
    # A new agent plays the deals that the others have played.
    third = planned(played(first, STRENGTHS), agents=AGENTS, tables=(1,), number=1, games=15)
    assert {match.lineup for match in third} == {(digest_of("e"),)}
    assert [match.deal for match in third] == list(range(15))


def test_an_order_is_settled_when_all_neighbours_are():
    def is_settled(strengths, matches, **options):
        results = simulated(strengths, tables=(1, 4), matches=matches, points=500.0)
        agents = [digest_of(name) for name in strengths]
        ladders = look(results, agents, (1, 4), **options)
        return not any(ladder.undecided() for ladder in ladders.values())

    apart = {"a": 0.0, "b": 300.0, "c": 700.0}
    assert is_settled(apart, 80)
    assert not is_settled(apart, 9)
    assert not is_settled(apart | {"d": 702.0}, 80)
    assert is_settled(apart | {"d": 702.0}, 80, equal_within=200.0, solo_equal_within=1000.0)


def test_all_ladders_and_all_looks_share_the_level():
    """A lead that one table alone would settle is open where three are looked at."""
    results = simulated({"a": 19.0, "b": 0.0}, tables=(2,), matches=1500, points=500.0)
    assert not look(results, AGENTS[:2], (2,))[2].undecided()
    assert look(results, AGENTS[:2], (2, 3, 4))[2].undecided()
    assert sum(level_at_look(each, 1) for each in range(1, 100_000)) == pytest.approx(
        0.05, rel=1e-3
    )
    assert level_at_look(3, 7) == pytest.approx(level_at_look(3, 1) / 7)
