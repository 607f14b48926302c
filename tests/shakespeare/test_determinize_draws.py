"""What `determinize` draws for a seat: uniform over all that it cannot know (Rules D3).

Frequencies are tested by chi-square against the value exceeded once in 10 000 draws; seeds are
fixed, so a test that passes goes on passing.
"""

from collections import Counter

import numpy as np
import pytest

from shakespeare_env import registry
from shakespeare_env.compiled import kernel
from shakespeare_env.forced_moves import forced_moves_of
from tests.contract.random_games import (
    TABLES,
    Table,
    copies,
    differing_fields,
    game_from,
    sampled,
    stacked,
)
from tests.shakespeare.hidden import activated

OURS = [table for table in TABLES if table.game == "shakespeare"]
FOUR_SEATS = [table for table in OURS if table.players == 4]
all_tables = pytest.mark.parametrize("table", OURS, ids=str)
tables = pytest.mark.parametrize("table", FOUR_SEATS, ids=str)

SECRET = {"random", "objective_deck", "objectives", "drawn", "wager", "kept"}
"""Fields of the record of which something may be hidden from a seat."""


def positions(table, every):
    """(number, position, seat) of random games at a table."""
    for seed in (3, 4):
        for number, position in enumerate(sampled(table, seed, every)):
            for seat in range(table.players):
                yield number, position, seat


def drawn_anew(position, seat, seeds):
    """Records of one position determinized for a seat with each of many seeds."""
    batch = copies(position, len(seeds))
    batch.determinize(slice(None), [seat] * len(seeds), seeds)
    return batch.save(slice(None))


@all_tables
def test_what_the_seat_put_back_stays_in_its_place(table):
    put_back = 0
    for number, position, seat in positions(table, every=5):
        true, possible = position.record(), position.determinize(seat, seed=number).record()
        np.testing.assert_array_equal(true["objective_known"], possible["objective_known"])
        known = true["objective_known"] == seat
        put_back += known.sum()
        np.testing.assert_array_equal(
            true["objective_deck"][known], possible["objective_deck"][known]
        )
    assert put_back > 0


@all_tables
def test_nothing_public_and_nothing_of_its_own_changes(table):
    for number, position, seat in positions(table, every=11):
        true, possible = position.record(), position.determinize(seat, seed=number).record()
        assert set(differing_fields(true, possible)) <= SECRET
        for name in ("objectives", "wager", "kept"):
            np.testing.assert_array_equal(true[name][seat], possible[name][seat])
        if position.to_move == seat:
            np.testing.assert_array_equal(true["drawn"], possible["drawn"])


DRAWS = 3000
CHI_SQUARE = {1: 15.1, 2: 18.4, 3: 21.1, 4: 23.5, 5: 25.7, 6: 27.9, 7: 29.9, 8: 31.8, 9: 33.7}


def assert_uniform(values, expected):
    """Whether each of the expected values was drawn about equally often, and no other."""
    counts = Counter(int(value) for value in values)
    assert set(counts) <= set(expected)
    mean = len(values) / len(expected)
    chi_square = sum((counts[value] - mean) ** 2 / mean for value in expected)
    assert chi_square < CHI_SQUARE[len(expected) - 1], counts


def game_from_until(table, wanted):
    """The positions of random games up to the first that is wanted."""
    for seed in range(100):
        for position in game_from(table.position(seed), salt=seed):
            yield position
            if wanted(position):
                return
    raise AssertionError("no such position")


def others_hold_objectives(position):
    record = position.record()
    return (record["objectives_len"][:3] > 0).all() and (record["objective_known"] == 0).any()


def unseen_by(record, seat):
    """The objectives that a seat has not seen."""
    own = set(record["objectives"][seat][: record["objectives_len"][seat]])
    own |= set(record["objective_deck"][record["objective_known"] == seat])
    if record["to_move"] == seat:
        own |= set(record["drawn"])
    return sorted(int(objective) for objective in set(range(10)) - own)


@pytest.mark.slow
@tables
def test_unseen_objectives_are_uniform_in_every_place(table):
    *_, position = game_from_until(table, others_hold_objectives)
    true = position.record()
    unseen = unseen_by(true, 0)
    assert 3 < len(unseen) < 10
    records = drawn_anew(position, 0, range(DRAWS))
    for other in (1, 2):
        assert_uniform(records["objectives"][:, other, 0], unseen)
    for place in range(true["objective_deck_len"]):
        if true["objective_known"][place] != 0:
            assert_uniform(records["objective_deck"][:, place], unseen)


@pytest.mark.slow
@tables
def test_objectives_in_two_hands_are_drawn_independently(table):
    """Every ordered pair of unseen objectives is about as frequent in the hands of two others."""
    *_, position = game_from_until(table, others_hold_objectives)
    size = len(unseen_by(position.record(), 0))
    hands = drawn_anew(position, 0, range(DRAWS))["objectives"][:, 1:3, 0]
    pairs = Counter(map(tuple, hands.tolist()))
    assert len(pairs) == size * (size - 1)
    mean = DRAWS / len(pairs)
    chi_square = sum((count - mean) ** 2 / mean for count in pairs.values())
    assert chi_square < len(pairs) + 5 * (2 * len(pairs)) ** 0.5


@pytest.mark.slow
@tables
def test_a_draw_of_another_seat_is_uniform(table):
    *_, position = game_from_until(table, lambda p: p.phase == "objective")
    true = position.record()
    observer = (position.to_move + 1) % table.players
    drawn = drawn_anew(position, observer, range(DRAWS))["drawn"]
    for place in range(true["drawn_len"]):
        assert_uniform(drawn[:, place], unseen_by(true, observer))


@pytest.mark.slow
@tables
def test_pending_wagers_of_others_are_uniform(table):
    """D2: a wager chosen is anything from 1 to 5 to the others, one not chosen stays so."""
    *_, position = game_from_until(table, lambda p: (p.record()["wager"] > 0).sum() == 2)
    assert position.phase == "wager"
    true = position.record()
    observer = int(np.flatnonzero(true["wager"] > 0)[0])
    wagers = drawn_anew(position, observer, range(DRAWS))["wager"]
    for seat in range(table.players):
        if seat != observer and true["wager"][seat] > 0:
            assert_uniform(wagers[:, seat], range(1, 6))
        else:
            assert (wagers[:, seat] == true["wager"][seat]).all()


@pytest.mark.slow
def test_p2_pending_rest_choices_of_others_are_uniform_over_the_characters_used():
    """Copies of a card are one choice (P2, D2)."""
    table = Table("shakespeare", 4)
    *_, position = game_from_until(table, lambda p: (p.record()["kept"] >= 0).any())
    true = position.record()
    (chooser,) = np.flatnonzero(true["kept"] >= 0).tolist()
    observer = (chooser + 1) % table.players
    kept = drawn_anew(position, observer, range(DRAWS))["kept"]
    choices = sorted(set(activated(true, chooser)))
    assert len(choices) > 1
    assert_uniform(kept[:, chooser], choices)
    assert (kept[:, [s for s in range(table.players) if s != chooser]] == -1).all()


GAME = registry.game("shakespeare")
rules_rewind, play_forced_moves = GAME.rules.rewind, forced_moves_of(GAME)


@kernel(GAME.name, GAME.rules.legal, GAME.rules.play)
def rewind(games, found, mask):
    """Rewind games, up to the first decision that is not forced; found: bool[n], which changed."""
    for i in range(len(games)):
        found[i] = rules_rewind(games[i])
        if found[i]:
            play_forced_moves(games[i], mask)


@all_tables
def test_rewinding_takes_back_the_secret_choices_of_the_others(table):
    """To the very record at which the first of the wagers, or rest choices, was to be made."""
    secret = {"wager"} if table.options.get("strategic_rest") else {"wager", "rest"}
    positions = [p.copy() for seed in (3, 4) for p in game_from(table.position(seed), salt=seed)]
    true = stacked(p.record() for p in positions)
    games, found = true.copy(), np.zeros(len(true), bool)
    rewind(games, found, np.zeros(GAME.actions.size, bool))
    begun = 0
    for i, position in enumerate(positions):
        if position.phase not in secret or positions[i - 1].phase != position.phase:
            begun = i
        assert found[i] or begun == i
        assert differing_fields(games[i], true[begun]) == []
    assert found.any() == (table.players > 1)
