"""Settings as text: TOML files, `NAME=VALUE` overrides, and the command that repeats a run."""

from __future__ import annotations

import shlex
import textwrap
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w

from shakespeare_env import registry
from shakespeare_training.config import TrainingConfig, make_config

CONFIGS = Path(__file__).parent / "configs"


def read_config(path: Path, overrides: Mapping[str, Any] | None = None) -> TrainingConfig:
    """Read settings from a TOML file; what it leaves out takes its default.

    Args:
        path: The file.
        overrides: Settings that replace the file's.

    Raises:
        ValueError: the file cannot be read, or a setting is unknown, mistyped or out of range.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise ValueError(f"{path}: cannot be read ({fault}); give a TOML file") from fault
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise ValueError(f"{path}: is not TOML ({fault})") from fault
    return make_config({**data, **(overrides or {})}, str(path))


def default_config(game: str, overrides: Mapping[str, Any] | None = None) -> TrainingConfig:
    """The settings a game is trained with by default: `configs/<game>.toml`, if there is one.

    Raises:
        ValueError: see `read_config`.
    """
    path = CONFIGS / f"{game}.toml"
    if path.is_file():
        return read_config(path, overrides)
    return make_config({"game": game, **(overrides or {})}, "settings")


def parse_override(text: str) -> tuple[str, Any]:
    """Split `learning_rate=1e-3` into a name and a TOML value; a string needs no quotes.

    Raises:
        ValueError: there is no `=` or no name.
    """
    name, equals, value = text.partition("=")
    name, value = name.strip(), value.strip()
    if not equals or not name:
        raise ValueError(f"{text!r}: write NAME=VALUE, such as learning_rate=1e-3")
    try:
        return name, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name, value


def as_toml(config: TrainingConfig) -> str:
    """The settings as a TOML file, each with its description."""
    lines: list[str] = []
    for name, field in TrainingConfig.model_fields.items():
        value = toml_value(getattr(config, name))
        lines += [*_comment(field.description or ""), f"{name} = {value}", ""]
    return "\n".join(lines[:-1]) + "\n"


def train_command(config: TrainingConfig, precision: str, start: Path | None = None) -> str:
    """The shell command that trains such a network.

    Args:
        config: Settings; those that differ from the game's defaults are spelled out.
        precision: What the run uses, chosen by the machine or not.
        start: The checkpoint whose weights it starts from.
    """
    defaults = default_config(config.game)
    parts = ["shakespeare", "train", *game_option(config.game), "--seed", str(config.seed)]
    parts += ["--start", str(start)] if start else []
    for name in TrainingConfig.model_fields:
        value = precision if name == "precision" else getattr(config, name)
        if value != getattr(defaults, name) and name != "seed":
            parts += ["--set", f"{name}={toml_value(value)}"]
    return shlex.join(parts)


def game_option(game: str) -> list[str]:
    """The option that names a game on the command line; none for the default game."""
    return [] if game == registry.DEFAULT else ["--game", game]


def toml_value(value: Any) -> str:
    """A value in TOML, on one line."""
    if isinstance(value, tuple):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, dict):
        pairs = [f"{_toml_key(key)} = {toml_value(item)}" for key, item in value.items()]
        return "{ " + ", ".join(pairs) + " }"
    return tomli_w.dumps({"x": value}).removeprefix("x = ").strip()


def _toml_key(key: str) -> str:
    """A key, quoted where TOML requires it."""
    return tomli_w.dumps({key: 0}).removesuffix(" = 0\n")


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, 98, initial_indent="# ", subsequent_indent="# ")
