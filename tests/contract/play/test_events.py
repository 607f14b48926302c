"""Events say what a move changes for every seat and why, and give no secret away."""

from collections import Counter

import numpy as np

from shakespeare_env.core.game import SPECTATOR
from shakespeare_env.play.history import score_sheet_from_events
from shakespeare_env.play.tracing import Tracer
from tests.contract.each_table import all_tables
from tests.contract.playing import check_events
from tests.contract.random_games import differing_fields, move_by_rule, play_by_rule


def played(table, seed):
    """Play a game; yield each move between the positions before and after it."""
    before = None
    move = ""
    for step, position in enumerate(play_by_rule(table.position(seed), salt=seed)):
        if before is not None:
            yield before, move, position
        before = position.copy()
        if position.to_move is not None:
            move = move_by_rule(position, step, seed)


def points_by_source(events):
    """Return the points of events by seat and source, without those that cancel out."""
    points: Counter[tuple[int | None, str]] = Counter()
    for event in events:
        points[event.seat, event.source] += event.points
    return Counter({key: count for key, count in points.items() if count})


@all_tables
def test_events_add_up_to_the_changes_of_each_move_and_to_the_score(table):
    n_moves = 0
    for seed in range(2):
        at_start = table.position(seed).scores()
        told = []
        for before, move, after in played(table, seed):
            n_moves += 1
            events = check_events(before, move, after)
            seat = n_moves % (table.players + 1) + SPECTATOR
            as_seen = check_events(before, move, after, seat)
            assert points_by_source(as_seen) == points_by_source(events)
            told += as_seen
        names, rows = zip(*score_sheet_from_events(at_start, told), strict=True)
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
        # A secret move may be replaced by another: the seat hears of neither.
        other = move
        if position.to_move != seat and position.game.is_secret(position.to_dict(), move):
            other = twin.moves()[-1]
        if other not in twin.moves():
            continue
        told = position.events(move, seat=seat)
        told_of_twin = twin.events(other, seat=seat)
        position = position.copy()
        position.push(move)
        twin.push(other)
        # Chance may have drawn differently in the two.
        if position.seen_by(seat) == twin.seen_by(seat):
            assert told == told_of_twin
            alike += 1
    assert alike > 2


@all_tables
def test_the_interpreted_rules_that_events_come_from_play_like_the_compiled_ones(table):
    """Both lead from each decision to the same record, in every field."""
    game = table.position(0).game
    tracer = Tracer(game.rules.play, game.rules.legal, game.actions.size, {})
    for before, move, after in played(table, seed=1):
        record = before.record()
        reached, _ = tracer.run(record, before.action_id(move))
        assert differing_fields(reached, after.record()) == [], move
        assert np.array_equal(record, before.record())
