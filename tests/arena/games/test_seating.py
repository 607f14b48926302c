"""Balanced seating: seats and neighbours come out even."""

import itertools
from collections import Counter

import numpy as np
import pytest

from shakespeare_arena.games.seating import SeatPlan, seatings

GAMES = {
    "ab": 2,
    "abc": 6,
    "abcd": 12,
    "abcde": 20,
    "abcdef": 30,
    "abb": 3,
    "abbb": 4,
    "aabb": 6,
    "abab": 6,
    "abcc": 12,
    "aabbb": 10,
    "aabbc": 10,
    "aabbbb": 15,
    "abbbbb": 6,
    "a": 1,
    "aa": 1,
    "aaa": 1,
    "aaaa": 1,
    "aaaaaa": 1,
    "aaabbb": 20,
    "aaaabc": 30,
    "aabbcd": 30,
}
"""The games of a deal, by the agents that play it.

Fewer games cannot seat every ordered pair of agents at every two neighbouring seats equally often.
"""
each_company = pytest.mark.parametrize("agents", [*GAMES, "aabbcc", "abacbda", "babcabc"])


def assert_even(found, agents, number):
    """Check that ordered pairs of agents are as frequent as if all agents were different."""
    seats = len(agents)
    held = Counter(agents)
    for one, other in itertools.product(held, repeat=2):
        pairs = held[one] * (held[other] - (one == other))
        assert found[one, other] * seats * (seats - 1) == number * pairs


@each_company
def test_everyone_follows_everyone_at_every_seat_equally_often(agents):
    orders = seatings(list(agents))
    assert len(orders) == GAMES.get(agents, len(orders))
    assert all(sorted(places) == list(range(len(agents))) for places in orders)
    names = np.array(list(agents))[orders]
    if agents in GAMES:  # three pairs of copies repeat 3 of their 30 games
        assert len(np.unique(names, axis=0)) == len(names), "a game is repeated"
    for seat in range(len(agents)):
        for name in agents:
            held = int((names[:, seat] == name).sum())
            assert held * len(agents) == len(names) * agents.count(name)
        assert_even(
            Counter(zip(names[:, seat - 1], names[:, seat], strict=True)), agents, len(names)
        )


def test_over_many_deals_everyone_is_as_often_two_and_three_seats_away():
    """With six seats the games of one deal can balance no more than neighbours."""
    seating = SeatPlan(tuple("abcdef"), 1).places(range(400)).reshape(-1, 6)
    for apart in range(1, 6):
        pairs = Counter(
            pair
            for places in seating.tolist()
            for pair in zip(places, places[apart:] + places[:apart], strict=True)
        )
        # 400 deals of 30 games with six such pairs each, four standard errors at most.
        assert len(pairs) == 30
        assert all(abs(times - 2400) < 400 for times in pairs.values())
