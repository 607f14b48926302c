"""One training run: its settings, learner and history, and the folder that keeps them."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from contextlib import ExitStack
from pathlib import Path

import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure

from shakespeare_agents import make
from shakespeare_agents.identity import agent_digest
from shakespeare_agents.naming import running_python
from shakespeare_agents.networks.checkpoint import load_checkpoint
from shakespeare_agents.networks.inference import NetworkAgent
from shakespeare_agents.networks.network import LARGEST_WEIGHT, Network
from shakespeare_agents.storage import write_atomically
from shakespeare_env.checks.limits import is_utf8
from shakespeare_env.checks.values import short_repr
from shakespeare_env.core import registry
from shakespeare_env.errors import CheckpointError, TrainingError
from shakespeare_env.play.lineup import try_out
from shakespeare_training.building import make_learner
from shakespeare_training.config import TrainingConfig, as_toml, override, train_command
from shakespeare_training.learner import no_limit
from shakespeare_training.policy import bfloat16_is_faster
from shakespeare_training.runs.evaluation import Kind, OpponentResult, kinds_of_games, measure
from shakespeare_training.runs.saving import (
    CONFIG_NAME,
    LOGS_NAME,
    Moment,
    held,
    read_state,
    restore_state,
)

_TIME_OPTION = " --minutes "  # the option for the time limit in commands


class Run:
    """A training run; make one with `Run.create` or `Run.resume`.

    It holds its folder alone until it is closed, by `close` or a `with` block, or forgotten.

    Attributes:
        config: Its settings.
        folder: Where it is saved.
        learner: The learner.
        history: All measurements so far.
        seconds: The duration up to its last stop.
        limit: The duration at which it is to stop; None without a time limit.
        commands: Shell commands that train such a network, in order.
    """

    def __init__(
        self, config: TrainingConfig, folder: Path, *, device: str, bfloat16: bool | None = None
    ) -> None:
        self.config = config
        self.folder = folder
        self.history: list[OpponentResult] = []
        self.seconds = 0.0
        self.limit: float | None = None
        self.commands: list[str] = []
        self._started: float | None = None
        self._held: ExitStack | None = None
        game = registry.game(config.game)
        self._opponents = {name: make(name, game) for name in config.evaluation_opponents}
        self.learner = make_learner(config, device)
        named = {it.name: it.agent for it in self.learner.league.named} | self._opponents
        learner = NetworkAgent(Network(self.learner.policy.tensors(), game.layout))
        own = [*self.learner.experts(), learner]
        agents = named | {f"number {number} of the learner": it for number, it in enumerate(own)}
        try_out(agents, config.game, max(config.players), config.seed)
        self._digests = {name: agent_digest(name, agent, game) for name, agent in named.items()}
        policy = self.learner.policy
        if bfloat16 is None and config.precision == "auto":
            bfloat16 = bfloat16_is_faster(policy, config.batch_size)
        policy.use_bfloat16 = config.precision == "bfloat16" if bfloat16 is None else bfloat16

    @classmethod
    def create(
        cls,
        config: TrainingConfig,
        folder: Path,
        *,
        start: Path | None = None,
        device: str = "auto",
        minutes: float | None = None,
    ) -> Run:
        """Start a run, with the weights of the checkpoint `start` if given.

        Its schedules follow its length or its time limit in minutes, whichever is nearer.
        If `start` has heads, expert iteration needs no warm-up: `warmup_decisions` may be 0.

        Raises:
            CheckpointError: `start` is damaged, or for another game or version.
            ValueError: the width is not that of `start`.
            MemoryLimitError: such a run needs more memory than there is.
            Exception: as of `held`.
        """
        network: Network | None = None
        if start is not None:
            network, card = load_checkpoint(start, registry.game(config.game))
            if card.width != config.width:
                raise ValueError(
                    f"{start}: width {card.width}, but the settings say width = {config.width}, "
                    "which a trained network cannot change; leave width out of them, or add "
                    f"--set width={card.width}"
                )
        run = cls(config, folder, device=device)
        if network is not None:
            run.learner.policy.set_tensors(network.tensors)
        run.commands = [train_command(config, run.precision, start) + run._limited_to(minutes)]
        run._held = ExitStack()
        run._held.enter_context(held(folder, is_new=True))
        return run

    @classmethod
    def resume(
        cls,
        folder: Path,
        *,
        decisions: int | None = None,
        device: str = "auto",
        trusted: Collection[str] = (),
        minutes: float | None = None,
    ) -> Run:
        """Continue a run as if it had never stopped.

        Its schedules follow a new length and the new time limit, the minutes after those it has
        had.  A former limit is forgotten.

        A folder may be a stranger's, so opponents that its settings name in Python are imported
        only if they are among the `trusted`.

        Raises:
            CheckpointError: the run is damaged or for another game, box or version, or an opponent
                has changed or is Python that is not trusted.
            ValueError: the run has passed `decisions`, or there is no such device.
            MemoryLimitError: the run needs more memory than there is.
            Exception: as of `held`.
        """
        with ExitStack() as stack:
            stack.enter_context(held(folder, is_new=False))
            state = read_state(folder)
            config = state.config
            _refuse_python(folder, config, trusted)
            longer = decisions is not None and decisions != config.decisions
            if decisions is not None and longer:
                if decisions <= state.decisions:
                    raise ValueError(
                        f"{folder} has learned from {state.decisions:,} decisions already; "
                        "give more than that with --decisions"
                    )
                config = override(config, decisions=decisions)
            run = cls(config, folder, device=device, bfloat16=state.bfloat16)
            restore_state(folder, state, run.learner)
            for name, digest in run._digests.items():
                if state.digests.get(name) != digest:
                    raise CheckpointError(
                        f"{folder}: the weights, source or files of the opponent {name!r} have "
                        "changed since the run was started, so resuming would mix two opponents; "
                        "put the old ones back"
                    )
            run.history, run.seconds = list(state.history), state.seconds
            run.commands = list(state.commands)
            # Without a new limit the run goes on past the last command's.
            was_limited = _TIME_OPTION in run.commands[-1]
            time_option = run._limited_to(minutes)
            if longer or time_option or was_limited:
                length = f" --decisions {decisions}" if longer else ""
                run.commands.append(f"shakespeare train --resume RUN{length}{time_option}")
            run._held = stack.pop_all()
        return run

    def close(self) -> None:
        """Let other processes have the folder; the run must not be used afterwards."""
        if self._held is not None:
            self._held.close()
            self._held = None

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def check_open(self) -> None:
        """Raise TrainingError if the run has been closed: the folder may be another's."""
        if self._held is None:
            raise TrainingError(f"{self.folder}: this run has been closed; resume it")

    @property
    def precision(self) -> str:
        """The precision of matrix products."""
        return "bfloat16" if self.learner.policy.use_bfloat16 else "float32"

    @property
    def elapsed(self) -> float:
        """Duration of the run in seconds, without stops."""
        return self.seconds + (0.0 if self._started is None else time.monotonic() - self._started)

    @property
    def time_share(self) -> float:
        """The share of its time limit that is used, 0 to 1; 0 without one."""
        if self.limit is None:
            return 0.0
        return min(self.elapsed / self.limit, 1.0) if self.limit > 0 else 1.0

    def _limited_to(self, minutes: float | None) -> str:
        self.limit = None if minutes is None else self.seconds + 60.0 * minutes
        return "" if minutes is None else f"{_TIME_OPTION}{minutes:g}"

    @property
    def decisions(self) -> int:
        """Decisions learned from so far."""
        return self.learner.num_timesteps

    @property
    def unmeasured(self) -> list[Kind]:
        """Kinds of games that the current learner has not played."""
        done = {(m.players, m.opponent) for m in self.history if m.decisions == self.decisions}
        return [kind for kind in kinds_of_games(self.config) if kind not in done]

    @property
    def is_complete(self) -> bool:
        """Whether it has reached its length and had its last evaluation."""
        return self.decisions >= self.config.decisions and not self.unmeasured

    def learn(self, callback: BaseCallback) -> None:
        """Train until the run is complete or the callback stops it; TensorBoard shows it.

        Raises:
            TrainingError: the weights have exploded; what was saved is intact.
            OSError: the run cannot be saved; the last state is intact.
        """
        logs = self.folder / LOGS_NAME
        self.learner.logger = configure(str(logs), ["tensorboard"] if is_utf8(logs) else [])
        self._started = time.monotonic()
        # Only while it learns, as the learner would keep the run, and the run its folder.
        self.learner.time_share = lambda: self.time_share
        try:
            self.learner.learn(max(0, self.config.decisions - self.decisions), callback)
        except FloatingPointError as fault:
            raise self._exploded(str(fault)) from fault
        finally:
            self.seconds = self.elapsed
            self._started = None
            self.learner.time_share = no_limit
            self.learner.logger.close()

    def check_weights(self) -> None:
        """Raise TrainingError if a weight is huge or not finite."""
        named = dict(self.learner.policy.named_parameters())
        fine = torch.stack([(it.abs() <= LARGEST_WEIGHT).all() for it in named.values()])
        for name, is_fine in zip(named, fine.tolist(), strict=True):
            if not is_fine:
                raise self._exploded(f"{name} is not finite or beyond {LARGEST_WEIGHT:g}")

    def _exploded(self, fault: str) -> TrainingError:
        return TrainingError(
            f"after {self.decisions:,} decisions {fault}, and nothing more was saved; "
            "start a new run from the last checkpoint with a lower learning_rate than "
            f"{self.config.learning_rate:g}: --start {self.folder} "
            f"--set learning_rate={self.config.learning_rate / 4:g}"
        )

    def add_snapshot(self) -> None:
        """Add the current learner to its opponents."""
        self.learner.league.add_snapshot(f"{self.decisions}", self.learner.policy.tensors())

    def evaluate(
        self,
        games: int,
        on_progress: Callable[[float], None],
        after_each: Callable[[OpponentResult], None],
    ) -> None:
        """Measure what is `unmeasured` by about `games` games of each kind, for history and log."""
        log = self.learner.logger
        tensors, opponents = self.learner.policy.tensors(), self._opponents
        plan = self.config, self.unmeasured, games, self.decisions, self.elapsed
        for measurement in measure(tensors, opponents, *plan, on_progress=on_progress):
            self.history.append(measurement)
            log.record(*measurement.main_figure)
            after_each(measurement)
        log.dump(self.decisions)

    def moment(self) -> Moment:
        """The run as it is between an update and the next rollout."""
        return Moment.of(
            self.learner,
            config=self.config,
            bfloat16=self.learner.policy.use_bfloat16,
            commands=self.commands,
            digests=self._digests,
            seconds=self.elapsed,
            history=list(self.history),
        )

    def save(self, moment: Moment | None = None) -> None:
        """Write the checkpoint to play from and the state to resume from, by default the current.

        TrainingError if the run has been closed; after an OSError the last state is intact.
        """
        self.check_open()
        (moment or self.moment()).save(self.folder)
        # For people: resuming takes the settings from the state.
        write_atomically(self.folder / CONFIG_NAME, as_toml(self.config).encode())


def _refuse_python(folder: Path, config: TrainingConfig, trusted: Collection[str]) -> None:
    untrusted = {*config.opponents, *config.evaluation_opponents} - {*trusted}
    if running := running_python(untrusted):
        raise CheckpointError(
            f"{folder}: its settings name Python, which would be run: "
            f"{', '.join(map(short_repr, sorted(running)))}; if you trust it, give each with "
            "--trust"
        )
