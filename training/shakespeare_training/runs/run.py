"""One training run: a learner, its league, the folder it is kept in, and what happens when."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from filelock import FileLock, Timeout
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure

from shakespeare_agents.checkpoint import CARD_NAME, load_checkpoint, save_checkpoint
from shakespeare_agents.network import Tensors
from shakespeare_agents.storage import write_atomically
from shakespeare_env.errors import CheckpointError, TrainingError
from shakespeare_env.registry import game as game_named
from shakespeare_training.config import TrainingConfig, as_toml, command_of, make_config, override
from shakespeare_training.league import digest_of
from shakespeare_training.ppo.learner import make_learner
from shakespeare_training.ppo.precision import half_is_faster
from shakespeare_training.runs.evaluation import measure, yardsticks_of
from shakespeare_training.runs.history import History
from shakespeare_training.runs.state import STATE_NAME, read_state, restore_state, save_state

CONFIG_NAME = "config.toml"
LOGS_NAME = "tensorboard"
LOCK_NAME = ".lock"
_LOG_EVERY = 10
"""Rollouts between two entries of the log."""


class Run:
    """A run that has just begun, or goes on where it was left.

    Args:
        config: Its settings.
        folder: Where it is kept.
        device: `cpu`, `cuda` or `auto`.
        half_precision: Whether matrices are multiplied in bfloat16; None finds out what is faster,
            unless the settings say.

    Attributes:
        config: As given.
        folder: As given.
        learner: What learns.
        history: What has been measured so far.
        seconds: Length of the run before it was left the last time.
        commands: What trains such a network anew, one after the other.
    """

    def __init__(
        self,
        config: TrainingConfig,
        folder: Path,
        *,
        device: str = "auto",
        half_precision: bool | None = None,
    ) -> None:
        self.config = config
        self.folder = folder
        self.history = History()
        self.seconds = 0.0
        self.commands: list[str] = []
        self._began: float | None = None
        self._yardsticks = yardsticks_of(config)
        self.learner = make_learner(config, device)
        if half_precision is None:
            half_precision = config.precision == "bfloat16" or (
                config.precision == "auto"
                and half_is_faster(self.learner.policy, config.batch_size)
            )
        self.learner.policy.half_precision = half_precision

    @classmethod
    def begin(
        cls,
        config: TrainingConfig,
        folder: Path,
        *,
        start: Path | None = None,
        device: str = "auto",
    ) -> Run:
        """A new run in a folder of its own, with its settings written down.

        Args:
            config: Its settings.
            folder: Made if it does not exist.
            start: A checkpoint to take the first weights from.
            device: As in the constructor.

        Raises:
            CheckpointError: the checkpoint is damaged or of another game or version.
            ValueError: the folder holds a run already, or the checkpoint is of another width.
            OSError: the folder cannot be written.
        """
        if (folder / STATE_NAME).exists():
            raise ValueError(
                f"{folder} holds a run; go on with it by --resume {folder}, or give another folder"
            )
        if (folder / CARD_NAME).exists():
            raise ValueError(f"{folder} holds a checkpoint, which stays; give another folder")
        tensors = None if start is None else _weights(start, config)
        run = cls(config, folder, device=device)
        if tensors is not None:
            run.learner.policy.set_tensors(tensors)
        run.commands = [command_of(config, run.precision, start)]
        folder.mkdir(parents=True, exist_ok=True)
        run.write_settings()
        return run

    @classmethod
    def resume(cls, folder: Path, *, decisions: int | None = None, device: str = "auto") -> Run:
        """Go on with a run as if it had never been left.

        Args:
            folder: Of the run.
            decisions: A new length; schedules then follow it.
            device: As in the constructor.

        Raises:
            CheckpointError: there is no run, or it is damaged, or of another game or version.
            ValueError: its settings are none of this version.
        """
        data = read_state(folder)
        facts = data["facts"]
        config = make_config(facts["config"], str(folder / STATE_NAME))
        longer = decisions is not None and decisions != config.decisions
        if longer:
            config = override(config, decisions=decisions)
        run = cls(config, folder, device=device, half_precision=facts["half_precision"])
        restore_state(folder, data, run.learner)
        _refuse_others(facts["yardsticks"], run.yardstick_digests(), folder)
        run.history = History.from_json(facts["history"])
        run.seconds = facts["seconds"]
        run.commands = list(facts["commands"])
        if longer:
            run.commands.append(f"shakespeare train --resume RUN --decisions {decisions}")
            run.write_settings()
        return run

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes out of the folder for the length of a `with` block.

        Raises:
            TrainingError: another process has it.
        """
        lock = FileLock(self.folder / LOCK_NAME)
        try:
            lock.acquire(timeout=0)
        except Timeout as taken:
            raise TrainingError(
                f"{self.folder}: another process trains this run; wait for it or stop it"
            ) from taken
        try:
            yield
        finally:
            lock.release()

    def write_settings(self) -> None:
        """Write the settings down for people; what counts when a run goes on is its state."""
        write_atomically(self.folder / CONFIG_NAME, as_toml(self.config).encode())

    def yardstick_digests(self) -> dict[str, str]:
        """Which weights the yardsticks play from; an empty text for those that have none."""
        return {name: digest_of(agent) for name, agent in self._yardsticks.items()}

    @property
    def precision(self) -> str:
        """What matrices are multiplied in."""
        return "bfloat16" if self.learner.policy.half_precision else "float32"

    @property
    def elapsed(self) -> float:
        """Seconds the run has lasted, all its parts together."""
        return self.seconds + (0.0 if self._began is None else time.monotonic() - self._began)

    @property
    def decisions(self) -> int:
        """Decisions learnt from so far."""
        return self.learner.num_timesteps

    def learn(self, callback: BaseCallback) -> None:
        """Train until all decisions are made or the callback ends it.

        Raises:
            TrainingError: the weights are no numbers any more; what was saved is as it was.
            OSError: the run cannot be saved; what was saved before is as it was.
        """
        logs = str(self.folder / LOGS_NAME)
        self.learner.set_logger(configure(logs, ["tensorboard"]))
        self._began = time.monotonic()
        try:
            self.learner.learn(
                max(0, self.config.decisions - self.decisions),
                callback=callback,
                log_interval=_LOG_EVERY,
                reset_num_timesteps=False,
            )
        finally:
            self.seconds = self.elapsed
            self._began = None
            self.learner.logger.close()

    def check(self) -> None:
        """See that the weights are numbers.

        Raises:
            TrainingError: they are not.
        """
        for name, parameter in self.learner.policy.named_parameters():
            if not torch.isfinite(parameter).all():
                raise TrainingError(
                    f"after {self.decisions:,} decisions {name} holds numbers that are not finite; "
                    f"nothing of it was saved. Begin a run from the last checkpoint with a lower "
                    f"learning_rate than {self.config.learning_rate:g}: --start {self.folder} "
                    f"--set learning_rate={self.config.learning_rate / 4:g}"
                )

    def keep_version(self) -> None:
        """Let the learner as it is now be an opponent."""
        self.learner.league.add_version(f"{self.decisions}", self.learner.policy.tensors())

    def measure(self, games: int, on_table: Callable[[str], None]) -> None:
        """Play against the yardsticks and itself, and note what came of it.

        Args:
            games: At each table, about.
            on_table: Told what is being played.
        """
        tensors = self.learner.policy.tensors()
        found = measure(
            tensors,
            self._yardsticks,
            self.config,
            games,
            self.decisions,
            self.elapsed,
            on_table=on_table,
        )
        for measurement in found:
            self.history.add(measurement)
            where = f"evaluation/{measurement.players}_seats"
            log = self.learner.logger
            if measurement.win_rate is not None:
                log.record(f"{where}_win_rate_{measurement.opponent}", measurement.win_rate)
            else:
                log.record(f"{where}_winning_score", measurement.mean_winning_score)
        self.learner.logger.dump(self.decisions)

    def save(self) -> None:
        """Write the checkpoint to play from, and all that is needed to go on.

        Raises:
            OSError: something cannot be written; what was there before is as it was.
        """
        settings = self.config.model_dump(mode="json")
        save_checkpoint(
            self.folder,
            self.learner.policy.tensors(),
            self.learner.league.game,
            players=sorted(set(self.config.players)),
            command=" && ".join(self.commands),
            settings=settings,
            figures={
                "decisions": self.decisions,
                "games": self.learner.league.finished,
                "seconds": round(self.elapsed, 1),
                "precision": self.precision,
                "history": self.history.to_json(),
            },
        )
        save_state(
            self.folder,
            self.learner,
            {
                "config": settings,
                "half_precision": self.learner.policy.half_precision,
                "commands": self.commands,
                "yardsticks": self.yardstick_digests(),
                "seconds": self.elapsed,
                "history": self.history.to_json(),
            },
        )


def _weights(folder: Path, config: TrainingConfig) -> Tensors:
    """The weights of a checkpoint, to begin a run with."""
    network, card = load_checkpoint(folder, game_named(config.game))
    if card.width != config.width:
        raise ValueError(
            f"{folder}: width {card.width}, but the run's is {config.width}; "
            f"begin it with --set width={card.width}"
        )
    return network.tensors


def _refuse_others(saved: dict[str, str], found: dict[str, str], folder: Path) -> None:
    """Refuse yardsticks that have other weights than those a run began with."""
    for name, digest in saved.items():
        if found.get(name) != digest:
            raise CheckpointError(
                f"{folder}: the yardstick {name!r} has other weights than when the run began, so "
                "that its curve would mix two opponents; put the old ones back"
            )
