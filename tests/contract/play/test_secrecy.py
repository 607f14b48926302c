"""Secret means secret: nothing a seat is shown depends on what it may not know."""

import itertools
import random

import pytest

from shakespeare_env import Position
from tests.contract import knowledge
from tests.contract.random_games import TABLES, sampled

SEEDS = (1, 2)

tables = pytest.mark.parametrize("table", TABLES, ids=str)


def positions(table, every=4):
    """(position, seat) of random games at a table, each position for each of its seats."""
    for seed in SEEDS:
        for position in sampled(table, seed, every):
            for seat in range(table.players):
                yield position, seat


def shown_to(position, seat):
    """All that a position shows a seat, its legal moves only when it decides."""
    game, seen = position.game, position.seen_by(seat)
    return (
        position.observation(seat).tobytes(),
        position.moves() if position.to_move == seat else None,
        (seen, position.to_move, position.winners),
        (game.presentation.draw(seen), game.presentation.draw_compact(seen)),
        (game.presentation.topics(seen), game.presentation.score_sheet(seen)),
    )


@tables
def test_what_a_seat_may_not_know_changes_nothing_that_it_is_shown(table):
    """Positions changed as text, as records and by determinizing; chance to come changes, too."""
    hidden, rng = knowledge.of(table.game, "hidden"), random.Random(3)
    differed = 0
    sample = sampled(table, seed=3, every=15)
    for position, seat in itertools.product(sample, range(table.players)):
        shown, text = shown_to(position, seat), position.to_dict()
        assert not any("?" in text for text in shown[-1][0].values())
        changed = hidden.change_in_record(position.record(), seat, rng)
        other = Position.of_record(position.game, changed)
        differed += other != position
        assert shown_to(other, seat) == shown
        assert shown_to(position.determinize(seat, rng.getrandbits(64)), seat) == shown
        other = Position.from_dict(hidden.change_in_dict(text, seat, rng), seed=2)
        assert shown_to(other, seat) == shown_to(Position.from_dict(text, seed=1), seat)
    assert differed > 20


@tables
def test_a_seat_sees_its_own_secrets_and_nobody_else_does(table):
    """A person is shown those that a position in text holds, and a spectator none."""
    hidden, seen = knowledge.of(table.game, "hidden"), set()
    everybody = set(range(table.players))
    for position, seat in positions(table, every=8):
        for change in hidden.own_changes(position.record(), seat):
            assert seat in change.seats
            other = Position.of_record(position.game, change.record)
            for observer in everybody:
                same = (position.observation(observer) == other.observation(observer)).all()
                assert same == (observer not in change.seats), (change.what, seat, observer)
                if change.in_text:
                    assert (position.seen_by(observer) == other.seen_by(observer)) == same
            if change.seats != everybody:
                assert position.seen_by(None) == other.seen_by(None)
            seen.add(change.what)
    assert seen
