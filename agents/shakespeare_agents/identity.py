"""Digests that identify agents. Two agents with the same digest play alike.

A digest covers everything that may change how its agent plays.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from types import MethodType
from typing import Any, TypeGuard

from shakespeare_agents.capabilities import SelfDescribing
from shakespeare_agents.making import FunctionAgent
from shakespeare_agents.naming import AgentSpec, parse_if_name
from shakespeare_agents.python_names import sources_of
from shakespeare_env.checks.values import short_repr
from shakespeare_env.core.game import Game
from shakespeare_env.play.agent import AgentLike, AnyAgent, name_of

DIGITS = 16  # the hexadecimal digits of an agent's digest
PLAY = 1
"""The version of the built-in agents' play. Raise it when a change makes one choose other moves."""


def agent_digest(given: AgentLike | AgentSpec, agent: AnyAgent, game: Game) -> str:
    """Return a digest of everything that decides how an agent plays a game.

    What it covers depends on the agent:

    - For the package's agents, checkpoints and programs, it covers what they return as their
      identity, such as weights and settings.
    - For agents named as Python code, it covers their options, and the sources on the disk of their
      module and of the user's own modules that this imports.
    - For agents given as Python objects, it covers the name of their class or function, and their
      version.

    In every case it covers the version and the files that the agent declares in `version` and
    `files`.

    Args:
        given: What the agent was made from.
        agent: The agent.
        game: The game that it plays.

    Raises:
        TypeError: the agent is an object without a version.
        ValueError: a file that it declares does not exist.
    """
    spec = parse_if_name(given)
    users_object = _unwrapped(agent)
    version = getattr(users_object, "version", None)
    own_files = getattr(users_object, "files", None)

    facts = _facts(spec, agent)
    # An agent without facts is an object that does not describe itself.
    if facts is None and version is None:
        name = given.text if isinstance(given, AgentSpec) else name_of(given)
        raise TypeError(
            f"{name} is an object, and nothing distinguishes it from other objects of its class "
            "or function, so their games would count as its own; give it a version "
            "(agent.version = 1), and another one whenever it plays otherwise, or name it as "
            "my.py:NAME"
        )
    facts = [game.name, *(facts or ["object", *_name_in_code(agent)]), version and str(version)]
    for files in (own_files, *_named_files(spec)):
        if files is not None:
            facts.append(_file_digests(files))
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:DIGITS]


def _unwrapped(agent: AnyAgent) -> Any:
    """Return the user's own object, which may declare a version and files."""
    if not isinstance(agent, FunctionAgent):
        return agent
    function: Any = agent.act
    return function.__self__ if isinstance(function, MethodType) else function


def _name_in_code(agent: AnyAgent) -> list[str]:
    named: Any = agent.act if isinstance(agent, FunctionAgent) else type(agent)
    if not hasattr(named, "__qualname__"):
        named = type(named)
    return [named.__module__, named.__qualname__]


def _facts(given: AgentLike | AgentSpec, agent: AnyAgent) -> list[Any] | None:
    """Return the facts that decide how an agent plays, without its version and files.

    Return None if the agent was given as an object and does not describe itself.
    """
    identity = agent.identity() if describes_itself(agent) else None
    if identity is not None:
        kind, *details = identity
        return [kind, PLAY, *details]

    if not isinstance(given, AgentSpec):
        return None
    identity_options = given.identity_options()
    options = {
        option: value
        for option, value in given.options.items()
        # The paths in `files` and `weights` do not count. The contents of these files do.
        if option not in identity_options or option == "version"
    }
    if given.name == "search":
        options.pop("network", None)  # the network's code or file counts instead of its name
    if given.python is not None:
        sources = sources_of(given.python).values()
        digests = sorted({hashlib.sha256(source).hexdigest() for source in sources})
        kind = "python" if given.name != "search" else "search"
        return [kind, digests, given.python.attribute, options]
    if given.model_file is not None:
        is_search = given.name == "search"
        return ["model", is_search, options]
    return None


def _named_files(given: AgentLike | AgentSpec) -> list[Any]:
    """Return the files in an agent's name: the options `files` and `weights`, and a model file."""
    if not isinstance(given, AgentSpec):
        return []
    options = given.identity_options()
    return [options.get("files"), options.get("weights"), given.model_file]


def describes_itself(agent: AnyAgent) -> TypeGuard[SelfDescribing]:
    """Return whether an agent's own class defines `identity`.

    An inherited `identity` does not count, since a subclass may play differently.
    """
    return isinstance(agent, SelfDescribing) and "identity" in vars(type(agent))


def _file_digests(paths: Any) -> list[list[str]]:
    """List all files at or below some paths: each file's location relative to its path, and digest.

    Raises:
        ValueError: there is no file at or below a path.
    """
    digests = []
    for given in paths if isinstance(paths, list | tuple) else [paths]:
        path = Path(str(given))
        files = [file for file in (path, *sorted(path.rglob("*"))) if file.is_file()]
        if not files:
            raise ValueError(
                f"there is no file {short_repr(str(given))}, which an agent declares in `files`; "
                f"give the path of a file, or of a folder of files, relative to {os.getcwd()}"
            )
        for file in files:
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            digests.append([file.relative_to(path).as_posix(), digest])
    return digests
