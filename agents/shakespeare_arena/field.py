"""A field: who plays in an arena, at which tables, and how long."""

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
from shakespeare_agents.naming import Entrant, make, parsed
from shakespeare_agents.programs import (
    Limits,
    Program,
    ProgramAgent,
    environment_of,
    program_digest,
)
from shakespeare_arena.standings import EQUAL_WITHIN, SOLO_EQUAL_WITHIN
from shakespeare_env.checks.limits import parse_toml, read_text
from shakespeare_env.checks.values import in_words, short_repr
from shakespeare_env.core import registry
from shakespeare_env.core.game import Game
from shakespeare_env.errors import ArenaError, ShakespeareEnvError
from shakespeare_env.extras import needing
from shakespeare_env.play.agent import name_of

with needing("arena", "the arena needs"):
    import pydantic

_SETTINGS = pydantic.ConfigDict(
    frozen=True, extra="forbid", use_attribute_docstrings=True, arbitrary_types_allowed=True
)
Count = Annotated[int, pydantic.Field(strict=True, ge=1)]
Amount = Annotated[float, pydantic.Field(gt=0, allow_inf_nan=False)]


class Contender(pydantic.BaseModel):
    """One agent of a field: what plays (`agent`), or the program that is asked (`program`)."""

    model_config = _SETTINGS

    name: str = ""
    """What its figures go under; by default what plays."""
    agent: Any = None
    """A name, a checkpoint's folder, `my.py:NAME`, or an object that plays: see `registry.make`."""
    program: tuple[str, ...] | None = pydantic.Field(default=None, min_length=1)
    """A command and its arguments, started without a shell in the field file's folder."""
    seconds_a_move: Amount | None = None
    """Limits of a program: see `programs.Limits`, which has the defaults."""
    seconds_a_game: Amount | None = None
    """For all its decisions of a game."""
    megabytes: Amount | None = None
    """For the memory of its processes."""
    seconds_to_start: Amount | None = None
    """By which its first answer may take longer."""
    environment: tuple[str, ...] = ()
    """A program's environment variables: `NAME=VALUE`, or `NAME` for the arena's own value."""

    @pydantic.model_validator(mode="after")
    def _plays_somehow(self) -> Self:
        if (self.agent is None) == (self.program is None):
            raise ValueError("give either agent or program")
        if self.agent is not None and (self.limits or self.environment):
            raise ValueError("only programs have limits and an environment of their own")
        if not (self.label and self.label.isprintable()):
            raise ValueError(f"{short_repr(self.label)} cannot be printed: give it a name")
        return self

    @property
    def label(self) -> str:
        """Its name; without one what plays."""
        if self.name:
            return self.name
        return " ".join(self.program) if self.program else name_of(self.agent)

    @property
    def limits(self) -> dict[str, float]:
        """The limits that were given."""
        names = ("seconds_a_move", "seconds_a_game", "megabytes", "seconds_to_start")
        return {name: value for name in names if (value := getattr(self, name)) is not None}


class Field(pydantic.BaseModel):
    """Who plays, at which tables, and when it is enough."""

    model_config = _SETTINGS

    game: str = registry.DEFAULT
    """The game's name."""
    players: tuple[Count, ...] = ()
    """Seat counts of the tables, 1 for the solo game; by default the game's most."""
    variants: tuple[str, ...] = ()
    """The variants that are played."""
    seed: int = pydantic.Field(default=0, strict=True, ge=0, lt=2**64)
    """Decides the deals and the agents' draws."""
    agents: tuple[Contender, ...] = pydantic.Field(min_length=2)
    """Two or more agents."""
    games: Count = 10_000
    """The number of games, those of earlier runs included, after which to stop."""
    minutes: Amount | None = None
    """The minutes of this run after which to stop; games in progress are dropped."""
    equal_within: Amount = EQUAL_WITHIN
    """Elo points; neighbours on the ladder are equal when they surely differ by less."""
    solo_equal_within: Amount = SOLO_EQUAL_WITHIN
    """The same for mean scores of the solo game."""
    folder: Path = pydantic.Field(default_factory=Path.cwd, exclude=True)
    """Where it is played: what relative paths start from."""
    text: str = pydantic.Field(default="", exclude=True)
    """The text of the file that it was read from."""

    @pydantic.field_validator("agents", mode="before")
    @classmethod
    def _by_name(cls, agents: Any) -> Any:
        if not isinstance(agents, list | tuple):
            return agents
        return [
            agent if isinstance(agent, dict | Contender) else {"agent": agent} for agent in agents
        ]

    @pydantic.model_validator(mode="before")
    @classmethod
    def _tables(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and data.get("game", registry.DEFAULT) in registry.names():
            most = registry.seats(data.get("game", registry.DEFAULT))[-1]
            return {"players": (most,), **data}
        return data

    @pydantic.model_validator(mode="after")
    def _fits_the_game(self) -> Self:
        labels = [contender.label for contender in self.agents]
        repeated = [label for label in labels if labels.count(label) > 1]
        if repeated:
            raise ValueError(f"{repeated[0]!r} stands twice: give each a name of its own")
        rules = registry.game(self.game)
        for seats in self.players:
            rules.check_players(seats)
        try:
            rules.option_bits(dict.fromkeys(self.variants, True), self.players)
        except TypeError as fault:
            raise ValueError(str(fault)) from fault
        return self

    @classmethod
    def of(cls, **settings: Any) -> Field:
        """A field from its settings; `agents` may be whatever plays.

        Raises:
            ArenaError: a setting is unknown, mistyped or out of range, or does not fit the game.
        """
        return _checked(settings, "the field")

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, trusted: bool = False) -> Field:
        """A field from TOML, which plays in the file's folder; nothing in it is run.

        The file of a game, `game = "my.py:GAME"`, is run if the field is trusted.

        Raises:
            ArenaError: the file cannot be read, it runs a game's file and is not trusted, or as of
                `of`.
        """
        file = Path(path)
        try:
            text = read_text(file)
            settings = parse_toml(text)
        except (OSError, ValueError) as fault:
            raise ArenaError(f"{file}: cannot be read as a field ({fault})") from fault
        folder, name = file.resolve().parent, settings.get("game", registry.DEFAULT)
        if registry.is_in_file(name):
            if not trusted:
                raise ArenaError(f"{file} runs {name!r}; add --trust if you trust it")
            try:
                settings["game"] = registry.from_file(str(folder / name)).name
            except ValueError as fault:
                raise ArenaError(f"{file}: game: {fault}") from fault
        return _checked({**settings, "folder": folder, "text": text}, str(file))

    def runs(self) -> list[str]:
        """The programs and the Python that playing it runs, for review beforehand."""
        texts = [each.agent for each in self.agents if isinstance(each.agent, str)]
        programs = [" ".join(each.program) for each in self.agents if each.program]
        return [*programs, *naming.running_python(texts)]


def _checked(settings: Mapping[str, Any], where: str) -> Field:
    try:
        return Field.model_validate(dict(settings))
    except pydantic.ValidationError as fault:
        raise ArenaError(f"{where}: {in_words(fault)}") from fault


class _WorkingFolder:
    """The working folder of the process, moved to a field's folder while the field is played."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._fields = 0
        self._left = ""

    @contextmanager
    def moved_to(self, folder: Path) -> Iterator[None]:
        """Work in a folder for the length of a block, as other threads may, too.

        ArenaError if another thread plays a field of another folder.
        """
        with self._lock:
            if self._fields and not folder.samefile(os.getcwd()):
                raise ArenaError(
                    f"{folder}: this process plays a field of {os.getcwd()}, which is its working "
                    "folder until then; play this one afterwards, or in a process of its own"
                )
            if not self._fields:
                self._left = os.getcwd()
                os.chdir(folder)
            self._fields += 1
        try:
            yield
        finally:
            with self._lock:
                self._fields -= 1
                if not self._fields:
                    os.chdir(self._left)


_working_folder = _WorkingFolder()


@contextmanager
def contenders(field: Field, game: Game) -> Iterator[dict[str, Entrant]]:
    """The agents of a field under their labels, by digest.

    They are in a block that runs in the field's folder, at whose end programs end.

    Raises:
        ArenaError: one cannot be made, or two play alike.
    """
    entrants: dict[str, Entrant] = {}
    with ExitStack() as stack:
        stack.enter_context(_working_folder.moved_to(field.folder))
        for contender in field.agents:
            try:
                digest, agent = _made(contender, field, game)
            except (ShakespeareEnvError, ValueError, TypeError, ImportError, OSError) as fault:
                raise ArenaError(f"the agent {contender.label!r}: {fault}") from fault
            if digest in entrants:
                same = entrants[digest].name
                raise ArenaError(
                    f"{contender.label!r} is the same agent as {same!r}; name one of them"
                )
            stack.callback(getattr(agent, "close", lambda: None))
            origin = None if contender.program else contender.agent
            entrants[digest] = Entrant(contender.label, agent, origin)
        yield entrants


def _made(contender: Contender, field: Field, game: Game) -> tuple[str, Any]:
    if contender.program is None:
        given = parsed(contender.agent)
        agent = make(given, game)
        return agent_digest(given, agent, game), agent
    program = Program(
        contender.program, Limits(**contender.limits), field.folder, contender.environment
    )
    # What can never be started is refused before others play for nothing.
    name = program.argv[0]
    if not ((program.folder / name).exists() if os.path.dirname(name) else shutil.which(name)):
        raise ValueError(f"there is no program {name!r}; give its path, or install it")
    environment_of(program)
    return program_digest(program), ProgramAgent(program)
