"""Moves and gifts tried in positions of self-play, all under the same chance."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shakespeare_agents.strategy.positions import find_positions
from shakespeare_agents.strategy.self_play import self_play
from shakespeare_agents.strategy.trials import OTHER, try_gift, try_moves, try_moves_and_other


def wagers(most, **options):
    return find_positions("shakespeare", ["wager"], players=2, most=most, **options)


def first_legal(seen, masks, rng):
    return masks.argmax(axis=1)


def test_every_legal_wager_is_tried_once():
    found = try_moves(wagers(6, games=4, player="random", facts={"day": "day"}))
    assert len(found) == 6 * 5
    for _, rows in found.group_by("position"):
        assert rows["move"].to_list() == [f"wager:{k}" for k in range(1, 6)]
        assert rows["chosen"].sum() == 1
        assert rows["day"].n_unique() == rows["deal"].n_unique() == rows["seat"].n_unique() == 1


def test_positions_are_drawn_from_all_of_them():
    every = wagers(1000, games=3, player="random", facts={"day": "day"})
    assert every.frame["day"].value_counts(sort=True)["count"].to_list() == [6] * 6
    assert every.frame["deal"].is_sorted()
    some = wagers(9, games=3, player="random", facts={"day": "day"})
    all_of_them = {record.tobytes() for record in every.games.save(slice(None))}
    assert len(some.frame) == 9
    assert {record.tobytes() for record in some.games.save(slice(None))} <= all_of_them


def test_a_take_is_tried_beside_another_move():
    positions = find_positions(
        "figaro", ["take"], players=3, games=4, most=5, least=1, player="heuristic"
    )
    for _, rows in try_moves_and_other(positions).group_by("position"):
        assert rows["move"].to_list() == ["take", OTHER]


def test_where_every_move_is_a_wager_there_is_no_other():
    with pytest.raises(ValueError, match="no position has moves of other kinds"):
        try_moves_and_other(wagers(3, games=2, player="random"))


@pytest.mark.parametrize("player", ["network", "random"])
def test_the_move_that_is_chosen_ends_as_the_game_did(player):
    played = self_play("shakespeare", players=2, games=3, seed=2, player=player)
    tried = try_moves(wagers(50, games=3, seed=2, player=player)).filter("chosen")
    ended = tried.join(played, on=["deal", "seat"], suffix="_played")
    assert len(ended) == 3 * 12
    for column in ("score", "lead", "won"):
        assert ended[column].to_list() == ended[f"{column}_played"].to_list()


def test_nothing_given_changes_nothing():
    """An agent that draws meets the same chance with a gift that is worth nothing as without."""
    positions = wagers(5, games=2, player="random")
    found = try_gift(positions, "prestige", 0)
    first, second = found.gather_every(2), found.gather_every(2, offset=1)
    assert first.drop("gift").equals(second.drop("gift"))


def test_prestige_given_is_prestige_at_the_end():
    found = try_gift(wagers(3, games=2, player=first_legal), "prestige", 2)
    assert found["gift"].to_list() == [0, 2] * 3
    gained = found.group_by("position").agg(pl.col("score").last() - pl.col("score").first())
    assert gained["score"].to_list() == [2.0] * 3


def test_tokens_given_come_from_the_supply():
    positions = wagers(4, games=2, player="random")
    records = positions.games.save(slice(None))
    taken = np.arange(len(records)) < 2  # by the seat that is not to move
    records["tokens"][taken, 1 - records["to_move"][taken]] += records["supply_tokens"][taken]
    records["supply_tokens"][taken] = 0
    positions.games.load(slice(None), records)
    found = try_gift(positions, "tokens", 1)
    assert found["gift"].to_list() == [0, 1] * 2
    assert found["position"].unique().sort().to_list() == positions.frame["position"].to_list()[2:]
    with pytest.raises(ValueError, match="of tokens from 0 to 8"):
        try_gift(positions, "tokens", 9)


def test_what_cannot_be_tried_is_refused():
    with pytest.raises(ValueError, match="'day'"):
        try_gift(wagers(1, games=1, player="random"), "day", 1)
    with pytest.raises(ValueError, match="no block 'bet'"):
        find_positions("shakespeare", ["bet"], players=2, games=1, most=1)
    with pytest.raises(ValueError, match="no such decision came up in 1 games"):
        find_positions("shakespeare", ["wager"], players=2, games=1, most=1, least=6)
