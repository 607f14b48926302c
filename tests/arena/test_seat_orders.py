"""Seats and neighbours come out even, whoever is a copy of whom."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from shakespeare_agents import RandomAgent, make
from shakespeare_agents.arena import Entrant, evaluate
from shakespeare_agents.arena.seat_orders import SeatPlan, circular_orders, seatings
from shakespeare_env import registry


def partitions(seats: int, most: int | None = None) -> Iterator[tuple[int, ...]]:
    """How many copies of each agent there can be at a table."""
    if seats == 0:
        yield ()
    for copies in range(min(seats, most or seats), 0, -1):
        for others in partitions(seats - copies, copies):
            yield copies, *others


COPIES = [copies for seats in range(2, 8) for copies in partitions(seats)]
each_company = pytest.mark.parametrize("copies", COPIES, ids=str)


def company(copies, seed=0):
    """Agents by place, the copies not side by side."""
    agents = [name for name, held in zip("abcdefg", copies, strict=False) for _ in range(held)]
    return [agents[i] for i in np.random.default_rng(seed).permutation(len(agents))]


def even(found, copies, number):
    """That ordered pairs of seats' holders are as frequent as if all agents could be told apart."""
    seats = sum(copies)
    held = dict(zip("abcdefg", copies, strict=False))
    for one, other in itertools.product(held, repeat=2):
        pairs = held[one] * (held[other] - (one == other))
        assert found[one, other] * seats * (seats - 1) == number * pairs


@each_company
def test_everyone_follows_everyone_at_every_seat_equally_often(copies):
    agents = company(copies)
    names = np.array(agents)[seatings(agents)]
    assert all(sorted(places) == list(range(len(agents))) for places in seatings(agents))
    for seat in range(len(agents)):
        assert {name: (names[:, seat] == name).sum() for name in set(agents)} == {
            name: len(names) * agents.count(name) / len(agents) for name in set(agents)
        }
        # At a single agent's table nothing else needs to be even.
        even(Counter(zip(names[:, seat - 1], names[:, seat], strict=True)), copies, len(names))


@each_company
def test_around_the_table_everyone_follows_everyone_equally_often(copies):
    agents = company(copies)
    orders = [[agents[place] for place in order] for order in circular_orders(agents)]
    assert all(sorted(order) == sorted(agents) for order in orders)
    behind = [(order[i - 1], order[i]) for order in orders for i in range(len(order))]
    even(Counter(behind), copies, len(orders) * len(agents))


@pytest.mark.parametrize(
    ("agents", "games"),
    [
        ("ab", 2),
        ("abc", 6),
        ("abcd", 12),
        ("abcde", 20),
        ("abcdef", 30),
        ("abb", 3),
        ("abbb", 4),
        ("aabb", 6),
        ("abab", 6),
        ("abcc", 12),
        ("aabbb", 10),
        ("aabbc", 10),
        ("aabbbb", 15),
        ("abbbbb", 6),
    ],
)
def test_a_deal_takes_no_more_games_than_it_needs(agents, games):
    """Fewer cannot seat every pair of agents at every two neighbouring seats equally often."""
    assert len(seatings(agents)) == games


@pytest.mark.parametrize("agents", ["a", "aaaa", "ab", "abbb", "bbab", "abbbbb"])
def test_one_agent_against_copies_only_moves_on(agents):
    """The games are those of the fixed order, which moves all on by one seat from game to game."""
    fixed = seatings(agents, "fixed")
    found = np.array(list(agents))
    assert found[seatings(agents)].tolist() == found[fixed].tolist()
    assert found[fixed].tolist() == [np.roll(found, turn).tolist() for turn in range(len(agents))]


def test_an_unknown_order():
    with pytest.raises(ValueError, match="order='random': give one of 'balanced', 'fixed'"):
        evaluate(["random"] * 3, "figaro", games=3, order="random")  # type: ignore[arg-type]


# ----------------------------------------------------------------------------------- a planted one


@pytest.fixture(scope="module")
def players():
    """In Figaro a random player feeds whoever sits behind it; the others are one agent by names."""
    agent = make("heuristic", registry.game("figaro"))
    return [Entrant("feeder", RandomAgent()), *[Entrant(name, agent) for name in "abcde"]]


def compared(entrants, one, other, **how):
    found = evaluate(entrants, "figaro", seed=1, **how).difference(one.name, other.name)
    assert found.win_low is not None
    assert found.win_high is not None
    return found


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_who_sits_behind_a_weak_player_is_not_called_stronger(players, seats):
    """The fixed orders contradict each other about equal agents, the balanced ones do not.

    Of the eight balanced results one may well leave its 95 % interval by chance, none twice it.
    """
    feeder, one, *others, other = players[:seats]
    orders = [feeder, one, *others, other], [feeder, other, *others, one]
    fixed = [compared(order, one, other, games=1200, order="fixed") for order in orders]
    assert fixed[0].win_low > 0 > fixed[1].win_high
    for order in orders:
        found = compared(order, one, other, games=600)
        assert abs(found.win_rate) < found.win_high - found.win_low
        assert abs(found.win_rate) < min(fixed[0].win_rate, -fixed[1].win_rate)


def test_over_many_deals_everyone_is_as_often_two_and_three_seats_away():
    """Six seats are too many for one deal's games to balance more than neighbours."""
    seating = SeatPlan(tuple("abcdef"), "balanced", 1).of(range(400)).reshape(-1, 6)
    for apart in range(1, 6):
        pairs = Counter(
            pair
            for places in seating.tolist()
            for pair in zip(places, places[apart:] + places[:apart], strict=True)
        )
        # 400 deals of 30 games with six such pairs each, four standard errors at most.
        assert len(pairs) == 30
        assert all(abs(times - 2400) < 400 for times in pairs.values())
