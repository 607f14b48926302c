"""Facts by name, self-play, and moves and gifts tried in its positions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from shakespeare_env import Batch, Position, registry
from demonstration import demonstration, find
from shakespeare_agents.strategy.trials import OTHER, self_play, try_gift, try_moves
from shakespeare_agents.strategy.facts import field

LAYOUT = registry.game("shakespeare").layout
games = pytest.mark.parametrize("game", registry.names())


def test_fields_are_found_by_name():
    batch = Batch("shakespeare", 5, players=4, seed=3)
    assert field(LAYOUT, "day", batch.obs).tolist() == [1] * 5
    assert field(LAYOUT, "seat0.prestige", batch.obs).tolist() == [5] * 5
    assert field(LAYOUT, "seat0.initiative", np.zeros_like(batch.obs)).tolist() == [0] * 5
    craftsmen = batch.obs[:, LAYOUT["seat0.metrics"].slice][:, -1]
    assert field(LAYOUT, "seat0.metrics.craftsmen", batch.obs).tolist() == craftsmen.tolist()


def test_a_field_that_is_missing_is_refused():
    observations = np.zeros((1, LAYOUT.size), np.int8)
    with pytest.raises(KeyError, match="seat0"):
        field(LAYOUT, "seat0.luck", observations)
    with pytest.raises(KeyError, match="first_places"):
        field(LAYOUT, "seat0.metrics.luck", observations)
    with pytest.raises(ValueError, match="stage_spaces"):
        field(LAYOUT, "seat0.metrics", observations)


@games
def test_self_play_has_a_row_for_every_seat(game):
    found = self_play(game, players=3, games=4, player="random", end={"present": "seat0.present"})
    assert found["deal"].tolist() == np.repeat(np.arange(4), 3).tolist()
    assert found["won"].reshape(4, 3).sum(axis=1).tolist() == [1.0] * 4
    assert found["present"].all()
    best = found["score"].reshape(4, 3).max(axis=1)
    assert (found["score"] - found["lead"] <= np.repeat(best, 3)).all()


def test_alone_there_is_no_lead():
    assert np.isnan(self_play("shakespeare", players=1, games=2, player="random")["lead"]).all()


def test_every_legal_wager_is_tried_once():
    found = try_moves(
        "shakespeare", ["wager"], players=2, games=4, positions=6, player="random",
        facts={"day": "day"},
    )  # fmt: skip
    assert len(found) == 6 * 5
    assert found["chosen"].reshape(-1).sum() == 6
    for position in range(6):
        rows = found.where(found["position"] == position)
        assert sorted(rows["move"]) == [f"wager:{k}" for k in range(1, 6)]
        assert len(set(rows["day"])) == len(set(rows["deal"])) == 1


def test_a_take_is_tried_beside_another_move():
    found = try_moves(
        "figaro", ["take"], players=3, games=4, positions=5, player="heuristic", other=True
    )
    for position in range(5):
        assert sorted(found["move"][found["position"] == position]) == [OTHER, "take"]


def test_the_move_that_is_chosen_ends_as_the_game_did():
    played = self_play("shakespeare", players=2, games=3, seed=2)
    found = try_moves("shakespeare", ["wager"], players=2, games=3, positions=50, seed=2)
    for row in np.flatnonzero(found["chosen"]):
        assert found["score"][row] in played["score"][played["deal"] == found["deal"][row]]


def test_prestige_given_is_prestige_at_the_end():
    found = try_gift(
        "shakespeare", "prestige", 2, when=["wager"], players=2, games=2, positions=3,
        player=lambda seen, masks, rng: masks.argmax(axis=1),
    )  # fmt: skip
    without, gift = found.where(found["gift"] == 0), found.where(found["gift"] == 2)
    assert (gift["score"] - without["score"]).tolist() == [2.0] * 3


def test_only_what_seats_have_can_be_given():
    with pytest.raises(ValueError, match="'day' is no field"):
        try_gift("shakespeare", "day", 1, when=["wager"], players=2, games=1, positions=1)
    with pytest.raises(ValueError, match="no block 'bet'"):
        try_moves("shakespeare", ["bet"], players=2, games=1, positions=1)


@games
def test_a_demonstration_is_a_game(game):
    steps = demonstration(game, players=3, seed=1, player="heuristic")
    assert steps[0].position == Position.new(game, players=3, seed=1)
    assert steps[-1].after.to_move is None
    for step, following in pairwise(steps):
        assert step.after == following.position
    move = steps[5].move
    assert find(steps, move, after=5) == steps[5]
    with pytest.raises(ValueError, match="begin with 'luck'"):
        find(steps, "luck")
