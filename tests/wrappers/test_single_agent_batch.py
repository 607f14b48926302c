"""One seat of many games: what the learner is shown and paid, and who plays the other seats."""

from __future__ import annotations

import copy
from collections import Counter
from contextlib import suppress
from typing import Any

import pytest

from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from tests.contract.batches import assert_unchanged, snapshot
from tests.contract.each_table import full_tables, small_tables
from tests.contract.random_games import differing_fields, record_of, stack_records
from tests.generators import RememberingAgent
from tests.wrappers.learners import (
    ObservationHashAgent,
    first_legal,
    next_actions,
    one_seat_games,
    play_learner,
)


@full_tables
def test_a_game_that_ends_before_the_learner_decides_is_none_of_its_games(table):
    batch = one_seat_games(table, 1, opponents=first_legal).batch
    while batch.to_move[0] >= 0:
        last = record_of(batch, 0)
        batch.step(first_legal(batch.obs, batch.mask, None))
    seat = (int(last["to_move"]) + 1) % table.players
    rows = one_seat_games(table, 3, seed=6, seat=seat, opponents=first_legal)
    restart = rows.batch.restart
    begun = []

    def begin(which):
        restart(which)
        begun.append(list(which))
        if len(begun) == 1:
            rows.batch.load(which, stack_records([last]))

    rows.batch.restart = begin
    rows.restart([1])
    assert begun == [[1], [1]]
    assert rows.batch.to_move.tolist() == [seat] * 3
    assert not rows.over.any()


@full_tables
def test_the_first_reset_without_a_seed_leaves_new_games_and_later_ones_go_on(table):
    rows = one_seat_games(table, 4, seed=2)
    dealt = snapshot(rows.batch)
    rows.reset()
    assert_unchanged(rows.batch, dealt)
    course = list(play_learner(rows, 5))
    rows.reset()
    assert rows.seats.tolist() == [(row + 1) % table.players for row in range(4)]
    assert differing_fields(snapshot(rows.batch)[1], dealt[1])
    rows.reset(2)
    assert_unchanged(rows.batch, dealt)
    assert list(play_learner(rows, 5)) == course
    rows.reset(2)
    rows.reset(rows=[1])
    assert rows.seats[1] == 2 % table.players


@full_tables
def test_a_seed_settles_everything_and_a_copy_goes_on_with_the_same_games(table):
    """Chance, the opponents' draws, who they are and where the learner sits."""

    def course(rows):
        return list(play_learner(rows, 100))

    def pool():
        return {"random": 2, ObservationHashAgent(7): 1, RememberingAgent(): 2}

    rows = one_seat_games(table, 4, seed=11, opponents=pool())
    first = course(rows)
    twin = copy.deepcopy(rows)
    second = course(rows)
    assert second != first
    assert course(twin) == second
    rows.reset(11)
    assert course(rows) == first
    rows.reset(12)
    assert course(rows) != first
    assert course(one_seat_games(table, 4, seed=11, opponents=pool(), threads=2)) == first


class Named:
    """An agent that notes every call and the seat that it plays there."""

    def __init__(self, name, table):
        self.name = name
        self.table = table
        self._play = ObservationHashAgent(len(name)).act

    def act(self, observations, masks, rng):
        if "rows" in self.table:
            asked_for = int(self.table["rows"].batch.to_move[0])
            self.table["asked"].append((self.name, asked_for))
        return self._play(observations, masks, rng)


def seen_at_the_table(table, names, opponents_of, *, games):
    """[(learner's seat, {seat: names of those asked for it})], game by game, of one table."""
    watched: dict[str, Any] = {"asked": []}
    players = {name: Named(name, watched) for name in names}
    row = one_seat_games(table, 1, seed=8, opponents=opponents_of(players))
    watched["rows"] = row
    row.reset(8)
    found = []
    for _ in range(games):
        while not row.step(next_actions(row))[1][0]:
            pass
        seats: dict[int, set[str]] = {}
        for name, seat in watched["asked"]:
            seats.setdefault(seat, set()).add(name)
        found.append((int(row.seats[0]), seats))
        watched["asked"].clear()
        row.restart([0])
    return found


@full_tables
def test_a_sequence_sits_in_order_after_the_learner(table):
    seats = table.players
    names = [chr(ord("a") + place) * (place + 1) for place in range(seats - 1)]
    found = seen_at_the_table(table, names, lambda players: list(players.values()), games=seats)
    assert [learner for learner, _ in found] == list(range(seats))
    for learner, asked in found:
        assert asked == {(learner + 1 + place) % seats: {name} for place, name in enumerate(names)}


@full_tables
def test_a_pool_is_drawn_from_for_every_seat_of_every_game(table):
    """Agents are drawn by their weights, anew for every game, and stay for the whole game."""
    found = seen_at_the_table(
        table,
        ["seldom", "often", "never"],
        lambda players: {players["seldom"]: 1, players["often"]: 3, players["never"]: 0.0},
        games=60,
    )
    drawn: Counter[str] = Counter()
    for learner, seats in found:
        assert set(seats) == set(range(table.players)) - {learner}
        assert all(len(names) == 1 for names in seats.values())
        drawn.update(name for names in seats.values() for name in names)
    assert drawn["never"] == 0
    assert 0.65 < drawn["often"] / drawn.total() < 0.85


class Forgetful:
    """Plays until it has forgotten how."""

    forgotten = False

    def act(self, observations, masks, rng):
        if self.forgotten:
            raise LookupError("no idea")
        return masks.argmax(axis=1)


@small_tables
def test_after_an_opponent_has_failed_nobody_plays_for_it(table):
    """Neither its mask nor its turn falls to the learner; a reset puts everything right."""
    opponent = Forgetful()
    rows = SingleAgentBatch(n=3, **table.arguments, seed=1, seat=0, opponents=opponent)
    opponent.forgotten = True
    while (rows.batch.to_move == rows.seats).all():
        with suppress(LookupError):
            rows.step(rows.action_masks().argmax(axis=1))
    stuck = rows.batch.to_move != rows.seats
    assert not rows.action_masks()[stuck].any()
    with pytest.raises(RuntimeError, match="call reset"):
        rows.step(rows.batch.mask.argmax(axis=1))
    opponent.forgotten = False
    rows.reset(0)
    rows.step(rows.action_masks().argmax(axis=1))
