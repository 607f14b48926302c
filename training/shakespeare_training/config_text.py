"""Settings as text: TOML files, `NAME=VALUE` overrides, and the command that repeats a run."""

from __future__ import annotations

import shlex
import textwrap
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shakespeare_agents.storage import read_bounded
from shakespeare_env.checks.values import meant, shown
from shakespeare_env.core import registry
from shakespeare_env.extras import needing
from shakespeare_training.config import TrainingConfig, make_config, settings_of

with needing("train", "training needs"):
    import tomlkit

CONFIGS = Path(__file__).parent / "configs"
"""A folder for each game, with a file for each of its bundled settings."""
_DEFAULT = "ppo"
"""The name of the default settings."""
_LARGEST = 2**20
"""The most bytes of a file of settings."""


def read_config(
    path: Path, overrides: Mapping[str, Any] | None = None, origin: str = "settings"
) -> TrainingConfig:
    """Read a TOML file, replace some of its settings, and add defaults for the missing ones.

    The file is checked by itself first, so that errors name the one at fault.

    Raises:
        ValueError: the file cannot be read, or as in `make_config`.
    """
    content = read_bounded(path, _LARGEST, "give a TOML file")
    try:
        data = tomllib.loads(content.decode())
    except (ValueError, RecursionError) as fault:
        raise ValueError(f"{path}: is not TOML ({fault})") from fault
    config = make_config(data, str(path))
    if not overrides:
        return config
    return make_config({**data, **overrides}, origin)


def bundled_names(game: str) -> list[str]:
    """Names of the bundled settings of a game, `configs/<game>/<name>.toml`."""
    return sorted(path.stem for path in (CONFIGS / game).glob("*.toml"))


def default_config(
    game: str, overrides: Mapping[str, Any] | None = None, origin: str = "settings"
) -> TrainingConfig:
    """The default settings of a game and of the algorithm in `overrides`, checked as any others."""
    overrides = overrides or {}
    name, known = overrides.get("algorithm", _DEFAULT), bundled_names(game)
    if not known:
        return make_config({"game": game, **overrides}, origin)
    path = CONFIGS / game / f"{name if name in known else _DEFAULT}.toml"
    return read_config(path, overrides, origin)


def chosen_config(
    choice: str | None, overrides: Mapping[str, Any], origin: str = "settings"
) -> TrainingConfig:
    """The settings in a TOML file or bundled under a name, with overrides; None is the default.

    Raises:
        ValueError: there is nothing of that name, or as in `read_config`.
    """
    game = overrides.get("game", registry.DEFAULT)
    if game not in registry.names():
        game = registry.DEFAULT  # `read_config` reports the fault
    if choice is None:
        return default_config(game, overrides, origin)
    known = bundled_names(game)
    if choice in known:
        return read_config(CONFIGS / game / f"{choice}.toml", overrides, origin)
    path = Path(choice)
    if path.name == choice and not path.suffix and not path.exists():
        raise ValueError(
            f"--config {shown(choice)}{meant(choice, known)}: give a TOML file, or one of the "
            f"bundled settings of {game}: {', '.join(known) or 'none'}"
        )
    return read_config(path, overrides, origin)


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
    """The settings that its algorithm has as a TOML file, each with its description."""
    entries = []
    for name in settings_of(config.algorithm):
        field = TrainingConfig.model_fields[name]
        comment = textwrap.fill(
            field.description or "", 98, initial_indent="# ", subsequent_indent="# "
        )
        entries.append(f"{comment}\n{name} = {toml_value(getattr(config, name))}\n")
    return "\n".join(entries)


def train_command(config: TrainingConfig, precision: str, start: Path | None = None) -> str:
    """The shell command that trains such a network from a checkpoint, in the precision in use."""
    parts = ["shakespeare", "train", *game_option(config.game)]
    parts += [] if config.algorithm == _DEFAULT else ["--config", config.algorithm]
    parts += ["--seed", str(config.seed)]
    parts += ["--start", str(start)] if start else []
    defaults = default_config(config.game, {"algorithm": config.algorithm})
    settings = {**dict(config), "precision": precision, "seed": defaults.seed}
    for name in settings_of(config.algorithm):
        if (value := settings[name]) != getattr(defaults, name):
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
