"""A run's folder: locking it, and saving and restoring all that decides how the run continues.

A JSON file names the files of arrays beside it. It is written last, so the folder always holds one
complete state. A state is copied from the learner between an update and the next rollout.
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
    OWN_WEIGHTS_NAME,
    compatibility_facts,
    load_network,
    reason_unfit,
)
from shakespeare_agents.networks.network import LARGEST_WEIGHT
from shakespeare_agents.storage import Arrays, StoredTensors
from shakespeare_env.checks.values import command, short_repr
from shakespeare_env.core import registry
from shakespeare_env.core.game import Game
from shakespeare_env.errors import CheckpointError, TrainingError
from shakespeare_env.play.lineup import NOBODY, OUTSIDE
from shakespeare_training.building import needed_bytes
from shakespeare_training.config import WEIGHTED, TrainingConfig
from shakespeare_training.group import ProcessGroup
from shakespeare_training.learners.league import MOST_GAMES, Opponent, restore_generator
from shakespeare_training.learners.learner import Learner
from shakespeare_training.networks.policy import Policy, TrainingFacts
from shakespeare_training.runs.evaluation import Result, Strength, kinds_of_games

STATE_NAME = "run.json"
CONFIG_NAME = "config.toml"
CURVES_NAME = "learning_curve.png"
LOGS_NAME = "tensorboard"
_ARRAYS = "run"
"""Prefix of the names of files with the learner's arrays."""
_SNAPSHOT = "snapshot"
"""Prefix of the names of files with the weights of snapshots."""
_NAMES = "|".join(
    map(re.escape, (STATE_NAME, CARD_NAME, CONFIG_NAME, CURVES_NAME, OWN_WEIGHTS_NAME))
)
_FILES = rf"{_NAMES}|(?:weights|run|snapshot-\d+)-[0-9a-f]{{16}}\.safetensors"
"""A regular expression of the names of all files that are written atomically."""
_LARGEST_FIGURE = 1e15  # the largest number in a result of an evaluation
_ARRAYS_OF_GAMES = ("seats", "generators", "games")
"""The names of the arrays with a row for each game."""
_OPEN_GAMES = "open/games"
"""The name of the array with the game of each open decision."""
_MOST_BYTES = 2**26  # the largest size of the JSON file
_MISFITS = LookupError, TypeError, ValueError, RuntimeError, OverflowError
"""Errors that Python, NumPy and PyTorch raise if arrays and states do not fit a learner."""

WholeNumber = Annotated[int, Field(ge=0, le=10**15)]
Seconds = Annotated[float, Field(ge=0)]


class StrictModel(BaseModel):
    """A JSON object with exactly the declared names and types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class OpponentState(StrictModel):
    """The name of an opponent and the results against it (`league.Opponent`)."""

    name: str
    games: Annotated[float, Field(ge=0, le=MOST_GAMES)]
    wins: Annotated[float, Field(ge=0, le=MOST_GAMES)]
    retired: bool


class LeagueState(StrictModel):
    """The league of one process, without its opponents and its arrays (`League.to_json`)."""

    active: WholeNumber | None  # index of the snapshot that plays in new games
    active_until: WholeNumber  # the value of `finished` at which another snapshot is drawn
    finished: WholeNumber  # the number of games finished so far
    rng: dict[str, Any]


class ProcessState(StrictModel):
    """The state of one of the processes that learn together."""

    rng: dict[str, Any]
    league: LeagueState


class RunState(StrictModel):
    """The JSON file of a run. `Run` documents most entries; `arrays` and `snapshots` name files."""

    format: Literal[7] = 7
    config: TrainingConfig
    bfloat16: bool
    commands: list[str] = Field(min_length=1)
    digests: dict[str, str]
    seconds: Seconds
    limit: Seconds | None
    history: list[Result]
    decisions: WholeNumber
    updates: WholeNumber
    opponents: list[OpponentState]
    processes: list[ProcessState] = Field(min_length=1)
    made_for: dict[str, str] = {}  # facts of the game and its records that must match to resume
    arrays: StoredTensors | None = None
    snapshots: list[StoredTensors] = []


@dataclass(frozen=True)
class ResumePoint:
    """A copy of everything that decides how a run continues, in one process.

    Attributes:
        state: The content of the JSON file, still without `made_for`, `arrays` and `snapshots`. Of
            several processes it has only this one.
        arrays: Copies of the learner's arrays, on its device. A GPU may not have finished copying.
        snapshots: The snapshots of the league.
        policy: The learner's policy, which writes the weights to play with.
    """

    state: RunState
    arrays: Mapping[str, torch.Tensor]
    snapshots: Sequence[Opponent]
    policy: Policy

    @classmethod
    def of(cls, learner: Learner, **facts: Any) -> ResumePoint:
        """Copy the learner as it is now. `facts` are the other fields of `RunState`."""
        league = learner.league
        of_league = league.to_json()
        opponents = of_league.pop("opponents")
        rng = dict(learner.rng.bit_generator.state)
        state = RunState(
            decisions=learner.num_timesteps,
            updates=learner.updates,
            opponents=opponents,
            processes=[ProcessState(rng=rng, league=LeagueState.model_validate(of_league))],
            **facts,
        )
        arrays = {name: tensor.clone() for name, tensor in _learner_tensors(learner).items()}
        return cls(state, arrays, league.snapshots, learner.policy)

    def save(self, folder: Path, group: ProcessGroup) -> None:
        """Write the state to resume from, then the weights to play with.

        Process 0 writes the states of all processes.

        Raises:
            OSError: a file cannot be written; the last state is intact.
        """
        arrays = {name: tensor.cpu().numpy() for name, tensor in self.arrays.items()}
        own_games = {name: array for name, array in arrays.items() if _is_of_games(name)}
        parts = group.gather((self.state.processes, own_games))
        if group.rank:
            return
        processes = [process for processes, _ in parts for process in processes]
        arrays |= _joined_games([games for _, games in parts])
        state = self.state.model_copy(update={"processes": processes})
        game = registry.game(state.config.game)
        stored = storage.store_tensors(folder, _ARRAYS, arrays)
        snapshots = [_store_snapshot(folder, snapshot) for snapshot in self.snapshots]
        files = {"made_for": _made_for(game), "arrays": stored, "snapshots": snapshots}
        content = state.model_copy(update=files).model_dump_json(indent=1)
        storage.write_atomically(folder / STATE_NAME, content.encode())
        storage.delete_other_tensors(folder, _ARRAYS, stored)
        storage.delete_other_tensors(folder, rf"{_SNAPSHOT}-\d+", *snapshots)
        config = state.config
        facts = TrainingFacts(
            players=sorted(set(config.players)),
            command=" && ".join(state.commands),
            settings=config.to_json(),
            figures={
                "decisions": state.decisions,
                "games": sum(process.league.finished for process in processes),
                "seconds": round(state.seconds, 1),
                "precision": "bfloat16" if state.bfloat16 else "float32",
                "history": state.model_dump(mode="json", include={"history"})["history"],
            },
            reward="" if config.reward == WEIGHTED else config.reward,
        )
        tensors = self.policy.tensors_of(_with_prefix(self.arrays, "policy/"))
        self.policy.save(folder, tensors, facts)


def _store_snapshot(folder: Path, snapshot: Opponent) -> StoredTensors:
    """Write a snapshot's weights unless the folder has them. Return the file's name and digest."""
    if snapshot.stored is None or not (folder / snapshot.stored.file).is_file():
        assert snapshot.tensors is not None
        stem = f"{_SNAPSHOT}-{int(snapshot.name)}"
        snapshot.stored = storage.store_tensors(folder, stem, snapshot.tensors)
    return snapshot.stored


@contextmanager
def locked(folder: Path, *, is_new: bool) -> Iterator[None]:
    """Lock the folder of a new or a saved run for the length of the block.

    Raises:
        CheckpointError: a saved run is expected, but the folder holds none.
        ValueError: a new run is expected, but the folder holds a run or a checkpoint.
        TrainingError: another process holds the folder, or another `Run` of this process.
        OSError: the folder cannot be written.
    """
    state = folder / STATE_NAME
    if is_new:
        folder.mkdir(parents=True, exist_ok=True)
    elif not state.exists():
        raise CheckpointError(
            f"{state}: there is no such file; give the folder of a run, or start the run again if "
            "it was stopped before its first save"
        )
    taken = TrainingError(f"{folder}: another process is training this run; wait, or stop it")
    taken_here = TrainingError(
        f"{folder}: another Run of this process has it; close that Run first by its close(), or "
        "delete every reference to it"
    )
    with storage.hold_folder(folder, _FILES, taken=taken, taken_here=taken_here):
        if is_new and state.exists():
            raise ValueError(
                f"{folder} already holds a run; continue it with --resume, or give another folder"
            )
        if is_new and (folder / CARD_NAME).exists():
            raise ValueError(f"{folder} already holds a checkpoint; give another folder")
        yield


def how_to_continue(folder: Path) -> str:
    """Return what to do after a run has failed, as the end of a sentence without a full stop."""
    if not (folder / STATE_NAME).exists():
        return "nothing was saved yet; once this is fixed, start again with the same command"
    resume = command("train", *registry.game_file_options(), "--resume", folder)
    return f"the last save is intact; once this is fixed, continue with {resume}"


def read_state(folder: Path) -> RunState:
    """Read the JSON file of a run.

    Raises:
        CheckpointError: the file is missing, damaged, or of another game, box or version. A note
            says how to start a new run from the checkpoint, if there is one.
    """
    path = folder / STATE_NAME
    content = storage.read_bounded(path, _MOST_BYTES, "is it a run?")
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
    expected = _made_for(game)
    if stated.keys() != expected.keys():
        raise CheckpointError(f"{path}: made_for lacks an entry; copy all files again")
    history_fault = _history_fault(state)
    if history_fault is not None:
        raise CheckpointError(f"{path}: history: {history_fault}; copy all files again")
    misfit = reason_unfit(game, stated) or registry.box_mismatch(game.name, stated["box_digest"])
    if misfit is None and stated["records"] != expected["records"]:
        misfit = (
            "it was made for other records of the game; use the version that it was started with"
        )
    if misfit is not None:
        raise CheckpointError(f"{path}: {misfit}")
    return state


def _history_fault(state: RunState) -> str | None:
    """Return an error message about the first impossible result in the history; None if all fit."""
    kinds = set(kinds_of_games(state.config))
    for result in state.history:
        figures = [value for value in vars(result).values() if isinstance(value, int | float)]
        has_possible_figures = all(abs(figure) <= _LARGEST_FIGURE for figure in figures)
        is_possible = (
            0 <= result.decisions <= state.decisions
            and result.games > 0
            and (result.players, result.opponent) in kinds
            and has_possible_figures
            and (not isinstance(result, Strength) or result.is_on_scale)
        )
        if not is_possible:
            return f"{short_repr(result)} cannot be a result of this run"
    return None


def _made_for(game: Game) -> dict[str, str]:
    return {**compatibility_facts(game), "records": str(game.state.descr)}


def restore_state(folder: Path, state: RunState, learner: Learner) -> None:
    """Restore the state from `read_state` in a new learner with the run's settings.

    Raises:
        CheckpointError: files are missing or damaged, or do not fit this run.
    """
    policy = learner.policy
    shapes = {name: tensor.shape for name, tensor in policy.tensors().items()}
    weights = [load_network(folder, stored, shapes) for stored in state.snapshots]
    snapshots = [(policy.agent(tensors, greedy=False), tensors) for tensors in weights]
    try:
        if state.arrays is None:
            raise ValueError("no arrays")
        arrays = storage.load_tensors(folder, state.arrays, 2 * needed_bytes(state.config))
        own_arrays = _with_own_games(arrays, state.config.n_envs, learner.group)
        _check_arrays(own_arrays, learner, len(state.opponents))
        _set_arrays(own_arrays, learner)
        process = _own_process(state, learner)
        league = {"opponents": state.model_dump()["opponents"], **process.league.model_dump()}
        learner.league.restore(league, snapshots, own_arrays["seats"], own_arrays["generators"])
        restore_generator(learner.rng, process.rng)
    except _MISFITS as fault:
        raise CheckpointError(
            f"{folder}: its files do not fit each other ({fault}); copy all files again"
        ) from fault
    for snapshot, stored in zip(learner.league.snapshots, state.snapshots, strict=True):
        snapshot.stored = stored
    learner.num_timesteps = state.decisions
    learner.updates = state.updates


def _own_process(state: RunState, learner: Learner) -> ProcessState:
    """Return the state of this process in a resumed run.

    If the number of processes has changed, the process is a new one. It draws from new generators,
    and it draws another active snapshot.
    """
    group = learner.group
    if len(state.processes) == group.size:
        return state.processes[group.rank]
    seed = np.random.SeedSequence([state.config.seed, state.decisions, group.size, group.rank])
    rng, league_rng = seed.spawn(2)
    finished = sum(process.league.finished for process in state.processes)
    league = LeagueState(
        active=None,
        active_until=0,
        finished=0 if group.rank else finished,
        rng=_generator_state(league_rng),
    )
    return ProcessState(rng=_generator_state(rng), league=league)


def _generator_state(seed: np.random.SeedSequence) -> dict[str, Any]:
    return dict(np.random.default_rng(seed).bit_generator.state)


def _is_of_games(name: str) -> bool:
    """Return whether an array has rows for games or for their open decisions."""
    return name in _ARRAYS_OF_GAMES or name.startswith("open/")


def _joined_games(parts: Sequence[Arrays]) -> Arrays:
    """Join the arrays of several processes' games."""
    firsts = np.cumsum([0, *(len(part["seats"]) for part in parts)])
    numbered = [
        {**part, _OPEN_GAMES: part[_OPEN_GAMES] + first} if _OPEN_GAMES in part else part
        for part, first in zip(parts, firsts, strict=False)
    ]
    return {name: np.concatenate([part[name] for part in numbered]) for name in parts[0]}


def _with_own_games(arrays: Arrays, n_envs: int, group: ProcessGroup) -> Arrays:
    """Return the arrays with the rows of this process's games only.

    Raises:
        LookupError, ValueError: the arrays are not those of `n_envs` games.
    """
    numbers = group.share(n_envs)
    own = dict(arrays)
    for name in _ARRAYS_OF_GAMES:
        if len(arrays[name]) != n_envs:
            raise ValueError(f"{name} has {len(arrays[name])} rows for {n_envs} games")
        own[name] = arrays[name][numbers]
    if _OPEN_GAMES in arrays:
        games = arrays[_OPEN_GAMES]
        if ((games < 0) | (games >= n_envs)).any():
            raise ValueError("an open decision is impossible")
        is_own = np.isin(games, numbers)
        for name in arrays:
            if name.startswith("open/"):
                own[name] = arrays[name][is_own]
        own[_OPEN_GAMES] = own[_OPEN_GAMES] - numbers[0]
    return own


def _learner_tensors(learner: Learner) -> dict[str, torch.Tensor]:
    """Return a learner's tensors by their names in files, without copying."""
    lineup = learner.league.lineup
    tensors = {
        "seats": torch.from_numpy(lineup.seats),
        "generators": torch.from_numpy(lineup.generators.states),
        "games": learner.games.save(),
    }
    for name, tensor in learner.policy.network.state_dict().items():
        tensors[f"policy/{name}"] = tensor
    for number, moments in learner.optimizer.state_dict()["state"].items():
        for name, tensor in moments.items():
            tensors[f"optimizer/{number}/{name}"] = tensor
    for name, tensor in learner.open_decisions.items():
        tensors[f"open/{name}"] = tensor
    return tensors


def _check_arrays(arrays: Arrays, learner: Learner, opponents: int) -> None:
    """Raise ValueError unless arrays have a new learner's dtypes and shapes, and possible values.

    They are checked because compiled code trusts them. Records of games are checked when they are
    loaded.
    """
    expected = _learner_tensors(learner)
    # A new optimiser has no moments. It has those of a parameter once this was updated. A user's
    # module may have parameters that no output depends on.
    for number, parameter in enumerate(learner.policy.parameters()):
        if any(name.startswith(f"optimizer/{number}/") for name in arrays):
            expected[f"optimizer/{number}/step"] = torch.zeros(())
            expected[f"optimizer/{number}/exp_avg"] = parameter
            expected[f"optimizer/{number}/exp_avg_sq"] = parameter
    missing = sorted(expected.keys() - arrays.keys())
    if missing:
        raise ValueError(f"{missing[0]} is missing")
    unexpected = sorted(arrays.keys() - expected.keys())
    if unexpected:
        raise ValueError(f"{unexpected[0]} is not an array of a run")
    n_open = len(arrays.get("open/games", ()))
    for name, array in arrays.items():
        template = expected[name].detach().cpu().numpy()
        is_open_decisions = name.startswith("open/")
        shape = (n_open, *template.shape[1:]) if is_open_decisions else template.shape
        if (array.dtype, array.shape) != (template.dtype, shape):
            raise ValueError(
                f"{name} is {array.dtype} {array.shape}, not {template.dtype} {tuple(shape)}"
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
        _check_open_decisions(_with_prefix(arrays, "open/"), players)


def _check_seats(
    seats: NDArray[np.int32], players: NDArray[np.integer[Any]], opponents: int
) -> None:
    """Raise ValueError unless the learner sits in every game, with one opponent at most."""
    is_present = np.arange(seats.shape[1]) < players[:, None]
    # Opponents are indices from 0. `OUTSIDE`, the learner, and `NOBODY` are negative.
    opponent = seats.max(axis=1, keepdims=True)
    is_player = (seats == OUTSIDE) | (seats == opponent)
    is_possible = np.where(is_present, is_player, seats == NOBODY)
    has_learner = (seats == OUTSIDE).any(axis=1)
    if not (is_possible.all() and has_learner.all() and (opponent < opponents).all()):
        raise ValueError("seats belong to a player who is not in the game")


def _check_open_decisions(open_decisions: Arrays, players: NDArray[np.integer[Any]]) -> None:
    """Raise ValueError unless every open decision is legal, and each seat has at most one."""
    games = open_decisions["games"]
    seats = open_decisions["seats"].astype(np.int64)
    actions = open_decisions["actions"]
    masks = open_decisions["masks"]
    is_possible = (games >= 0) & (games < len(players)) & (seats >= 0)
    is_possible &= (actions >= 0) & (actions < masks.shape[1])
    is_possible &= open_decisions["log_probs"] <= 0
    if is_possible.all():  # only then can games and actions be used as indices
        is_possible &= seats < players[games]
        is_possible &= masks[np.arange(len(games)), actions]
    decisions = np.stack([games, seats], axis=1)
    is_repeated = len(np.unique(decisions, axis=0)) < len(decisions)
    if is_repeated or not is_possible.all():
        raise ValueError("an open decision is impossible")


def _set_arrays(arrays: Arrays, learner: Learner) -> None:
    """Load the network, the optimiser, the games and the open decisions into a learner."""
    tensors = {
        name: torch.tensor(array, device=learner.device)
        for name, array in arrays.items()
        if name.startswith(("policy/", "open/"))
    }
    learner.policy.network.load_state_dict(_with_prefix(tensors, "policy/"))
    moments: dict[int, dict[str, torch.Tensor]] = {}
    for name, array in _with_prefix(arrays, "optimizer/").items():
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
    learner.open_decisions.update(_with_prefix(tensors, "open/"))


def _with_prefix(arrays: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """Return the arrays whose names begin with a prefix, by the rest of their names."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }
