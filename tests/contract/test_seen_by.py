"""What people are shown of a position is what their seat may know."""

import random
from collections import Counter

import pytest

from shakespeare_env import Position
from shakespeare_env.errors import PositionError
from shakespeare_env.game import UNKNOWN
from tests.contract import knowledge
from tests.contract.random_games import MANY_SEATS, TABLES, sampled

tables = pytest.mark.parametrize("table", TABLES, ids=str)
tables_of_many = pytest.mark.parametrize("table", MANY_SEATS, ids=str)


def drawn_for(position, seat):
    """The table as a person in a seat is shown it."""
    return position.game.draw(position.seen_by(seat))


@tables
def test_what_a_seat_may_not_know_changes_nothing_that_it_is_shown(table):
    hidden, rng, differed = knowledge.of(table.game, "hidden"), random.Random(3), 0
    for position in sampled(table, seed=3, every=15):
        for seat in range(table.players):
            changed = hidden.change_in_record(position.record(), seat, rng)
            other = Position.of_record(position.game, changed)
            possible = position.determinize(seat, rng.getrandbits(64))
            differed += other != position
            for twin in (other, possible):
                assert twin.seen_by(seat) == position.seen_by(seat)
                assert drawn_for(twin, seat) == drawn_for(position, seat)
    assert differed > 20


@tables
def test_a_seat_is_shown_its_own_secrets(table):
    """But for what a position in text does not hold."""
    hidden, seen = knowledge.of(table.game, "hidden"), set()
    for position in sampled(table, seed=3, every=9):
        for seat in range(table.players):
            for change in hidden.own_changes(position.record(), seat):
                if change.in_text:
                    other = Position.of_record(position.game, change.record)
                    for observer in range(table.players):
                        same = position.seen_by(observer) == other.seen_by(observer)
                        assert same == (observer not in change.seats), (change.what, seat)
                    seen.add(change.what)
    assert seen


@tables_of_many
def test_a_spectator_is_shown_what_every_seat_knows_and_no_more(table):
    hidden, rng, differed = knowledge.of(table.game, "hidden"), random.Random(5), 0
    for position in sampled(table, seed=5, every=15):
        seen = position.seen_by(None)
        for seat in range(table.players):
            changed = hidden.change_in_record(position.record(), seat, rng)
            other = Position.of_record(position.game, changed)
            differed += other != position
            assert other.seen_by(None) == seen
            for change in hidden.own_changes(position.record(), seat):
                if change.in_text and change.seats != set(range(table.players)):
                    own = Position.of_record(position.game, change.record)
                    assert own.seen_by(None) == seen, change.what
        views = [position.seen_by(seat) for seat in range(table.players)]
        if all(view == views[0] for view in views):
            assert seen == views[0]
    assert differed > 20


@tables
def test_what_is_no_secret_is_shown_as_it_is(table):
    unknown: Counter[bool] = Counter()
    for position in sampled(table, seed=4, every=9):
        for seat in range(table.players):
            for true, value in pairs(position.to_dict(), position.seen_by(seat)):
                unknown[value == UNKNOWN] += 1
                assert value in (true, UNKNOWN)
    assert unknown[True] > 50
    assert unknown[False] > 1000


@tables
def test_pictures_show_what_a_seat_sees(table):
    phases = {position.phase: position for position in sampled(table, seed=4, every=30)}
    secrets = 0
    for position in phases.values():
        seen = position.seen_by(0)
        drawn, whole = position.game.picture(seen), position.svg()
        marks = sum(drawn.count(sign) - whole.count(sign) for sign in (UNKNOWN, "unknown"))
        assert (marks > 0) == (seen != position.to_dict())
        secrets += marks > 0
    assert secrets >= len(phases) - 1  # when a game is over, nothing may be left to be hidden


def pairs(one, other):
    """The values of two objects of the same form, side by side; what is unknown may be a whole."""
    if isinstance(one, dict) and UNKNOWN in other:
        # What there are so many of is unknown, not how many there are in all.
        assert sum(one.values()) == sum(other.values())
        yield from ((kind, kind if kind in other else UNKNOWN) for kind in one)
        return
    if isinstance(one, dict):
        assert list(one) == list(other)
        one, other = list(one.values()), list(other.values())
    if isinstance(one, list) and other != UNKNOWN:
        assert len(one) == len(other)
        for mine, theirs in zip(one, other, strict=True):
            yield from pairs(mine, theirs)
    else:
        yield one, other


@tables_of_many
def test_a_move_that_is_told_can_be_seen_anyway(table):
    """Another move would have left the observer with another view; not so with a secret one.

    Or it would have led to the very same position: what is wiped off the table is told to nobody.
    """
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
            for move, view in views.items():
                twins = [other for other in views if views[other] == view and other != move]
                secret = position.game.is_secret(before, move)
                alike[secret, bool(twins)] += 1
                assert secret or all(after[twin] == after[move] for twin in twins), (seat, move)
    assert alike[False, False] > 100
    assert (alike[True, True] > 10) == knowledge.of(table.game, "facts").SECRET_MOVES


@tables
def test_a_position_seen_by_a_seat_is_no_position(table):
    with pytest.raises(PositionError, match=r"\?"):
        Position.from_dict(table.position(seed=1).seen_by(0))


@tables
def test_there_must_be_such_a_seat(table):
    position = table.position(seed=0)
    for seat in (-1, table.players):
        with pytest.raises(ValueError, match="seat"):
            position.seen_by(seat)
