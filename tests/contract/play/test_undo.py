"""Taking back a move: the same game goes on, and no secret is given away."""

import random
from collections import Counter

import pytest

from shakespeare_table.session import Session
from tests.contract import knowledge
from tests.contract.random_games import PLAIN_FULL_TABLES, PLAIN_TABLES, differing_fields
from tests.generators import RememberingAgent

OTHER_SEAT = "another seat has decided since"
CHANCE = "chance has decided since"
SHOWN = "it has shown you what you did not know"


def started(table, seed, seat):
    others = dict.fromkeys(set(range(table.players)) - {seat}, RememberingAgent())
    return Session(table.position(seed), others, seed)


def decisions(played, rng):
    """Moves of the person and what follows; yields before every one and after it."""
    while True:
        played.play_out()
        if played.position.to_move is None:
            return
        move = rng.choice(played.position.moves())
        before = played.position
        played.push(move)
        played.play_out()
        if played.position.to_move is None:
            return
        yield before, move


def views_after(before, move, seat, count):
    """Return the views that a move may lead a seat to, in all games that it considers possible."""
    views = set()
    for seed in range(count):
        possible = before.determinize(seat, seed)
        possible.push(move)
        views.add(str(possible.seen_by(seat)))
    return views


SOLO = [table for table in PLAIN_TABLES if table.players == 1]
tables = pytest.mark.parametrize("table", [*PLAIN_FULL_TABLES, *SOLO], ids=str)


@tables
def test_what_is_taken_back_and_played_again_is_the_same_game_and_why_a_move_stays(table):
    seat = table.players - 1
    plain = started(table, 2, seat)
    undone = started(table, 2, seat)
    for _ in decisions(plain, random.Random(2)):
        pass
    reasons: Counter[str] = Counter()
    for before, move in decisions(undone, random.Random(2)):
        after = undone.position
        alone = undone.positions[-2] is before
        drawn = before.record()["random"] != after.record()["random"]
        try:
            assert undone.take_back(seat) == move
        except ValueError as fault:
            said = str(fault).rpartition(": ")[2]
            reasons[said] += 1
            assert (said == OTHER_SEAT) == (not alone)
            assert said != CHANCE or drawn
            assert said != SHOWN or len(views_after(before, move, seat, 20)) > 1
            assert undone.position is after
            continue
        reasons["taken back"] += 1
        assert alone
        assert not drawn
        assert differing_fields(undone.position.record(), before.record()) == []
        assert views_after(before, move, seat, 5) == {str(after.seen_by(seat))}
        undone.push(move)
        undone.play_out()
    assert bool(reasons[OTHER_SEAT]) == (table.players > 1)
    assert "taken back" in reasons
    assert (SHOWN in reasons) == knowledge.of(table.game, "facts").SECRET_MOVES
    assert reasons.keys() <= {OTHER_SEAT, CHANCE, SHOWN, "taken back"}
    assert undone.moves == plain.moves
    for one, other in zip(undone.positions, plain.positions, strict=True):
        assert differing_fields(one.record(), other.record()) == []
