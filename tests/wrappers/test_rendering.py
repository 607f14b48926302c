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
"""For tests that a picture is shown at all, as its content is the game's own."""


@full_tables
def test_one_game_is_shown_as_its_position(table):
    """As text, as pixels, in a notebook; before a move and after it; for all and for one seat."""
    position = table.position(seed=6)
    picture = position.game.presentation.picture(position.to_dict())
    assert position._repr_svg_() == position.svg() == picture
    text = env(**table.arguments, render_mode="ansi")
    pixels = env(**table.arguments, render_mode="rgb_array")
    one_seat: Any = SingleAgentEnv(
        **table.arguments, seat=0, opponents=first_legal, render_mode="rgb_array"
    )
    for view in (text, pixels, one_seat):
        view.reset(seed=6)
    while position.to_move != 0:  # the learner's seat; the others play before it is asked
        position.push(position.moves()[0])
        for view in (text, pixels):
            view.step(int(view.last()[0]["action_mask"].argmax()))
    picture = raster.pixels(position.svg())
    assert text.render() == str(position)
    for view in (pixels, one_seat):
        np.testing.assert_array_equal(view.render(), picture)
    assert picture.dtype == np.uint8
    assert picture.shape[1:] == (1600, 3)
    assert picture.shape[0] % 2 == 0
    advance(pixels, 1)
    assert not np.array_equal(pixels.render(), picture)


@one_table
def test_many_games_are_drawn_one_by_one_and_of_vec_envs_the_first(table):
    view: Any = SingleAgentVectorEnv(
        3, **table.arguments, seat=0, opponents=first_legal, render_mode="ansi"
    )
    view.reset(seed=6)
    batch = view.games.batch
    texts = [str(Position.of_record(batch.game, record)) for record in batch.save([0, 1, 2])]
    assert list(view.render()) == texts
    assert len(set(texts)) == 3
    view = SB3SingleAgentVecEnv(SingleAgentBatch(n=2, **table.arguments, seed=6), "rgb_array")
    view.reset()
    wanted = Position.of_record(view.batch.game, record_of(view.batch, 0))
    np.testing.assert_array_equal(view.render(), raster.pixels(wanted.svg()))


@one_table
def test_a_person_is_shown_the_text_after_every_step(table, capsys):
    view = raw_env(**table.arguments, render_mode="human")
    view.reset(seed=1)
    assert capsys.readouterr().out == f"{table.position(1)}\n"
    advance(view, 1)
    assert len(capsys.readouterr().out.splitlines()) > 10
