"""Taking back a move gives no secret away, and the game continues as if it had not happened."""

import random
from typing import NamedTuple

import numpy as np
import pytest

from shakespeare_env import Position
from shakespeare_env.play.lineup import Lineup, play_out
from shakespeare_table.session import Session
from tests.contract import knowledge
from tests.contract.random_games import PLAIN_FULL_TABLES, PLAIN_TABLES, differing_fields
from tests.generators import RecallingAgent, RememberingAgent, generators

OTHER_SEAT = "another seat has decided since"
CHANCE = "chance has decided since"
SHOWN = "it has shown you what you did not know"


def start_session(table, seed, seat):
    """Return a session of a person at one seat and agents at the others."""
    others = dict.fromkeys(set(range(table.players)) - {seat}, RememberingAgent())
    return Session(table.position(seed), others, seed)


def play_person(session, rng):
    """Play random moves of the person and what follows.

    Yields:
        After each, the position before the move, and the move.
    """
    while True:
        session.play_out()
        if session.position.to_move is None:
            return
        move = rng.choice(session.position.moves())
        before = session.position
        session.push(move)
        session.play_out()
        if session.position.to_move is None:
            return
        yield before, move


def views_after(before, move, seat, count):
    """Return the views that a move leads a seat to in some games that it considers possible."""
    views = set()
    for seed in range(count):
        possible = before.determinize(seat, seed)
        possible.push(move)
        views.add(str(possible.seen_by(seat)))
    return views


SOLO = [table for table in PLAIN_TABLES if table.players == 1]


TAKEN_BACK = "taken back"


class Attempt(NamedTuple):
    """An attempt to take back a move; `reason` says why the move stays, or is `TAKEN_BACK`."""

    reason: str
    before: Position
    move: str
    after: Position
    others_decided: bool

    @property
    def has_drawn(self) -> bool:
        """Whether chance has decided something since the move."""
        return bool(self.before.record()["random"] != self.after.record()["random"])


@pytest.fixture(scope="module", params=[*PLAIN_FULL_TABLES, *SOLO], ids=str)
def undone(request):
    """A table, a session in which moves are taken back and repeated, and all attempts at that."""
    table = request.param
    seat = table.players - 1
    session = start_session(table, 2, seat)
    attempts = []
    for before, move in play_person(session, random.Random(2)):
        after = session.position
        others_decided = session.positions[-2] is not before
        try:
            assert session.take_back(seat) == move
        except ValueError as fault:
            reason = str(fault).rpartition(": ")[2]
            assert session.position is after
        else:
            reason = TAKEN_BACK
            assert differing_fields(session.position.record(), before.record()) == []
            session.push(move)
            session.play_out()
        attempts.append(Attempt(reason, before, move, after, others_decided))
    return table, session, attempts


def test_moves_taken_back_and_repeated_lead_to_the_same_game(undone):
    table, session, _ = undone
    plain = start_session(table, 2, table.players - 1)
    for _ in play_person(plain, random.Random(2)):
        pass
    assert session.moves == plain.moves
    for undone_position, position in zip(session.positions, plain.positions, strict=True):
        assert differing_fields(undone_position.record(), position.record()) == []


@pytest.mark.parametrize("table", PLAIN_FULL_TABLES, ids=str)
def test_an_agent_whose_move_is_taken_back_plays_it_again(table):
    agents = dict.fromkeys(range(table.players), RememberingAgent())
    session = Session(table.position(3), agents, 3)
    repeated = []
    for _ in range(40):
        seat = session.position.to_move
        assert seat is not None
        session.play_out(max_moves=1)
        try:
            move = session.take_back(seat)
        except ValueError:  # the move stays: it has shown something, or chance has decided
            continue
        session.play_out(max_moves=1)
        repeated.append(session.moves[-1] == move)
    assert len(repeated) > 10
    assert all(repeated)


def test_a_move_is_taken_back_only_if_nothing_was_decided_or_shown_since(undone):
    table, _, attempts = undone
    seat = table.players - 1
    taken_back = [attempt for attempt in attempts if attempt.reason == TAKEN_BACK]
    assert taken_back
    for attempt in taken_back:
        assert not attempt.others_decided
        assert not attempt.has_drawn
        expected = {str(attempt.after.seen_by(seat))}
        assert views_after(attempt.before, attempt.move, seat, 5) == expected


def test_the_reason_why_a_move_stays_is_true(undone):
    table, _, attempts = undone
    seat = table.players - 1
    for attempt in attempts:
        assert (attempt.reason == OTHER_SEAT) == attempt.others_decided
        if attempt.reason == CHANCE:
            assert attempt.has_drawn
        if attempt.reason == SHOWN:
            assert len(views_after(attempt.before, attempt.move, seat, 20)) > 1


def test_every_reason_occurs_where_the_game_allows_it(undone):
    table, _, attempts = undone
    reasons = {attempt.reason for attempt in attempts}
    assert reasons <= {OTHER_SEAT, CHANCE, SHOWN, TAKEN_BACK}
    assert (OTHER_SEAT in reasons) == (table.players > 1)
    assert (SHOWN in reasons) == knowledge.of(table.game, "facts").SECRET_MOVES


@pytest.mark.parametrize("table", PLAIN_FULL_TABLES, ids=str)
def test_agents_that_observe_the_history_play_as_in_a_batch(table):
    session = Session(table.position(1), dict.fromkeys(range(table.players), RecallingAgent()))
    session.play_out(max_moves=30)
    batch = table.batch(1, seed=1, autoreset=False)
    seats = np.zeros((1, batch.game.max_seats), np.int32)
    play_out(batch, Lineup([RecallingAgent()], seats, generators(1)), max_steps=30)
    assert not differing_fields(batch.save([0])[0], session.position.record())
