"""What happens in a deal depends on the seed and its number: not on what is played beside it."""

import pytest

from shakespeare_agents import RandomAgent, make
from shakespeare_agents.arena.games.seat_orders import SeatPlan
from shakespeare_agents.arena.games.seating import deal
from shakespeare_env import registry
from shakespeare_env.lineup import play_out
from tests.contract.each_table import full_tables
from tests.contract.random_games import TABLES, differing_fields


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
