"""Agents by name: names parsed into `AgentSpec`, agents made from them, and seats filled."""

from __future__ import annotations

import importlib
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.metadata import entry_points
from inspect import Parameter, Signature, signature
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from shakespeare_agents.heuristics import best_untrained_agent
from shakespeare_agents.python_names import PythonName, fault_in_words, load
from shakespeare_env.checks.values import did_you_mean, short_repr
from shakespeare_env.errors import own_frames

if TYPE_CHECKING:
    from shakespeare_env.core.game import Game
    from shakespeare_env.play.agent import Act, AgentLike, AnyAgent

ENTRY_POINTS = "shakespeare_env.agents"
"""The entry point group where other distributions register agents."""
HOW_TO_NAME = "the folder of a checkpoint, my.py:NAME or package.module:NAME"
CAN_PLAY = (
    "an object with act() or search(), a function of observations, masks and generators, or a "
    "class or function that makes an agent, of the game or of nothing"
)
"""What an agent can be made from, as errors say it."""
IDENTITY_OPTIONS = ("files", "version")
"""Attributes and options that distinguish agents that share their code."""


@dataclass(frozen=True)
class BuiltInAgent:
    """An agent that is always there.

    Attributes:
        description: A phrase that says what the agent does, shown by `--help`.
        maker: The class or function that makes it, imported late to keep the shell's completion
            quick.
    """

    description: str
    maker: PythonName


BUILT_IN = {
    "random": BuiltInAgent(
        "plays any legal action with equal probability",
        PythonName("shakespeare_agents.baselines", "RandomAgent"),
    ),
    "greedy": BuiltInAgent(
        "takes the move after which the game's heuristic rates its position best",
        PythonName("shakespeare_agents.baselines", "greedy_agent"),
    ),
    "heuristic": BuiltInAgent(
        "plays by the game's heuristic, like a careful beginner",
        PythonName("shakespeare_agents.heuristics", "heuristic_agent"),
    ),
    "network": BuiltInAgent(
        "plays the bundled network's likeliest action",
        PythonName("shakespeare_agents.networks.inference", "network_agent"),
    ),
    "search": BuiltInAgent(
        "plays possible games on with the bundled network and takes the best move",
        PythonName("shakespeare_agents.search.agent", "search_agent"),
    ),
}
"""The built-in agents by name."""


@cache
def installed_agents() -> Mapping[str, PythonName]:
    """Return the agents of other distributions by name; built-in names take precedence."""
    entries = sorted((entry.name, entry) for entry in entry_points(group=ENTRY_POINTS))
    return {
        name: PythonName(entry.module, entry.attr)
        for name, entry in entries
        if name not in BUILT_IN
    }


def names() -> tuple[str, ...]:
    """Return the names of agents: built-in ones, then those registered under `ENTRY_POINTS`."""
    return (*BUILT_IN, *installed_agents())


_OPTION = re.compile(r",(?=\s*\w*\s*=)")
"""The comma before an option of a name."""


@dataclass(frozen=True)
class AgentSpec:
    """An agent's name, parsed: what it names, and the options written after it.

    Attributes:
        text: The whole name, such as `search,network=runs/mine`.
        name: The part before the options: a name of `names()`, a checkpoint's folder or Python.
        written_options: The options' values as they were written, by option.
        python: What is imported to make the agent; None for built-in agents and for folders.
    """

    text: str
    name: str
    written_options: Mapping[str, str] = field(hash=False)
    python: PythonName | None

    @classmethod
    def parse(cls, text: str) -> AgentSpec:
        """Parse a name. The path of anything that exists has no options."""
        name, *parts = [text] if os.path.exists(text) else _OPTION.split(text)
        written: dict[str, str] = {}
        for part in parts:
            option, _, value = part.partition("=")
            written[option.strip()] = value
        return cls(text, name, written, _python_named(name))

    @property
    def options(self) -> dict[str, Any]:
        """The options' values, parsed as JSON where they can be, else as they were written."""
        return {option: _json_or_text(value) for option, value in self.written_options.items()}

    @property
    def runs_python(self) -> bool:
        """Whether making the agent runs Python that the user has not installed."""
        return self.python is not None and self.python not in installed_agents().values()

    def identity_options(self) -> dict[str, Any]:
        """Return the options among `IDENTITY_OPTIONS`, unless the Python named takes them itself.

        Raises:
            ValueError, ImportError: the Python cannot be imported (see `load`).
        """
        options = self.options
        written = options.keys() & set(IDENTITY_OPTIONS)
        if self.python is None or not written:
            return {}
        maker = load(self.python)
        own_options = signature(maker).parameters if callable(maker) else ()
        return {option: options[option] for option in written if option not in own_options}

    def checkpoint(self, game: Game) -> Path | None:
        """Return the folder of the checkpoint that the agent plays from; None if it has none."""
        from shakespeare_agents.networks.checkpoint import NEWEST, bundled_checkpoint

        if self.name == "network":
            return bundled_checkpoint(game, self.options.get("version", NEWEST))
        is_folder = self.name not in names() and os.path.isdir(self.name)
        return Path(self.name) if is_folder else None

    def network(self) -> AgentSpec:
        """Return the spec of the network that `search` plays with; the agent itself otherwise."""
        if self.name != "search" or "rollouts" in self.options:
            return self
        network = self.options.get("network", "network")
        version = f",version={self.options['version']}" if "version" in self.options else ""
        return AgentSpec.parse(f"{network}{version}")

    def with_absolute_path(self) -> AgentSpec:
        """Return a spec in which a file of Python has an absolute path."""
        if self.python is None or not self.python.is_in_file:
            return self
        source = str(Path(self.python.source).resolve())
        return replace(
            self,
            text=source + self.text.removeprefix(self.python.source),
            name=source + self.name.removeprefix(self.python.source),
            python=self.python._replace(source=source),
        )


def _python_named(name: str) -> PythonName | None:
    if name in names() or os.path.isdir(name):
        return installed_agents().get(name)
    if name.endswith(".py"):
        return PythonName(name, "")
    source, _, attribute = name.rpartition(":")
    python = PythonName(source, attribute)
    parts = [*source.split("."), *attribute.split(".")]
    return python if python.is_in_file or all(map(str.isidentifier, parts)) else None


def _json_or_text(value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def parse_if_name(player: AgentLike | AgentSpec) -> AgentLike | AgentSpec:
    """Return the spec of a name; anything else that plays is returned as it is."""
    return AgentSpec.parse(player) if isinstance(player, str) else player


def public_name(text: str) -> str:
    """Return an agent's name without the folders it is in, to be shown to other people.

    `/home/ann/my.py:Agent` is `my.py:Agent`, and `search,network=/home/ann/best` is
    `search,network=best`.
    """
    spec = AgentSpec.parse(text)
    options = [f"{option}={_last_part(value)}" for option, value in spec.written_options.items()]
    return ",".join([_last_part(spec.name), *options])


def _last_part(path: str) -> str:
    is_path = os.sep in path or path in (os.curdir, os.pardir)
    return os.path.basename(os.path.abspath(path)) if is_path else path


def names_running_python(players: Iterable[str]) -> list[str]:
    """Return the names that make Python run which the user has not installed.

    Callers must check them before they make agents named in a file that a stranger may have
    written.
    """
    return [name for name in players if AgentSpec.parse(name).runs_python]


def default(game: Game) -> str:
    """Return the name of the strongest built-in agent for a game.

    It is `network` if a bundled one fits the game and its box, else `heuristic`, else `random`.
    """
    from shakespeare_agents.networks import checkpoint

    with suppress(ValueError):  # none is bundled, or not for the actions of the box in force
        folder = checkpoint.bundled_checkpoint(game)
        checkpoint.check_fits(checkpoint.read_card(folder), game, folder)
        return "network"
    return best_untrained_agent(game)


def make(player: AgentLike | AgentSpec, game: Game, **options: Any) -> AnyAgent:
    """Make an agent for a game.

    An object with act() or search() plays as it is. Of classes and functions the positional
    parameters count: a function that can be called with three is an `Agent.act`; one parameter
    without default is the `Game`; a class or function without any is called with nothing.
    Keyword-only parameters with defaults of type bool, int, float or str are options.

    Args:
        player: A name of `names()`, a checkpoint's folder, `path/to/my.py:NAME`,
            `package.module:NAME`, or an object as these may name. A name may carry options, as in
            `"network,greedy=false"`. Python that it names is imported, so give no name from a
            source that you do not trust.
        game: The game that the agent plays.
        **options: The agent's options. They replace those of the name.

    Raises:
        ValueError: no agent, folder or object has this name, or the game has no such agent.
        CheckpointError: the checkpoint is damaged or was made for another game or box.
        TypeError: `player` is none of these, lacks the option, or makes something else.
        ImportError: Python that it names cannot be imported.
    """
    from shakespeare_env.play.agent import Agent, Searcher

    source = parse_if_name(player)
    if isinstance(source, AgentSpec):
        return _make_named(source, game, options)
    if isinstance(source, os.PathLike):
        folder = os.fspath(source)
        return _make_from(_checkpoint_maker(folder), folder, game, options)
    if not isinstance(source, Agent | Searcher) and not callable(source):
        raise TypeError(f"{source!r} cannot play: give one of {_choices()}, or {CAN_PLAY}")
    return _make_from(source, repr(source), game, options)


def _make_named(spec: AgentSpec, game: Game, options: Mapping[str, Any]) -> AnyAgent:
    label = spec.name
    not_passed_on = spec.identity_options()
    written = {name: value for name, value in spec.options.items() if name not in not_passed_on}
    maker: Any
    if label in BUILT_IN:
        module, attribute = BUILT_IN[label].maker
        maker = getattr(importlib.import_module(module), attribute)
    elif spec.python is not None:
        maker = load(spec.python)
    else:
        label = os.fspath(Path(label))
        maker = _checkpoint_maker(label)
    try:
        return _make_from(maker, label, game, {**written, **options})
    except Exception as fault:
        if not own_frames(fault):
            raise
        raise TypeError(f"{label} makes no agent: {fault_in_words(fault)}") from fault


def _checkpoint_maker(folder: str) -> Callable[..., AnyAgent]:
    if not os.path.isdir(folder):  # Path.is_dir does not take any text
        raise ValueError(
            f"there is no agent or folder {folder!r}{did_you_mean(folder, names())}; give one of "
            f"{_choices()}"
        )
    from shakespeare_agents.networks.inference import checkpoint_agent

    return partial(checkpoint_agent, Path(folder))


def _choices() -> str:
    return f"{', '.join(names())}, {HOW_TO_NAME}"


@dataclass(frozen=True)
class FunctionAgent:
    """Plays what a function like `Agent.act` chooses."""

    act: Act


def _make_from(maker: Any, name: str, game: Game, options: Mapping[str, Any]) -> AnyAgent:
    """Make an agent from an object: the agent itself, or a function or class that makes it.

    `name` is what errors call it.
    """
    from shakespeare_env.play.agent import Agent, Searcher

    if not isinstance(maker, type) and isinstance(maker, Agent | Searcher):
        _refuse_options(name, options)
        return maker
    if not callable(maker):
        raise TypeError(f"{name} cannot play: it is {short_repr(maker)}; give {CAN_PLAY}")

    maker_signature = signature(maker)
    needed = sum(map(_is_needed, maker_signature.parameters.values()))
    takes_any_number = any(
        parameter.kind is Parameter.VAR_POSITIONAL
        for parameter in maker_signature.parameters.values()
    )
    is_like_act = (needed > 1 or takes_any_number) and _takes_three(maker_signature)
    if is_like_act and not isinstance(maker, type):
        _refuse_options(name, options)
        return FunctionAgent(maker)
    if needed > 1:
        raise TypeError(
            f"{name} takes {needed} positional arguments, {maker_signature}; give {CAN_PLAY}"
        )

    arguments = [game] if needed else []
    agent = maker(*arguments, **_checked_options(name, maker_signature, options))
    if isinstance(agent, type) or not isinstance(agent, Agent | Searcher):
        raise TypeError(
            f"the agent {name!r} is {short_repr(agent)}, which has no act() and no search()"
        )
    return agent


def _is_needed(parameter: Parameter) -> bool:
    is_positional = parameter.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return is_positional and parameter.default is Parameter.empty


def _takes_three(maker_signature: Signature) -> bool:
    try:
        maker_signature.bind("observations", "masks", "generators")
    except TypeError:
        return False
    return True


def _refuse_options(name: str, options: Mapping[str, Any]) -> None:
    if options:
        raise TypeError(f"{name} is an agent already; drop its options {', '.join(options)}")


def _checked_options(
    name: str, maker_signature: Signature, options: Mapping[str, Any]
) -> dict[str, Any]:
    kinds = {
        parameter.name: type(parameter.default)
        for parameter in maker_signature.parameters.values()
        if parameter.kind is Parameter.KEYWORD_ONLY
        and type(parameter.default) in (bool, int, float, str)
    }
    checked = dict(options)
    for option, value in options.items():
        kind = kinds.get(option)
        if kind is None:
            known = ", ".join(kinds) or "none"
            question = did_you_mean(option, kinds)
            raise TypeError(
                f"the agent {name!r} has no option {option!r}{question}; its options: {known}"
            )
        # A number may be written without its point, and a name may look like a number.
        if (type(value), kind) in ((int, float), (int, str), (float, str)):
            checked[option] = kind(value)
        elif type(value) is not kind:
            raise TypeError(
                f"{option}={value!r} of the agent {name!r} must be of type {kind.__name__}"
            )
    return checked


@dataclass(frozen=True)
class Entrant:
    """An agent at one seat, and the name under which its results are counted.

    Attributes:
        name: The name.
        agent: The agent, or what it is made from; `entrants_of` makes it for a game.
        given: What the agent was made from, by default `agent` itself. Its identity, and how it
            travels to workers, may depend on this.
    """

    name: str
    agent: Any
    given: Any = None

    def __post_init__(self) -> None:
        if self.given is None:
            object.__setattr__(self, "given", self.agent)


T = TypeVar("T")


def fill_seats(named: Sequence[T], players: int | None, game: Game) -> list[T | str]:
    """Return names for all seats.

    The last of several names fills the remaining seats. A single name, or none, plays against the
    default agent. Unless `players` says how many seats there are, several names get a seat each as
    far as the game allows, and otherwise all seats play.

    Raises:
        ValueError: more are named than there are seats, or the game does not allow `players` seats.
    """
    if players is None and len(named) > 1:
        players = min(max(len(named), game.min_seats), game.max_seats)
    elif players is None:
        players = game.max_seats
    seats = game.check_players(players)
    if len(named) > seats:
        raise ValueError(
            f"{len(named)} players for {seats} seats; name fewer agents, or give more seats"
        )
    filler = named[-1] if len(named) > 1 else default(game)
    missing = seats - len(named)
    return [*named, *[filler] * missing]


def entrants_of(players: Sequence[Entrant | AgentLike], game: Game) -> list[Entrant]:
    """Make agents and name them; one that is given several times is made once.

    Text and folders are named by themselves, functions and classes by their names, and agents by
    their classes. Others of the same name get a number. Raises what `make` raises.
    """
    from shakespeare_env.play.agent import name_of

    made: dict[object, Entrant] = {}
    entrants = []
    for player in players:
        key = player if isinstance(player, str | os.PathLike) else id(player)
        if key not in made:
            if isinstance(player, Entrant):
                made[key] = _made_entrant(player, game)
            else:
                taken = {entrant.name for entrant in made.values()}
                source = parse_if_name(player)
                made[key] = Entrant(_free_name(name_of(player), taken), make(source, game), source)
        entrants.append(made[key])
    return entrants


def _made_entrant(entrant: Entrant, game: Game) -> Entrant:
    source = parse_if_name(entrant.agent)
    given = source if entrant.given is entrant.agent else entrant.given
    return replace(entrant, agent=make(source, game), given=given)


def _free_name(name: str, taken: Iterable[str]) -> str:
    numbered = (name if number == 1 else f"{name} {number}" for number in count(1))
    return next(text for text in numbered if text not in taken)
