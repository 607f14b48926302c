"""Digests of agents, made of what decides how they play."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from types import MethodType
from typing import Any, TypeGuard

from shakespeare_agents.capabilities import SelfDescribing
from shakespeare_agents.naming import BUILT_IN, AgentSpec, FunctionAgent, parsed
from shakespeare_agents.python_names import sources_of
from shakespeare_env.checks.values import short_repr
from shakespeare_env.core.game import Game
from shakespeare_env.play.agent import AgentLike, AnyAgent, name_of

DIGITS = 16  # the hexadecimal digits of an agent's digest
PLAY = 1
"""The version of how the project's agents play; raise it once one of them chooses other moves."""


def agent_digest(given: AgentLike | AgentSpec, agent: AnyAgent, game: Game) -> str:
    """Return the digest of what decides how an agent plays a game.

    What it covers depends on the agent:

    - For the package's agents, checkpoints and programs: what they say of themselves, such as
      weights and settings.
    - For agents named as Python code: their options, and the sources on the disk of their module
      and of the user's own modules that it imports.
    - For objects: their version.

    The version and the files that an agent names as its own count in every case.

    Args:
        given: What the agent was made from.
        agent: The agent.
        game: The game that it plays.

    Raises:
        TypeError: the agent is an object without a version.
        ValueError: a file that it names is not there.
    """
    spec = parsed(given)
    own = _users_object(agent)
    version = getattr(own, "version", None)
    own_files = getattr(own, "files", None)
    named_files = spec.identity_options().get("files") if isinstance(spec, AgentSpec) else None

    facts = _facts(spec, agent)
    if facts is None and version is None:
        name = given.text if isinstance(given, AgentSpec) else name_of(given)
        raise TypeError(
            f"{name} is an object, which nothing distinguishes from others of its code, "
            "whose games would count as its own; give it a version (agent.version = 1), another "
            "one whenever it plays otherwise, or name it as my.py:NAME"
        )
    facts = [game.name, *(facts or ["object", *_name_in_code(agent)]), version and str(version)]
    for files in (own_files, named_files):
        if files is not None:
            facts.append(_contents(files))
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:DIGITS]


def _users_object(agent: AnyAgent) -> Any:
    """Return the user's own object, which may state a version and files."""
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
    """Return what is known of an agent's play but for its version and files; None of an object."""
    identity = agent.identity() if describes_itself(agent) else None
    if identity is not None:
        kind, *details = identity
        return [kind, PLAY, *details]

    if isinstance(given, AgentSpec):
        options = given.options
        if given.name in BUILT_IN:
            options.pop("threads", None)  # they change no move
            return [given.name, PLAY, options]
        if given.python is not None:
            if "files" in given.identity_options():
                del options["files"]  # their contents count
            sources = sources_of(given.python).values()
            digests = sorted({hashlib.sha256(source).hexdigest() for source in sources})
            return ["python", digests, given.python.attribute, options]
    return None


def describes_itself(agent: AnyAgent) -> TypeGuard[SelfDescribing]:
    """Return whether an agent's own class defines `identity`.

    An inherited `identity` does not count, since a subclass may play otherwise.
    """
    return isinstance(agent, SelfDescribing) and "identity" in vars(type(agent))


def _contents(files: Any) -> list[list[str]]:
    """Return digests of files, with their paths within the folder or file that is named."""
    digests = []
    for named in files if isinstance(files, list | tuple) else [files]:
        place = Path(str(named))
        found = [file for file in (place, *sorted(place.rglob("*"))) if file.is_file()]
        if not found:
            raise ValueError(
                f"there is no file {short_repr(str(named))}, which an agent names as its own; give "
                f"the path of one, or of a folder of files, from {os.getcwd()}"
            )
        for file in found:
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            digests.append([file.relative_to(place).as_posix(), digest])
    return digests
