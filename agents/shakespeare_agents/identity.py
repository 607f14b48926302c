"""Digests of what decides how an agent plays."""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shakespeare_agents.greedy import GreedyAgent
from shakespeare_agents.naming import python_name, split_options
from shakespeare_agents.networks.network_agent import NetworkAgent
from shakespeare_agents.python_agents import loaded_digest
from shakespeare_agents.random_agent import RandomAgent
from shakespeare_agents.search.agent import SearchAgent
from shakespeare_env.core.game import Game
from shakespeare_env.play.agent import AnyAgent, Player

DIGITS = 16
"""The hexadecimal digits of an agent's digest."""
_PACKAGE = Path(__file__).parent


def digest_of(name: str, agent: AnyAgent) -> str:
    """SHA-256 of what an agent of that name was made from, to notice when that has changed.

    It covers a network's weights and search options, or the source that Python's name points to; it
    is empty for others.
    """
    python = python_name(name)
    found = [_weights_digest(agent), "" if python is None else loaded_digest(python)]
    both = all(found)
    return hashlib.sha256("".join(found).encode()).hexdigest() if both else "".join(found)


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
    agent's own modules; for named Python, the module named and the one that defines the object.
    Their imports and the versions of other packages are not covered.

    Args:
        given: The value that it was made from.
        agent: The agent made for the game.
        game: The game that it plays.
    """
    return _digest([game.name, *_facts(given, agent, game)])


def _facts(given: Player, agent: AnyAgent, game: Game) -> list[Any]:
    options = split_options(given)[1] if isinstance(given, str) else {}
    heuristics = sorted((_PACKAGE / "heuristics").glob(f"{game.name}*.py"))
    heuristics.append(_PACKAGE / "heuristics" / "best_action.py")
    # Subclasses may play otherwise.
    if type(agent) is NetworkAgent:
        made_of = agent.network.digest(), agent.greedy
        return ["network", *made_of, code_digest([_PACKAGE / "networks" / "network_agent.py"])]
    if type(agent) is SearchAgent:
        search = sorted((_PACKAGE / "search").glob("*.py"))
        weights = _weights_digest(agent)
        code = search if weights else [*search, *heuristics]
        # Threads change no move.
        facts = {name: value for name, value in options.items() if name != "threads"}
        return ["search", weights or _sorted(facts), code_digest(code)]
    if type(agent) is RandomAgent:
        return ["random", code_digest([_PACKAGE / "random_agent.py"])]
    if type(agent) is GreedyAgent:
        code = [_PACKAGE / "greedy.py", *heuristics]
        return ["greedy", _sorted(options), code_digest(code)]
    if given == "heuristic":
        return ["heuristic", code_digest(heuristics)]
    if isinstance(given, str) and (source := digest_of(given, agent)):
        name = python_name(given)
        return ["python", source, "" if name is None else name.attribute, _sorted(options)]
    return ["object", str(given) if isinstance(given, str) else _source_of(given)]


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


def _source_of(given: object) -> str:
    """The source of a function, or of an object's class; where there is none, its own name."""
    source = given if inspect.isroutine(given) or inspect.isclass(given) else type(given)
    try:
        return inspect.getsource(source)
    except (OSError, TypeError):
        return f"{source.__module__}.{source.__qualname__}"


def _sorted(options: dict[str, Any]) -> str:
    return json.dumps(options, sort_keys=True)


def _digest(facts: list[Any]) -> str:
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:DIGITS]
