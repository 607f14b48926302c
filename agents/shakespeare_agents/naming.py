"""Parsing the text that names an agent, without importing or reading anything."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple

BUILT_IN = ("random", "greedy", "heuristic", "network", "search")
ENTRY_POINTS = "shakespeare_env.agents"
"""The entry point group where other distributions register agents (see `registry.agent_from`)."""
_MOST_WORDS = 16
"""The most words between commas that are tried as one path."""
HOW_TO_NAME = "the folder of a checkpoint, my.py:NAME or package.module:NAME"


@cache
def installed() -> Mapping[str, EntryPoint]:
    """Agents of other distributions; built-in names take precedence."""
    found = {entry.name: entry for entry in entry_points(group=ENTRY_POINTS)}
    return {name: entry for name, entry in sorted(found.items()) if name not in BUILT_IN}


def names() -> tuple[str, ...]:
    """The agents with names.

    `random`; `greedy`, which looks one move ahead with the heuristic's evaluation; `heuristic`, a
    careful beginner; `network`, the bundled checkpoint; `search`, which plays possible games on
    with it; and those registered under `ENTRY_POINTS`.
    """
    return (*BUILT_IN, *installed())


class PythonName(NamedTuple):
    """An agent in a file that ends in `.py`, or in a module: `source:attribute`."""

    source: str
    attribute: str

    @property
    def is_file(self) -> bool:
        """Whether the source is a file."""
        return self.source.endswith(".py")

    def __str__(self) -> str:
        return ":".join(self)


def python_name(text: str) -> PythonName | None:
    """The Python that a text names, with options or without.

    None for the names of agents, and for existing folders, which are checkpoints.
    """
    name, _ = split_options(text)
    if name in names() or os.path.isdir(name):
        return None
    if name.endswith(".py"):
        return PythonName(name, "")
    found = PythonName(*name.rpartition(":")[::2])
    parts = [*found.source.split("."), *found.attribute.split(".")]
    return found if found.is_file or all(map(str.isidentifier, parts)) else None


def own_name(text: str) -> PythonName | None:
    """The Python that a text names, itself or as the name of an installed agent."""
    entry = installed().get(split_options(text)[0])
    return python_name(text) if entry is None else PythonName(entry.module, entry.attr)


def split_options(text: str) -> tuple[str, dict[str, Any]]:
    """A name and its options: `greedy,samples=4` as `greedy` and `{"samples": 4}`.

    Commas in the path of what exists part nothing, in a name and in an option's value.
    """
    name, *parts = _parts(text)
    if not all("=" in part for part in parts):
        return text, {}
    options: dict[str, Any] = {}
    for part in parts:
        option, _, value = part.partition("=")
        try:
            options[option.strip()] = json.loads(value)
        except (ValueError, RecursionError):
            options[option.strip()] = value
    return name, options


def _parts(text: str) -> Iterator[str]:
    words = text.split(",")
    at = 0
    while at < len(words):
        ends = range(min(len(words), at + _MOST_WORDS), at + 1, -1)
        joined = (",".join(words[at:end]) for end in ends)
        # The first is a name, the others are options with values.
        found = (one for one in joined if _is_there(one.partition("=")[2] if at else one))
        part = next(found, words[at])
        yield part
        at += part.count(",") + 1


def _is_there(path: str) -> bool:
    source, _, attribute = path.rpartition(":")
    return os.path.exists(path) or (os.path.isfile(source) and "," not in attribute)


def running_python(players: Iterable[str]) -> list[str]:
    """Those of some agents' names whose agents are made by importing Python.

    Callers must check them before making agents from a file that a stranger may have written.
    """
    return [player for player in players if python_name(player) is not None]
