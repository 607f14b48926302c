"""Sending agents to workers, together with the box or the file of the game that they play."""

from __future__ import annotations

import hashlib
import platform
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import cloudpickle

from shakespeare_agents.capabilities import Recipe
from shakespeare_agents.identity import agent_digest, describes_itself
from shakespeare_agents.making import Entrant, make
from shakespeare_agents.naming import AgentSpec, parse_if_name
from shakespeare_agents.python_names import PythonName, sources_of
from shakespeare_agents.workers import WorkerProcesses, Workers
from shakespeare_env.core import registry
from shakespeare_env.core.game import Game
from shakespeare_env.errors import WorkerError
from shakespeare_env.own_files import load_file
from shakespeare_env.play.agent import AgentLike, AnyAgent
from shakespeare_env.sources import edited_since_import


class AgentSet:
    """Entrants of one game, whose agents are rebuilt in the process that unpickles them.

    An agent that plays several seats stays one object.
    """

    def __init__(self, game: Game, entrants: Sequence[Entrant]) -> None:
        self.game = game
        self.entrants = list(entrants)

    def __reduce__(self) -> tuple[Any, ...]:
        recipes: dict[int, Recipe] = {}
        for entrant in self.entrants:
            agent = entrant.agent
            if id(agent) not in recipes:
                recipes[id(agent)] = recipe_of(entrant.given, agent, self.game)
        order = list(recipes)
        named = [(entrant.name, order.index(id(entrant.agent))) for entrant in self.entrants]
        return _rebuild, (box_to_send(self.game), list(recipes.values()), named)


@contextmanager
def workers_for_stored_games(
    workers: Workers | None, entrants: Sequence[Entrant]
) -> Iterator[Workers]:
    """Open workers for games whose results are stored, by default this process.

    An agent that is named as Python code needs a process that has imported nothing yet: it plays
    the sources on the disk, of which the agent's digest is made.
    """
    # `Workers` itself plays in this process; its subclasses play elsewhere.
    is_here = workers is None or type(workers) is Workers
    if is_here and _python_named(entrant.given for entrant in entrants):
        with closing(WorkerProcesses(1)) as process:
            yield process
    else:
        yield workers or Workers()


class AgentSources:
    """The sources of the agents that are named as Python code, as they are when games begin."""

    def __init__(self, given: Iterable[AgentLike | AgentSpec]) -> None:
        self._named = _python_named(given)
        self._sources = {python: sources_of(python) for python in self._named.values()}

    def check_unchanged(self) -> None:
        """Check that no source has changed.

        Raises:
            WorkerError: a source has changed, so it is uncertain which code played last.
        """
        for spec, python in self._named.items():
            if sources_of(python) != self._sources[python]:
                raise WorkerError(
                    f"the code of {spec.text!r} was edited while it played; the games kept are of "
                    "the code before, so start again to play with what it is now"
                )


def _python_named(given: Iterable[AgentLike | AgentSpec]) -> dict[AgentSpec, PythonName]:
    """Return the specs that name Python code, and what they name."""
    specs = map(parse_if_name, given)
    return {
        spec: spec.python
        for spec in specs
        if isinstance(spec, AgentSpec) and spec.python is not None
    }


def _rebuild(box: SentBox, recipes: Sequence[Recipe], named: Sequence[tuple[str, int]]) -> AgentSet:
    """Make an `AgentSet` from entrants' names, each with the number of its agent's recipe."""
    game = use_sent_box(box)
    agents = [recipe(game) for recipe in recipes]
    return AgentSet(game, [Entrant(name, agents[number]) for name, number in named])


def recipe_of(given: AgentLike | AgentSpec, agent: AnyAgent, game: Game) -> Recipe:
    """Return a picklable recipe for rebuilding an agent in another process.

    Args:
        given: What the agent was made from.
        agent: The agent.
        game: The game that it plays.

    Raises:
        TypeError: the agent cannot be pickled.
    """
    own_recipe = agent.recipe() if describes_itself(agent) else None
    if own_recipe is not None:
        return own_recipe

    spec = parse_if_name(given)
    if isinstance(spec, AgentSpec):
        return partial(
            make_verified_agent, spec.with_absolute_path(), agent_digest(spec, agent, game)
        )

    try:
        return partial(_unpickled, cloudpickle.dumps(agent))
    except Exception as fault:
        raise TypeError(
            f"{agent!r} cannot be sent to a worker ({type(fault).__name__}: {fault}); name it as "
            "my.py:NAME, make it picklable, or play without workers"
        ) from fault


def make_verified_agent(name: str | AgentSpec, digest: str, game: Game) -> AnyAgent:
    """Make an agent by its name, and check that it is the agent that was sent.

    Raises:
        WorkerError: the agent cannot be made, or has another digest on this machine.
    """
    spec = AgentSpec.parse(name) if isinstance(name, str) else name
    try:
        agent = make(spec, game)
        is_same = agent_digest(spec, agent, game) == digest
        edited = [] if spec.python is None else edited_since_import(sources_of(spec.python))
    except (ValueError, TypeError, ImportError, OSError) as fault:
        raise WorkerError(f"the agent {spec.text!r} on {platform.node()}: {fault}") from fault
    if edited:
        raise WorkerError(
            f"the code of {spec.text!r} was edited after a worker on {platform.node()} had "
            f"imported it ({', '.join(edited)}); open the workers anew"
        )
    if not is_same:
        raise WorkerError(
            f"the agent {spec.text!r} is another one on {platform.node()}: its code or options "
            "differ; put the same version on all machines"
        )
    return agent


def _unpickled(content: bytes, _game: Game) -> AnyAgent:
    return cloudpickle.loads(content)  # type: ignore[no-any-return]


class SentBox(NamedTuple):
    """A game's box as it is sent to workers, or the file that defines a game without a box."""

    game: str  # the game's name
    digest: str  # the digest of the box or file
    content: bytes | None  # the file's content; None for this package's box, or without a file
    path: str  # the file's path on the machine that sends it


def box_to_send(game: Game) -> SentBox:
    """Return a game's box, ready to be sent to workers."""
    # Workers have the box that comes with a game (`registry.own_box`). They may lack other files.
    is_users_own = not registry.has_box(game.name) or game.box != registry.own_box(game.name)
    content = game.box.read_bytes() if is_users_own and game.box.is_file() else None
    return SentBox(game.name, registry.box_digest(game.name), content, str(game.box))


def use_sent_box(box: SentBox) -> Game:
    """Make this process play with a box that was sent to it, and return the game.

    Raises:
        WorkerError: this machine does not know the game, or knows another version of it.
    """
    name = box.game
    if name not in registry.names():
        _register_from(name, box.content, Path(box.path))
    file = registry.own_box(name)
    # The content for a game without a box is the file that defines it, which was registered above.
    if box.content is not None and registry.has_box(name):
        file = Path(_box_folder().name) / f"{box.digest}.toml"
        file.write_bytes(box.content)
    game = registry.game(name, file)
    fault = registry.box_mismatch(name, box.digest)
    if fault:
        raise WorkerError(f"{name} on {platform.node()} is {fault}")
    return game


def _register_from(name: str, content: bytes | None, file: Path) -> None:
    """Register a game from its file if this machine has it, and otherwise from a copy."""
    if content is None:
        raise WorkerError(
            f"{name} is not known on {platform.node()}: workers read a game from its file; define "
            "it in a file, not in a notebook"
        )
    if not file.is_file() or file.read_bytes() != content:
        file = Path(_box_folder().name) / f"{hashlib.sha256(content).hexdigest()}.py"
        file.write_bytes(content)
    try:
        games = [value for value in vars(load_file(file)).values() if isinstance(value, Game)]
    except (Exception, SystemExit) as fault:
        raise WorkerError(
            f"{name} on {platform.node()}: {type(fault).__name__}: {fault}"
        ) from fault
    for game in games:
        if game.name == name:
            registry.register(game)


@cache
def _box_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="shakespeare-env-")
