"""The agents that people can choose as opponents, as advisers that think aloud, or as reviewers."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from shakespeare_agents import naming
from shakespeare_agents.heuristics import has_heuristics
from shakespeare_agents.making import make
from shakespeare_env.checks.values import short_repr
from shakespeare_env.core import registry
from shakespeare_table.browser.storage.plan import TableError

_SEARCHES = ("search,simulations=256", "search,seconds=2", "search,seconds=10")
_OPTIONS_IN_WORDS = {"simulations": "{} playouts a move", "seconds": "{} seconds a move"}
default_agent = cache(naming.default)
"""Return a game's default agent. It is cached, as finding it reads all networks' model cards."""


@cache
def _can_play(agent: str, game: str) -> bool:
    """Return whether an agent, named as `make` takes it, can be made for a game."""
    try:
        make(agent, registry.game(game))
    except (Exception, SystemExit):  # the agent may be anybody's code
        return False
    return True


class Level(NamedTuple):
    """An opponent of measured strength."""

    name: str
    agent: str


class Opponents:
    """The agents that a server offers, by the names that its pages show.

    Pages show names without the folders of files and checkpoints, which viewers need not know.

    Args:
        further: The names of agents to offer besides the bundled and the installed ones.
    """

    def __init__(self, further: Sequence[str] = ()) -> None:
        self._further: dict[str, str] = {}  # agents' names by the names that pages show
        for name in further:
            shown_name = naming.public_name(name)
            if shown_name in self._further:
                shown_name = f"{shown_name} ({len(self._further) + 1})"
            self._further[shown_name] = name

    def shown_names(self, game: str) -> list[str]:
        """Return the names that pages show of the agents that play a game, the levels first."""
        contract = registry.game(game)  # the `Game` of this name
        names = [level.agent for level in levels(game)]
        if default_agent(contract) == "network":  # if the bundled network knows the current box
            names += ["network", *_SEARCHES]
        if has_heuristics(contract):
            names += ["heuristic", "greedy"]
        names += [name for name in naming.names() if name not in naming.BUILT_IN]
        names.append("random")
        names += [shown for shown, agent in self._further.items() if _can_play(agent, game)]
        return list(dict.fromkeys(names))

    def shown_name(self, agent: str) -> str:
        """Return the name that pages show for an agent, whether or not it is offered."""
        shown_names = {name: shown_name for shown_name, name in self._further.items()}
        return shown_names.get(agent, naming.public_name(agent))

    def agent(self, shown_name: str, game: str) -> str:
        """Return an agent's name as `make` takes it.

        Args:
            shown_name: The name that pages show.
            game: The name of the game.

        Raises:
            TableError: The agent is not offered for this game.
        """
        agent = self._further.get(shown_name, shown_name)
        if shown_name not in self.shown_names(game):
            raise self._not_offered(agent, game)
        return agent

    def check(self, agent: str, game: str) -> None:
        """Check that an agent, named as `make` takes it, is offered for a game.

        Raises:
            TableError: The agent is not offered.
        """
        offered = [self._further.get(name, name) for name in self.shown_names(game)]
        if agent not in offered:
            raise self._not_offered(agent, game)

    def _not_offered(self, agent: str, game: str) -> TableError:
        name = short_repr(self.shown_name(agent))
        offered = ", ".join(self.shown_names(game))
        if agent in self._further.values():
            return TableError(f"{name} cannot play {game}; choose one of {offered}")
        return TableError(
            f"{name} is not offered here. The agents are {offered}. To offer another one, start "
            "the server with --agent and its name"
        )


def levels(game: str) -> list[Level]:
    """Return the opponents of measured strength that can play a game, the weakest first.

    Networks and searches are left out if the bundled network was trained with another box (the file
    of the game's cards and numbers) than the current one. There are no levels for a game whose
    agents have not been measured.
    """
    text = files(__package__).joinpath("learning/levels.toml").read_text(encoding="utf-8")
    found = [Level(**level) for level in tomllib.loads(text).get(game, [])]
    if default_agent(registry.game(game)) == "network":
        return found
    return [level for level in found if not level.agent.startswith(("network", "search"))]


def with_level(agent: str, game: str) -> str:
    """Return an agent's name in words, after the name of its level if it is one of a game's."""
    words = agent_in_words(agent)
    level_names = {level.agent: level.name for level in levels(game)}
    return f"{level_names[agent]} ({words})" if agent in level_names else words


def agent_in_words(agent: str) -> str:
    """Return an agent's name with its options in words."""
    spec = naming.AgentSpec.parse(agent)
    words = [
        _OPTIONS_IN_WORDS.get(option, f"{option} {{}}").format(value)
        for option, value in spec.options.items()
    ]
    return ", ".join([spec.name, *words])
