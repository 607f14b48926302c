"""The settings of a training run: what they are, their defaults, and their TOML."""

from __future__ import annotations

import shlex
import textwrap
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from shakespeare_env import registry

CONFIGS = Path(__file__).parent / "configs"

CURRENT = "current"
"""In `opponents`: the learner plays all seats."""
PAST = "past"
"""In `opponents`: an earlier version of the learner."""

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Count = Annotated[int, Field(gt=0)]
Games = Annotated[int, Field(gt=0, le=100_000)]
"""Games of a measurement; all of them are in memory at once."""


class TrainingConfig(BaseModel):
    """Everything that decides how a run goes, apart from the machine.

    The descriptions of the entries are the documentation of the TOML file (`as_toml`).
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    game: str = Field(default=registry.DEFAULT, description="The game's name.")
    players: tuple[Count, ...] = Field(
        default=(),
        min_length=1,
        description=(
            "Seat counts of the games, in turn: one network learns them all; all that the game is "
            "for if left out."
        ),
    )
    decisions: Count = Field(
        default=4_000_000, description="Length of the run: decisions that are learnt from."
    )
    seed: int = Field(
        default=0, ge=0, lt=2**62, description="Of games, first weights, draws and shuffles."
    )

    opponents: dict[str, Weight] = Field(
        default={CURRENT: 0.75, PAST: 0.15, "heuristic": 0.1},
        description=(
            "Who sits at the learner's table, settled as each game begins, by weight: `current` "
            "(the learner plays all seats and learns from all), `past` (earlier versions of it, "
            "the harder the likelier), or any agent by name or folder; the learner has one seat "
            "then."
        ),
    )
    snapshot_every: Count = Field(
        default=250_000, description="An earlier version is kept every so many decisions."
    )
    snapshots: Count = Field(
        default=12,
        description="Most versions to be kept; the one that is easiest to beat goes first.",
    )

    shaping: Weight = Field(
        default=1.0,
        description=(
            "Weight of the change of the own score after each move, in units of the game's scale, "
            "as the run begins."
        ),
    )
    shaping_end: Weight = Field(
        default=1.0, description="The same as the run ends; straight in between."
    )
    win: Weight = Field(
        default=0.0,
        description=(
            "Weight of the outcome: winners share +1, the others -1; alone, the score's difference "
            "to the game's target in units of its scale."
        ),
    )

    games: Count = Field(default=256, description="Games played at once.")
    steps: Count = Field(default=64, description="Decisions of each game in a rollout.")
    batch_size: int = Field(default=2048, ge=2, description="Decisions in a minibatch, about.")
    epochs: Count = Field(default=2, description="How often each decision is learnt from.")
    learning_rate: Positive = Field(default=2e-3, description="Of Adam, as the run begins.")
    learning_rate_end: Share = Field(
        default=0.1, description="What is left of the learning rate as the run ends, as a share."
    )
    gamma: Share = Field(default=1.0, description="Discount from one own decision to the next.")
    gae_lambda: Share = Field(
        default=0.95, description="Trade of bias against variance in the advantages."
    )
    clip_range: Positive = Field(
        default=0.2, description="How far an update may move a probability."
    )
    entropy: Weight = Field(default=0.01, description="Weight of the entropy, as the run begins.")
    entropy_end: Weight = Field(default=0.01, description="The same as the run ends.")
    value: Weight = Field(default=0.5, description="Weight of the value's error.")
    target_kl: Positive = Field(
        default=0.03, description="An update stops early beyond 1.5 times this divergence."
    )
    width: int = Field(default=256, ge=1, le=4096, description="Width of the network's layers.")
    precision: Literal["auto", "float32", "bfloat16"] = Field(
        default="auto",
        description="Of products of matrices; `auto` takes what is faster on this machine.",
    )

    yardsticks: tuple[str, ...] = Field(
        default=("random", "heuristic"), description="Agents that the learner is measured against."
    )
    evaluate_every: Count = Field(
        default=1_000_000, description="Decisions from one measurement on."
    )
    evaluation_games: Games = Field(
        default=200,
        description="Games at each table of a measurement, rounded up to whole rotations.",
    )
    final_games: Games = Field(default=400, description="The same in the last measurement.")
    save_every: Positive = Field(
        default=60.0, description="Seconds between checkpoints: what a power cut can cost."
    )

    @model_validator(mode="before")
    @classmethod
    def _for_all_seat_counts(cls, given: dict[str, Any]) -> dict[str, Any]:
        name = given.get("game", registry.DEFAULT)
        if "players" in given or name not in registry.names():
            return given
        return {**given, "players": tuple(registry.seats(name))}

    @field_validator("players", "yardsticks", mode="before")
    @classmethod
    def _as_tuple(cls, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value

    @field_validator("game")
    @classmethod
    def _is_a_game(cls, value: str) -> str:
        if value not in registry.names():
            raise ValueError(f"no such game; the games: {', '.join(registry.names())}")
        return value

    @field_validator("opponents")
    @classmethod
    def _has_weight(cls, value: dict[str, float]) -> dict[str, float]:
        if not sum(value.values()) > 0:
            raise ValueError("give at least one of them a weight above 0")
        return value


def read_config(path: Path, overrides: Mapping[str, Any] | None = None) -> TrainingConfig:
    """Read settings; what the file leaves out has its default.

    Args:
        path: A TOML file.
        overrides: Entries that take the place of the file's.

    Raises:
        ValueError: the file cannot be read, or an entry is unknown, of the wrong type or out of
            range.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise ValueError(f"{path}: cannot be read ({fault}); give a TOML file") from fault
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise ValueError(f"{path}: is not TOML ({fault})") from fault
    return make_config({**data, **(overrides or {})}, str(path))


def usual_config(game: str, overrides: Mapping[str, Any] | None = None) -> TrainingConfig:
    """The settings that a game is trained with where none are named: `configs/<game>.toml`.

    Raises:
        ValueError: as `read_config`.
    """
    own = CONFIGS / f"{game}.toml"
    if own.is_file():
        return read_config(own, overrides)
    return make_config({"game": game, **(overrides or {})}, "settings")


def make_config(data: Mapping[str, Any], where: str) -> TrainingConfig:
    """Settings from entries.

    Args:
        data: Entries by name; those left out have their defaults.
        where: What to name in errors.

    Raises:
        ValueError: an entry is unknown, of the wrong type or out of range, or the game is not
            played by so many.
    """
    try:
        config = TrainingConfig.model_validate(dict(data))
    except ValidationError as fault:
        raise ValueError(f"{where}: {_in_words(fault)}") from fault
    game = registry.game(config.game)
    try:
        for count in config.players:
            game.check_players(count)
    except ValueError as fault:
        raise ValueError(f"{where}: {fault}") from fault
    if config.games < len(config.players):
        raise ValueError(
            f"{where}: games = {config.games} with players = {list(config.players)}: "
            "give at least one game for each seat count"
        )
    return config


def _in_words(fault: ValidationError) -> str:
    lines = []
    for error in fault.errors():
        name = ".".join(map(str, error["loc"]))
        if error["type"] == "extra_forbidden":
            known = ", ".join(TrainingConfig.model_fields)
            lines.append(f"{name} is no setting; the settings: {known}")
        else:
            lines.append(f"{name} = {error['input']!r}: {error['msg']}")
    return "; ".join(lines)


def parse_override(text: str) -> tuple[str, Any]:
    """`learning_rate=1e-3` as a name and a value, which is written as in TOML.

    A text may do without its quotes.

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


def override(config: TrainingConfig, **entries: Any) -> TrainingConfig:
    """Settings with some entries replaced; ValueError as `make_config`."""
    return make_config({**config.model_dump(mode="json"), **entries}, "settings")


def as_toml(config: TrainingConfig) -> str:
    """The settings as a TOML file, each with its description."""
    lines: list[str] = []
    for name, entry in TrainingConfig.model_fields.items():
        text = toml_value(getattr(config, name))
        lines += [*_comment(entry.description or ""), f"{name} = {text}", ""]
    return "\n".join(lines[:-1]) + "\n"


def command_of(config: TrainingConfig, precision: str, start: Path | None = None) -> str:
    """What trains such a network anew.

    Args:
        config: Settings; those that are not the game's own are named.
        precision: What was chosen if the settings leave it to the machine.
        start: The checkpoint it began with.
    """
    usual = usual_config(config.game)
    parts = ["shakespeare", "train"]
    parts += game_option(config.game)
    parts += ["--seed", str(config.seed)]
    parts += ["--start", str(start)] if start else []
    for name in TrainingConfig.model_fields:
        value = precision if name == "precision" else getattr(config, name)
        if value != getattr(usual, name) and name != "seed":
            parts += ["--set", f"{name}={toml_value(value)}"]
    return shlex.join(parts)


def game_option(game: str) -> list[str]:
    """What names a game on the command line: nothing for the one that is meant anyway."""
    return [] if game == registry.DEFAULT else ["--game", game]


def toml_value(value: Any) -> str:
    """One value on one line, as TOML writes it."""
    if isinstance(value, tuple):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, dict):
        pairs = [f"{_toml_key(key)} = {toml_value(item)}" for key, item in value.items()]
        return "{ " + ", ".join(pairs) + " }"
    return tomli_w.dumps({"x": value}).removeprefix("x = ").strip()


def _toml_key(key: str) -> str:
    """A key, in quotes where it needs them."""
    return tomli_w.dumps({key: 0}).removesuffix(" = 0\n")


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, 98, initial_indent="# ", subsequent_indent="# ")
