"""Rendering in every environment and every mode."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shakespeare_env import Position, env, raw_env
from shakespeare_env.drawing import raster
from shakespeare_env.wrappers.gym import SingleAgentEnv, SingleAgentVectorEnv
from shakespeare_env.wrappers.sb3 import SB3SingleAgentVecEnv
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from tests.contract.each_table import full_tables
from tests.contract.random_games import SMALL_TABLES, record_of
from tests.wrappers.aec_games import advance
from tests.wrappers.learners import first_legal

one_table = pytest.mark.parametrize("table", SMALL_TABLES[:1], ids=str)
"""For tests in which the content of the picture does not matter."""


def first_turn_of_seat_0(table, *views):
    """Reset views of a game and play until seat 0 decides; return the position there."""
    position = table.position(seed=6)
    for view in views:
        view.reset(seed=6)
    while position.to_move != 0:
        position.push(position.moves()[0])
        for view in views:
            view.step(int(view.last()[0]["action_mask"].argmax()))
    return position


@full_tables
def test_a_position_is_shown_in_notebooks_as_its_picture(table):
    position = table.position(seed=6)
    picture = position.game.presentation.picture(position.to_dict())
    assert position._repr_svg_() == position.svg() == picture


@full_tables
def test_text_is_that_of_the_position(table):
    view = env(**table.arguments, render_mode="ansi")
    position = first_turn_of_seat_0(table, view)
    assert view.render() == str(position)


@full_tables
def test_pixels_are_those_of_the_picture_for_all_agents_and_for_one_seat(table):
    view = env(**table.arguments, render_mode="rgb_array")
    position = first_turn_of_seat_0(table, view)
    one_seat: Any = SingleAgentEnv(
        **table.arguments, seat=0, opponents=first_legal, render_mode="rgb_array"
    )
    one_seat.reset(seed=6)
    picture = raster.pixels(position.svg())
    assert picture.dtype == np.uint8
    assert picture.shape[1:] == (1600, 3)
    assert picture.shape[0] % 2 == 0
    np.testing.assert_array_equal(view.render(), picture)
    np.testing.assert_array_equal(one_seat.render(), picture)
    advance(view, 1)
    assert not np.array_equal(view.render(), picture)


@one_table
def test_gymnasiums_vector_environment_renders_every_game(table):
    view: Any = SingleAgentVectorEnv(
        3, **table.arguments, seat=0, opponents=first_legal, render_mode="ansi"
    )
    view.reset(seed=6)
    batch = view.games.batch
    texts = [str(Position.of_record(batch.game, record)) for record in batch.save([0, 1, 2])]
    assert list(view.render()) == texts
    assert len(set(texts)) == 3


@one_table
def test_sb3s_vector_environment_renders_its_first_game(table):
    view: Any = SB3SingleAgentVecEnv(SingleAgentBatch(n=2, **table.arguments, seed=6), "rgb_array")
    view.reset()
    first = Position.of_record(view.batch.game, record_of(view.batch, 0))
    np.testing.assert_array_equal(view.render(), raster.pixels(first.svg()))


@one_table
def test_in_mode_human_the_text_is_printed_after_every_step(table, capsys):
    view = raw_env(**table.arguments, render_mode="human")
    view.reset(seed=1)
    assert capsys.readouterr().out == f"{table.position(1)}\n"
    advance(view, 1)
    assert len(capsys.readouterr().out.splitlines()) > 10
