"""What holds for every view: it shows the batch's games, and refuses wrong arguments at once."""

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
from tests.contract.random_games import TABLES, Table
from tests.wrappers.learners import ObservationHashAgent, bytes_of
from tests.wrappers.views import CHECKS, check_view


@pytest.mark.parametrize("view", CHECKS)
@pytest.mark.parametrize("number", range(len(TABLES)), ids=lambda number: str(TABLES[number]))
def test_a_view_shows_the_games_of_the_batch(view, number):
    """Each table has one of the rewards."""
    reward = row_rules.REWARDS[number % len(row_rules.REWARDS)]
    check_view(view, TABLES[number], seed=number, reward=reward)


def sb3_view(render_mode=None, **arguments):
    return SB3SingleAgentVecEnv(SingleAgentBatch(**arguments), render_mode)


MULTI_AGENT: list[Any] = [raw_env, env]
ONE_SEAT: list[Any] = [SingleAgentEnv, SingleAgentVectorEnv, sb3_view]
VIEWS: list[Any] = [*MULTI_AGENT, *ONE_SEAT]
MANY_GAMES: list[Any] = [SingleAgentVectorEnv, sb3_view]
RENDERING: list[Any] = [*MULTI_AGENT, SingleAgentEnv, SingleAgentVectorEnv]
"""Views that name the render modes they know."""
MOST = registry.seats(registry.DEFAULT)[-1]
REFUSED: list[tuple[list[Any], dict[str, Any], type[Exception], str]] = [
    (VIEWS, {"players": 99}, ValueError, "players=99"),
    (VIEWS, {"reward": "fame"}, ValueError, "reward='fame'"),
    (VIEWS, {"render_mode": "film"}, ValueError, "render_mode='film'"),
    (MANY_GAMES, {"render_mode": "human"}, ValueError, "render_mode='human'"),
    (VIEWS, {"box": "no/such/box.toml"}, ValueError, "no/such/box.toml"),
    (VIEWS, {"box": 3}, TypeError, "int"),
    (VIEWS, {"reward": "scor"}, ValueError, "reward='scor' .did you mean 'score'"),
    (RENDERING, {"render_mode": "ansy"}, ValueError, "render_mode='ansy' .did you mean 'ansi'"),
    (VIEWS, {"player": 2}, TypeError, "argument 'player' .did you mean 'players'"),
    (VIEWS, {"rewards": "win"}, TypeError, "argument 'rewards' .did you mean 'reward'"),
    (VIEWS, {"thread": 2}, TypeError, "argument 'thread' .did you mean 'threads'"),
    (RENDERING, {"render_mod": "ansi"}, TypeError, "'render_mod' .did you mean 'render_mode'"),
    (ONE_SEAT, {"opponent": "random"}, TypeError, "'opponent' .did you mean 'opponents'"),
    ([SingleAgentVectorEnv], {"num_envs": 5, "players": [2, 2]}, ValueError, "players"),
    (ONE_SEAT, {"opponents": ["random"]}, ValueError, f"1 opponents for {MOST - 1} seats"),
    (ONE_SEAT, {"opponents": {}}, ValueError, "weight"),
    (ONE_SEAT, {"opponents": {"random": -1.0, ObservationHashAgent(): 2.0}}, ValueError, "weight"),
    (ONE_SEAT, {"opponents": "nobody"}, ValueError, "'nobody'"),
    (ONE_SEAT, {"seat": MOST}, ValueError, f"0 to {MOST - 1}"),
    (ONE_SEAT, {"seat": 1.0}, ValueError, "seat=1.0"),
]
"""Views, wrong arguments, the error, and what its message names."""


@pytest.mark.parametrize(
    ("makers", "wrong", "fault", "named"), REFUSED, ids=lambda value: str(value)[:40]
)
def test_wrong_arguments_are_refused_by_name(makers, wrong, fault, named):
    for make in makers:
        with pytest.raises(fault, match=named):
            make(**({"game": registry.DEFAULT, "players": MOST} | wrong))


@small_tables
@pytest.mark.parametrize("method", ["render", "close", "reset"])
def test_sb3_cannot_call_a_method_of_a_single_game(table, method):
    view = sb3_view(**table.arguments)
    with pytest.raises(AttributeError, match=method):
        view.env_method(method)


@small_tables
@pytest.mark.parametrize("make", [SingleAgentEnv, SingleAgentVectorEnv])
def test_gymnasiums_views_must_be_reset_before_a_step(table, make):
    with pytest.raises(ResetNeeded):
        make(**table.arguments).step(np.zeros(1, int))


def first_record(view):
    """Return the record of a view's first game as bytes, in PettingZoo without its chance."""
    if isinstance(view, raw_env):
        return view.state().tobytes()
    return view.games.batch.save([0]).tobytes()


@small_tables
@pytest.mark.parametrize("make", VIEWS, ids=lambda make: make.__name__)
def test_each_reset_without_a_seed_deals_the_next_game(table, make):
    """Nobody needs to take a step in between."""
    view = make(**table.arguments)
    dealt = set()
    for _ in range(20):
        view.reset()
        dealt.add(first_record(view))
    assert len(dealt) == 20


@full_tables
@pytest.mark.parametrize("make", ONE_SEAT, ids=lambda make: make.__name__)
def test_a_mask_can_be_sampled_at_every_step(table, make):
    """Gymnasium's views show a finished game for one more step, which takes any action."""
    view = make(**table.arguments, opponents="random")
    view.reset()
    ended = 0
    while ended < 2:
        masks = np.atleast_2d(view.action_masks())
        assert masks.any(axis=1).all()
        actions = masks.argmax(axis=1)
        has_many_games = hasattr(view, "num_envs")
        _, _, over, *_, infos = view.step(actions if has_many_games else actions[0])
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
    """Yield what a view shows in some steps, and overwrite the masks that it gives."""
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
@pytest.mark.parametrize("make", ONE_SEAT, ids=lambda make: make.__name__)
def test_later_steps_do_not_change_what_was_shown(table, make):
    shown = []
    copies = []
    for out in shown_by(make(**table.arguments, reward="score"), 150):
        shown.append(out)
        copies.append(bytes_of(out))
    assert bytes_of(shown) == copies


OPEN = Table("figaro", 3)
"""A table of a game without secret moves."""


class Listener:
    """Plays the first legal action, and checks the history that it observes.

    Attributes:
        actions: What everybody has played in the game, in order, and whether it was the learner.
    """

    history_length = 3

    def __init__(self) -> None:
        self.actions: list[tuple[int, bool]] = []

    def act(self, observations, masks, rng):
        if not observations["history"].any():
            self.actions.clear()  # a game begins
        assert_shown(observations["history"][0], self.actions)
        actions = masks.argmax(axis=1)
        self.actions.append((int(actions[0]), False))
        return actions


def assert_shown(history, actions):
    """Assert that a history holds the last actions of a game, the latest first."""
    last = [action + 1 for action, _ in actions[::-1]][: len(history)]
    assert history[:, 1].tolist() == last + [0] * (len(history) - len(last))
    assert (history[:, 0] > 0).tolist() == (history[:, 1] > 0).tolist()


@pytest.mark.parametrize("make", [SingleAgentEnv, SingleAgentVectorEnv])
def test_a_seat_and_its_opponents_observe_the_last_decisions(make):
    """The opponents observe fewer of them."""
    listener = Listener()
    view = make(**OPEN.arguments, opponents=listener, history=5)
    observation, info = view.reset(seed=1)
    over = False
    while not over:
        assert view.observation_space.contains(observation)
        history = observation["history"].reshape(5, 2)
        assert_shown(history, listener.actions)
        is_own = [is_own for _, is_own in listener.actions[::-1]][:5]
        assert (history[:, 0] == 1)[: len(is_own)].tolist() == is_own
        actions = np.atleast_2d(info["action_mask"]).argmax(axis=1)
        listener.actions.append((int(actions[0]), True))
        chosen = actions[0] if make is SingleAgentEnv else actions
        observation, _, over, _, info = view.step(chosen)
    assert_shown(observation["history"].reshape(5, 2), listener.actions)
    assert len(listener.actions) > 20


def test_stable_baselines3_gets_a_history_with_the_last_observation_too():
    view: Any = sb3_view(**OPEN.arguments, n=2, opponents="random", history=5)
    observations = view.reset()
    done = np.zeros(2)
    while not done.any():
        assert view.observation_space.contains({key: part[0] for key, part in observations.items()})
        observations, _, done, infos = view.step(view.action_masks().argmax(axis=1))
    last = infos[done.argmax()]["terminal_observation"]
    assert view.observation_space.contains(last)
    assert last["history"].all()


def test_every_agent_of_pettingzoo_observes_the_last_decisions():
    view = env(**OPEN.arguments, history=4)
    for _ in range(2):
        view.reset(seed=3)
        decisions: list[tuple[int, int]] = []
        while not any(view.terminations.values()):
            for seat, agent in enumerate(view.possible_agents):
                observation = view.observe(agent)
                assert view.observation_space(agent).contains(observation)
                shown = [[1 + (mover - seat) % 3, 1 + action] for mover, action in decisions[::-1]]
                padding = [[0, 0]] * (4 - len(shown))
                assert observation["history"].tolist() == shown[:4] + padding
            action = int(view.observe(view.agent_selection)["action_mask"].argmax())
            decisions.append((view.possible_agents.index(view.agent_selection), action))
            view.step(action)
