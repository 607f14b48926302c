"""What `render` shows, in every environment and every mode."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import render_test

from shakespeare_env import Batch, Position, env, raster, raw_env
from shakespeare_env.errors import RenderError
from shakespeare_env.wrappers.gym import SeatEnv
from shakespeare_env.wrappers.sb3 import BatchVecEnv, SeatVecEnv
from shakespeare_env.wrappers.seat_games import SeatGames
from shakespeare_env.wrappers.vector import SeatVectorEnv

pygame = pytest.importorskip("pygame")


@pytest.fixture
def screen(monkeypatch):
    """A screen that nobody sees."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    yield
    pygame.display.quit()


def first_move(view):
    view.step(int(np.flatnonzero(view.observe(view.agent_selection)["action_mask"])[0]))


@pytest.mark.usefixtures("screen")
def test_every_mode_passes_pettingzoos_test():
    render_test(lambda **arguments: env(players=1, **arguments))


def drawn(view) -> Any:
    return view.render()


@pytest.mark.parametrize("players", [1, 4])
def test_text_and_pixels_are_those_of_the_position(players):
    position = Position.new(players=players, seed=6)
    for mode in ("ansi", "rgb_array"):
        view = env(players=players, render_mode=mode)
        view.reset(seed=6)
        picture = raster.pixels(position.svg())
        wanted = str(position) if mode == "ansi" else picture
        np.testing.assert_array_equal(drawn(view), wanted)
    assert picture.dtype == np.uint8
    assert picture.shape[1:] == (1600, 3)


def test_the_picture_follows_the_game():
    view = raw_env(players=2, render_mode="rgb_array")
    view.reset(seed=1)
    before = drawn(view)
    first_move(view)
    assert not np.array_equal(before, drawn(view))


def test_gymnasium_draws_the_same():
    view = gymnasium.make("Shakespeare-Solo-v0", render_mode="rgb_array")
    view.reset(seed=6)
    np.testing.assert_array_equal(
        view.render(), raster.pixels(Position.new(players=1, seed=6).svg())
    )


def test_many_games_are_drawn_one_by_one():
    text = SeatVectorEnv(3, players=1, render_mode="ansi")
    text.reset(seed=6)
    pictures = drawn(text)
    assert len(pictures) == len(set(pictures)) == 3
    assert pictures[0] == str(Position.new(players=1, seed=6))


def test_vec_envs_show_their_first_game():
    wanted = raster.pixels(Position.new(players=1, seed=6).svg())
    games = SeatGames(n=2, players=1, seed=6)
    batch = Batch(n=2, players=1, seed=6, autoreset=False)
    for view in (SeatVecEnv(games, "rgb_array"), BatchVecEnv(batch, "rgb_array")):
        view.reset()
        np.testing.assert_array_equal(view.render(), wanted)


@pytest.mark.usefixtures("screen")
def test_a_window_shows_the_picture_after_every_step():
    view = raw_env(players=2, render_mode="human")
    view.reset(seed=1)
    surface = pygame.display.get_surface()
    width, height = surface.get_size()
    shown = pygame.surfarray.array3d(surface)
    assert shown.std() > 10
    assert width / height == pytest.approx(
        np.divide(*raster.pixels(Position.new(players=2).svg()).shape[1::-1]), abs=0.02
    )
    first_move(view)
    assert not np.array_equal(shown, pygame.surfarray.array3d(pygame.display.get_surface()))
    assert pygame.display.get_caption()[0] == "Shakespeare"
    view.close()
    assert not pygame.display.get_init()
    view.close()


@pytest.mark.usefixtures("screen")
def test_a_person_may_close_the_window_and_the_game_goes_on():
    view = SeatEnv(players=2, render_mode="human")
    _, info = view.reset(seed=1)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    for _ in range(3):
        *_, info = view.step(int(info["action_mask"].argmax()))
    assert not pygame.display.get_init()


@pytest.mark.usefixtures("screen")
def test_a_copy_has_a_window_of_its_own():
    view = raw_env(players=2, render_mode="human")
    view.reset(seed=1)
    for twin in (copy.deepcopy(view), pickle.loads(pickle.dumps(view))):
        assert twin._renderer._window is None
        first_move(twin)


def test_where_there_is_no_screen_the_error_says_what_to_do(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "no such driver")
    view = raw_env(players=2, render_mode="human")
    with pytest.raises(RenderError, match="use render_mode='rgb_array' or 'ansi'"):
        view.reset(seed=1)


@pytest.mark.parametrize("make", [raw_env, SeatEnv])
def test_without_a_mode_rendering_warns(make):
    view = make(players=2)
    view.reset(seed=1)
    with pytest.warns(UserWarning, match="without a render_mode"):
        assert view.render() is None


@pytest.mark.parametrize("make", [raw_env, SeatEnv, SeatVectorEnv])
def test_unknown_modes_are_refused(make):
    with pytest.raises(ValueError, match="render_mode='film': choose None or one of 'ansi'"):
        make(players=2, render_mode="film")


def test_modes_that_make_no_sense_for_many_games_are_refused():
    with pytest.raises(ValueError, match="shows one game"):
        SeatVectorEnv(2, players=2, render_mode="human")
    with pytest.raises(ValueError, match="choose None or 'rgb_array'"):
        SeatVecEnv(SeatGames(players=1), render_mode="ansi")


def test_a_notebook_gets_the_picture():
    position = Position.new(players=3, seed=2)
    assert position._repr_svg_() == position.svg() == position.game.picture(position.to_dict())
    assert position.svg().startswith("<svg")
