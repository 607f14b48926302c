"""Seats and neighbours come out even; a deal depends on its seed and its number alone."""

import itertools
from collections import Counter

import numpy as np
import pytest

from shakespeare_agents import RandomAgent, make
from shakespeare_agents.arena import Entrant, evaluate
from shakespeare_agents.arena.games.seat_orders import SeatPlan, seatings
from shakespeare_agents.arena.games.seating import deal
from shakespeare_env.core import registry
from shakespeare_env.play.lineup import play_out
from tests.contract.each_table import full_tables
from tests.contract.random_games import TABLES, differing_fields

# Companies of agents and the games of a deal: fewer cannot seat every pair of agents at every two
# neighbouring seats equally often.
GAMES = {
    **{"ab": 2, "abc": 6, "abcd": 12, "abcde": 20, "abcdef": 30, "abb": 3, "abbb": 4, "aabb": 6},
    **{"abab": 6, "abcc": 12, "aabbb": 10, "aabbc": 10, "aabbbb": 15, "abbbbb": 6},
}
each_company = pytest.mark.parametrize("agents", [*GAMES, "aaa", "abacbda", "babcabc"])


def even(found, agents, number):
    """Whether ordered pairs of holders are as frequent as if all agents were different."""
    seats, held = len(agents), Counter(agents)
    for one, other in itertools.product(held, repeat=2):
        pairs = held[one] * (held[other] - (one == other))
        assert found[one, other] * seats * (seats - 1) == number * pairs


@each_company
def test_everyone_follows_everyone_at_every_seat_equally_often(agents):
    orders = seatings(list(agents))
    assert len(orders) == GAMES.get(agents, len(orders))
    assert all(sorted(places) == list(range(len(agents))) for places in orders)
    names = np.array(list(agents))[orders]
    for seat in range(len(agents)):
        for name in agents:
            held = int((names[:, seat] == name).sum())
            assert held * len(agents) == len(names) * agents.count(name)
        even(Counter(zip(names[:, seat - 1], names[:, seat], strict=True)), agents, len(names))


@pytest.mark.parametrize("agents", ["a", "aaaa", "ab", "bbab"])
def test_one_agent_against_copies_only_moves_on(agents):
    """The games are those of the fixed order, which moves all on by one seat from game to game."""
    found = np.array(list(agents))
    turned = [np.roll(found, turn).tolist() for turn in range(len(agents))]
    assert found[seatings(agents)].tolist() == turned
    assert found[seatings(agents, "fixed")].tolist() == turned


@pytest.mark.parametrize("seats", [3, 6])
def test_who_sits_behind_a_weak_player_is_not_called_stronger(seats):
    """In Figaro a random player feeds whoever sits behind it; the others are equal.

    The fixed orders contradict each other about equal agents, the balanced ones do not: one of
    them may well leave its 95 % interval by chance, none twice it.
    """
    agent = make("heuristic", registry.game("figaro"))
    feeder = Entrant("feeder", RandomAgent())
    one, *others, other = [Entrant(name, agent) for name in "abcde"[: seats - 1]]

    def compared(seated, **how):
        found = evaluate(seated, "figaro", seed=1, **how).difference(one.name, other.name)
        assert found.win_low is not None
        assert found.win_high is not None
        return found

    orders = [feeder, one, *others, other], [feeder, other, *others, one]
    fixed = [compared(order, games=1200, order="fixed") for order in orders]
    assert fixed[0].win_low > 0 > fixed[1].win_high
    for order in orders:
        found = compared(order, games=600)
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


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_a_deal_is_dealt_once_for_each_way_of_sitting(table):
    agents = [RandomAgent() for _ in range(table.players)]
    seating = SeatPlan(tuple(agents), "balanced", 8).of(range(2, 5))
    batch, lineup = deal(agents, table.game, range(2, 5), 8, seating, options=table.options)
    dealt = table.batch(5, seed=8)
    assert batch.n == seating[..., 0].size
    for game, places in enumerate(seating.reshape(-1, table.players)):
        number = 2 + game // seating.shape[1]
        assert differing_fields(batch.save([game]), dealt.save([number])) == []
        for seat, place in enumerate(places):
            assert lineup.agents[lineup.seats[game, seat]] is agents[place]


def course(agents, game, deals, seed=5):
    """Every game of some deals: its moves, its final scores and its winners."""
    seating = SeatPlan(tuple(agents), "balanced", 1).of(deals)
    batch, lineup = deal(agents, game, deals, seed, seating)
    moves: list[list[int]] = [[] for _ in range(batch.n)]

    def note(rows, actions):
        for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
            moves[row].append(action)

    play_out(batch, lineup, before_step=note)
    return list(zip(moves, batch.final_scores.tolist(), batch.final_winners.tolist(), strict=True))


@full_tables
@pytest.mark.parametrize("name", ["random", "greedy", "heuristic", "network,greedy=false"])
def test_a_game_does_not_depend_on_those_played_beside_it(table, name):
    """In one batch, in halves, and deal by deal in reverse."""
    # Two objects, so that each is asked about a part of the games.
    one, other = (make(name, registry.game(table.game)) for _ in range(2))
    agents = [one, *[other] * (table.players - 1)]
    whole = course(agents, table.game, range(4))
    halves = [range(2), range(2, 4)]
    assert [game for half in halves for game in course(agents, table.game, half)] == whole
    single = [course(agents, table.game, range(k, k + 1)) for k in reversed(range(4))]
    assert [game for part in reversed(single) for game in part] == whole
    assert course(agents, table.game, range(4), seed=6) != whole
    # Rotations are games of their own, even if one agent sits everywhere.
    if name == "random":
        games = course([one] * table.players, table.game, range(1))
        assert len({tuple(moves) for moves, *_ in games}) == table.players
