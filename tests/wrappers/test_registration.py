"""The games under their names in the registries of Gymnasium and PettingZoo."""

from typing import Any, cast

import gymnasium
import pettingzoo
import pytest

from shakespeare_env import Batch, env
from shakespeare_env.core import registry
from shakespeare_env.wrappers.gym import SingleAgentEnv, SingleAgentVectorEnv
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from tests.contract.batches import games

GAMES = registry.names()
IDS = [
    *((f"{name.capitalize()}-v0", name, registry.seats(name)[-1]) for name in GAMES),
    *((f"{name.capitalize()}-Solo-v0", name, 1) for name in GAMES if 1 in registry.seats(name)),
]
"""Every id in Gymnasium's registry, its game and how many seats it has by itself."""
of_pettingzoo = pytest.mark.skipif(
    not hasattr(pettingzoo, "register"), reason="this PettingZoo has no registry"
)


@of_pettingzoo
def test_these_are_all_the_ids_there_are():
    """Nothing of ours is registered under another name."""

    def ours(*registries):
        specs = [spec for known in registries for spec in known.values()]
        return {s.id for s in specs if str(s.entry_point).startswith("shakespeare_env.")}

    assert ours(gymnasium.registry) == {env_id for env_id, _, _ in IDS}
    # PettingZoo's spelling of <name>_v0
    registries = pettingzoo.aec_registry, pettingzoo.parallel_registry
    assert ours(*registries) == {f"{name}-v0" for name in GAMES}


@pytest.mark.parametrize(("env_id", "name", "players"), IDS)
def test_gymnasium_makes_one_game_and_many(env_id, name, players):
    """By default and with every argument, which an unknown one is not."""
    game = registry.game(name)
    options: Any = dict.fromkeys(game.options, True)
    arguments: Any = {
        "players": game.max_seats,
        "seat": 1,
        "opponents": ["random"] * (game.max_seats - 1),
        "reward": "score",
        "box": game.box,
        "render_mode": "ansi",
        **options,
    }
    same = Batch(name, players=game.max_seats, reward="score", **options)
    for given, seats in (({}, players), (arguments, game.max_seats)):
        view = gymnasium.make(env_id, **given)
        many = gymnasium.make_vec(env_id, num_envs=3, **given)
        assert isinstance(view.unwrapped, SingleAgentEnv)
        assert isinstance(many, SingleAgentVectorEnv)
        for made in (view, many):
            rows: SingleAgentBatch = cast(Any, made.unwrapped).games
            assert rows.batch.game is game
            assert set(rows.batch.players.tolist()) == {seats}
            if given:
                assert (rows.batch._options, rows.batch.reward) == (same._options, "score")
                assert set(rows.seats.tolist()) == {1}
                assert made.render_mode == "ansi"
    _, info = view.reset(seed=1)
    assert view.observation_space.contains(view.step(info["action_mask"].argmax())[0])
    with pytest.raises(TypeError, match="keyword argument 'seed'"):
        gymnasium.make(env_id, seed=3)


@of_pettingzoo
@games
def test_pettingzoo_makes_the_environment_that_ends_games(name):
    game = registry.game(name)
    arguments: Any = {"players": game.max_seats, "reward": "score", "render_mode": "ansi"}
    for env_id in (f"{name}_v0", f"{name}-v0"):
        view = pettingzoo.make("aec", env_id, **arguments)
        assert isinstance(view, env)
        assert (view.game, view.render_mode) == (game, "ansi")
    parallel: Any = pettingzoo.make("parallel", f"{name}_v0", players=game.max_seats)
    assert len(parallel.possible_agents) == game.max_seats
    with pytest.raises(TypeError, match="no_such_option"):
        pettingzoo.make("aec", f"{name}_v0", no_such_option=True)
