"""Games of an agent with itself: a row for every seat, whatever else is played."""

from __future__ import annotations

import polars as pl
import pytest

from shakespeare_agents.strategy.self_play import self_play
from shakespeare_env import registry

games = pytest.mark.parametrize("game", registry.names())


@games
def test_every_seat_has_a_row(game):
    found = self_play(game, players=3, games=4, player="random", end={"present": "seat0.present"})
    assert found["deal"].to_list() == [deal for deal in range(4) for _ in range(3)]
    assert found["seat"].to_list() == [0, 1, 2] * 4
    assert found.group_by("deal").agg(pl.col("won").sum())["won"].to_list() == [1.0] * 4
    assert found["present"].to_list() == [1] * 12


@games
def test_the_lead_is_over_the_best_other_seat(game):
    found = self_play(game, players=3, games=4, player="random")
    for (_,), rows in found.group_by("deal"):
        scores = rows["score"].to_list()
        for seat, lead in enumerate(rows["lead"]):
            assert lead == scores[seat] - max(scores[:seat] + scores[seat + 1 :])


def test_alone_there_is_no_lead():
    found = self_play("shakespeare", players=1, games=2, player="random")
    assert found["lead"].to_list() == [None, None]
    assert found["score"].null_count() == 0


@games
def test_games_do_not_depend_on_how_many_are_played(game):
    few, many = (self_play(game, players=3, games=n, seed=4, player="random") for n in (2, 5))
    assert few.equals(many.head(6))
