"""Digests of what decides how an agent plays."""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
import os
from collections.abc import Iterable
from pathlib import Path
from types import MethodType
from typing import Any

from shakespeare_agents.baselines import GreedyAgent, RandomAgent
from shakespeare_agents.naming import (
    BELONGINGS,
    BUILT_IN,
    FunctionAgent,
    belongings,
    loaded_digest,
    own_name,
    split_options,
)
from shakespeare_agents.networks.inference import NetworkAgent
from shakespeare_agents.object_state import is_own, state_digest
from shakespeare_agents.search.agent import SearchAgent
from shakespeare_env.checks.values import shown
from shakespeare_env.core.game import Game
from shakespeare_env.play.agent import AnyAgent, Player, name_of

DIGITS = 16
"""The hexadecimal digits of an agent's digest."""
_PACKAGE = Path(__file__).parent


def digest_of(name: str, agent: AnyAgent, given: Player, game: Game) -> str:
    """A digest of what an agent is made of beside its name, to notice when that has changed.

    It covers a network's weights and search options, or the source that Python's name points to,
    with its version and files; it is empty for other agents that their name says all about. Those
    made from something else than their name have their `agent_digest`, with its errors.
    """
    if isinstance(given, str | os.PathLike) and os.fspath(given) == name:
        own = _belongings(name, agent)
        return _joined([_made_of(name, agent), _digest([own]) if own else ""])
    return agent_digest(given, agent, game)


def _made_of(name: str, agent: AnyAgent) -> str:
    python = own_name(name)
    return _joined([_weights_digest(agent), "" if python is None else loaded_digest(python)])


def _joined(digests: list[str]) -> str:
    """One digest by itself, two as the digest of both."""
    joined = "".join(digests)
    return hashlib.sha256(joined.encode()).hexdigest() if all(digests) else joined


def _weights_digest(agent: AnyAgent) -> str:
    if isinstance(agent, NetworkAgent):
        return agent.network.digest()
    if isinstance(agent, SearchAgent) and isinstance(agent.prior, NetworkAgent):
        player = agent.player
        made_from = agent.prior.network.digest(), agent.plan, player.horizon, player.temperature
        return hashlib.sha256(repr(made_from).encode()).hexdigest()
    return ""


def agent_digest(given: Player, agent: AnyAgent, game: Game) -> str:
    """The digest of an agent, whatever its name.

    It covers a network's weights, options, and the code that plays (see `code_digest`): a built-in
    agent's own modules; for named Python, the module named and the one that defines the object,
    without what they import and read; for objects, all they are made of (see `state_digest`). The
    files and the version that an agent names count, too. Other packages count by name.

    Args:
        given: The value that it was made from.
        agent: The agent made for the game.
        game: The game that it plays.

    Raises:
        TypeError: it cannot be known again, as its state cannot be pickled and it has no version.
        ValueError: a file that it names is not there.
    """
    own = _belongings(given, agent)
    return _digest([game.name, *_facts(given, agent, game), *sorted(own.items())])


def _belongings(given: Player, agent: AnyAgent) -> dict[str, Any]:
    """The version of an agent of one's own and the content of its files, as far as it names them.

    An attribute counts beside an option of the same name.
    """
    holder: Any = agent.act if isinstance(agent, FunctionAgent) else agent
    holder = holder.__self__ if isinstance(holder, MethodType) else holder
    named = belongings(given) if isinstance(given, str) else dict.fromkeys(BELONGINGS)
    found: dict[str, Any] = {}
    for name, option in named.items():
        told = [one for one in (getattr(holder, name, None), option) if one is not None]
        if told:
            found[name] = [_version(one) if name == "version" else _content(one) for one in told]
    return found


def _version(version: Any) -> str:
    if not isinstance(version, str | int | float):
        raise TypeError(f"the version of an agent is {shown(version)}; give text or a number")
    return str(version)


def _content(files: Any) -> list[Any]:
    """Digests of files, by their paths in a folder that is named instead."""
    found = []
    for path in files if isinstance(files, list | tuple) else [files]:
        place = Path(str(path))
        held = [file for file in (place, *sorted(place.rglob("*"))) if file.is_file()]
        if not held:
            raise ValueError(
                f"there is no file {shown(str(path))}, which an agent names as its own; give the "
                f"path of one, or of a folder of files, from {os.getcwd()}"
            )
        for file in held:
            with file.open("rb") as content:
                digest = hashlib.file_digest(content, "sha256").hexdigest()
            found.append([file.relative_to(place).as_posix(), digest])
    return found


def _facts(given: Player, agent: AnyAgent, game: Game) -> list[Any]:
    label, options = split_options(given) if isinstance(given, str) else ("", dict[str, Any]())
    heuristics = sorted((_PACKAGE / "heuristics").glob(f"{game.name}*.py"))
    heuristics.append(_PACKAGE / "heuristics" / "best_action.py")
    # Subclasses may play otherwise.
    if type(agent) is NetworkAgent:
        made_of = agent.network.digest(), agent.greedy
        return ["network", *made_of, code_digest([_PACKAGE / "networks" / "network_agent.py"])]
    weights = _weights_digest(agent)
    # Others may search or look ahead with a judgement of their own.
    if type(agent) is SearchAgent and (weights or label in BUILT_IN):
        search = sorted((_PACKAGE / "search").glob("*.py"))
        code = search if weights else [*search, *heuristics]
        # Threads change no move.
        facts = {name: value for name, value in options.items() if name != "threads"}
        return ["search", weights or _sorted(facts), code_digest(code)]
    if type(agent) is RandomAgent:
        return ["random", code_digest([_PACKAGE / "random_agent.py"])]
    if type(agent) is GreedyAgent and label in BUILT_IN:
        code = [_PACKAGE / "greedy.py", *heuristics]
        return ["greedy", _sorted(options), code_digest(code)]
    if given == "heuristic":
        return ["heuristic", code_digest(heuristics)]
    if isinstance(given, str) and (source := _made_of(given, agent)):
        name = own_name(given)
        own = {key: options[key] for key in options.keys() - belongings(given)}
        return ["python", source, "" if name is None else name.attribute, _sorted(own)]
    return ["object", *_made_of_state(given, agent)]


def _made_of_state(given: Player, agent: AnyAgent) -> list[str]:
    """The state of an agent, and the source of what a library defines or no state tells."""
    kind: Any = agent.act if isinstance(agent, FunctionAgent) else type(agent)
    try:
        state = state_digest(agent)
    except TypeError as fault:
        if "version" not in _belongings(given, agent):
            raise TypeError(
                f"{name_of(given)} could not be told from others of its kind, whose games would "
                f"count as its own ({fault}); name it as my.py:NAME, make it picklable, or give it "
                "a `version`, another one whenever it plays otherwise"
            ) from fault
        state = ""
    kind = kind if inspect.isroutine(kind) or inspect.isclass(kind) else type(kind)
    return ["" if state and is_own(kind) else _source_of(kind), state]


def code_digest(files: Iterable[Path]) -> str:
    """SHA-256 of the code in Python files, without imports, comments, docstrings and layout.

    Where a name comes from changes no move: digests outlive modules that change places.
    """
    return _digest([_shape(ast.parse(file.read_text(encoding="utf-8"))) for file in files])


def _shape(node: Any) -> Any:
    """A syntax tree as JSON; `ast.dump` writes the same code differently in other Pythons."""
    if isinstance(node, list):
        return [_shape(one) for one in node if not _is_import(one) and not _is_text(one)]
    if not isinstance(node, ast.AST):
        return repr(node)
    given = [(name, value) for name, value in ast.iter_fields(node) if value not in (None, [])]
    return [type(node).__name__, *([name, _shape(value)] for name, value in given)]


def _is_import(statement: object) -> bool:
    return isinstance(statement, ast.Import | ast.ImportFrom)


def _is_text(statement: object) -> bool:
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Constant):
        return False
    return isinstance(statement.value.value, str)


def _source_of(source: Any) -> str:
    """The source of a function or class; where there is none, its own name."""
    try:
        return inspect.getsource(source)
    except (OSError, TypeError):
        return f"{source.__module__}.{source.__qualname__}"


def _sorted(options: dict[str, Any]) -> str:
    return json.dumps(options, sort_keys=True)


def _digest(facts: list[Any]) -> str:
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:DIGITS]
