"""An agent is the same under every name, and another as soon as it would play otherwise."""

from __future__ import annotations

import pytest

from shakespeare_agents import RandomAgent, make
from shakespeare_agents.bundled import bundled_checkpoint
from shakespeare_agents.identity import agent_digest, code_digest
from shakespeare_env import registry

GAME = registry.game(registry.DEFAULT)


def digest(text):
    return agent_digest(text, make(text, GAME), GAME)


def test_options_and_weights_make_another_agent():
    texts = [
        *["random", "greedy", "greedy,samples=2", "heuristic"],
        *["network", "network,greedy=false", "network,version=1"],
        *["search", "search,simulations=2", "search,version=1", "search,rollouts=heuristic"],
        "search,rollouts=heuristic,simulations=2",
    ]
    assert len({digest(text) for text in texts}) == len(texts)


def test_neither_a_name_nor_threads_make_another_agent():
    folder = str(bundled_checkpoint(GAME, 1))
    assert digest(folder) == digest("network,version=1")
    assert digest("search,threads=2") == digest("search")


def test_games_tell_agents_apart():
    others = [registry.game(name) for name in registry.names() if name != GAME.name]
    for game in others:
        assert agent_digest("random", make("random", game), game) != digest("random")


def test_a_changed_file_is_another_agent(tmp_path):
    found = set()
    for number in range(2):
        path = tmp_path / f"my{number}.py"
        path.write_text(
            f"def play(observations, masks, rng):\n    return masks.argmax(1) + {number}"
        )
        found.add(digest(f"{path}:play"))
    same = tmp_path / "same.py"
    same.write_text((tmp_path / "my0.py").read_text())
    found.add(digest(f"{same}:play"))
    assert len(found) == 2


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
