"""Events say all that a move changes for every seat, with its cause, and no secret."""

from collections import Counter

import pytest

from shakespeare_env import Position, score_sheet
from shakespeare_env.presentation import Event
from tests.contract.random_games import TABLES, game_from, move_by_rule
from tests.contract.telling import check_told

tables = pytest.mark.parametrize("table", TABLES, ids=str)


def played(table, seed):
    """Every move of a game: positions before and after, as notation, and the move between."""
    before, move = None, ""
    for step, position in enumerate(game_from(table.position(seed), salt=seed)):
        if before is not None:
            yield position.game, before, move, position.to_dict()
        before = position.to_dict()
        if position.to_move is not None:
            move = move_by_rule(position, step, seed)


def seen(game, before, move, after, seat):
    """A move as a seat sees it."""
    secret = game.is_secret(before, move) and before["to_move"] != seat
    return game.seen_by(before, seat), None if secret else move, game.seen_by(after, seat)


def by_source(events):
    """Points by seat and source."""
    points: Counter[tuple[int | None, str]] = Counter()
    for event in events:
        points[event.seat, event.source] += event.points
    return Counter({key: count for key, count in points.items() if count})


@tables
def test_events_add_up_to_what_has_changed_and_to_a_score_sheet(table):
    n_moves = 0
    for seed in range(2):
        at_start, told = table.position(seed).scores(), []
        for game, before, move, after in played(table, seed):
            n_moves += 1
            events = check_told(game, before, move, after)
            seat = n_moves % table.players
            as_seen = check_told(game, *seen(game, before, move, after, seat))
            assert by_source(as_seen) == by_source(events)
            told += as_seen
        last = Position.from_dict(after).scores()
        names, rows = zip(*score_sheet.from_events(at_start, told), strict=True)
        assert len(set(names)) == len(names) > 2
        assert [sum(column) for column in zip(*rows, strict=True)] == last
    assert n_moves > 60


@tables
def test_what_a_seat_may_not_know_changes_no_event_that_it_hears_of(table):
    alike = 0
    for step, position in enumerate(game_from(table.position(seed=3), salt=3)):
        if position.to_move is None or step % 7:
            continue
        seat = step % table.players
        twin = position.determinize(seat, seed=step)
        before, move = position.to_dict(), move_by_rule(position, step, 3)
        if move not in twin.moves():
            continue
        other, twin_before = position.copy(), twin.to_dict()
        other.push(move)
        twin.push(move)
        views = [
            seen(position.game, before, move, other.to_dict(), seat),
            seen(position.game, twin_before, move, twin.to_dict(), seat),
        ]
        told = [position.game.presentation.events(*view) for view in views]
        if views[0] == views[1]:  # chance to come is another's
            assert told[0] == told[1]
            alike += 1
    assert alike > 2


def test_a_row_of_a_score_sheet_is_a_source_whatever_came_first():
    events = [
        Event(0, "−1: mood", "mood", -1),
        Event(1, "+2: act", "act", 2),
        Event(None, "a new day"),
        Event(1, "hamlet", counters={"pounds": 3}),
        Event(0, "+3: act", "act", 3),
    ]
    rows = score_sheet.from_events([5, 0], events)
    assert rows == [("at the start", [5, 0]), ("act", [3, 2]), ("mood", [-1, 0])]
