"""The games under their names in the registries of Gymnasium and PettingZoo."""

from typing import Any, cast

import gymnasium
import pettingzoo
import pytest

from shakespeare_env import Batch, env
from shakespeare_env.core import registry
from shakespeare_env.wrappers.gym import SingleAgentVectorEnv
from tests.contract.batches import games

GAMES = registry.names()
IDS = [(f"{name.capitalize()}-v0", name, registry.seats(name)[-1]) for name in GAMES]
IDS += [(f"{name.capitalize()}-Solo-v0", name, 1) for name in GAMES if 1 in registry.seats(name)]
"""Every id in Gymnasium's registry, its game and its default number of seats."""
env_ids = pytest.mark.parametrize(("env_id", "name", "players"), IDS)
has_registry = pytest.mark.skipif(
    not hasattr(pettingzoo, "register"), reason="this version of PettingZoo has no registry"
)


def one_and_many(env_id, **arguments):
    """Return an environment of one game and one of three, each with its `SingleAgentBatch`."""
    one = gymnasium.make(env_id, **arguments)
    many = gymnasium.make_vec(env_id, num_envs=3, **arguments)
    assert isinstance(many, SingleAgentVectorEnv)
    return [(made, cast(Any, made.unwrapped).games) for made in (one, many)]


@env_ids
def test_gymnasium_makes_a_game_with_its_default_number_of_seats(env_id, name, players):
    for _, seat_games in one_and_many(env_id):
        assert seat_games.batch.game is registry.game(name)
        assert set(seat_games.batch.players.tolist()) == {players}


@env_ids
def test_gymnasium_passes_every_argument_on(env_id, name, players):
    game = registry.game(name)
    options: Any = dict.fromkeys(game.options, True)
    most = game.max_seats
    expected = Batch(name, players=most, seed=4, **options)
    arguments = {
        "players": most,
        "seat": 1,
        "reward": "score",
        "box": game.box,
        "opponents": ["random"] * (most - 1),
        "render_mode": "ansi",
        **options,
    }
    for made, seat_games in one_and_many(env_id, **arguments):
        assert made.render_mode == "ansi"
        assert seat_games.batch.game is game
        assert seat_games.batch.reward == "score"
        assert set(seat_games.batch.players.tolist()) == {most}
        assert set(seat_games.seats.tolist()) == {1}
        # A record says which variants are played.
        seat_games.batch.reset(4)
        assert seat_games.batch.save([0]).tobytes() == expected.save([0]).tobytes()


@env_ids
def test_gymnasium_refuses_arguments_that_have_no_effect(env_id, name, players):
    with pytest.raises(TypeError, match="keyword argument 'seed'"):
        gymnasium.make(env_id, seed=3)
    with pytest.raises(TypeError, match=r'max_episode_steps=5 .* vectorization_mode="sync"'):
        gymnasium.make_vec(env_id, max_episode_steps=5)


@has_registry
@games
def test_pettingzoo_makes_the_environment_that_an_illegal_action_ends(name):
    game = registry.game(name)
    arguments: Any = {"players": game.max_seats, "reward": "score", "render_mode": "ansi"}
    view = pettingzoo.make("aec", f"{name}_v0", **arguments)
    assert isinstance(view, env)
    assert view.game is game
    assert view.render_mode == "ansi"


@has_registry
@games
def test_pettingzoo_makes_the_parallel_environment(name):
    players = registry.seats(name)[-1]
    view: Any = pettingzoo.make("parallel", f"{name}_v0", players=players)
    assert len(view.possible_agents) == players
