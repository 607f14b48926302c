"""Settings of a training run: their meaning, defaults, bounds and files."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from shakespeare_env.checks.limits import parse_toml, read_text
from shakespeare_env.checks.values import command, did_you_mean, short_repr
from shakespeare_env.core import registry
from shakespeare_env.extras import requires_extra

with requires_extra("train", "training needs"):
    import tomlkit
    from pydantic import (
        BaseModel,
        ConfigDict,
        Field,
        ValidationError,
        ValidationInfo,
        field_validator,
        model_validator,
    )

if TYPE_CHECKING:
    from shakespeare_agents.naming import AgentSpec

CONFIGS = Path(__file__).parent / "configs"
"""The folder of bundled settings, `<game>/<name>.toml`."""
CURRENT = "current"
"""Key of the setting `opponents` that stands for self-play."""
PAST = "past"
"""Key of the setting `opponents` that stands for a snapshot of the learner."""
MLP = "mlp"
"""Value of the setting `network` that stands for the project's own network."""
WEIGHTED = "weighted"
"""Value of the setting `reward` that stands for the reward that coefficients define."""
SCALE: Literal["scale"] = "scale"
"""Entry of the setting `evaluation_opponents`: the scale of `shakespeare measure`."""
FOREVER = 10**12
"""A length that no run reaches before its time limit."""
ADAPTING: Mapping[str, Any] = {
    "decisions": 18_000_000,
    "learning_rate": 1e-3,
    "learning_rate_end": 0.03,
    "n_envs": 640,
    "n_steps": 128,
    "batch_size": 8192,
}
"""Settings of PPO, in place of the defaults, that adapt a trained network to a game's other box."""
_DEFAULT_ALGORITHM = "ppo"

Share = Annotated[float, Field(ge=0, le=1)]
PositiveShare = Annotated[float, Field(gt=0, le=1)]
Weight = Annotated[float, Field(ge=0)]
Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(gt=0)]


@dataclass(frozen=True)
class Only:
    """Marks, in a type annotation, a setting that applies only if another has a certain value."""

    setting: str
    value: str


OnlyPPO = Only("algorithm", "ppo")
OnlySearch = Only("algorithm", "expert_iteration")
OnlyMlp = Only("network", MLP)
OnlyWeighted = Only("reward", WEIGHTED)


class TrainingConfig(BaseModel):
    """The settings of a run, with docstrings that become comments in TOML (`as_toml`).

    A setting that is not given in code, in a file or on the command line has the value in
    `configs/<game>/<algorithm>.toml`, or else the default below. Lengths and intervals are counted
    in decisions of the learner.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )

    game: str = registry.DEFAULT
    """The game."""
    algorithm: Literal["ppo", "expert_iteration"] = "ppo"
    """The learning algorithm. `ppo` learns from the rewards of moves. `expert_iteration` learns
    from a search that chooses the learner's moves, and all `n_envs` games are played to their end
    before every update."""
    players: tuple[Count, ...] = Field(default=(), min_length=1, strict=False)
    """Seat counts, spread evenly over the games: one network learns them all. Defaults to every
    seat count of the game."""
    decisions: Count = 4_000_000
    """Length of the run in decisions of the learner. A decision is one step of the seat to move,
    like a timestep with a single agent."""
    seed: int = Field(default=0, ge=0, lt=2**62)
    """Seed of the games, the initial weights, every draw and every shuffle."""

    opponents: dict[str, Weight] = {CURRENT: 0.75, PAST: 0.15, "heuristic": 0.1}
    """Weight of each kind of game, which is drawn for each new game. In `current` the learner has
    every seat. In all others it has one seat, against `past`, one of its snapshots (the harder to
    beat, the likelier), or against an agent by name or folder."""
    snapshot_every: Count = 250_000
    """Decisions between snapshots of the learner."""
    max_snapshots: Count = 12
    """Snapshots to keep; the easiest to beat is dropped first."""

    reward: Annotated[str, OnlyPPO] = WEIGHTED
    """What a seat learns to gain. `weighted` is the change of its score and its share of the
    victory, with the coefficients below. Otherwise a function of your own, `my.py:NAME`."""
    score_reward_coef: Annotated[Weight, OnlyWeighted] = 1.0
    """Coefficient of the reward `score` at the start of the run. This reward is the change of the
    seat's own score by each move, in units of the game's scale."""
    score_reward_coef_end: Annotated[Weight, OnlyWeighted] = 1.0
    """Coefficient of the reward `score` at the end of the run; linear in between."""
    win_reward_coef: Annotated[Weight, OnlyWeighted] = 0.0
    """Coefficient of the share of the victory, scaled so that all of it is worth 1 and the share
    that equal players expect 0. In solo games it adds to the coefficient of the score."""

    n_envs: Count = 256
    """Games played in parallel."""
    n_steps: Annotated[Count, OnlyPPO] = 64
    """Steps of each game per rollout."""
    batch_size: int = Field(default=2048, ge=2)
    """Decisions per minibatch, approximately."""
    n_epochs: Count = 2
    """Passes over each rollout."""
    near_certain_share: Annotated[PositiveShare, OnlyPPO] = 1.0
    """Share of the near-certain decisions (probability above 0.99) to learn from. Each pass takes
    another random part, weighted so that the expected gradient is the same. 1 takes all."""
    learning_rate: Positive = 2e-3
    """Learning rate of Adam at the start of the run."""
    learning_rate_end: Share = 0.1
    """Learning rate at the end of the run, as a share of `learning_rate`; linear in between."""
    gae_lambda: Share = 0.95
    """The lambda of generalised advantage estimation: lower values give less variance and more
    bias."""
    clip_range: Annotated[Positive, OnlyPPO] = 0.2
    """Clipping of the probability ratio."""
    ent_coef: Annotated[Weight, OnlyPPO] = 0.01
    """Entropy coefficient of the loss at the start of the run."""
    ent_coef_end: Annotated[Weight, OnlyPPO] = 0.01
    """Entropy coefficient at the end of the run; linear in between."""
    vf_coef: Weight = 0.5
    """Coefficient of the loss of the forecast changes of scores."""
    win_coef: Weight = 0.5
    """Coefficient of the loss of the forecast shares of the victory."""
    target_kl: Annotated[Positive, OnlyPPO] = 0.03
    """An update ends early at 1.5 times this KL divergence from the policy that played."""
    network: str = MLP
    """The network. `mlp` is the project's own. Otherwise a PyTorch module of your own, with its
    options: `my.py:NAME,width=64`."""
    width: Annotated[Count, OnlyMlp] = 256
    """Width of the layers of `mlp`."""
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """Precision of matrix products; `auto` picks the faster one on this machine."""

    searched_share: Annotated[PositiveShare, OnlySearch] = 1.0
    """Share of the games whose moves are searched, drawn for each round at every table size. In the
    others the policy plays alone. It learns from their outcomes as in PPO, with `gae_lambda` and
    the coefficients of the reward, which matter only there."""
    simulations: Annotated[Count, OnlySearch] = 12
    """Playouts for a decision."""
    considered: Annotated[int, OnlySearch] = Field(default=4, ge=2)
    """The most candidate moves of a decision."""
    horizon: Annotated[int, OnlySearch] = Field(default=10**6, ge=0, le=10**6)
    """Decisions of each seat in a playout before the network values it. By default playouts go to
    the end of the game."""
    temperature: Annotated[Weight, OnlySearch] = 0.0
    """Temperature of the policy in playouts; 0 plays the likeliest move."""
    utility: Annotated[Literal["lead", "margin", "score", "win"], OnlySearch] = "margin"
    """The value of a playout: the seat's score less the others' mean score (`lead`) or best score
    (`margin`), its score alone (`score`), or its share of the victory (`win`). In solo games it is
    always the score."""
    sharpness: Annotated[Positive, OnlySearch] = 150.0
    """The number of logits that a unit of utility is worth when the search chooses."""
    target_sharpness: Annotated[Positive, OnlySearch] = 50.0
    """Coefficient of the policy's gain of utility in the policy loss. The loss is the divergence
    from the policy that played, less this coefficient times the gain."""
    near_certain: Annotated[PositiveShare, OnlySearch] = 0.99
    """Decisions with a move at least this likely are not searched."""
    noise: Annotated[Weight, OnlySearch] = 0.0
    """Scale of the Gumbel noise that draws the candidate moves; 0 takes the likeliest."""
    warmup_decisions: Annotated[int, OnlySearch] = Field(default=300_000, ge=0)
    """Decisions to learn from before moves are searched, because untrained heads would mislead the
    search; 0 if the run starts from a network that has heads."""

    evaluation_opponents: tuple[str, ...] = Field(default=(SCALE,), strict=False)
    """Agents to evaluate the learner against, by name or folder. `scale` measures its strength on
    the scale of `shakespeare measure`. If the game or the box has no scale, the default is the
    heuristic player, or random play in a game that has none."""
    evaluate_every: Count = 1_000_000
    """Decisions between evaluations."""
    evaluation_games: Count = 200
    """Games per seat count and opponent in an evaluation, rounded up so that every agent has every
    seat equally often. `scale` gets games in proportion to the decisions learned from."""
    first_evaluation_games: Count = 24
    """Games of the first evaluation, of the untrained network; few, because learning waits."""
    final_evaluation_games: Count = 400
    """Games of the last evaluation."""
    save_every: Positive = 60.0
    """Seconds between checkpoints, which is the most that a power cut can cost."""

    @model_validator(mode="before")
    @classmethod
    def _with_defaults(cls, given: Any) -> Any:
        """Fill in settings that are not given, from the bundled file of the game and the algorithm.

        By default a game is learned at every seat count. If it has no heuristic player, the default
        opponents have none either. Games and boxes without a scale of strength are evaluated
        against the best untrained agent.
        """
        name = given.get("game", registry.DEFAULT) if isinstance(given, dict) else None
        if name not in registry.names():
            return given
        # Imported late, because it imports the compiler. The shell's completion of settings imports
        # this module and would have to wait.
        from shakespeare_agents.heuristics import best_untrained_agent, has_heuristics
        from shakespeare_arena.measure import reason_without_scale

        game = registry.game(name)
        defaults: dict[str, Any] = {"players": tuple(registry.seats(name))}
        if not has_heuristics(game):
            defaults["opponents"] = {CURRENT: 0.8, PAST: 0.2}
        if reason_without_scale(game) is not None:
            defaults["evaluation_opponents"] = [best_untrained_agent(game)]
        algorithm = given.get("algorithm", _DEFAULT_ALGORITHM)
        if algorithm in bundled_names(name):
            defaults |= _entries(CONFIGS / name / f"{algorithm}.toml")
        return {**_without_unused(defaults, given), **given}

    @field_validator("game")
    @classmethod
    def _is_a_game(cls, value: str) -> str:
        if value not in registry.names():
            registry.seats(value)  # raises an error with the remedy
        return value

    @field_validator("opponents")
    @classmethod
    def _has_weight(cls, value: dict[str, float]) -> dict[str, float]:
        if not sum(value.values()) > 0:
            raise ValueError("give at least one of them a weight above 0")
        return value

    @field_validator("network", "reward")
    @classmethod
    def _names_python(cls, value: str, info: ValidationInfo) -> str:
        standard = cls.model_fields[str(info.field_name)].default
        if value == standard:
            return value
        from shakespeare_agents.naming import AgentSpec

        spec = AgentSpec.parse(value)
        if spec.python is None or spec.name == "search":
            raise ValueError(f"choose {standard}, or name code of your own as my.py:NAME")
        if "weights" in spec.written_options:
            raise ValueError(f"give weights to start from as --start {value}")
        return value

    @model_validator(mode="after")
    def _suits_the_game(self) -> TrainingConfig:
        for count in self.players:
            registry.game(self.game).check_players(count)
        if self.n_envs < len(self.players):
            raise ValueError(
                f"n_envs = {self.n_envs} with players = {short_repr(list(self.players))}: "
                "give at least one game for each seat count"
            )
        return self

    @model_validator(mode="after")
    def _suits_other_settings(self) -> TrainingConfig:
        for name, field in TrainingConfig.model_fields.items():
            value = getattr(self, name)
            marker = _unmet(name, dict(self))
            if marker is not None and value != field.default:
                chosen = getattr(self, marker.setting)
                raise ValueError(
                    f"{name} = {short_repr(value)}: {marker.setting} = {chosen!r} has no such "
                    f"setting; leave it out{_instead(marker, name, value, chosen)}"
                )
        return self

    def to_json(self) -> dict[str, Any]:
        """Return the settings that apply, given the values of the others, for JSON."""
        return self.model_dump(mode="json", include=set(settings_of(self)))


def settings_of(config: TrainingConfig) -> list[str]:
    """Return the names of the settings that apply, given the values of the others, in order."""
    return [name for name in TrainingConfig.model_fields if _unmet(name, dict(config)) is None]


def _unmet(name: str, settings: Mapping[str, Any]) -> Only | None:
    """Return the first marker of a setting that other settings contradict, or None."""
    for marker in TrainingConfig.model_fields[name].metadata:
        if isinstance(marker, Only):
            default = TrainingConfig.model_fields[marker.setting].default
            if settings.get(marker.setting, default) != marker.value:
                return marker
    return None


def _instead(marker: Only, name: str, value: Any, chosen: str) -> str:
    """Return the end of an error about a setting that does not apply: what to write instead."""
    if marker.setting == "network":
        return f", or write network = '{chosen},{name}={value}' if it has this option"
    if marker.setting == "reward":
        return ", because your function returns all that counts"
    return ""


def _without_unused(entries: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return bundled settings without those that do not apply beside the given ones."""
    settings = {**entries, **given}
    return {
        name: value
        for name, value in entries.items()
        if name not in TrainingConfig.model_fields or _unmet(name, settings) is None
    }


def make_config(data: Mapping[str, Any], origin: str) -> TrainingConfig:
    """Check settings and add defaults.

    Args:
        data: The settings that are given, by name.
        origin: The place that they come from, for errors.

    Raises:
        ValueError: a setting is unknown, mistyped or out of range, or does not fit the game.
    """
    try:
        return TrainingConfig.model_validate(dict(data))
    except ValidationError as fault:
        words = "; ".join(map(_fault_in_words, fault.errors()))
        raise ValueError(f"{origin}: {words}; see shakespeare train --print-config") from fault


def _fault_in_words(fault: Any) -> str:
    """Return an error of Pydantic in words, with the setting's value and, for a typo, a guess."""
    if not fault["loc"]:
        return str(fault["msg"])
    name = ".".join(map(str, fault["loc"]))
    is_unknown = fault["type"] == "extra_forbidden"
    words = "there is no such setting" if is_unknown else fault["msg"]
    question = did_you_mean(name, TrainingConfig.model_fields) if is_unknown else ""
    return f"{name} = {short_repr(fault['input'])}: {words}{question}"


def override(config: TrainingConfig, **settings: Any) -> TrainingConfig:
    """Return a copy with some settings replaced, checked as in `make_config`."""
    return make_config({**config.to_json(), **settings}, "settings")


def _entries(path: Path) -> dict[str, Any]:
    try:
        return parse_toml(read_text(path))
    except (OSError, ValueError) as fault:
        raise ValueError(f"{path}: cannot be read ({fault}); give a TOML file") from fault


def bundled_names(game: str) -> list[str]:
    """Return the names of a game's bundled settings, `configs/<game>/<name>.toml`."""
    return sorted(path.stem for path in (CONFIGS / game).glob("*.toml"))


def chosen_config(
    choice: str | None,
    overrides: Mapping[str, Any],
    origin: str = "settings",
    defaults: Mapping[str, Any] | None = None,
) -> TrainingConfig:
    """Return the settings in a TOML file, or bundled under a name, with overrides.

    The file is checked by itself first, so that errors name the source at fault.

    Args:
        choice: The file or the name; None counts as an empty file.
        overrides: Settings that replace those of the file.
        origin: The place that the overrides come from, for errors.
        defaults: Settings that count where the file has none.

    Raises:
        ValueError: there is no such file or name, the file cannot be read, or a setting is wrong
            (`make_config`).
    """
    data = dict(defaults or {})
    if choice is not None:
        game = overrides.get("game", registry.DEFAULT)
        known = bundled_names(game)
        path = CONFIGS / game / f"{choice}.toml" if choice in known else Path(choice)
        if not path.exists():
            raise ValueError(
                f"--config {short_repr(choice)}{did_you_mean(choice, known)}: give a TOML file, or "
                f"one of the bundled settings of {game}: {', '.join(known) or 'none'}"
            )
        entries = _entries(path)
        data |= _without_unused(entries, overrides) if choice in known else entries
        make_config(data, str(path))
    return make_config({**data, **overrides}, origin)


def own_start(spec: AgentSpec) -> tuple[str, Path]:
    """Return the network and the file of weights that `--start my.py:Net,weights=FILE` names.

    Raises:
        ValueError: no weights are named, or there is no such file.
    """
    options = dict(spec.written_options)
    weights = options.pop("weights", "")
    options.pop("greedy", None)  # how the agent plays makes no difference to a start
    parts = [spec.name] + [f"{option}={value}" for option, value in options.items()]
    network = ",".join(parts)
    if not weights:
        raise ValueError(
            f"--start {spec.text} names no weights; add them as {spec.text},weights=FILE, or leave "
            f"--start out and --set network={network}"
        )
    if not Path(weights).is_file():
        raise ValueError(f"--start {spec.text}: there is no file {weights!r}; give its path")
    return network, Path(weights)


def no_start(name: str) -> ValueError:
    """Return the error that a name of `--start` is no checkpoint and no module with weights."""
    from shakespeare_agents.naming import AgentSpec

    spec = AgentSpec.parse(name)
    adopted = "" if spec.model_file is None else f"; shakespeare adopt {name} makes a checkpoint"
    return ValueError(
        f"there is no checkpoint {name!r} to --start from; give a folder, or a PyTorch module of "
        f"your own with its weights: my.py:NAME,weights=FILE{adopted}"
    )


def parse_override(text: str) -> tuple[str, Any]:
    """Split `learning_rate=1e-3` into a name and a TOML value; a string needs no quotes.

    Raises:
        ValueError: the text lacks an `=` or a name.
    """
    name, equals, value = map(str.strip, text.partition("="))
    if not equals or not name:
        raise ValueError(f"{text!r}: write NAME=VALUE, such as learning_rate=1e-3")
    try:
        return name, parse_toml(f"value = {value}")["value"]
    except ValueError:
        return name, value


def as_toml(config: TrainingConfig) -> str:
    """Return the text of a TOML file with the settings that apply, and their descriptions."""
    entries = []
    for name in settings_of(config):
        text = TrainingConfig.model_fields[name].description or ""
        comment = textwrap.fill(text, 98, initial_indent="# ", subsequent_indent="# ")
        entries.append(f"{comment}\n{name} = {toml_value(getattr(config, name))}\n")
    return "\n".join(entries)


def train_command(config: TrainingConfig, precision: str, start: str | Path | None = None) -> str:
    """Return the shell command that trains a network with these settings, in a given precision.

    Args:
        config: The settings.
        precision: The precision of matrix products, which replaces `auto`.
        start: What the run starts from, as `--start` names it.
    """
    parts = ["train", *game_flag(config.game)]
    if config.algorithm != _DEFAULT_ALGORITHM:
        parts += ["--config", config.algorithm]
    parts += ["--seed", str(config.seed)]
    if start is not None:
        parts += ["--start", str(start)]
    of_game = {"game": config.game, "algorithm": config.algorithm}
    parts_chosen = {"network": config.network, "reward": config.reward}
    defaults = make_config({**of_game, **parts_chosen}, "defaults")
    # The seed has an option of its own above. The default here keeps it out of the `--set` options.
    settings = {**dict(config), "precision": precision, "seed": defaults.seed}
    fields = TrainingConfig.model_fields
    for name in settings_of(config):
        value = settings[name]
        # The defaults of other settings depend on the network and the reward.
        default = fields[name].default if name in parts_chosen else getattr(defaults, name)
        if value != default:
            parts += ["--set", f"{name}={toml_value(value)}"]
    return command(*parts)


def game_flag(game: str) -> list[str]:
    """Return `--game` and a game's argument for a command, or nothing for the default game."""
    return [] if game == registry.DEFAULT else ["--game", registry.game_argument(game)]


def toml_value(value: Any) -> str:
    """Return a value in TOML, on one line."""
    if not isinstance(value, dict):
        return str(tomlkit.item(value).as_string())
    table = tomlkit.inline_table()
    table.update(value)
    return table.as_string()
