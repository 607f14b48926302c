"""Settings as text: TOML files, `NAME=VALUE` overrides, and the command that repeats a run."""

from __future__ import annotations

import shlex
import textwrap
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shakespeare_agents.storage import read_bounded
from shakespeare_env import registry
from shakespeare_env.extras import needing
from shakespeare_training.config import TrainingConfig, make_config

with needing("train", "training needs"):
    import tomlkit

CONFIGS = Path(__file__).parent / "configs"
_LARGEST = 2**20
"""Bytes of a file of settings."""


def read_config(
    path: Path, overrides: Mapping[str, Any] | None = None, origin: str = "settings"
) -> TrainingConfig:
    """Read a TOML file, replace some of its settings, and add defaults for the missing ones.

    Overrides are checked first, so that errors name their `origin`, and the file for what stands in
    it.

    Raises:
        ValueError: the file cannot be read, or as in `make_config`.
    """
    content = read_bounded(path, _LARGEST, "give a TOML file")
    try:
        data = tomllib.loads(content.decode())
    except (ValueError, RecursionError) as fault:
        raise ValueError(f"{path}: is not TOML ({fault})") from fault
    if overrides:
        make_config({"game": data.get("game", registry.DEFAULT), **overrides}, origin)
        make_config(data, str(path))
        return make_config({**data, **overrides}, f"{path} with {origin}")
    return make_config(data, str(path))


def default_config(
    game: str, overrides: Mapping[str, Any] | None = None, origin: str = "settings"
) -> TrainingConfig:
    """The default settings of a game, `configs/<game>.toml` if it exists, checked as any others."""
    path = CONFIGS / f"{game}.toml"
    if path.is_file():
        return read_config(path, overrides, origin)
    return make_config({"game": game, **(overrides or {})}, origin)


def parse_override(text: str) -> tuple[str, Any]:
    """Split `learning_rate=1e-3` into a name and a TOML value; a string needs no quotes.

    Raises:
        ValueError: no `=`, or no name.
    """
    name, equals, value = map(str.strip, text.partition("="))
    if not equals or not name:
        raise ValueError(f"{text!r}: write NAME=VALUE, such as learning_rate=1e-3")
    try:
        return name, tomllib.loads(f"value = {value}")["value"]
    except (ValueError, RecursionError):
        return name, value


def as_toml(config: TrainingConfig) -> str:
    """The settings as a TOML file, each with its description."""
    entries = []
    for name, field in TrainingConfig.model_fields.items():
        comment = textwrap.fill(
            field.description or "", 98, initial_indent="# ", subsequent_indent="# "
        )
        entries.append(f"{comment}\n{name} = {toml_value(getattr(config, name))}\n")
    return "\n".join(entries)


def train_command(config: TrainingConfig, precision: str, start: Path | None = None) -> str:
    """The shell command that trains such a network from a checkpoint, in the precision in use."""
    parts = ["shakespeare", "train", *game_option(config.game), "--seed", str(config.seed)]
    parts += ["--start", str(start)] if start else []
    defaults = {**dict(default_config(config.game)), "seed": config.seed}
    for name, value in {**dict(config), "precision": precision}.items():
        if value != defaults[name]:
            parts += ["--set", f"{name}={toml_value(value)}"]
    return shlex.join(parts)


def game_option(game: str) -> list[str]:
    """The option that names a game on the command line; none for the default game."""
    return [] if game == registry.DEFAULT else ["--game", game]


def toml_value(value: Any) -> str:
    """A value in TOML, on one line."""
    if not isinstance(value, dict):
        return str(tomlkit.item(value).as_string())
    table = tomlkit.inline_table()
    table.update(value)
    return table.as_string()
