"""Events say all that a move changes for every seat, with its cause, and no secret."""

from collections import Counter

import numpy as np

from shakespeare_env.core.game import SPECTATOR
from shakespeare_env.play.history import from_events
from shakespeare_env.play.tracing import Tracer
from tests.contract.each_table import all_tables
from tests.contract.playing import check_events
from tests.contract.random_games import differing_fields, move_by_rule, play_by_rule


def played(table, seed):
    """Every move of a game: the positions before and after it, and the move."""
    before = None
    move = ""
    for step, position in enumerate(play_by_rule(table.position(seed), salt=seed)):
        if before is not None:
            yield before, move, position
        before = position.copy()
        if position.to_move is not None:
            move = move_by_rule(position, step, seed)


def by_source(events):
    """Points by seat and source."""
    points: Counter[tuple[int | None, str]] = Counter()
    for event in events:
        points[event.seat, event.source] += event.points
    return Counter({key: count for key, count in points.items() if count})


@all_tables
def test_events_add_up_to_what_has_changed_and_to_a_score_sheet(table):
    n_moves = 0
    for seed in range(2):
        at_start = table.position(seed).scores()
        told = []
        for before, move, after in played(table, seed):
            n_moves += 1
            events = check_events(before, move, after)
            seat = n_moves % (table.players + 1) + SPECTATOR
            as_seen = check_events(before, move, after, seat)
            assert by_source(as_seen) == by_source(events)
            told += as_seen
        names, rows = zip(*from_events(at_start, told), strict=True)
        assert len(set(names)) == len(names) > 2
        assert [sum(column) for column in zip(*rows, strict=True)] == after.scores()
    assert n_moves > 60


@all_tables
def test_what_a_seat_may_not_know_changes_no_event_that_it_hears_of(table):
    alike = 0
    for step, position in enumerate(play_by_rule(table.position(seed=3), salt=3)):
        if position.to_move is None or step % 7:
            continue
        seat = step % table.players
        twin = position.determinize(seat, seed=step)
        move = move_by_rule(position, step, 3)
        # Nor does a secret move itself, where others of its kind are legal.
        other = move
        if position.to_move != seat and position.game.is_secret(position.to_dict(), move):
            other = twin.moves()[-1]
        if other not in twin.moves():
            continue
        told = position.events(move, seat=seat), twin.events(other, seat=seat)
        position = position.copy()
        position.push(move)
        twin.push(other)
        if position.seen_by(seat) == twin.seen_by(seat):  # chance to come is another's
            assert told[0] == told[1]
            alike += 1
    assert alike > 2


@all_tables
def test_what_is_told_was_done_by_the_rules_that_are_compiled(table):
    """The interpreter gets from each decision to the next as compiled code does, in every field."""
    game = table.position(0).game
    tracer = Tracer(game.rules.play, game.rules.legal, game.actions.size, {})
    for before, move, after in played(table, seed=1):
        record = before.record()
        reached, _ = tracer.run(record, before.action_id(move))
        assert differing_fields(reached, after.record()) == [], move
        assert np.array_equal(record, before.record())
