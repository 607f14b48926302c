"""Secret means secret: nothing a seat is shown depends on what it may not know."""

import random

import numpy as np
import pytest

from shakespeare_env import Position, raw_env
from tests.contract import knowledge
from tests.contract.random_games import MANY_SEATS, TABLES, sampled, stacked

SEEDS = (1, 2)

tables = pytest.mark.parametrize("table", TABLES, ids=str)


def positions(table, every=4):
    """(position, seat) of random games at a table, each position for each of its seats."""
    for seed in SEEDS:
        for position in sampled(table, seed, every):
            for seat in range(table.players):
                yield position, seat


def bytes_seen(position, seat):
    """All that a position shows a seat: its observation, and its legal moves when it decides."""
    shown = position.observation(seat).tobytes()
    return shown + position.action_mask().tobytes() if position.to_move == seat else shown


def viewed(batch, records):
    """Load records into a batch of as many games."""
    batch.load(slice(None), stacked(records))
    return batch


@tables
def test_what_a_seat_may_not_know_changes_nothing_in_its_observation_and_mask(table):
    """Positions changed as text; chance to come is in no observation either."""
    hidden, rng = knowledge.of(table.game, "hidden"), random.Random(5)
    differed = 0
    for position, seat in positions(table):
        text = position.to_dict()
        changed = hidden.change_in_dict(text, seat, rng)
        differed += changed != text
        true, other = Position.from_dict(text, seed=1), Position.from_dict(changed, seed=2)
        assert bytes_seen(other, seat) == bytes_seen(true, seat)
    assert differed > 20


@tables
def test_what_a_seat_may_not_know_changes_nothing_in_a_batch(table):
    """Positions changed as records, so what the seat put back itself in the pile is known to it."""
    hidden, rng = knowledge.of(table.game, "hidden"), random.Random(6)
    records, seats, shown = zip(
        *((p.record(), seat, p.observation(seat)) for p, seat in positions(table)), strict=True
    )
    changed = [hidden.change_in_record(r, s, rng) for r, s in zip(records, seats, strict=True)]
    assert all(new["random"] != old["random"] for new, old in zip(changed, records, strict=True))
    true = viewed(table.batch(len(records), seed=0), records)
    other = viewed(table.batch(len(records), seed=0), changed)
    np.testing.assert_array_equal(true.observe(seats), shown)
    np.testing.assert_array_equal(other.observe(seats), shown)
    np.testing.assert_array_equal(true.to_move, other.to_move)
    decides = true.to_move == np.array(seats)
    assert decides.sum() > 20
    assert true.obs[decides].tobytes() == other.obs[decides].tobytes()
    assert true.mask[decides].tobytes() == other.mask[decides].tobytes()


@pytest.mark.parametrize("table", MANY_SEATS, ids=str)
def test_what_a_seat_may_not_know_changes_nothing_in_the_environment(table):
    """Observation, mask and info of an agent in the PettingZoo environment."""
    hidden, rng = knowledge.of(table.game, "hidden"), random.Random(7)
    view = raw_env(game=table.game, players=table.players, **table.options)
    view.reset(seed=0)
    for position, seat in positions(table, every=11):
        record, agent = position.record(), view.possible_agents[seat]
        shown = []
        for game in (record, hidden.change_in_record(record, seat, rng)):
            viewed(view._batch, [game])
            view._turn_to_decider()
            parts = [*view.observe(agent).items(), *view.infos[agent].items()]
            shown.append([(name, part.tobytes()) for name, part in parts])
            shown[-1].append(view.agent_selection)
        assert shown[0] == shown[1]


@tables
def test_a_seat_sees_its_own_secrets_and_nobody_else_does(table):
    hidden, batch = knowledge.of(table.game, "hidden"), table.batch(2, seed=0)
    seen = set()
    for position, seat in positions(table, every=8):
        record = position.record()
        for change in hidden.own_changes(record, seat):
            assert seat in change.seats
            viewed(batch, [record, change.record])
            for observer in range(table.players):
                one, other = batch.observe([observer] * 2)
                same = one.tobytes() == other.tobytes()
                assert same == (observer not in change.seats), (change.what, seat, observer)
            seen.add(change.what)
    assert seen
