"""Names of agents, parsed into `AgentSpec`, and the tables of built-in and installed agents."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shakespeare_agents.heuristics import best_untrained_agent
from shakespeare_agents.python_names import PythonName, load

if TYPE_CHECKING:
    from shakespeare_env.core.game import Game
    from shakespeare_env.play.agent import AgentLike

ENTRY_POINTS = "shakespeare_env.agents"
"""The entry point group where other distributions register agents."""
HOW_TO_NAME = "the folder of a checkpoint, net.onnx, my.py:NAME or package.module:NAME"
"""Ways to name agents besides `names()`, for help texts and error messages."""
IDENTITY_OPTIONS = ("files", "version", "weights")
"""Options that distinguish agents that share their code."""
MODEL_FILES = (".onnx", ".pt", ".pts")
"""How files of models end: ONNX, and PyTorch's TorchScript."""


@dataclass(frozen=True)
class BuiltInAgent:
    """An agent of this package, which has a short name.

    Attributes:
        description: A phrase that says what the agent does, shown by `--help`.
        maker: The class or function that makes the agent. It is imported only when needed, to keep
            the shell's completion quick.
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
    """Return the agents that other distributions register, by name.

    Built-in agents take precedence over registered agents of the same name.
    """
    entries = sorted((entry.name, entry) for entry in entry_points(group=ENTRY_POINTS))
    return {
        name: PythonName(entry.module, entry.attr)
        for name, entry in entries
        if name not in BUILT_IN
    }


def names() -> tuple[str, ...]:
    """Return the names of the built-in agents, then of those registered under `ENTRY_POINTS`."""
    return (*BUILT_IN, *installed_agents())


_COMMA_BEFORE_OPTION = re.compile(r",(?=\s*\w*\s*=)")


@dataclass(frozen=True)
class AgentSpec:
    """A parsed agent name: what it refers to, and the options written after it.

    Attributes:
        text: The complete name, such as `search,network=runs/mine`.
        name: The part before the options: one of `names()`, a checkpoint's folder, or the name of
            a Python object.
        written_options: The options' values as text, by option.
        python: The Python object that is imported to make the agent, or the network of a search.
            It is None for built-in agents, checkpoints and files of models.
    """

    text: str
    name: str
    written_options: Mapping[str, str] = field(hash=False)
    python: PythonName | None

    @classmethod
    def parse(cls, text: str) -> AgentSpec:
        """Parse a name. The path of an existing file or folder has no options."""
        parts = [text] if os.path.exists(text) else _COMMA_BEFORE_OPTION.split(text)
        name = parts[0]
        written: dict[str, str] = {}
        for part in parts[1:]:
            option, _, value = part.partition("=")
            written[option.strip()] = value
        # A search may play from a network that is Python code.
        python_name = written.get("network", "") if name == "search" else name
        return cls(text, name, written, _parse_python_name(python_name))

    @property
    def options(self) -> dict[str, Any]:
        """The options' values: parsed where they are JSON, and text otherwise."""
        return {option: _json_or_text(value) for option, value in self.written_options.items()}

    @property
    def runs_python(self) -> bool:
        """Whether making the agent runs code that the user has not installed.

        TorchScript counts as such code, ONNX does not.
        """
        if self.model_file is not None:
            return self.model_file.suffix != ".onnx"
        return self.python is not None and self.python not in installed_agents().values()

    @property
    def goes_by_clock(self) -> bool:
        """Whether the agent is a search that has seconds for a move instead of playouts."""
        return self.name == "search" and bool(self.options.get("seconds"))

    def identity_options(self) -> dict[str, Any]:
        """Return the options of `IDENTITY_OPTIONS`, less those that the Python object itself takes.

        Raises:
            ValueError, ImportError: the Python object cannot be imported (see `load`).
        """
        options = self.options
        written = options.keys() & set(IDENTITY_OPTIONS)
        if self.python is None or not written:
            return {}
        maker = load(self.python)
        own_options = signature(maker).parameters if callable(maker) else ()
        return {option: options[option] for option in written if option not in own_options}

    def maker_options(self) -> dict[str, Any]:
        """Return the options that are arguments of the Python object: all but `identity_options`.

        Raises:
            ValueError, ImportError: the Python object cannot be imported (see `load`).
        """
        others = self.identity_options()
        return {option: value for option, value in self.options.items() if option not in others}

    @property
    def model_file(self) -> Path | None:
        """The file of the model that the agent, or the search, plays from; None without one."""
        name = self.network().name
        is_file = name.endswith(MODEL_FILES) and not os.path.isdir(name)
        return Path(name) if is_file else None

    def checkpoint(self, game: Game) -> Path | None:
        """Return the folder of the checkpoint that the agent plays from; None if it has none."""
        from shakespeare_agents.networks.checkpoint import NEWEST, bundled_checkpoint

        if self.name == "network":
            return bundled_checkpoint(game, self.options.get("version", NEWEST))
        is_folder = self.name not in names() and os.path.isdir(self.name)
        return Path(self.name) if is_folder else None

    def network(self) -> AgentSpec:
        """Return the spec of the network that a search uses. Other agents return themselves."""
        # A search with the option `rollouts` uses no network.
        if self.name != "search" or "rollouts" in self.options:
            return self
        network = str(self.options.get("network", "network"))
        options = [
            f",{option}={self.written_options[option]}"
            for option in IDENTITY_OPTIONS
            if option in self.written_options
        ]
        return AgentSpec.parse("".join([network, *options]))

    def with_absolute_path(self) -> AgentSpec:
        """Return this spec with an absolute path of its Python file or model, if it names one."""
        if self.python is not None and self.python.is_in_file:
            file = self.python.source
        elif self.model_file is not None:
            file = self.network().name
        else:
            return self
        return AgentSpec.parse(self.text.replace(file, str(Path(file).resolve()), 1))


def _parse_python_name(name: str) -> PythonName | None:
    if name in names() or os.path.isdir(name):
        return installed_agents().get(name)  # None for built-in agents and checkpoints
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
    """Return the spec of a name. Return anything else as it is."""
    return AgentSpec.parse(player) if isinstance(player, str) else player


def public_name(text: str) -> str:
    """Return an agent's name without the folders in its paths, to show it to other people.

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
    """Return the names whose agents run Python that the user has not installed.

    Callers must check this before they make agents named in a file, because a stranger may have
    written the file.
    """
    return [name for name in players if AgentSpec.parse(name).runs_python]


def default(game: Game) -> str:
    """Return the name of a game's strongest built-in agent that does not search.

    It is `network` if a bundled network fits the game with its current box. Otherwise it is
    `heuristic` if the game has a heuristic, and `random` if it has none.
    """
    from shakespeare_agents.networks import checkpoint

    with suppress(ValueError):  # no network is bundled, or the current box has other actions
        folder = checkpoint.bundled_checkpoint(game)
        checkpoint.check_fits(checkpoint.read_card(folder), game, folder)
        return "network"
    return best_untrained_agent(game)
