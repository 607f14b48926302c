"""Rules for every view: it shows the batch's games, and refuses nonsense at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from shakespeare_env import env, raw_env
from shakespeare_env.core import registry, row_rules
from shakespeare_env.wrappers.gym import SingleAgentEnv, SingleAgentVectorEnv
from shakespeare_env.wrappers.sb3 import SB3SingleAgentVecEnv
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from tests.contract.each_table import full_tables, small_tables
from tests.contract.random_games import TABLES
from tests.wrappers import views as shared
from tests.wrappers.learners import ObservationHashAgent, bytes_of


@pytest.mark.parametrize("view", shared.VIEWS)
@pytest.mark.parametrize("number", range(len(TABLES)), ids=lambda number: str(TABLES[number]))
def test_api(view, number):
    """Each table with one of the rewards."""
    reward = row_rules.NAMES[number % len(row_rules.NAMES)]
    shared.api_test(view, TABLES[number], seed=number, reward=reward)


def one_seat_each(render_mode=None, **arguments):
    return SB3SingleAgentVecEnv(SingleAgentBatch(**arguments), render_mode)


VIEWS: list[Any] = [raw_env, env, SingleAgentEnv, SingleAgentVectorEnv, one_seat_each]
SEATED: list[Any] = [SingleAgentEnv, SingleAgentVectorEnv, one_seat_each]
MOST = registry.seats(registry.DEFAULT)[-1]
REFUSED: list[tuple[list[Any], dict[str, Any], type[Exception], str]] = [
    (VIEWS, {"players": 99}, ValueError, "players=99"),
    (VIEWS, {"reward": "fame"}, ValueError, "reward='fame'"),
    (VIEWS, {"render_mode": "film"}, ValueError, "render_mode='film'"),
    (VIEWS[3:], {"render_mode": "human"}, ValueError, "render_mode='human'"),
    (VIEWS, {"box": "no/such/box.toml"}, ValueError, "no/such/box.toml"),
    (VIEWS, {"box": 3}, TypeError, "int"),
    (VIEWS, {"reward": "scor"}, ValueError, "reward='scor' .did you mean 'score'"),
    (VIEWS[:4], {"render_mode": "ansy"}, ValueError, "render_mode='ansy' .did you mean 'ansi'"),
    (VIEWS, {"player": 2}, TypeError, "argument 'player' .did you mean 'players'"),
    (VIEWS, {"rewards": "win"}, TypeError, "argument 'rewards' .did you mean 'reward'"),
    (VIEWS, {"thread": 2}, TypeError, "argument 'thread' .did you mean 'threads'"),
    (VIEWS[:4], {"render_mod": "ansi"}, TypeError, "'render_mod' .did you mean 'render_mode'"),
    (SEATED, {"opponent": "random"}, TypeError, "'opponent' .did you mean 'opponents'"),
    ([SingleAgentVectorEnv], {"num_envs": 5, "players": [2, 2]}, ValueError, "players"),
    (SEATED, {"opponents": ["random"]}, ValueError, f"1 opponents for {MOST - 1} seats"),
    (SEATED, {"opponents": {}}, ValueError, "weight"),
    (SEATED, {"opponents": {"random": -1.0, ObservationHashAgent(): 2.0}}, ValueError, "weight"),
    (SEATED, {"opponents": "nobody"}, ValueError, "'nobody'"),
    (SEATED, {"seat": MOST}, ValueError, f"0 to {MOST - 1}"),
    (SEATED, {"seat": 1.0}, ValueError, "seat=1.0"),
]


@pytest.mark.parametrize(
    ("makers", "wrong", "fault", "named"), REFUSED, ids=lambda value: str(value)[:40]
)
def test_wrong_arguments_are_refused_by_name(makers, wrong, fault, named):
    for make in makers:
        with pytest.raises(fault, match=named):
            make(**({"game": registry.DEFAULT, "players": MOST} | wrong))


@small_tables
def test_what_makes_no_sense_for_many_games_is_refused(table):
    make: Any
    view = one_seat_each(**table.arguments)
    for name in ("render", "close", "reset"):
        with pytest.raises(AttributeError, match=name):
            view.env_method(name)
    for make in (SingleAgentEnv, SingleAgentVectorEnv):
        with pytest.raises(ResetNeeded):
            make(**table.arguments).step(np.zeros(1, int))


@small_tables
@pytest.mark.parametrize("make", VIEWS, ids=lambda make: make.__name__)
def test_each_reset_without_a_seed_deals_the_next_game(table, make):
    """Even where nobody has taken a step in between."""
    view = make(**table.arguments)
    games = view.unwrapped._batch if isinstance(view, raw_env) else view.games.batch
    dealt = set()
    for _ in range(20):
        view.reset()
        dealt.add(games.save([0]).tobytes())
    assert len(dealt) == 20


@full_tables
@pytest.mark.parametrize("make", SEATED, ids=lambda make: make.__name__)
def test_a_mask_can_be_sampled_at_every_step(table, make):
    """Gymnasium's views show a game that is over for a step, which takes any action."""
    view = make(**table.arguments, opponents="random")
    view.reset()
    ended = 0
    while ended < 2:
        masks = np.atleast_2d(view.action_masks())
        assert masks.any(axis=1).all()
        actions = masks.argmax(axis=1)
        _, _, over, *_, infos = view.step(actions if hasattr(view, "num_envs") else actions[0])
        ended += int(np.sum(over))
        if isinstance(infos, dict):
            assert np.atleast_2d(infos["action_mask"]).any(axis=1).all()
        if isinstance(view, SingleAgentEnv) and over:
            assert view.action_masks().all()
            view.reset()


@small_tables
@pytest.mark.parametrize("make", VIEWS, ids=lambda make: make.__name__)
def test_a_reset_without_a_seed_leaves_global_generators_alone(table, make):
    before = np.random.get_state(legacy=False)["state"]["key"].tolist()
    make(**table.arguments).reset()
    assert np.random.get_state(legacy=False)["state"]["key"].tolist() == before


def shown_by(view, steps):
    """Yield what a view of one game or of many shows in some steps."""
    if isinstance(view, SingleAgentEnv | SingleAgentVectorEnv):
        shown = view.reset(seed=1)
    else:
        view.seed(1)
        shown = view.reset()
    for _ in range(steps):
        yield shown
        masks = view.action_masks()
        shown = view.step(masks.argmax(axis=-1))
        masks[...] = False
        if masks.ndim == 1 and shown[2]:
            yield shown
            shown = view.reset()


@full_tables
@pytest.mark.parametrize("make", VIEWS[2:], ids=lambda make: make.__name__)
def test_what_was_shown_stays_as_it_was(table, make):
    shown = []
    kept = []
    for out in shown_by(make(**table.arguments, reward="score"), 150):
        shown.append(out)
        kept.append(bytes_of(out))
    assert bytes_of(shown) == kept
