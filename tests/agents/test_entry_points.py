"""Agents of other distributions, found by the name that an entry point gives them."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from shakespeare_agents import make, names, naming
from shakespeare_env import registry
from shakespeare_env.wrappers.single_agent_batch import SingleAgentBatch
from tests.contract.command_line import printed, refused

MODULE = """
class FirstLegal:
    def __init__(self, game, last):
        self.game, self.last = game, last

    def act(self, observations, masks, rng):
        if self.last:
            return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
        return masks.argmax(axis=1)


def first_legal(game, *, last=False):
    return FirstLegal(game, last)


def nothing(game):
    return "an agent, I promise"
"""
ENTRIES = """[shakespeare_env.agents]
first = lazy_players:first_legal
nothing = lazy_players:nothing
no-module = lazy_players.nowhere:first_legal
no-function = lazy_players:second_legal
random = lazy_players:first_legal
"""


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder that an installed distribution lies in; names are looked up anew."""
    site = tmp_path / "site"
    info = site / "lazy_players-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lazy-players\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    (site / "lazy_players.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(site))
    importlib.invalidate_caches()
    naming.installed.cache_clear()
    yield site
    naming.installed.cache_clear()
    sys.modules.pop("lazy_players", None)


@pytest.fixture(params=registry.names())
def game(request):
    return registry.game(request.param)


def test_its_name_is_listed_after_the_built_in_ones(site):
    assert names()[:5] == ("random", "greedy", "heuristic", "network", "search")
    assert sorted(names()[5:]) == ["first", "no-function", "no-module", "nothing"]


def test_it_is_made_for_the_game_with_its_options(site, game):
    agent = make("first", game)
    assert type(agent).__name__ == "FirstLegal"
    assert (agent.game, agent.last) == (game, False)  # type: ignore[union-attr]
    for last in (make("first,last=true", game), make("first", game, last=True)):
        assert last.last is True  # type: ignore[union-attr]
    with pytest.raises(TypeError, match="'first' has no option 'best'; its options: last"):
        make("first,best=true", game)


def test_a_built_in_name_stays_ours(site, game):
    assert type(make("random", game)).__module__ == "shakespeare_agents.random_agent"


def test_an_opponent_is_found_by_the_name(site, game):
    games = SingleAgentBatch(game.name, 2, players=game.max_seats, seed=1, opponents="first")
    (opponent,) = games._opponents.lineup.agents
    assert type(opponent).__name__ == "FirstLegal"


def test_the_command_line_knows_it(site, game):
    out = printed("evaluate", "first", "random", "random", "--game", game.name, "--games", "3")
    assert "│ first " in out
    printed("watch", "first", "random", "--game", game.name, "--moves", "1")


def test_a_new_process_finds_it(site, game):
    """The whole way through the import system's own search for distributions."""
    program = (
        f"import sys; sys.path.insert(0, {str(site)!r})\n"
        "from shakespeare_agents import make, names\n"
        "from shakespeare_env import registry\n"
        f"print('first' in names(), type(make('first', registry.game({game.name!r}))).__name__)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "True FirstLegal\n", done.stderr


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("no-module", "lazy_players.nowhere:first_legal", "lazy_players"),
        ("no-function", "lazy_players:second_legal", "second_legal"),
    ],
)
def test_one_that_cannot_be_loaded_is_named_with_its_entry_and_the_remedy(
    site, game, name, value, said
):
    with pytest.raises(ImportError) as caught:
        make(name, game)
    message = str(caught.value)
    assert message.startswith(f"the agent {name!r} is registered as {value!r}, which cannot be")
    assert said in message
    assert message.endswith("repair or uninstall its distribution")
    for command in ("evaluate", "watch", "play"):
        message = refused(command, name, "--game", game.name)
        assert "AGENT" in message
        assert "repair or uninstall its distribution" in message


def test_one_that_makes_no_agent_is_named_with_what_it_made(site, game):
    said = "the agent 'nothing' is 'an agent, I promise', which has neither act() nor search()"
    with pytest.raises(TypeError) as caught:
        make("nothing", game)
    assert str(caught.value) == said
    assert "has neither act() nor search()" in refused("evaluate", "nothing", "--game", game.name)
