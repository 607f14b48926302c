"""Agents made from names or objects, and seats filled with them."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import Parameter, Signature, signature
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from shakespeare_agents.naming import (
    BUILT_IN,
    HOW_TO_NAME,
    AgentSpec,
    default,
    names,
    parse_if_name,
)
from shakespeare_agents.python_names import fault_in_words, load
from shakespeare_env.checks.values import did_you_mean, short_repr
from shakespeare_env.errors import own_frames

if TYPE_CHECKING:
    from shakespeare_env.core.game import Game
    from shakespeare_env.play.agent import Act, Advisor, AgentLike, AnyAgent

CAN_PLAY = (
    "an object with act() or search(), a function of observations, masks and generators, a model "
    "(a module of PyTorch, or a function of observations and masks), or a class or function that "
    "makes one of these from the game or from no argument"
)
"""Objects from which an agent can be made, for error messages."""
_MODEL_OPTIONS = ("greedy", "weights")
"""Options of agents that are made from a model."""


def make(player: AgentLike | AgentSpec, game: Game, **options: Any) -> AnyAgent:
    """Make an agent for a game.

    An object with act() or search() plays as it is. A function of three arguments, or of any
    number, is used as an `Agent.act`. Any other function, and every class, is called to make the
    agent: with the `Game` if it requires a positional argument, and otherwise with none. Its
    keyword-only parameters with defaults of type bool, int, float or str are the agent's options.

    Args:
        player: One of `names()`, a checkpoint's folder, `path/to/my.py:NAME`,
            `package.module:NAME`, or an object that such a name may refer to. A name may carry
            options, as in `"network,greedy=false"`. Python code that it refers to is imported, so
            do not pass names from untrusted sources.
        game: The game that the agent plays.
        **options: The agent's options. They override those in the name.

    Raises:
        ValueError: no agent, folder or object has this name, or the game has no such agent.
        CheckpointError: the checkpoint is damaged or was made for another game or box.
        TypeError: `player` cannot play, has no such option, or makes something that cannot play.
        ImportError: the Python code that the name refers to cannot be imported.
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
    # A search's `weights` are passed on to its network. Other agents take them as an option.
    if label != "search":
        not_passed_on.pop("weights", None)
    options_in_name = {
        option: value for option, value in spec.options.items() if option not in not_passed_on
    }
    maker: Any
    if label in BUILT_IN:
        module, attribute = BUILT_IN[label].maker
        maker = getattr(importlib.import_module(module), attribute)
        if spec.python is not None or spec.model_file is not None:  # a search with its own network
            del options_in_name["network"]
            # Options that a search lacks are those of its network.
            own = [name for name in options_in_name if name not in signature(maker).parameters]
            of_network = {option: options_in_name.pop(option) for option in own}
            maker = partial(maker, network=_advisor(spec.network(), game, of_network))
    elif spec.model_file is not None:
        maker = partial(_model_file_agent, spec.model_file)
    elif spec.python is not None:
        maker = load(spec.python)
    else:
        label = os.fspath(Path(label))
        maker = _checkpoint_maker(label)
    try:
        return _make_from(maker, label, game, {**options_in_name, **options})
    except Exception as fault:
        if not own_frames(fault):  # the fault did not arise in the user's code
            raise
        raise TypeError(f"{label} does not make an agent: {fault_in_words(fault)}") from fault


def _advisor(spec: AgentSpec, game: Game, options: Mapping[str, Any]) -> Advisor:
    """Make the network of a search; TypeError if it gives no probabilities."""
    from shakespeare_env.play.agent import Advisor

    agent = make(spec, game, **options)
    if not isinstance(agent, Advisor):
        raise TypeError(
            f"a search cannot use {spec.text!r}, which has no probabilities(); give a model, or an "
            "agent that says how likely it is to play each action"
        )
    return agent


def _model_file_agent(file: Path, game: Game, /, *, greedy: bool = True) -> AnyAgent:
    from shakespeare_agents.networks.models import model_agent, model_in_file

    if not file.is_file():
        raise ValueError(f"there is no file {str(file)!r}; give the path of one that exists")
    return model_agent(model_in_file(file), game, greedy=greedy)


def _checkpoint_maker(folder: str) -> Callable[..., AnyAgent]:
    if not os.path.isdir(folder):  # Path.is_dir fails for text with a null byte
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
    """An agent made from a function that is called like `Agent.act`."""

    act: Act


def _make_from(maker: Any, name: str, game: Game, options: Mapping[str, Any]) -> AnyAgent:
    """Make an agent from an object: the agent itself, or a function or class that makes it.

    Error messages call the object `name`.
    """
    from shakespeare_agents.networks import models
    from shakespeare_env.play.agent import Agent, Searcher

    if models.is_torch_module(maker):
        return models.torch_agent(
            maker, game, **checked_options(name, signature(models.torch_agent), options)
        )
    if not isinstance(maker, type) and isinstance(maker, Agent | Searcher):
        _refuse_options(name, options)
        return maker
    if not callable(maker):
        raise TypeError(f"{name} cannot play: it is {short_repr(maker)}; give {CAN_PLAY}")

    maker_signature = signature(maker)
    parameters = maker_signature.parameters.values()
    required = required_positional(maker)
    takes_any_number = any(parameter.kind is Parameter.VAR_POSITIONAL for parameter in parameters)
    is_like_act = (required > 1 or takes_any_number) and _takes_three(maker_signature)
    # A function of observations, masks and generators is the agent's `act`.
    if is_like_act and not isinstance(maker, type):
        _refuse_options(name, options)
        return FunctionAgent(maker)
    # A function of observations and masks is a model.
    if required == 2 and not isinstance(maker, type):
        model = models.function_model(maker)
        options = checked_options(name, signature(models.model_agent), options)
        return models.model_agent(model, game, **options)
    if required > 1:
        raise TypeError(
            f"{name} takes {required} positional arguments, {maker_signature}; give {CAN_PLAY}"
        )

    # Any other function, and every class, makes the agent or a PyTorch module. The options for a
    # module (`_MODEL_OPTIONS`) go to the maker only if it takes them itself.
    own_options = {
        option: value
        for option, value in options.items()
        if option not in _MODEL_OPTIONS or option in maker_signature.parameters
    }
    agent = call_maker(maker, name, game, own_options)
    if models.is_torch_module(agent):
        rest = {option: options[option] for option in options.keys() - own_options.keys()}
        return models.torch_agent(
            agent, game, **checked_options(name, signature(models.torch_agent), rest)
        )
    # This is no module, so the options for a module are refused.
    checked_options(name, maker_signature, options)
    if isinstance(agent, type) or not isinstance(agent, Agent | Searcher):
        raise TypeError(
            f"the agent {name!r} is {short_repr(agent)}, which has no act() and no search()"
        )
    return agent


def call_maker(maker: Callable[..., Any], name: str, game: Game, options: Mapping[str, Any]) -> Any:
    """Return what a class or function makes: from the game, or from no argument if it takes none.

    Args:
        maker: The class or function.
        name: Its name in errors.
        game: The game.
        options: Values of its keyword-only parameters.

    Raises:
        TypeError: it has no such option, or the option has another type.
    """
    maker_signature = signature(maker)
    arguments = [game] if required_positional(maker) else []
    return maker(*arguments, **checked_options(name, maker_signature, options))


def required_positional(function: Callable[..., Any]) -> int:
    """Return the number of positional parameters without default of a class or function."""
    return sum(map(_is_required_positional, signature(function).parameters.values()))


def _is_required_positional(parameter: Parameter) -> bool:
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
        raise TypeError(
            f"{name} is an agent already and takes no options; drop {', '.join(options)}"
        )


def checked_options(
    name: str, maker_signature: Signature, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return options converted to the types of the keyword-only parameters that take them.

    Args:
        name: The name of the class or function, for errors.
        maker_signature: Its signature.
        options: The options' values.

    Raises:
        TypeError: there is no such option, or it has another type.
    """
    # The type of each option that may be given.
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
            raise TypeError(f"{name!r} has no option {option!r}{question}; its options: {known}")
        # A float may be written without a decimal point, and a text may look like a number.
        if (type(value), kind) in ((int, float), (int, str), (float, str)):
            checked[option] = kind(value)
        elif type(value) is not kind:
            raise TypeError(f"{option}={value!r} of {name!r} must be of type {kind.__name__}")
    return checked


@dataclass(frozen=True)
class Entrant:
    """An agent at one seat, and the name under which its results are counted.

    Attributes:
        name: The name.
        agent: The agent, or anything that `make` accepts. `entrants_of` replaces it by the agent.
        given: What the agent was made from, by default `agent` itself. The agent's identity, and
            how it is sent to workers, may depend on it.
    """

    name: str
    agent: Any
    given: Any = None

    def __post_init__(self) -> None:
        if self.given is None:
            object.__setattr__(self, "given", self.agent)


T = TypeVar("T")


def fill_seats(named: Sequence[T], players: int | None, game: Game) -> list[T | str]:
    """Return an agent for each seat, given agents for some of them.

    The last of several agents fills the remaining seats. A single agent plays against the default
    agent. If no agent is given, the default agent plays every seat.

    Args:
        named: The agents, or their names.
        players: The number of seats. By default two or more agents get one seat each, if the game
            allows it, and fewer play at a full table.
        game: The game.

    Raises:
        ValueError: there are more agents than seats, or the game does not allow `players` seats.
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
    """Make a named agent for each seat. A player that is given several times is made once.

    A name or folder is kept as the entrant's name. Functions and classes are called by their own
    names, and other objects by their class's. A number distinguishes entrants of the same name.

    Raises:
        ValueError, CheckpointError, TypeError, ImportError: as for `make`.
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
    # If `given` was set to something other than `agent`, it is kept.
    given = source if entrant.given is entrant.agent else entrant.given
    return replace(entrant, agent=make(source, game), given=given)


def _free_name(name: str, taken: Iterable[str]) -> str:
    numbered = (name if number == 1 else f"{name} {number}" for number in count(1))
    return next(text for text in numbered if text not in taken)
