"""Agents of other distributions, found by the name that an entry point gives them."""

import importlib
import sys

import pytest

from shakespeare_agents import RandomAgent, make, names, naming
from shakespeare_env.core import registry
from tests.contract.command_line import refused

GAME = registry.game("figaro")
MODULE = """
class FirstLegal:
    def __init__(self, game, last):
        self.game, self.last = game, last

    def act(self, observations, masks, rng):
        return masks.argmax(axis=1)


def first_legal(game, *, last=False):
    return FirstLegal(game, last)


thing = FirstLegal(None, False)
"""
ENTRIES = """[shakespeare_env.agents]
first = lazy_players:first_legal
no-module = lazy_players.nowhere:first_legal
no-function = lazy_players:second_legal
random = lazy_players:first_legal
thing = lazy_players:thing
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
    importlib.import_module("shakespeare_agents.cli.options.lineup")  # it lists names in its help
    monkeypatch.syspath_prepend(str(site))
    importlib.invalidate_caches()
    naming.installed.cache_clear()
    yield site
    naming.installed.cache_clear()
    sys.modules.pop("lazy_players", None)


def test_its_name_is_listed_and_makes_it_for_the_game_with_its_options(site):
    assert names()[:5] == ("random", "greedy", "heuristic", "network", "search")
    assert sorted(names()[5:]) == ["first", "no-function", "no-module", "thing"]
    agent = make("first", GAME)
    assert type(agent).__name__ == "FirstLegal"
    assert (agent.game, agent.last) == (GAME, False)  # type: ignore[union-attr]
    for last in (make("first,last=true", GAME), make("first", GAME, last=True)):
        assert last.last is True  # type: ignore[union-attr]
    with pytest.raises(TypeError, match="'first' has no option 'best'; its options: last"):
        make("first,best=true", GAME)
    assert isinstance(make("random", GAME), RandomAgent), "a built-in name stays ours"
    assert type(make("thing", GAME)).__name__ == "FirstLegal"


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("no-module", "lazy_players.nowhere:first_legal"),
        ("no-function", "lazy_players:second_legal"),
    ],
)
def test_what_cannot_be_made_is_named_with_the_remedy(site, name, where):
    said = refused("evaluate", name, "--game", GAME.name)
    assert f"registered as '{where}', which cannot be" in said
    assert "repair or uninstall its distribution" in said
