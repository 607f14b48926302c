"""What `render` shows, in every environment and every mode."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.wrappers import vector as vector_wrappers
from pettingzoo.test import render_test
from stable_baselines3.common.vec_env import VecVideoRecorder

from shakespeare_env import Batch, Position, env, raster, raw_env
from shakespeare_env.errors import RenderError
from shakespeare_env.wrappers.gym import SingleAgentEnv
from shakespeare_env.wrappers.rendering import RENDER_FPS
from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv, SB3SingleAgentVecEnv
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from shakespeare_env.wrappers.vector import SingleAgentVectorEnv
from tests.contract.each_table import full_tables, plain_tables, small_tables
from tests.contract.random_games import record_of
from tests.wrappers.lives import first_legal

pygame = pytest.importorskip("pygame")


@pytest.fixture
def screen(monkeypatch):
    """A screen that nobody sees."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    yield
    pygame.display.quit()


def first_move(view):
    view.step(int(np.flatnonzero(view.observe(view.agent_selection)["action_mask"])[0]))


@small_tables
@pytest.mark.usefixtures("screen")
def test_every_mode_passes_pettingzoos_test(table):
    render_test(lambda **arguments: env(**table.arguments, **arguments))


def drawn(view) -> Any:
    return view.render()


@plain_tables
def test_text_and_pixels_are_those_of_the_position(table):
    position = table.position(seed=6)
    for mode in ("ansi", "rgb_array"):
        view = env(**table.arguments, render_mode=mode)
        view.reset(seed=6)
        picture = raster.pixels(position.svg())
        wanted = str(position) if mode == "ansi" else picture
        np.testing.assert_array_equal(drawn(view), wanted)
    assert picture.dtype == np.uint8
    assert picture.shape[1:] == (1600, 3)
    assert picture.shape[0] % 2 == 0


@small_tables
def test_the_picture_follows_the_game(table):
    view = raw_env(**table.arguments, render_mode="rgb_array")
    view.reset(seed=1)
    before = drawn(view)
    first_move(view)
    assert not np.array_equal(before, drawn(view))


@full_tables
def test_gymnasium_draws_the_same(table):
    env_id, players = f"{table.game.capitalize()}-v0", table.players
    view = gymnasium.make(env_id, players=players, opponents=first_legal, render_mode="rgb_array")
    view.reset(seed=6)
    position = table.position(seed=6)
    while position.to_move != 0:  # the learner's seat; the others play before it is asked
        position.push(position.moves()[0])
    np.testing.assert_array_equal(view.render(), raster.pixels(position.svg()))


@full_tables
def test_many_games_are_drawn_one_by_one(table):
    text = SingleAgentVectorEnv(
        3, **table.arguments, seat=0, opponents=first_legal, render_mode="ansi"
    )
    text.reset(seed=6)
    pictures = drawn(text)
    assert len(pictures) == len(set(pictures)) == 3
    assert list(pictures) == [
        str(Position.of_record(text.games.batch.game, record))
        for record in text.games.batch.save([0, 1, 2])
    ]


@full_tables
def test_vec_envs_show_their_first_game(table):
    games = SingleAgentBatch(n=2, **table.arguments, seed=6)
    batch = Batch(n=2, **table.arguments, seed=6, autoreset=False)
    for view in (SB3SingleAgentVecEnv(games, "rgb_array"), SB3SelfPlayVecEnv(batch, "rgb_array")):
        view.reset()
        shown = games.batch if isinstance(view, SB3SingleAgentVecEnv) else batch
        wanted = raster.pixels(Position.of_record(shown.game, record_of(shown, 0)).svg())
        np.testing.assert_array_equal(view.render(), wanted)


@small_tables
@pytest.mark.usefixtures("screen")
def test_a_window_shows_the_picture_after_every_step(table):
    view = raw_env(**table.arguments, render_mode="human")
    view.reset(seed=1)
    surface = pygame.display.get_surface()
    width, height = surface.get_size()
    shown = pygame.surfarray.array3d(surface)
    assert shown.std() > 10
    assert width / height == pytest.approx(
        np.divide(*raster.pixels(Position.new(**table.arguments).svg()).shape[1::-1]), abs=0.02
    )
    first_move(view)
    assert not np.array_equal(shown, pygame.surfarray.array3d(pygame.display.get_surface()))
    assert pygame.display.get_caption()[0] == table.game.capitalize()
    view.close()
    assert not pygame.display.get_init()
    view.close()


@small_tables
@pytest.mark.usefixtures("screen")
def test_a_person_may_close_the_window_and_the_game_goes_on(table):
    view = SingleAgentEnv(**table.arguments, render_mode="human")
    _, info = view.reset(seed=1)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    for _ in range(3):
        *_, info = view.step(int(info["action_mask"].argmax()))
    assert not pygame.display.get_init()


@small_tables
@pytest.mark.usefixtures("screen")
def test_a_copy_has_a_window_of_its_own(table):
    view = raw_env(**table.arguments, render_mode="human")
    view.reset(seed=1)
    for twin in (copy.deepcopy(view), pickle.loads(pickle.dumps(view))):
        assert twin._renderer._window is None
        first_move(twin)


@small_tables
def test_where_there_is_no_screen_the_error_says_what_to_do(table, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "no such driver")
    view = raw_env(**table.arguments, render_mode="human")
    with pytest.raises(RenderError, match="use render_mode='rgb_array' or 'ansi'"):
        view.reset(seed=1)


@small_tables
@pytest.mark.parametrize("make", [raw_env, SingleAgentEnv])
def test_without_a_mode_rendering_warns(table, make):
    view = make(**table.arguments)
    view.reset(seed=1)
    with pytest.warns(UserWarning, match="without a render_mode"):
        assert view.render() is None


@small_tables
@pytest.mark.parametrize("make", [raw_env, SingleAgentEnv, SingleAgentVectorEnv])
def test_unknown_modes_are_refused(table, make):
    with pytest.raises(ValueError, match="render_mode='film': choose None or one of 'ansi'"):
        make(**table.arguments, render_mode="film")


@small_tables
def test_modes_that_make_no_sense_for_many_games_are_refused(table):
    with pytest.raises(ValueError, match="shows one game"):
        SingleAgentVectorEnv(2, **table.arguments, render_mode="human")
    with pytest.raises(ValueError, match="choose None or 'rgb_array'"):
        SB3SingleAgentVecEnv(SingleAgentBatch(**table.arguments), render_mode="ansi")


@full_tables
def test_a_notebook_gets_the_picture(table):
    position = Position.new(**table.arguments, seed=2)
    assert position._repr_svg_() == position.svg() == position.game.picture(position.to_dict())
    assert position.svg().startswith("<svg")


@small_tables
def test_every_environment_says_how_many_frames_a_second_are_shown(table):
    games = SingleAgentBatch(**table.arguments, opponents=first_legal)
    for view in (
        env(**table.arguments),
        raw_env(**table.arguments),
        SingleAgentEnv(**table.arguments),
        SingleAgentVectorEnv(**table.arguments),
        SB3SingleAgentVecEnv(games),
        SB3SelfPlayVecEnv(Batch(**table.arguments, autoreset=False)),
    ):
        assert view.metadata["render_fps"] == RENDER_FPS


@pytest.mark.parametrize("many", [False, True], ids=["one game", "games"])
@small_tables
def test_gymnasium_records_a_video(table, many, tmp_path):
    moviepy = pytest.importorskip("moviepy")
    made: Any = SingleAgentVectorEnv if many else SingleAgentEnv
    recorder: Any = (vector_wrappers if many else wrappers).RecordVideo
    mode = {"autoreset_mode": "NextStep"} if many else {}
    view = recorder(
        made(**table.arguments, opponents=first_legal, render_mode="rgb_array", **mode),
        str(tmp_path / "films"),
        episode_trigger=lambda number: True,
        video_length=3,
    )
    _, info = view.reset(seed=1)
    for _ in range(3):
        action = np.asarray(info["action_mask"]).argmax(axis=-1)
        *_, info = view.step(action)
    view.close()
    (file,) = (tmp_path / "films").glob("*.mp4")
    with moviepy.VideoFileClip(str(file)) as film:
        assert film.fps == RENDER_FPS
        assert film.size[0] % 2 == film.size[1] % 2 == 0


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@small_tables
def test_stable_baselines3_records_a_video(table, tmp_path):
    moviepy = pytest.importorskip("moviepy")
    games = SingleAgentBatch(**table.arguments, opponents=first_legal)
    view = VecVideoRecorder(
        SB3SingleAgentVecEnv(games, "rgb_array"), str(tmp_path), lambda step: step == 0, 2
    )
    view.reset()
    for _ in range(3):
        view.step(view.env_method("action_masks")[0].argmax()[None])
    view.close()
    (file,) = tmp_path.glob("*.mp4")
    with moviepy.VideoFileClip(str(file)) as film:
        assert film.fps == RENDER_FPS
