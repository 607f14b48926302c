"""The agents that people can choose: as opponents, to think aloud, and to review games."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from shakespeare_agents import naming
from shakespeare_agents.heuristics import has_heuristics
from shakespeare_env.checks.values import short_repr
from shakespeare_env.core import registry
from shakespeare_table.browser.store import TableError

_SEARCHES = ("search,simulations=256", "search,seconds=2", "search,seconds=10")
_OPTIONS_IN_WORDS = {"simulations": "{} playouts a move", "seconds": "{} seconds a move"}
default_agent = cache(naming.default)
"""Return a game's default agent. Finding it reads the cards of all bundled networks, so it is kept.
"""


class Level(NamedTuple):
    """An opponent of measured strength."""

    name: str
    agent: str


class Opponents:
    """The agents that a server offers, by the names that its pages show.

    Pages show the names without the folders of files and checkpoints, which concern nobody else.

    Args:
        further: The names of agents to offer besides the bundled and the installed ones.
    """

    def __init__(self, further: Sequence[str] = ()) -> None:
        self._further: dict[str, str] = {}  # agents' names by the names that are shown
        for name in further:
            shown = naming.public_name(name)
            if shown in self._further:
                shown = f"{shown} ({len(self._further) + 1})"
            self._further[shown] = name

    def shown_names(self, game: str) -> list[str]:
        """Return the agents that play a game, as pages show them, the levels first."""
        contract = registry.game(game)
        names = [level.agent for level in levels(game)]
        if default_agent(contract) == "network":
            names += ["network", *_SEARCHES]
        if has_heuristics(contract):
            names += ["heuristic", "greedy"]
        names += [name for name in naming.names() if name not in naming.BUILT_IN]
        names += ["random", *self._further]
        return list(dict.fromkeys(names))

    def shown_name(self, agent: str) -> str:
        """Return the name that pages show for an agent, whether or not it is offered."""
        shown = {name: shown for shown, name in self._further.items()}
        return shown.get(agent, naming.public_name(agent))

    def agent(self, shown: str, game: str) -> str:
        """Return the name by which `make` knows an agent that pages show.

        Raises:
            TableError: The agent is not offered for this game.
        """
        if shown not in self.shown_names(game):
            raise self._not_offered(shown, game)
        return self._further.get(shown, shown)

    def check(self, agent: str, game: str) -> None:
        """Check that an agent, named as `make` takes it, is offered for a game.

        Raises:
            TableError: It is not offered.
        """
        offered = [self._further.get(shown, shown) for shown in self.shown_names(game)]
        if agent not in offered:
            raise self._not_offered(self.shown_name(agent), game)

    def _not_offered(self, shown: str, game: str) -> TableError:
        return TableError(
            f"{short_repr(shown)} is not offered here. The agents are "
            f"{', '.join(self.shown_names(game))}. To offer another one, start the server with "
            "--agent and its name"
        )


def levels(game: str) -> list[Level]:
    """Return the opponents of measured strength that can play with the box in force.

    Returns:
        The levels, the weakest first; none for a game that has not been measured.
    """
    text = files(__package__).joinpath("learning/levels.toml").read_text(encoding="utf-8")
    found = [Level(**level) for level in tomllib.loads(text).get(game, [])]
    if default_agent(registry.game(game)) == "network":
        return found
    return [level for level in found if not level.agent.startswith(("network", "search"))]


def agent_in_words(agent: str) -> str:
    """Return an agent's name with its options in words."""
    spec = naming.AgentSpec.parse(agent)
    words = [
        _OPTIONS_IN_WORDS.get(option, f"{option} {{}}").format(value)
        for option, value in spec.options.items()
    ]
    return ", ".join([spec.name, *words])
