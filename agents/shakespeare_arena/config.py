"""The configuration of an arena: the agents, the tables they play at, and for how long."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any, Self

from shakespeare_agents import naming
from shakespeare_agents.identity import agent_digest
from shakespeare_agents.making import Entrant, make
from shakespeare_agents.naming import parse_if_name
from shakespeare_agents.program_agent import ProgramAgent
from shakespeare_agents.programs import Limits, Program, environment_of, program_digest
from shakespeare_arena.ladders.standings import EQUAL_WITHIN, SOLO_EQUAL_WITHIN
from shakespeare_env.checks.limits import parse_toml, read_text
from shakespeare_env.checks.values import error_text, short_repr
from shakespeare_env.core import registry
from shakespeare_env.core.game import Game
from shakespeare_env.errors import ArenaError, ShakespeareEnvError
from shakespeare_env.extras import requires_extra
from shakespeare_env.play.agent import name_of

with requires_extra("arena", "the arena needs"):
    import pydantic

_MODEL = pydantic.ConfigDict(
    frozen=True, extra="forbid", use_attribute_docstrings=True, arbitrary_types_allowed=True
)
_LIMITS = ("seconds_a_move", "seconds_a_game", "megabytes", "seconds_to_start")
Count = Annotated[int, pydantic.Field(strict=True, ge=1)]
Amount = Annotated[float, pydantic.Field(gt=0, allow_inf_nan=False)]


class Contender(pydantic.BaseModel):
    """One agent of an arena: an agent of this process (`agent`), or a program (`program`)."""

    model_config = _MODEL

    name: str = ""
    """The name in the standings; by default that of the agent, or the program's command."""
    agent: Any = None
    """A name, a checkpoint's folder, `my.py:NAME`, or an object that plays: see `making.make`."""
    program: tuple[str, ...] | None = pydantic.Field(default=None, min_length=1)
    """A command and its arguments, started without a shell in the configuration's folder."""
    seconds_a_move: Amount | None = None
    """A program's limit for one decision; `programs.Limits` has the defaults of all limits."""
    seconds_a_game: Amount | None = None
    """A program's limit for all its decisions of a game."""
    megabytes: Amount | None = None
    """A program's limit for the memory of all its processes."""
    seconds_to_start: Amount | None = None
    """The seconds that a program's first answer may take beyond its limits."""
    environment: tuple[str, ...] = ()
    """A program's environment variables: `NAME=VALUE`, or `NAME` for the arena's own value."""

    @pydantic.model_validator(mode="after")
    def _check_what_plays(self) -> Self:
        if (self.agent is None) == (self.program is None):
            raise ValueError("give either agent or program")
        if self.agent is not None and (self.limits or self.environment):
            raise ValueError("only programs have limits and an environment of their own")
        if not (self.label and self.label.isprintable()):
            raise ValueError(f"{short_repr(self.label)} cannot be printed: give it a name")
        return self

    @property
    def label(self) -> str:
        """The name in the standings."""
        if self.name:
            return self.name
        return " ".join(self.program) if self.program else name_of(self.agent)

    @property
    def limits(self) -> dict[str, float]:
        """The limits that were given, by name."""
        limits = {name: getattr(self, name) for name in _LIMITS}
        return {name: value for name, value in limits.items() if value is not None}


class ArenaConfig(pydantic.BaseModel):
    """The configuration of an arena: who plays, at which tables, and when to stop."""

    model_config = _MODEL

    game: str = registry.DEFAULT
    """The game's name."""
    players: tuple[Count, ...] = ()
    """Numbers of seats of the tables, 1 for the solo game; by default the game's largest table."""
    variants: tuple[str, ...] = ()
    """The variants that are played."""
    seed: int = pydantic.Field(default=0, strict=True, ge=0, lt=2**64)
    """Decides the deals and the agents' draws."""
    agents: tuple[Contender, ...] = pydantic.Field(min_length=2)
    """Two or more agents."""
    games: Count = 10_000
    """The number of games after which to stop, counting those of earlier runs."""
    minutes: Amount | None = None
    """The minutes of this run after which to stop; games in progress are dropped."""
    equal_within: Amount = EQUAL_WITHIN
    """Elo points; neighbours on the ladder count as equal if they surely differ by less."""
    solo_equal_within: Amount = SOLO_EQUAL_WITHIN
    """Points of mean score, which take the place of `equal_within` in the solo game."""
    folder: Path = pydantic.Field(default_factory=Path.cwd, exclude=True)
    """The working folder while the arena runs; relative paths start there."""
    text: str = pydantic.Field(default="", exclude=True)
    """The text of the file that the configuration was read from."""

    @pydantic.field_validator("agents", mode="before")
    @classmethod
    def _wrap_agents(cls, agents: Any) -> Any:
        if not isinstance(agents, list | tuple):
            return agents
        return [
            agent if isinstance(agent, dict | Contender) else {"agent": agent} for agent in agents
        ]

    @pydantic.model_validator(mode="before")
    @classmethod
    def _default_tables(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and data.get("game", registry.DEFAULT) in registry.names():
            most = registry.seats(data.get("game", registry.DEFAULT))[-1]
            return {"players": (most,), **data}
        return data

    @pydantic.model_validator(mode="after")
    def _check_against_game(self) -> Self:
        labels = [contender.label for contender in self.agents]
        repeated = [label for label in labels if labels.count(label) > 1]
        if repeated:
            raise ValueError(f"two agents are called {repeated[0]!r}: give each a name of its own")
        game = registry.game(self.game)
        for seats in self.players:
            game.check_players(seats)
        try:
            game.option_bits(dict.fromkeys(self.variants, True), self.players)
        except TypeError as fault:
            raise ValueError(str(fault)) from fault
        return self

    @classmethod
    def of(cls, **settings: Any) -> ArenaConfig:
        """Make a configuration from its settings; `agents` may be anything that plays.

        Raises:
            ArenaError: a setting is unknown, mistyped or out of range, or does not fit the game.
        """
        return _validated(settings, "the arena")

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, trusted: bool = False) -> ArenaConfig:
        """Read a configuration from a TOML file; the arena will be played in the file's folder.

        Nothing that the file names is run, except for the file of a game, `game = "my.py:GAME"`, if
        the configuration is trusted.

        Raises:
            ArenaError: the file cannot be read, it runs a game's file and is not trusted, or `of`
                refuses its settings.
        """
        file = Path(path)
        try:
            text = read_text(file)
            settings = parse_toml(text)
        except (OSError, ValueError) as fault:
            raise ArenaError(f"{file}: cannot be read as an arena ({fault})") from fault
        folder = file.resolve().parent
        game = settings.get("game", registry.DEFAULT)
        if registry.is_file_reference(game):
            if not trusted:
                raise ArenaError(f"{file} runs {game!r}; add --trust if you trust it")
            try:
                settings["game"] = registry.from_file(str(folder / game)).name
            except ValueError as fault:
                raise ArenaError(f"{file}: game: {fault}") from fault
        return _validated({**settings, "folder": folder, "text": text}, str(file))

    def untrusted_code(self) -> list[str]:
        """Return the programs and the Python code that playing would run, for review beforehand."""
        texts = [each.agent for each in self.agents if isinstance(each.agent, str)]
        programs = [" ".join(each.program) for each in self.agents if each.program]
        return [*programs, *naming.names_running_python(texts)]


def _validated(settings: Mapping[str, Any], where: str) -> ArenaConfig:
    try:
        return ArenaConfig.model_validate(dict(settings))
    except pydantic.ValidationError as fault:
        raise ArenaError(f"{where}: {error_text(fault)}") from fault


class _WorkingFolder:
    """The process's working folder, moved to an arena's folder while the arena runs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._arenas = 0  # the number of arenas that are running in the folder
        self._before = ""

    @contextmanager
    def moved_to(self, folder: Path) -> Iterator[None]:
        """Work in a folder for the length of a block, which other threads may share.

        Raises:
            ArenaError: another thread runs an arena in another folder.
        """
        with self._lock:
            if self._arenas and not folder.samefile(os.getcwd()):
                raise ArenaError(
                    f"{folder}: this process runs an arena in {os.getcwd()}, which is its working "
                    "folder until that ends; run this one afterwards, or in a process of its own"
                )
            if not self._arenas:
                self._before = os.getcwd()
                os.chdir(folder)
            self._arenas += 1
        try:
            yield
        finally:
            with self._lock:
                self._arenas -= 1
                if not self._arenas:
                    os.chdir(self._before)


_working_folder = _WorkingFolder()


@contextmanager
def open_contenders(config: ArenaConfig, game: Game) -> Iterator[dict[str, Entrant]]:
    """Open the agents of an arena for the length of a block, and yield them by digest.

    The block runs in the arena's folder. When it ends, so do the programs.

    Raises:
        ArenaError: an agent cannot be made, or two of them are the same agent.
    """
    entrants: dict[str, Entrant] = {}
    with ExitStack() as stack:
        stack.enter_context(_working_folder.moved_to(config.folder))
        for contender in config.agents:
            try:
                digest, agent = _make_agent(contender, config, game)
            except (ShakespeareEnvError, ValueError, TypeError, ImportError, OSError) as fault:
                raise ArenaError(f"the agent {contender.label!r}: {fault}") from fault
            if digest in entrants:
                same = entrants[digest].name
                raise ArenaError(
                    f"{contender.label!r} is the same agent as {same!r}; name one of them"
                )
            stack.callback(getattr(agent, "close", lambda: None))
            # A program's agent cannot be made by `make`, so `given` is left out. It is then the
            # agent itself.
            origin = None if contender.program else contender.agent
            entrants[digest] = Entrant(contender.label, agent, given=origin)
        yield entrants


def _make_agent(contender: Contender, config: ArenaConfig, game: Game) -> tuple[str, Any]:
    if contender.program is None:
        given = parse_if_name(contender.agent)
        agent = make(given, game)
        return agent_digest(given, agent, game), agent
    limits = Limits(**contender.limits)
    program = Program(contender.program, limits, config.folder, contender.environment)
    # Programs that cannot be started are refused here, before other agents play for nothing.
    name = program.argv[0]
    is_path = bool(os.path.dirname(name))
    is_found = (program.folder / name).exists() if is_path else shutil.which(name) is not None
    if not is_found:
        raise ValueError(f"there is no program {name!r}; give its path, or install it")
    environment_of(program)  # raises unless all variables to inherit are set
    return program_digest(program), ProgramAgent(program)
