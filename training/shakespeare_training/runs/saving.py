"""A run's folder, and everything in it that decides how the run continues.

A JSON file, written last, names the files of arrays beside it: the folder always holds one complete
state, taken between an update and the next rollout.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shakespeare_agents import storage
from shakespeare_agents.networks.checkpoint import (
    CARD_NAME,
    compatibility_facts,
    load_network,
    reason_unfit,
    save_checkpoint,
)
from shakespeare_agents.networks.network import LARGEST_WEIGHT
from shakespeare_agents.storage import Arrays, StoredTensors
from shakespeare_env.checks.values import command, short_repr
from shakespeare_env.core import registry
from shakespeare_env.core.game import Game
from shakespeare_env.errors import CheckpointError, TrainingError
from shakespeare_env.play.lineup import NOBODY, OUTSIDE
from shakespeare_training.building import needed_bytes
from shakespeare_training.config import TrainingConfig
from shakespeare_training.league import MOST_GAMES, Opponent, restore_generator
from shakespeare_training.learner import Learner
from shakespeare_training.policy import tensors_of
from shakespeare_training.runs.evaluation import OpponentResult, kinds_of_games

STATE_NAME = "run.json"
CONFIG_NAME = "config.toml"
CURVES_NAME = "learning_curve.png"
LOGS_NAME = "tensorboard"
_ARRAYS = "run"
"""Begins the names of files with the learner's arrays."""
_SNAPSHOT = "snapshot"
"""Begins the names of files with the weights of a snapshot."""
_NAMES = "|".join(map(re.escape, (STATE_NAME, CARD_NAME, CONFIG_NAME, CURVES_NAME)))
_FILES = rf"{_NAMES}|(?:weights|run|snapshot-\d+)-[0-9a-f]{{16}}\.safetensors"
"""The names of all files that are written atomically."""
_LARGEST_FIGURE = 1e15  # of an evaluation; NaN compares as larger
_LARGEST = 2**26  # the most bytes of the JSON
_NO_FIT = LookupError, TypeError, ValueError, RuntimeError, OverflowError
"""Errors that NumPy and PyTorch raise if arrays and states do not fit a learner."""

Whole = Annotated[int, Field(ge=0, le=10**15)]
Number = Annotated[float, Field(ge=0)]


class Entries(BaseModel):
    """A JSON object with exactly the declared names and types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class OpponentState(Entries):
    """An opponent of the league, and the results against it (`league.Opponent`)."""

    name: str
    games: Annotated[float, Field(ge=0, le=MOST_GAMES)]
    wins: Annotated[float, Field(ge=0, le=MOST_GAMES)]
    retired: bool


class LeagueState(Entries):
    """The league without its arrays (`League.to_json`)."""

    opponents: list[OpponentState]
    active: Whole | None
    active_until: Whole
    finished: Whole
    rng: dict[str, Any]


class RunState(Entries):
    """The JSON file of a run (`Run`); `arrays` and `snapshots` name the files beside it."""

    format: Literal[6] = 6
    config: TrainingConfig
    bfloat16: bool
    commands: list[str] = Field(min_length=1)
    digests: dict[str, str]
    seconds: Number
    limit: Number | None
    history: list[OpponentResult]
    decisions: Whole
    updates: Whole
    rng: dict[str, Any]
    league: LeagueState
    made_for: dict[str, str] = {}
    arrays: StoredTensors | None = None
    snapshots: list[StoredTensors] = []


@dataclass(frozen=True)
class ResumePoint:
    """A copy of everything that decides how a run continues, which the run leaves alone.

    Attributes:
        state: The run without its arrays and files.
        arrays: Copies of the learner's arrays, on its device, which may still be at work on them.
        snapshots: The snapshots of the league.
    """

    state: RunState
    arrays: Mapping[str, torch.Tensor]
    snapshots: Sequence[Opponent]

    @classmethod
    def of(cls, learner: Learner, **facts: Any) -> ResumePoint:
        """Copy the learner as it is, with facts of the run as `RunState` names them."""
        league = learner.league
        state = RunState(
            decisions=learner.num_timesteps,
            updates=learner.updates,
            rng=dict(learner.rng.bit_generator.state),
            league=LeagueState.model_validate(league.to_json()),
            **facts,
        )
        arrays = {name: tensor.clone() for name, tensor in _tensors_of(learner).items()}
        return cls(state, arrays, league.snapshots)

    def save(self, folder: Path) -> None:
        """Replace the state to resume from, then the checkpoint to play from.

        After an OSError the last state is intact.
        """
        state = self.state
        game = registry.game(state.config.game)
        arrays = {name: tensor.cpu().numpy() for name, tensor in self.arrays.items()}
        stored = storage.store_tensors(folder, _ARRAYS, arrays)
        snapshots = [_stored(folder, snapshot) for snapshot in self.snapshots]
        files = {"made_for": _made_for(game), "arrays": stored, "snapshots": snapshots}
        content = state.model_copy(update=files).model_dump_json(indent=1)
        storage.write_atomically(folder / STATE_NAME, content.encode())
        storage.delete_other_tensors(folder, _ARRAYS, stored)
        storage.delete_other_tensors(folder, rf"{_SNAPSHOT}-\d+", *snapshots)
        save_checkpoint(
            folder,
            tensors_of(_part(self.arrays, "policy")),
            game,
            players=sorted(set(state.config.players)),
            command=" && ".join(state.commands),
            settings=state.config.to_json(),
            figures={
                "decisions": state.decisions,
                "games": state.league.finished,
                "seconds": round(state.seconds, 1),
                "precision": "bfloat16" if state.bfloat16 else "float32",
                "history": state.model_dump(mode="json", include={"history"})["history"],
            },
        )


def _stored(folder: Path, snapshot: Opponent) -> StoredTensors:
    if snapshot.stored is None or not (folder / snapshot.stored.file).is_file():
        assert snapshot.tensors is not None
        stem = f"{_SNAPSHOT}-{int(snapshot.name)}"
        snapshot.stored = storage.store_tensors(folder, stem, snapshot.tensors)
    return snapshot.stored


@contextmanager
def locked(folder: Path, *, is_new: bool) -> Iterator[None]:
    """Keep other processes out of the folder of a new or a saved run.

    Raises:
        CheckpointError: it holds no run.
        ValueError: for a new run, it holds a run or a checkpoint.
        TrainingError: another process has it, or another `Run` of this one.
        OSError: it cannot be written.
    """
    state = folder / STATE_NAME
    if is_new:
        folder.mkdir(parents=True, exist_ok=True)
    elif not state.exists():
        raise CheckpointError(
            f"{state}: there is no such file; give the folder of a run, or start again what was "
            "stopped before its first save"
        )
    taken = TrainingError(f"{folder}: another process is training this run; wait, or stop it")
    taken_here = TrainingError(
        f"{folder}: another Run of this process has it; let go of it first, by its close() or by "
        "del where no other name keeps it"
    )
    with storage.hold_folder(folder, _FILES, taken=taken, taken_here=taken_here):
        if is_new and (state.exists() or (folder / CARD_NAME).exists()):
            what = "run; continue it with --resume," if state.exists() else "checkpoint;"
            raise ValueError(f"{folder} already holds a {what} or give another folder")
        yield


def how_to_go_on(folder: Path) -> str:
    """Return the sentence that says how to go on after a run has failed."""
    if not (folder / STATE_NAME).exists():
        return "nothing was saved yet: once that is mended, start it again by the same command"
    return "what was saved before is intact; once that is mended, go on with " + command(
        "train", *registry.game_file_options(), "--resume", folder
    )


def read_state(folder: Path) -> RunState:
    """Read the JSON file of a run.

    Raises:
        CheckpointError: it is missing, damaged, or of another game, box or version; a note says how
            to start from the checkpoint, if there is one.
    """
    path = folder / STATE_NAME
    content = storage.read_bounded(path, _LARGEST, "is it a run?")
    try:
        state = RunState.model_validate_json(content)
    except ValidationError as invalid:
        first = invalid.errors(include_url=False, include_input=False)[0]
        if first["loc"] == ("config", "game") and first["type"] == "value_error":
            raise CheckpointError(f"{path}: {first['ctx']['error']}") from invalid
        place = ".".join(map(str, first["loc"]))
        fault = CheckpointError(f"{path}: {place}: {first['msg']}; copy all files again")
        if (folder / CARD_NAME).is_file():
            fault.add_note(
                "It cannot be resumed, but a new run can start from its checkpoint: "
                + command("train", "--start", folder)
            )
        raise fault from invalid
    game = registry.game(state.config.game)
    stated = state.made_for
    if stated.keys() != _made_for(game).keys():
        raise CheckpointError(f"{path}: made_for lacks an entry; copy all files again")
    if (wrong := _history_fault(state)) is not None:
        raise CheckpointError(f"{path}: history: {wrong}; copy all files again")
    wrong = reason_unfit(game, stated) or registry.box_mismatch(game.name, stated["box_digest"])
    if wrong is None and stated["records"] != _made_for(game)["records"]:
        wrong = "made for other records of the game; use the version it was started with"
    if wrong is not None:
        raise CheckpointError(f"{path}: {wrong}")
    return state


def _history_fault(state: RunState) -> str | None:
    """Return the fault of the first result that the run cannot have had; None if all are fine."""
    kinds = set(kinds_of_games(state.config))
    for result in state.history:
        figures = [value for value in vars(result).values() if isinstance(value, int | float)]
        is_possible = 0 <= result.decisions <= state.decisions and result.games > 0
        is_possible &= (result.players, result.opponent) in kinds
        if not is_possible or not all(abs(figure) <= _LARGEST_FIGURE for figure in figures):
            return f"{short_repr(result)} cannot be a result of this run"
    return None


def _made_for(game: Game) -> dict[str, str]:
    return {**compatibility_facts(game), "records": str(game.state.descr)}


def restore_state(folder: Path, state: RunState, learner: Learner) -> None:
    """Put a new learner, made with the run's settings, into the state from `read_state`.

    Raises:
        CheckpointError: files are missing or damaged, or do not fit this run.
    """
    shapes = {name: tensor.shape for name, tensor in learner.policy.tensors().items()}
    snapshots = [load_network(folder, stored, shapes) for stored in state.snapshots]
    try:
        if state.arrays is None:
            raise ValueError("no arrays")
        arrays = storage.load_tensors(folder, state.arrays, 2 * needed_bytes(state.config))
        _check_arrays(arrays, learner, len(state.league.opponents))
        _set_arrays(arrays, learner)
        learner.league.restore(
            state.league.model_dump(), snapshots, arrays["seats"], arrays["generators"]
        )
        restore_generator(learner.rng, state.rng)
    except _NO_FIT as fault:
        raise CheckpointError(
            f"{folder}: its files do not fit each other ({fault}); copy all of them again"
        ) from fault
    for snapshot, stored in zip(learner.league.snapshots, state.snapshots, strict=True):
        snapshot.stored = stored
    learner.num_timesteps = state.decisions
    learner.updates = state.updates


def _tensors_of(learner: Learner) -> dict[str, torch.Tensor]:
    """Return a learner's tensors by their names in files, without copying."""
    lineup = learner.league.lineup
    tensors = {
        "seats": torch.from_numpy(lineup.seats),
        "generators": torch.from_numpy(lineup.generators.states),
        "games": learner.games.save(),
    }
    for name, tensor in learner.policy.state_dict().items():
        tensors[f"policy/{name}"] = tensor
    for number, moments in learner.optimizer.state_dict()["state"].items():
        for name, tensor in moments.items():
            tensors[f"optimizer/{number}/{name}"] = tensor
    for name, tensor in learner.open_decisions.items():
        tensors[f"open/{name}"] = tensor
    return tensors


def _check_arrays(arrays: Arrays, learner: Learner, opponents: int) -> None:
    """Raise ValueError unless arrays have a new learner's dtypes and shapes, and possible values.

    Compiled code trusts them. Records of games are checked when they are loaded.
    """
    expected = _tensors_of(learner)
    if any(name.startswith("optimizer/") for name in arrays):  # as after the first update
        for number, parameter in enumerate(learner.policy.parameters()):
            expected[f"optimizer/{number}/step"] = torch.zeros(())
            expected[f"optimizer/{number}/exp_avg"] = parameter
            expected[f"optimizer/{number}/exp_avg_sq"] = parameter
    if wrong := sorted(arrays.keys() ^ expected.keys()):
        raise ValueError(f"{wrong[0]} is missing, or not expected")
    decided = len(arrays.get("open/games", ()))
    for name, array in arrays.items():
        like = expected[name].detach().cpu().numpy()
        shape = (decided, *like.shape[1:]) if name.startswith("open/") else like.shape
        if (array.dtype, array.shape) != (like.dtype, shape):
            raise ValueError(
                f"{name} is {array.dtype} {array.shape}, not {like.dtype} {tuple(shape)}"
            )
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"{name} holds numbers that are not finite")
        if name.startswith("policy/") and not (np.abs(array) <= LARGEST_WEIGHT).all():
            raise ValueError(f"{name} holds numbers beyond {LARGEST_WEIGHT:g}")
        if name.endswith(("/exp_avg_sq", "/step")) and not (array >= 0).all():
            raise ValueError(f"{name} holds numbers below 0")
    players = learner.league.batch.players
    _check_seats(arrays["seats"], players, opponents)
    if learner.open_decisions:
        _check_open_decisions(_part(arrays, "open"), players)


def _check_seats(
    seats: NDArray[np.int32], players: NDArray[np.integer[Any]], opponents: int
) -> None:
    """Raise ValueError unless the learner sits in every game, with one opponent at most."""
    is_there = np.arange(seats.shape[1]) < players[:, None]
    opponent = seats.max(axis=1, keepdims=True)
    is_possible = np.where(is_there, (seats == OUTSIDE) | (seats == opponent), seats == NOBODY)
    has_learner = (seats == OUTSIDE).any(axis=1)
    if not (is_possible.all() and has_learner.all() and (opponent < opponents).all()):
        raise ValueError("seats belong to a player who is not in the game")


def _check_open_decisions(opened: Arrays, players: NDArray[np.integer[Any]]) -> None:
    """Raise ValueError unless each is a legal action, and at most one of each seat."""
    games = opened["games"]
    seats = opened["seats"].astype(np.int64)
    actions = opened["actions"]
    is_possible = (games >= 0) & (games < len(players)) & (seats >= 0)
    is_possible &= (actions >= 0) & (actions < opened["masks"].shape[1])
    if is_possible.all():
        is_possible &= seats < players[games]
        is_possible &= opened["masks"][np.arange(len(games)), actions]
    decisions = np.stack([games, seats], axis=1)
    is_repeated = len(np.unique(decisions, axis=0)) < len(decisions)
    if is_repeated or not (is_possible & (opened["log_probs"] <= 0)).all():
        raise ValueError("an open decision is impossible")


def _set_arrays(arrays: Arrays, learner: Learner) -> None:
    tensors = {
        name: torch.tensor(array, device=learner.device)
        for name, array in arrays.items()
        if name.startswith(("policy/", "open/"))
    }
    learner.policy.load_state_dict(_part(tensors, "policy"))
    moments: dict[int, dict[str, torch.Tensor]] = {}
    for name, array in _part(arrays, "optimizer").items():
        number, _, kind = name.partition("/")
        moments.setdefault(int(number), {})[kind] = torch.tensor(array)
    optimizer = learner.optimizer
    optimizer.load_state_dict({**optimizer.state_dict(), "state": moments})
    batch = learner.league.batch
    players = batch.players.copy()
    learner.games.load(arrays["games"].view(batch.game.state).reshape(-1))
    if (batch.players != players).any():
        raise ValueError("games have other numbers of seats than the settings say")
    if (batch.to_move < 0).any():
        raise ValueError("a game is over")
    learner.open_decisions.update(_part(tensors, "open"))


def _part(arrays: Mapping[str, Any], kind: str) -> dict[str, Any]:
    prefix = f"{kind}/"
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }
