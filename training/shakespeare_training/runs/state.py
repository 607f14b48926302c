"""The content of `run.json`: every entry's type and range, and how entries agree."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    FailFast,
    Field,
    ValidationError,
    model_validator,
)

from shakespeare_agents.setting_faults import in_words
from shakespeare_agents.storage import StoredTensors
from shakespeare_env.checks.values import shown
from shakespeare_env.errors import CheckpointError
from shakespeare_training.config import MOST_DECISIONS, Name, TrainingConfig, unknown_setting
from shakespeare_training.league import MOST_GAMES, named_opponents
from shakespeare_training.runs.history import Decisions, History, Measurement, Seconds

FORMAT = 3
_CONFIG = "facts.config."
_MOST_VALUES, _MOST_ENTRIES = 500_000, 1000
"""The most values in all, and entries of an object: pydantic copies its input for every fault."""
_SECONDS_ROUNDING = 0.05
"""The rounding of seconds in measurements."""

Whole = Annotated[int, Field(ge=0, le=2 * MOST_DECISIONS)]
Shares = Annotated[float, Field(ge=0, le=MOST_GAMES, allow_inf_nan=False)]
Text = Annotated[str, Field(max_length=10**5)]


class Entries(BaseModel):
    """Entries with exactly these names and types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


def _checked_generator(state: Any) -> Any:
    try:
        np.random.PCG64().state = state
    except (KeyError, TypeError, ValueError, OverflowError):
        raise ValueError("is no state of NumPy's PCG64") from None
    return state


GeneratorState = Annotated[dict[str, Any], AfterValidator(_checked_generator)]
"""A NumPy generator, as its `bit_generator.state`."""


class OpponentState(Entries):
    """An opponent of the league, and how the learner fared against it (`league.Opponent`)."""

    name: Name
    games: Shares
    wins: Shares
    retired: bool

    @model_validator(mode="after")
    def _wins_are_games(self) -> OpponentState:
        if self.wins > self.games:
            raise ValueError(f"wins = {self.wins} are more than games = {self.games}")
        return self


class LeagueState(Entries):
    """The league but for its arrays (`League.to_json`)."""

    opponents: Annotated[list[OpponentState], FailFast()]
    active: Annotated[int, Field(ge=0)] | None
    active_until: Whole
    finished: Whole
    rng: GeneratorState


class OrderState(Entries):
    """A group of games ahead (`expert_iteration.groups.Order`)."""

    weights: StoredTensors
    is_searched: bool


class Facts(Entries):
    """The facts of a run besides its learner (`Run.save`)."""

    config: TrainingConfig
    bfloat16: bool
    commands: Annotated[list[Text], FailFast()] = Field(min_length=1)
    digests: dict[Name, Text]
    seconds: Seconds
    history: Annotated[list[Measurement], FailFast()]

    @model_validator(mode="after")
    def _history_is_in_order(self) -> Facts:
        History(self.history)  # in order
        if self.history and self.history[-1].seconds > self.seconds + _SECONDS_ROUNDING:
            raise ValueError(
                f"seconds = {self.seconds} are fewer than the {self.history[-1].seconds} "
                "of its last measurement"
            )
        return self


class RunState(Entries):
    """A run's JSON file, `run.json`."""

    format: int
    game: str
    box_digest: str
    actions_digest: str
    layout_digest: str
    state: str
    arrays: StoredTensors
    league: LeagueState
    snapshots: Annotated[list[StoredTensors], FailFast()]
    orders: Annotated[list[OrderState], FailFast()]
    decisions: Decisions
    updates: Whole
    rng: GeneratorState
    facts: Facts

    @model_validator(mode="after")
    def _agree(self) -> RunState:
        config, league, history = self.facts.config, self.league, self.facts.history
        if history and history[-1].decisions > self.decisions:
            raise ValueError(
                f"decisions = {self.decisions} are fewer than the {history[-1].decisions} "
                "of the last measurement"
            )
        named = named_opponents(config.opponents)
        found, snapshots = [one.name for one in league.opponents], league.opponents[len(named) :]
        if found[: len(named)] != named or any(o.retired for o in league.opponents[: len(named)]):
            raise ValueError(
                f"league.opponents begins with {shown(found[: len(named)])}; "
                f"the settings name {shown(named)}"
            )
        for age in found[len(named) :]:  # it becomes a part of a file's name
            if not (re.fullmatch("[0-9]{1,19}", age) and int(age) <= self.decisions):
                raise ValueError(f"the snapshot {shown(age)} must be named by its age in decisions")
        if len(self.snapshots) != len(snapshots):
            raise ValueError(
                f"there are {len(self.snapshots)} snapshots, but the league has {len(snapshots)}"
            )
        in_use = [place for place, one in enumerate(snapshots, len(named)) if not one.retired]
        if league.active not in (None, *in_use):
            raise ValueError(f"league.active = {league.active} is no snapshot in use")
        if len(self.orders) != config.groups_ahead:
            raise ValueError(
                f"there are {len(self.orders)} orders, but groups_ahead = {config.groups_ahead}"
            )
        return self


def parse_state(data: Mapping[str, Any], path: str) -> RunState:
    """Check the JSON of a run; a CheckpointError names `path`, the entry, value and remedy."""
    if not _is_moderate(data):
        raise CheckpointError(
            f"{path}: has more than {_MOST_VALUES:,} values, or {_MOST_ENTRIES:,} in one object; "
            "copy all files of the run again"
        )
    try:
        # JSON has lists for tuples and objects for dataclasses.
        return RunState.model_validate_json(json.dumps(data))
    except ValidationError as fault:
        words = in_words(fault, data, _unknown_entry)
        raise CheckpointError(f"{path}: {words}; copy all files of the run again") from fault


def _is_moderate(data: Mapping[str, Any]) -> bool:
    """Whether the data has no more values than a run."""
    count = 0
    left: list[Any] = [data]
    while left:
        found = left.pop()
        count += len(found)
        is_large = isinstance(found, dict) and len(found) > _MOST_ENTRIES
        if is_large or count > _MOST_VALUES:
            return False
        entries = found.values() if isinstance(found, dict) else found
        left += [entry for entry in entries if isinstance(entry, dict | list)]
    return True


def _unknown_entry(place: str) -> str:
    if place.startswith(_CONFIG):
        return unknown_setting(place.removeprefix(_CONFIG))
    return f"there is no entry {place}"
