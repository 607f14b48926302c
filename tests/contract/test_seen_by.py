"""What people are shown of a position is what their seat may know (Rules D2, D3)."""

import random
from collections import Counter

import pytest

from shakespeare_env import Position
from shakespeare_env.errors import PositionError
from shakespeare_env.game import UNKNOWN
from tests.contract.random_games import TABLES, sampled
from tests.shakespeare import hidden as shakespeare

# How to change what a seat may not know, game by game.
HIDDEN = {"shakespeare": shakespeare}
MANY_SEATS = [table for table in TABLES if table.players > 1]

tables = pytest.mark.parametrize("table", TABLES, ids=str)
tables_of_many = pytest.mark.parametrize("table", MANY_SEATS, ids=str)


def loaded(table, record):
    """A position from a record."""
    position = table.position(seed=0)
    position._record[0] = record
    position._view()
    return position


def drawn_for(position, seat):
    """The table as a person in a seat is shown it."""
    return position.game.draw(position.seen_by(seat))


@tables
def test_what_a_seat_may_not_know_changes_nothing_that_it_is_shown(table):
    hidden, rng, differed = HIDDEN[table.game], random.Random(3), 0
    for position in sampled(table, seed=3, every=15):
        for seat in range(table.players):
            other = loaded(table, hidden.change_in_record(position.record(), seat, rng))
            possible = position.determinize(seat, rng.getrandbits(64))
            differed += other != position
            for twin in (other, possible):
                assert twin.seen_by(seat) == position.seen_by(seat)
                assert drawn_for(twin, seat) == drawn_for(position, seat)
    assert differed > 20


@tables
def test_a_seat_is_shown_its_own_secrets(table):
    """But for what it put back into a pile: text does not tell who did."""
    hidden, seen = HIDDEN[table.game], set()
    for position in sampled(table, seed=3, every=9):
        for seat in range(table.players):
            for what, changed in hidden.own_changes(position.record(), seat):
                if "put back" not in what:
                    other = loaded(table, changed)
                    for observer in range(table.players):
                        same = position.seen_by(observer) == other.seen_by(observer)
                        assert same == (observer != seat), (what, seat, observer)
                    seen.add(what)
    assert seen


@tables
def test_what_is_no_secret_is_shown_as_it_is(table):
    unknown: Counter[bool] = Counter()
    for position in sampled(table, seed=4, every=9):
        for seat in range(table.players):
            for true, value in pairs(position.to_dict(), position.seen_by(seat)):
                unknown[value == UNKNOWN] += 1
                assert value in (true, UNKNOWN)
    assert unknown[True] > 100
    assert unknown[False] > 1000


@tables
def test_pictures_show_what_a_seat_sees(table):
    phases = {position.phase: position for position in sampled(table, seed=4, every=30)}
    for position in phases.values():
        picture = position.game.picture(position.seen_by(0))
        assert picture.count(UNKNOWN) > position.svg().count(UNKNOWN)


def pairs(one, other):
    """The values of two objects of the same form, side by side."""
    if isinstance(one, dict):
        assert list(one) == list(other)
        one, other = list(one.values()), list(other.values())
    if isinstance(one, list):
        assert len(one) == len(other)
        for mine, theirs in zip(one, other, strict=True):
            yield from pairs(mine, theirs)
    else:
        yield one, other


@tables_of_many
def test_a_move_that_is_told_can_be_seen_anyway(table):
    """Another move would have left the observer with another view; not so with a secret one."""
    alike: Counter[tuple[bool, bool]] = Counter()
    for position in sampled(table, seed=5, every=15):
        if position.to_move is None:
            continue
        before = position.to_dict()
        after = {move: position.copy() for move in position.moves()}
        for move, played in after.items():
            played.push(move)
        for seat in set(range(table.players)) - {position.to_move}:
            views = {move: played.observation(seat).tobytes() for move, played in after.items()}
            how_many = Counter(views.values())
            for move, view in views.items():
                secret = position.game.is_secret(before, move)
                alike[secret, how_many[view] > 1] += 1
                assert secret or how_many[view] == 1, (seat, move)
    assert alike[True, True] > 10


@tables
def test_a_position_seen_by_a_seat_is_no_position(table):
    with pytest.raises(PositionError, match=r"\?"):
        Position.from_dict(table.position(seed=1).seen_by(0))


def test_there_must_be_such_a_seat():
    position = Position.new(TABLES[0].game, players=TABLES[0].players)
    for seat in (-1, TABLES[0].players):
        with pytest.raises(ValueError, match="seat"):
            position.seen_by(seat)
