"""The games under their names in the registries of Gymnasium and PettingZoo."""

from typing import Any, cast

import gymnasium
import pettingzoo
import pytest

from shakespeare_env import Batch, env
from shakespeare_env.core import registry
from shakespeare_env.wrappers.gym import SingleAgentVectorEnv
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from tests.contract.batches import games

GAMES = registry.names()
IDS = [
    *((f"{name.capitalize()}-v0", name, registry.seats(name)[-1]) for name in GAMES),
    *((f"{name.capitalize()}-Solo-v0", name, 1) for name in GAMES if 1 in registry.seats(name)),
]
"""Every id in Gymnasium's registry, its game and how many seats it has by itself."""


@pytest.mark.parametrize(("env_id", "name", "players"), IDS)
def test_gymnasium_makes_one_game_and_many(env_id, name, players):
    """By default and with every argument, which an unknown one is not."""
    game = registry.game(name)
    options: Any = dict.fromkeys(game.options, True)
    arguments: Any = {"players": game.max_seats, "seat": 1, "reward": "score", "box": game.box}
    arguments |= {"opponents": ["random"] * (game.max_seats - 1), "render_mode": "ansi", **options}
    same = Batch(name, players=game.max_seats, reward="score", **options)
    for given, seats in (({}, players), (arguments, game.max_seats)):
        many = gymnasium.make_vec(env_id, num_envs=3, **given)
        assert isinstance(many, SingleAgentVectorEnv)
        for made in (gymnasium.make(env_id, **given), many):
            rows: SingleAgentBatch = cast(Any, made.unwrapped).games
            assert rows.batch.game is game
            assert set(rows.batch.players.tolist()) == {seats}
            if given:
                assert (rows.batch._options, rows.batch.reward) == (same._options, "score")
                assert set(rows.seats.tolist()) == {1}
                assert made.render_mode == "ansi"
    with pytest.raises(TypeError, match="keyword argument 'seed'"):
        gymnasium.make(env_id, seed=3)
    with pytest.raises(TypeError, match=r'max_episode_steps=5 .* vectorization_mode="sync"'):
        gymnasium.make_vec(env_id, max_episode_steps=5)


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="it has no registry")
@games
def test_pettingzoo_makes_the_environment_that_ends_games(name):
    game = registry.game(name)
    arguments: Any = {"players": game.max_seats, "reward": "score", "render_mode": "ansi"}
    view = pettingzoo.make("aec", f"{name}_v0", **arguments)
    assert isinstance(view, env)
    assert (view.game, view.render_mode) == (game, "ansi")
    parallel: Any = pettingzoo.make("parallel", f"{name}_v0", players=game.max_seats)
    assert len(parallel.possible_agents) == game.max_seats
