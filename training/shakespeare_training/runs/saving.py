"""A run on disk: everything that decides how it continues, so that resuming changes nothing.

A JSON file, written last, names the files of arrays beside it: the folder always holds one complete
state, of a moment between an update and the next rollout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import torch
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shakespeare_agents import storage
from shakespeare_agents.networks.checkpoint import (
    CARD_NAME,
    load_network,
    made_for,
    save_checkpoint,
    unfit,
)
from shakespeare_agents.storage import Arrays, StoredTensors
from shakespeare_env.checks.values import command
from shakespeare_env.core import registry
from shakespeare_env.core.game import Game
from shakespeare_env.errors import CheckpointError
from shakespeare_training.config import TrainingConfig
from shakespeare_training.league import Opponent
from shakespeare_training.learner import needed_bytes
from shakespeare_training.ppo.learner import SelfPlayLearner
from shakespeare_training.runs.evaluation import Measurement
from shakespeare_training.runs.folder import STATE_NAME

_ARRAYS, _SNAPSHOT = "run", "snapshot"
"""How the names of files begin."""
_LARGEST = 2**26
"""The most bytes of the JSON."""
_NO_FIT = LookupError, TypeError, ValueError, RuntimeError, OverflowError
"""What NumPy and PyTorch raise of arrays and states that do not fit a learner."""

Whole = Annotated[int, Field(ge=0, le=10**15)]
Number = Annotated[float, Field(ge=0)]


class Entries(BaseModel):
    """Entries with exactly these names and types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class OpponentState(Entries):
    """An opponent of the league, and how the learner fared against it (`league.Opponent`)."""

    name: str
    games: Number
    wins: Number
    retired: bool


class LeagueState(Entries):
    """The league but for its arrays (`League.to_json`)."""

    opponents: list[OpponentState]
    active: Whole | None
    active_until: Whole
    finished: Whole
    rng: dict[str, Any]


class LearnerState(Entries):
    """The learner but for its arrays."""

    decisions: Whole
    updates: Whole
    rng: dict[str, Any]
    league: LeagueState


class RunFacts(Entries):
    """What a run is besides its learner; see `Run`."""

    config: TrainingConfig
    bfloat16: bool
    commands: list[str] = Field(min_length=1)
    digests: dict[str, str]
    seconds: Number
    history: list[Measurement]


class RunState(Entries):
    """A run's JSON file."""

    format: Literal[4] = 4
    made_for: dict[str, str]
    arrays: StoredTensors
    snapshots: list[StoredTensors]
    learner: LearnerState
    facts: RunFacts


@dataclass(frozen=True)
class Moment:
    """All that decides how a run continues, unaffected by what it does later.

    Attributes:
        facts: The run besides its learner.
        numbers: The learner but for its arrays.
        arrays: Copies of the learner's arrays, on its device, which may still be at work on them.
        snapshots: The snapshots of the league.
    """

    facts: RunFacts
    numbers: LearnerState
    arrays: Mapping[str, torch.Tensor]
    snapshots: Sequence[Opponent]

    @property
    def decisions(self) -> int:
        """The decisions learned from."""
        return self.numbers.decisions

    @classmethod
    def of(cls, learner: SelfPlayLearner, facts: RunFacts) -> Moment:
        """The present moment."""
        numbers = LearnerState.model_validate(
            {
                "decisions": learner.num_timesteps,
                "updates": learner._n_updates,
                "rng": learner.rng.bit_generator.state,
                "league": learner.league.to_json(),
            }
        )
        league = learner.league
        return cls(facts, numbers, _tensors_of(learner), league.snapshots)


def _tensors_of(learner: SelfPlayLearner) -> dict[str, torch.Tensor]:
    lineup = learner.league.lineup
    tensors = {
        "seats": torch.from_numpy(lineup.seats),
        "generators": torch.from_numpy(lineup.generators.states),
        "games": learner.games.save(),
    }
    for name, tensor in learner.policy.state_dict().items():
        tensors[f"policy/{name}"] = tensor
    for number, state in learner.policy.optimizer.state_dict()["state"].items():
        for name, tensor in state.items():
            tensors[f"optimizer/{number}/{name}"] = tensor
    for name, tensor in learner.rollout_buffer.open_decisions.items():
        tensors[f"open/{name}"] = tensor
    return {name: tensor.clone() for name, tensor in tensors.items()}


def save_run(folder: Path, moment: Moment, learner: SelfPlayLearner) -> None:
    """Replace the state to resume from, then the checkpoint to play from.

    After an OSError the last state is intact.
    """
    facts, game = moment.facts, registry.game(moment.facts.config.game)
    arrays = {name: tensor.cpu().numpy() for name, tensor in moment.arrays.items()}
    stored = storage.store_tensors(folder, _ARRAYS, arrays)
    snapshots = [_stored(folder, snapshot) for snapshot in moment.snapshots]
    state = RunState(
        made_for=_made_for(game),
        arrays=stored,
        snapshots=snapshots,
        learner=moment.numbers,
        facts=facts,
    )
    storage.write_atomically(folder / STATE_NAME, state.model_dump_json(indent=1).encode())
    storage.forget_others(folder, _ARRAYS, stored)
    storage.forget_others(folder, rf"{_SNAPSHOT}-\d+", *snapshots)
    save_checkpoint(
        folder,
        learner.policy.tensors_of(_part(moment.arrays, "policy")),
        game,
        players=sorted(set(facts.config.players)),
        command=" && ".join(facts.commands),
        settings=facts.config.to_json(),
        figures={
            "decisions": moment.decisions,
            "games": moment.numbers.league.finished,
            "seconds": round(facts.seconds, 1),
            "precision": "bfloat16" if facts.bfloat16 else "float32",
            "history": facts.model_dump(mode="json")["history"],
        },
    )


def read_state(folder: Path) -> RunState:
    """The JSON of a run.

    CheckpointError if it is missing, damaged, or of another game, box or version; a note says how
    to start from the checkpoint, if any.
    """
    path = folder / STATE_NAME
    content = storage.read_bounded(path, _LARGEST, "is it a run?")
    try:
        state = RunState.model_validate_json(content)
    except ValidationError as invalid:
        first = invalid.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        fault = CheckpointError(f"{path}: {place}: {first['msg']}; copy all files again")
        if (folder / CARD_NAME).is_file():
            fault.add_note(
                "It cannot be resumed, but a new run can start from its checkpoint: "
                + command("train", "--start", folder)
            )
        raise fault from invalid
    game, found = registry.game(state.facts.config.game), state.made_for
    if found.keys() != _made_for(game).keys():
        raise CheckpointError(f"{path}: made_for lacks an entry; copy all files again")
    wrong = unfit(game, found) or registry.box_fault(game.name, found["box_digest"])
    if wrong is None and found["records"] != _made_for(game)["records"]:
        wrong = "made for other records of the game; use the version it was started with"
    if wrong is not None:
        raise CheckpointError(f"{path}: {wrong}")
    return state


def restore_state(folder: Path, state: RunState, learner: SelfPlayLearner) -> None:
    """Put a new learner, made with the run's settings, into the state from `read_state`.

    CheckpointError if files are missing or damaged, or do not fit this run.
    """
    shapes = {name: tensor.shape for name, tensor in learner.policy.tensors().items()}
    snapshots = [load_network(folder, stored, shapes) for stored in state.snapshots]
    arrays = storage.load_tensors(folder, state.arrays, 2 * needed_bytes(state.facts.config))
    numbers = state.learner
    try:
        _set_arrays(arrays, learner)
        learner.league.restore(
            numbers.league.model_dump(), snapshots, arrays["seats"], arrays["generators"]
        )
        learner.rng.bit_generator.state = numbers.rng
    except _NO_FIT as fault:
        raise CheckpointError(
            f"{folder}: its files do not fit each other ({fault}); copy all of them again"
        ) from fault
    for snapshot, stored in zip(learner.league.snapshots, state.snapshots, strict=True):
        snapshot.stored = stored
    learner.num_timesteps = numbers.decisions
    learner._n_updates = numbers.updates


def _set_arrays(arrays: Arrays, learner: SelfPlayLearner) -> None:
    """Put all arrays into a learner, except those of its league."""
    tensors = {
        name: torch.tensor(array, device=learner.games.players.device)
        for name, array in arrays.items()
        if name.startswith(("policy/", "open/"))
    }
    learner.policy.load_state_dict(_part(tensors, "policy"))
    states: dict[int, dict[str, torch.Tensor]] = {}
    for name, array in _part(arrays, "optimizer").items():
        number, _, kind = name.partition("/")
        states.setdefault(int(number), {})[kind] = torch.tensor(array)
    optimizer = learner.policy.optimizer
    optimizer.load_state_dict({**optimizer.state_dict(), "state": states})
    batch = learner.league.batch
    learner.games.load(arrays["games"].view(batch.game.state).reshape(-1))
    # Compiled code trusts these.
    games, seats, actions = (arrays[f"open/{name}"] for name in ("games", "seats", "actions"))
    inside = (seats >= 0) & (seats < batch.players[games])
    inside &= (actions >= 0) & (actions < batch.game.actions.size)
    if not (inside.all() and (batch.to_move >= 0).all()):
        raise ValueError("an open decision, or a game, is none")
    former = learner.rollout_buffer.open_decisions
    opened = _part(tensors, "open")
    sizes = {len(tensor) for tensor in opened.values()}
    if len(sizes) > 1 or any(opened[name].shape[1:] != former[name].shape[1:] for name in former):
        raise ValueError("open decisions of another shape")
    learner.rollout_buffer.open_decisions = opened


def _part(arrays: Mapping[str, Any], kind: str) -> dict[str, Any]:
    start = f"{kind}/"
    return {name.removeprefix(start): a for name, a in arrays.items() if name.startswith(start)}


def _made_for(game: Game) -> dict[str, str]:
    return {**made_for(game), "records": str(game.state.descr)}


def _stored(folder: Path, snapshot: Opponent) -> StoredTensors:
    """The file of a snapshot's weights, written once: they never change."""
    if snapshot.stored is None or not (folder / snapshot.stored.file).is_file():
        assert snapshot.tensors is not None
        stem = f"{_SNAPSHOT}-{int(snapshot.name)}"
        snapshot.stored = storage.store_tensors(folder, stem, snapshot.tensors)
    return snapshot.stored
