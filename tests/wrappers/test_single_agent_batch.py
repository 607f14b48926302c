"""`SingleAgentBatch`: which games the learner gets, and who plays the other seats."""

from __future__ import annotations

import copy
from collections import Counter
from contextlib import suppress

import pytest

from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from tests.contract.batches import assert_unchanged, snapshot
from tests.contract.each_table import full_tables, small_tables
from tests.contract.random_games import (
    PLAIN_FULL_TABLES,
    differing_fields,
    record_of,
    stack_records,
)
from tests.generators import RememberingAgent
from tests.wrappers.learners import (
    ObservationHashAgent,
    first_legal,
    next_actions,
    one_seat_games,
    play_learner,
)


def starting_again(restart, batch, record, begun):
    """Return a `restart` that notes its rows in `begun` and replaces the first game it deals."""

    def restart_and_note(rows):
        restart(rows)
        begun.append(list(rows))
        if len(begun) == 1:
            batch.load(rows, stack_records([record]))

    return restart_and_note


@full_tables
def test_a_game_that_ends_before_the_learner_decides_is_replaced_by_the_next(table):
    batch = one_seat_games(table, 1, opponents=first_legal).batch
    while batch.to_move[0] >= 0:
        before_end = record_of(batch, 0)
        batch.step(first_legal(batch.obs, batch.mask, None))
    other_seat = (int(before_end["to_move"]) + 1) % table.players

    games = one_seat_games(table, 3, seed=6, seat=other_seat, opponents=first_legal)
    begun: list[list[int]] = []
    games.batch.restart = starting_again(games.batch.restart, games.batch, before_end, begun)
    games.restart([1])
    assert begun == [[1], [1]]
    assert games.batch.to_move.tolist() == [other_seat] * 3
    assert not games.over.any()


@full_tables
def test_the_first_reset_without_a_seed_keeps_the_games_and_the_next_deals_new_ones(table):
    games = one_seat_games(table, 4, seed=2)
    first_deal = snapshot(games.batch)
    games.reset()
    assert_unchanged(games.batch, first_deal)
    games.reset()
    assert games.seats.tolist() == [(row + 1) % table.players for row in range(4)]
    _, records = first_deal
    assert differing_fields(games.batch.save(slice(None)), records)


@full_tables
def test_a_reset_with_a_seed_deals_the_first_games_again(table):
    games = one_seat_games(table, 4, seed=2)
    first_deal = snapshot(games.batch)
    shown = list(play_learner(games, 5))
    games.reset(2)
    assert_unchanged(games.batch, first_deal)
    assert list(play_learner(games, 5)) == shown


@full_tables
def test_some_rows_can_be_reset_to_their_next_games(table):
    games = one_seat_games(table, 4, seed=2)
    games.reset(2)
    games.reset(rows=[1])
    assert games.seats[1] == 2 % table.players


def pool():
    """Return opponents to be drawn for each seat, one of which remembers its games."""
    return {"random": 2, ObservationHashAgent(7): 1, RememberingAgent(): 2}


@pytest.fixture(scope="module", params=PLAIN_FULL_TABLES, ids=str)
def seeded(request):
    """A table, games of seed 11 after 100 steps at it, and what these steps showed."""
    games = one_seat_games(request.param, 4, seed=11, opponents=pool())
    return request.param, games, list(play_learner(games, 100))


def test_a_seed_decides_chance_opponents_and_seats(seeded):
    table, games, first = seeded
    again = copy.deepcopy(games)
    again.reset(11)
    assert list(play_learner(again, 100)) == first
    again.reset(12)
    assert list(play_learner(again, 100)) != first
    threaded = one_seat_games(table, 4, seed=11, opponents=pool(), threads=2)
    assert list(play_learner(threaded, 100)) == first


def test_a_copy_continues_the_same_games(seeded):
    _, games, first = seeded
    original = copy.deepcopy(games)
    twin = copy.deepcopy(original)
    continued = list(play_learner(original, 100))
    assert continued != first
    assert list(play_learner(twin, 100)) == continued


class NamedAgent:
    """An agent that notes in `calls` its name and the seat that it plays, call by call."""

    def __init__(self, name, calls):
        self.name = name
        self.calls = calls
        self.games = None
        self._play = ObservationHashAgent(len(name)).act

    def act(self, observations, masks, rng):
        if self.games is not None:
            self.calls.append((self.name, int(self.games.batch.to_move[0])))
        return self._play(observations, masks, rng)


def seating_by_game(table, names, opponents_of, *, n_games):
    """Play games one after the other in one row, and return who sat where in each.

    Args:
        table: The table.
        names: The names of the agents.
        opponents_of: A function of the agents by name that returns the opponents.
        n_games: The number of games.

    Returns:
        For each game the learner's seat, and by seat the names of the agents that played it.
    """
    calls: list[tuple[str, int]] = []
    agents = {name: NamedAgent(name, calls) for name in names}
    games = one_seat_games(table, 1, seed=8, opponents=opponents_of(agents))
    for agent in agents.values():
        agent.games = games
    games.reset(8)
    seatings = []
    for _ in range(n_games):
        while not games.over[0]:
            games.step(next_actions(games))
        names_by_seat: dict[int, set[str]] = {}
        for name, seat in calls:
            names_by_seat.setdefault(seat, set()).add(name)
        seatings.append((int(games.seats[0]), names_by_seat))
        calls.clear()
        games.restart([0])
    return seatings


@full_tables
def test_a_sequence_of_opponents_sits_in_order_after_the_learner(table):
    seats = table.players
    names = [chr(ord("a") + place) * (place + 1) for place in range(seats - 1)]
    seatings = seating_by_game(table, names, lambda agents: list(agents.values()), n_games=seats)
    assert [learner for learner, _ in seatings] == list(range(seats))
    for learner, names_by_seat in seatings:
        expected = {(learner + 1 + place) % seats: {name} for place, name in enumerate(names)}
        assert names_by_seat == expected


@full_tables
def test_a_pool_of_opponents_is_drawn_from_by_weight_for_every_seat_of_every_game(table):
    """An agent that is drawn stays for the whole game."""
    seatings = seating_by_game(
        table,
        ["seldom", "often", "never"],
        lambda agents: {agents["seldom"]: 1, agents["often"]: 3, agents["never"]: 0.0},
        n_games=60,
    )
    drawn: Counter[str] = Counter()
    for learner, names_by_seat in seatings:
        assert set(names_by_seat) == set(range(table.players)) - {learner}
        for names in names_by_seat.values():
            assert len(names) == 1
            drawn.update(names)
    assert drawn["never"] == 0
    assert 0.65 < drawn["often"] / drawn.total() < 0.85


class FailingAgent:
    """An agent that plays the first legal action until its `is_broken` is set."""

    is_broken = False

    def act(self, observations, masks, rng):
        if self.is_broken:
            raise LookupError("no idea")
        return masks.argmax(axis=1)


@pytest.fixture
def stuck(table):
    """Games, some of which wait for an opponent that fails, and this opponent."""
    opponent = FailingAgent()
    games = SingleAgentBatch(n=3, **table.arguments, seed=1, seat=0, opponents=opponent)
    opponent.is_broken = True
    while (games.batch.to_move == games.seats).all():
        with suppress(LookupError):
            games.step(games.action_masks().argmax(axis=1))
    return games, opponent


@small_tables
def test_the_learner_does_not_play_for_an_opponent_that_failed(stuck):
    games, _ = stuck
    is_stuck = games.batch.to_move != games.seats
    assert not games.action_masks()[is_stuck].any()
    with pytest.raises(RuntimeError, match="call reset"):
        games.step(games.batch.mask.argmax(axis=1))


@small_tables
def test_a_reset_repairs_games_in_which_an_opponent_failed(stuck):
    games, opponent = stuck
    opponent.is_broken = False
    games.reset(0)
    games.step(games.action_masks().argmax(axis=1))
