"""An agent is the same under every name, and another as soon as it would play otherwise."""

import pytest

from shakespeare_agents import RandomAgent, make
from shakespeare_agents.identity import agent_digest, code_digest
from shakespeare_agents.networks.bundled import bundled_checkpoint
from shakespeare_env.core import registry

GAME = registry.game(registry.DEFAULT)


def digest(text, game=GAME):
    return agent_digest(text, make(text, game), game)


def test_options_weights_and_games_make_another_agent_but_names_and_threads_do_not():
    texts = [
        *["random", "greedy", "greedy,samples=2", "heuristic"],
        *["network", "network,greedy=false", "network,version=1"],
        *["search", "search,simulations=2", "search,version=1", "search,rollouts=heuristic"],
        *["search,rollouts=heuristic,simulations=2", "search,utility=win"],
        *["search,considered=3", "search,temperature=0.5"],
    ]
    assert len({digest(text) for text in texts}) == len(texts)
    assert digest(str(bundled_checkpoint(GAME, 1))) == digest("network,version=1")
    assert digest("search,threads=2") == digest("search,horizon=end") == digest("search")
    figaro = registry.game("figaro")
    assert digest("search", figaro) == digest(f"search,horizon={figaro.forecast_horizon}", figaro)
    assert digest("random", figaro) != digest("random")


def test_objects_are_known_by_their_source():
    class Mine(RandomAgent):
        pass

    def first_legal(observations, masks, rng):
        return masks.argmax(axis=1)

    mine, function = Mine(), make(first_legal, GAME)
    assert agent_digest(mine, mine, GAME) == agent_digest(Mine(), Mine(), GAME)
    assert agent_digest(mine, mine, GAME) != digest("random")
    assert agent_digest(first_legal, function, GAME) != agent_digest(mine, mine, GAME)


@pytest.mark.parametrize(
    ("source", "is_same"),
    [
        ('def f(x):\n    "Says more."\n\n    # why\n    return (x + 0)\n', True),
        ("from os import path\n\ndef f(x):\n    import re\n    return x+0\n", True),
        ("def f(x):\n    return x + 1\n", False),
        ("def f(x):\n    return x + False\n", False),
        ('def f(x):\n    print("doc")\n    return x + 0\n', False),
    ],
)
def test_code_without_what_does_nothing(tmp_path, source, is_same):
    one, other = tmp_path / "one.py", tmp_path / "other.py"
    one.write_text('def f(x):\n    "doc"\n    return x+0\n')
    other.write_text(source)
    assert (code_digest([one]) == code_digest([other])) is is_same
