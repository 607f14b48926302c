"""What happens in a deal depends on the seed and its number: not on what is played beside it."""

from __future__ import annotations

import io

import polars as pl
import pytest

from shakespeare_agents import RandomAgent, make
from shakespeare_agents.arena.dataset import settings_of
from shakespeare_agents.arena.deals import deal, parts
from shakespeare_agents.arena.entrants import agent_set, entrants_of
from shakespeare_agents.arena.recording import Recording
from shakespeare_agents.arena.seat_orders import SeatPlan, seatings
from shakespeare_agents.workers.in_process import ThisProcess
from shakespeare_agents.workers.jobs import tell_nobody
from shakespeare_env import registry
from shakespeare_env.lineup import play_out
from tests.contract.each_table import full_tables, plain_tables, small_tables
from tests.contract.random_games import TABLES, differing_fields

AGENTS = ["random", "greedy", "heuristic", "network", "network,greedy=false"]


def test_parts():
    assert list(parts(range(3, 10), 3)) == [range(3, 6), range(6, 9), range(9, 10)]
    assert list(parts(range(3, 3), 3)) == []


@plain_tables
def test_a_deal_is_dealt_once_for_each_way_of_sitting(table):
    agents = [RandomAgent() for _ in range(table.players)]
    seating = SeatPlan(tuple(agents), "balanced", 8).of(range(2, 5))
    batch, lineup = deal(agents, table.game, range(2, 5), 8, seating)
    dealt = table.batch(5, seed=8)
    assert batch.n == seating[..., 0].size
    for game, places in enumerate(seating.reshape(-1, table.players)):
        number = 2 + game // seating.shape[1]
        assert differing_fields(batch.save([game]), dealt.save([number])) == []
        for seat, place in enumerate(places):
            assert lineup.agents[lineup.seats[game, seat]] is agents[place]


@pytest.mark.parametrize("table", [table for table in TABLES if table.options], ids=str)
def test_variants_are_played(table):
    agents = [RandomAgent()] * table.players
    seating = seatings(agents)[None]
    batch, _ = deal(agents, table.game, range(1), 8, seating, options=table.options)
    assert differing_fields(batch.save([0]), table.batch(1, seed=8).save([0])) == []


def course(agents, game, deals, seed=5):
    """Every game of some deals: its moves, its final scores and its winners."""
    batch, lineup = deal(
        agents, game, deals, seed, SeatPlan(tuple(agents), "balanced", 1).of(deals)
    )
    moves: list[list[int]] = [[] for _ in range(batch.n)]

    def note(rows, actions):
        for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
            moves[row].append(action)

    play_out(batch, lineup, before_step=note)
    return list(zip(moves, batch.final_scores.tolist(), batch.final_winners.tolist(), strict=True))


@full_tables
@pytest.mark.parametrize("name", AGENTS)
def test_a_game_does_not_depend_on_those_played_beside_it(table, name):
    """In one batch, in halves, in reverse, and deal by deal."""
    # Two objects, so that each is asked about a part of the games.
    one, other = (make(name, registry.game(table.game)) for _ in range(2))
    agents = [one, *[other] * (table.players - 1)]
    whole = course(agents, table.game, range(4))
    halves = [range(2), range(2, 4)]
    assert [game for half in halves for game in course(agents, table.game, half)] == whole
    single = [course(agents, table.game, range(k, k + 1)) for k in reversed(range(4))]
    assert [game for part in reversed(single) for game in part] == whole
    assert course(agents, table.game, range(4), seed=6) != whole


@full_tables
def test_the_games_of_a_deal_draw_differently(table):
    """Rotations are games of their own: the same agent everywhere does not play one game again."""
    games = course([RandomAgent()] * table.players, table.game, range(1))
    assert len({tuple(moves) for moves, *_ in games}) == table.players


@small_tables
@pytest.mark.parametrize("name", ["random", "greedy", "network,greedy=false"])
def test_recorded_rows_do_not_depend_on_what_is_played_together(table, name):
    rules = registry.game(table.game)
    entrants = entrants_of([name] * table.players, rules)
    settings = settings_of(table.game, entrants, games=4 * table.players, seed=5)
    work = Recording(settings, agent_set(entrants, rules, ThisProcess()), threads=1).start()

    def rows(size):
        found = [work(some, tell_nobody).content for some in parts(range(4), size)]
        return pl.concat([pl.read_parquet(io.BytesIO(content)) for content in found])

    assert rows(1).equals(rows(2))
    assert rows(1).equals(rows(4))
