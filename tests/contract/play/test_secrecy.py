"""A seat is shown all that it may know, and nothing that depends on what it may not know."""

import itertools
import os
import random
import re
from collections import Counter

import pytest

from shakespeare_env import Position
from shakespeare_env.checking import told_pairs
from shakespeare_env.core.game import SPECTATOR, UNKNOWN
from shakespeare_env.errors import PositionError
from tests.contract import knowledge
from tests.contract.each_table import all_tables
from tests.contract.games import small_games
from tests.contract.random_games import MANY_SEATS, Table, play_by_rule, sample_positions

COMPARISONS = int(os.environ.get("SECRETS", "30"))
"""The number of pairs of moves that look alike to be compared at each table."""
DEFINED_TABLES = [
    Table(name, players) for name in small_games.NAMES for players in small_games.SEATS
]


def shown_to(position, seat):
    """Return all that a position shows a seat, with the legal moves only if it decides."""
    game = position.game
    seen = position.seen_by(seat)
    return (
        position.observation(seat).tobytes(),
        position.moves() if position.to_move == seat else None,
        (seen, position.to_move, position.winners),
        game.presentation.draw(seen),
        (
            game.presentation.topics(seen),
            game.presentation.score_sheet(seen),
            game.presentation.next_scoring(seen),
        ),
    )


@all_tables
def test_what_a_seat_may_not_know_changes_nothing_that_it_is_shown(table):
    """Positions are changed as dicts, as records and by `determinize`, and so is chance."""
    hidden = knowledge.of(table.game, "hidden")
    rng = random.Random(3)
    differed = 0
    sample = sample_positions(table, seed=3, every=15)
    for position, seat in itertools.product(sample, range(table.players)):
        shown = shown_to(position, seat)
        text = position.to_dict()
        assert not any("?" in str(topic) for topic in shown[-1][0].values())
        changed = hidden.change_in_record(position.record(), seat, rng)
        other = Position.of_record(position.game, changed)
        differed += other != position
        assert shown_to(other, seat) == shown
        assert table.players == 1 or other.seen_by(None) == position.seen_by(None)
        assert shown_to(position.determinize(seat, rng.getrandbits(64)), seat) == shown
        other = Position.from_dict(hidden.change_in_dict(text, seat, rng), seed=2)
        assert shown_to(other, seat) == shown_to(Position.from_dict(text, seed=1), seat)
    assert differed > 20


@all_tables
def test_a_seat_sees_its_own_secrets_and_nobody_else_does(table):
    """A person is shown the secrets that a position as a dict holds, a spectator none."""
    hidden = knowledge.of(table.game, "hidden")
    seen = set()
    everybody = set(range(table.players))
    positions = (position for seed in (1, 2) for position in sample_positions(table, seed, every=8))
    for position, seat in itertools.product(positions, everybody):
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


@all_tables
def test_every_value_is_shown_as_it_is_or_as_unknown(table):
    """Pictures mark unknown values as well."""
    unknown: Counter[bool | str] = Counter()
    for position in sample_positions(table, seed=4, every=9):
        views = [position.seen_by(seat) for seat in range(table.players)]
        if table.players > 1 and all(view == views[0] for view in views):
            assert position.seen_by(None) == views[0]
        for view in views:
            for true, value in pairs(position.to_dict(), view):
                unknown[value == UNKNOWN] += 1
                assert value in (true, UNKNOWN)
        if position.phase not in unknown:
            unknown[position.phase] += 1
            seen = position.seen_by(0)
            drawn = position.game.presentation.picture(seen)
            open_picture = position.svg()
            signs = (UNKNOWN, "unknown")
            marks = sum(drawn.count(sign) - open_picture.count(sign) for sign in signs)
            assert (marks > 0) == (seen != position.to_dict())
    assert unknown[True] > 50
    assert unknown[False] > 1000
    with pytest.raises(PositionError, match=r"\?"):
        Position.from_dict(table.position(seed=1).seen_by(0))


def pairs(true, shown):
    """Yield each value of a position with the value that is shown in its place.

    A list may be shown as a single unknown value.
    """
    if isinstance(true, dict) and UNKNOWN in shown:
        # The kinds are unknown, but not how many there are in all.
        assert sum(true.values()) == sum(shown.values())
        for kind in true:
            yield kind, kind if kind in shown else UNKNOWN
    elif isinstance(true, dict):
        assert list(true) == list(shown)
        for key in true:
            yield from pairs(true[key], shown[key])
    elif isinstance(true, list) and shown != UNKNOWN:
        for true_entry, shown_entry in zip(true, shown, strict=True):
            yield from pairs(true_entry, shown_entry)
    else:
        yield true, shown


@pytest.mark.parametrize("table", MANY_SEATS, ids=str)
def test_a_move_is_secret_unless_the_table_shows_it_anyway(table):
    """After a move that is told, any other move would have given the observer another view.

    The exception is a move that leads to the very same position.
    """
    alike: Counter[tuple[bool, bool]] = Counter()
    for position in sample_positions(table, seed=5, every=15):
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


@pytest.fixture(scope="module", autouse=True)
def _small_games():
    with small_games.registered():
        yield


@pytest.mark.parametrize("table", [*MANY_SEATS, *DEFINED_TABLES], ids=str)
def test_moves_that_look_alike_are_told_alike(table):
    """Log, events and history are compared in two games that a seat or a spectator cannot tell
    apart.
    """
    compared = 0
    # Small games are quick, so that more pairs can be compared.
    wanted = COMPARISONS if table in MANY_SEATS else 8 * COMPARISONS
    every = 11 if table in MANY_SEATS else 1
    different = Counter[bool]()
    for seed in itertools.count():
        for step, position in enumerate(play_by_rule(table.position(seed), salt=seed)):
            if position.to_move is None or (step + seed) % every:
                continue
            for viewer in {SPECTATOR, *range(table.players)} - {position.to_move}:
                for one, other in told_pairs(position, viewer, seed=step + 1000 * seed):
                    assert one.told == other.told, (seed, step, viewer, one.move, other.move)
                    assert one.in_history == other.in_history
                    compared += 1
                    different[one.move != other.move] += 1
        if compared >= wanted:
            break
    print(f"\n{table}: {compared} pairs of moves compared, {different[True]} of other moves")
    if table in DEFINED_TABLES:
        assert (different[True] > 0) == (table.game != "hands")


@pytest.mark.parametrize(("name", "open_moves"), [("hands", 4), ("facedown", 1)])
def test_a_move_is_told_where_no_hidden_hand_could_hide_it(name, open_moves):
    """An open card or pass is told. A card laid face down is not, even if no other can be laid."""
    table = Table(name, 3)
    for seed in range(8):
        for position in play_by_rule(table.position(seed), salt=seed):
            if position.to_move is None:
                continue
            text = position.to_dict()
            secret = {move for move in position.moves() if position.game.is_secret(text, move)}
            assert secret == set(position.moves()[:-1] if open_moves == 1 else ())


def test_only_the_last_of_simultaneous_choices_is_told():
    for position in play_by_rule(Table("bids", 3).position(1), salt=1):
        for move in position.moves():
            assert position.game.is_secret(position.to_dict(), move) == (position.to_move != 2)


def test_a_choice_that_a_forced_move_hides_again_is_not_told():
    table = Table("marks", 2)
    for one, other in told_pairs(table.position(1), SPECTATOR, seed=1):
        assert one.told == other.told
    for position in play_by_rule(table.position(1), salt=1):
        for move in position.moves():
            assert position.game.is_secret(position.to_dict(), move)


@all_tables
def test_topics_explain_every_legal_move_and_its_parts(table):
    facts = knowledge.of(table.game, "facts")
    for position in sample_positions(table, seed=2, every=8):
        topics = position.game.presentation.topics(position.to_dict())
        for move in position.moves():
            kind, *parts = re.split("[:>]", move)
            assert kind in topics, move
            if facts.EXPLAINED_WITH_MOVE.fullmatch(move):
                continue
            for part in parts:
                names = {part, facts.PART_OF_TOPIC.sub("", part)}
                is_seat = part.isdigit()
                assert names & topics.keys() or is_seat, move


@all_tables
def test_score_sheets_add_up_to_the_scores(table):
    """That of what a seat sees does as well."""
    for position in sample_positions(table, seed=2, every=8):
        for view in (position.to_dict(), position.seen_by(0)):
            names, rows = zip(*position.game.presentation.score_sheet(view), strict=True)
            assert len(set(names)) == len(names)
            assert [sum(column) for column in zip(*rows, strict=True)] == position.scores()
