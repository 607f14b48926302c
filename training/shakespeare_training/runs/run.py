"""One training run: its settings, learner and history, and the folder that keeps them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path

import torch
from stable_baselines3.common.logger import configure

from shakespeare_agents.identity import agent_digest
from shakespeare_agents.making import make
from shakespeare_agents.naming import AgentSpec, names_running_python
from shakespeare_agents.networks.network import LARGEST_WEIGHT
from shakespeare_agents.python_names import load
from shakespeare_agents.storage import write_atomically
from shakespeare_arena.measure import reason_without_scale, scale_digest
from shakespeare_env.checks.limits import is_utf8
from shakespeare_env.checks.values import command, short_repr
from shakespeare_env.core import registry
from shakespeare_env.errors import CheckpointError, TrainingError
from shakespeare_env.play.agent import AnyAgent
from shakespeare_env.play.lineup import warm_up
from shakespeare_training.building import make_learner
from shakespeare_training.config import (
    MLP,
    SCALE,
    WEIGHTED,
    TrainingConfig,
    as_toml,
    override,
    train_command,
)
from shakespeare_training.group import ALONE, ProcessGroup
from shakespeare_training.learners.learner import Learner, never_stop
from shakespeare_training.networks.policy import bfloat16_is_faster
from shakespeare_training.runs.evaluation import (
    Kind,
    Result,
    evaluate_learner,
    is_worth_measuring,
    kinds_of_games,
    strength_decisions,
    work_of,
)
from shakespeare_training.runs.saving import (
    CONFIG_NAME,
    LOGS_NAME,
    ResumePoint,
    locked,
    read_state,
    restore_state,
)
from shakespeare_training.stopping import Stopped


class Run:
    """A training run. `Run.create` and `Run.resume` make one.

    Its folder is locked until the run is closed, by `close` or a `with` block, or deleted.

    Attributes:
        config: The settings of the run.
        folder: The folder that the run is saved in.
        learner: The learner.
        history: All results of evaluations so far.
        seconds: Seconds of training up to the last stop.
        limit: Seconds of training after which the run stops; None without a time limit.
        commands: The shell commands that repeat this training, in order: the one that starts it,
            and those that resume it with another length, time limit or number of processes.
        group: The processes that learn together. Each has a `Run`; that of process 0 has the
            folder, the results and the logs.
    """

    def __init__(
        self,
        config: TrainingConfig,
        folder: Path,
        *,
        device: str,
        bfloat16: bool | None = None,
        group: ProcessGroup = ALONE,
    ) -> None:
        self.config = config
        self.folder = folder
        self.group = group
        self.history: list[Result] = []
        self.seconds = 0.0
        self.limit: float | None = None
        self.commands: list[str] = []
        self._started: float | None = None
        self._decisions_at_start = 0
        self._lock: ExitStack | None = None  # holds the lock on the folder

        game = registry.game(config.game)
        reason = reason_without_scale(game)
        if reason is not None and SCALE in config.evaluation_opponents:
            raise ValueError(
                f"evaluation_opponents names {SCALE!r}, but {config.game} has no scale: "
                f"{reason}; or name other opponents"
            )
        specs = {
            name: AgentSpec.parse(name) for name in config.evaluation_opponents if name != SCALE
        }
        self._opponents = {name: make(spec, game) for name, spec in specs.items()}
        self.learner = make_learner(config, device, group)
        league = self.learner.league
        specs |= league.specs
        named = {opponent.name: opponent.agent for opponent in league.named} | self._opponents
        self._warm_up(named)
        policy = self.learner.policy
        parts = {name: AgentSpec.parse(name) for name in own_parts(config)}
        named_python = {name: load(spec.python) for name, spec in parts.items() if spec.python}
        specs |= parts
        # These show, when the run is resumed, whether an opponent or a part of the learner has
        # changed.
        self._digests = {
            name: agent_digest(specs[name], made, game)
            for name, made in {**named, **named_python}.items()
        }

        if SCALE in config.evaluation_opponents:
            self._digests[SCALE] = scale_digest(game)
        if any(digests != self._digests for digests in group.all_gather(self._digests)):
            raise TrainingError(
                "the processes have different files of the agents, the network or the reward that "
                "the settings name; give all machines the same files"
            )

        if bfloat16 is not None:
            policy.use_bfloat16 = bfloat16
        elif config.precision == "auto":
            # Each process would measure its own speed.
            policy.use_bfloat16 = group.broadcast(bfloat16_is_faster(policy, config.batch_size))
        else:
            policy.use_bfloat16 = config.precision == "bfloat16"

    def _warm_up(self, named: Mapping[str, AnyAgent]) -> None:
        """Have the named agents and the learner's own choose a move, so that faults show early."""
        config = self.config
        own = [*self.learner.experts(), self.learner.policy.agent()]
        numbered = {f"number {number} of the learner": agent for number, agent in enumerate(own)}
        warm_up({**named, **numbered}, config.game, max(config.players), config.seed)

    @classmethod
    def create(
        cls,
        config: TrainingConfig,
        folder: Path,
        *,
        start: Path | None = None,
        device: str = "auto",
        minutes: float | None = None,
        group: ProcessGroup = ALONE,
    ) -> Run:
        """Start a run, with the weights of `start` if given.

        `start` is the folder of a checkpoint or, for a network of the user's own, a file with its
        `state_dict`.

        Its schedules follow the number of decisions or the time limit, whichever ends sooner.
        Expert iteration may search from the first decision (`warmup_decisions` of 0) if `start` has
        the heads that guide the search, since they are trained already.

        Raises:
            CheckpointError: `start` is damaged, or for another game or version.
            ValueError: the network has another shape than `start`.
            MemoryLimitError: the run needs more memory than the machine has.
            Exception: the folder cannot be locked (`saving.locked`).
        """
        run = cls(config, folder, device=device, group=group)
        start_name: str | None = None
        if start is not None:
            run.learner.policy.start_from(start)
            for weights in run.learner.policy.network.state_dict().values():
                weights.copy_(group.broadcast(weights))  # files may differ between machines
            is_own = config.network != MLP
            start_name = f"{config.network},weights={start}" if is_own else str(start)
        run._limit_time(minutes)
        options = _processes_option(group) + _time_option(minutes)
        run.commands = [train_command(config, run.precision, start_name) + options]
        with ExitStack() as stack:
            stack.enter_context(_locked_by_first(folder, group, is_new=True))
            run._lock = stack.pop_all()
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
        group: ProcessGroup = ALONE,
    ) -> Run:
        """Continue a run as if it had never stopped.

        With another number of processes the games go on, but the run is not the one that it would
        have been.

        Its schedules follow the new number of decisions and the new time limit. The `minutes` are
        counted from now on. Without them the run has no time limit, even if it had one before.

        A stranger may have written the folder. So Python code that the settings name is imported
        only if its names are among the `trusted`.

        Raises:
            CheckpointError: the run is damaged or for another game, box or version, or an opponent,
                the network or the reward has changed or is Python that is not trusted.
            ValueError: the run has passed `decisions`, or there is no such device.
            MemoryLimitError: the run needs more memory than the machine has.
            Exception: the folder cannot be locked (`saving.locked`).
        """
        with ExitStack() as stack:
            stack.enter_context(_locked_by_first(folder, group, is_new=False))
            state = read_state(folder)
            if any(other != state for other in group.all_gather(state)):
                raise CheckpointError(
                    f"{folder}: the processes read different runs there; put it on a disk that all "
                    "machines share"
                )
            config = state.config
            _refuse_python(folder, config, trusted)
            has_new_length = decisions is not None and decisions != config.decisions
            if decisions is not None and has_new_length:
                if decisions <= state.decisions:
                    raise ValueError(
                        f"{folder} has learned from {state.decisions:,} decisions already; "
                        "give more than that with --decisions"
                    )
                config = override(config, decisions=decisions)
            run = cls(config, folder, device=device, bfloat16=state.bfloat16, group=group)
            restore_state(folder, state, run.learner)
            for name, digest in run._digests.items():
                if state.digests.get(name) != digest:
                    raise CheckpointError(
                        f"{folder}: the weights, source or files of {name!r} have changed since "
                        "the run was started, so resuming would mix two of them; put the old ones "
                        "back, or start a new run from its weights: "
                        + command("train", "--start", run.agent_name)
                    )
            run.history = list(state.history)
            run.seconds = state.seconds
            run.commands = list(state.commands)
            run._limit_time(minutes)
            # Without `minutes` a former limit is lifted.
            changes_limit = minutes is not None or state.limit is not None
            changes_group = len(state.processes) != group.size
            if has_new_length or changes_limit or changes_group:
                length = f" --decisions {decisions}" if has_new_length else ""
                processes = _processes_option(group) if changes_group else ""
                options = length + _time_option(minutes) + processes
                run.commands.append(f"shakespeare train --resume RUN{options}")
            run._lock = stack.pop_all()
        return run

    def close(self) -> None:
        """Unlock the folder for other processes. The run must not be used afterwards."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def check_open(self) -> None:
        """Raise TrainingError if the run has been closed, since others may use its folder now."""
        if self._lock is None:
            raise TrainingError(f"{self.folder}: this run has been closed; resume it")

    @property
    def agent_name(self) -> str:
        """The name of the agent that plays with the saved weights."""
        return self.learner.policy.agent_name(self.folder)

    @property
    def precision(self) -> str:
        """The precision of matrix products."""
        return "bfloat16" if self.learner.policy.use_bfloat16 else "float32"

    @property
    def elapsed(self) -> float:
        """Seconds that the run has taken, without the time between stopping and resuming."""
        return self.seconds + (0.0 if self._started is None else time.monotonic() - self._started)

    @property
    def time_share(self) -> float:
        """The share of the time limit that is used, 0 to 1; 0 without a limit."""
        if self.limit is None:
            return 0.0
        if self.limit <= 0:
            return 1.0
        return min(self.elapsed / self.limit, 1.0)

    def _limit_time(self, minutes: float | None) -> None:
        self.limit = None if minutes is None else self.seconds + 60.0 * minutes

    @property
    def decisions(self) -> int:
        """Decisions learned from so far."""
        return self.learner.num_timesteps

    @property
    def unmeasured(self) -> list[Kind]:
        """Kinds of games in which the present learner has not been evaluated, but should be."""
        current = [result for result in self.history if result.decisions == self.decisions]
        done = {(result.players, result.opponent) for result in current}
        return [
            (players, opponent)
            for players, opponent in kinds_of_games(self.config)
            if (players, opponent) not in done
            and (opponent != SCALE or self._is_worth_measuring(players))
        ]

    def _is_worth_measuring(self, players: int) -> bool:
        """Return whether to measure strength at a table now, as is always done at the run's end."""
        if self.decisions >= self.config.decisions or self.learner.time_share >= 1.0:
            return True
        affordable = self._strength_decisions(players)
        return is_worth_measuring(self.history, players, self.decisions, affordable)

    def _strength_decisions(self, players: int) -> float:
        on_gpu = self.learner.device.type != "cpu"
        return strength_decisions(self.config, self.history, players, self.decisions, on_gpu=on_gpu)

    @property
    def is_complete(self) -> bool:
        """Whether the run has reached its length and had its last evaluation."""
        return self.decisions >= self.config.decisions and not self.unmeasured

    @contextmanager
    def learning(self, check_stop: Callable[[], None] = never_stop) -> Iterator[Learner]:
        """Lend the learner to a training loop, with schedules, a running clock and TensorBoard.

        Args:
            check_stop: Called often while the learner plays and learns; raises to stop it.

        Raises:
            TrainingError: the weights have exploded; what was saved is intact.
        """
        learner = self.learner
        logs = self.folder / LOGS_NAME
        if self.group.rank == 0:
            learner.logger = configure(str(logs), ["tensorboard"] if is_utf8(logs) else [])
        self._started = time.monotonic()
        self._decisions_at_start = self.decisions
        learner.goal = self.config.decisions
        learner.time_share = self.group.broadcast(self.time_share)
        # The learner refers to the run only while it learns. Otherwise `del run` would leave the
        # run alive, and its folder locked.
        learner.check_stop = check_stop
        try:
            yield learner
        except FloatingPointError as fault:
            raise self._exploded(str(fault)) from fault
        finally:
            self.seconds = self.elapsed
            self._started = None
            learner.check_stop = never_stop
            learner.logger.close()

    def log_rollout(self) -> None:
        """Write the log of a rollout, with the speed and the win rates in the league."""
        log = self.learner.logger
        for name, rate in self.learner.league.win_rates().items():
            log.record(f"league/{name}", rate)
        learned = self.decisions - self._decisions_at_start
        # `self.seconds` does not change while the learner learns.
        seconds = max(self.elapsed - self.seconds, 1e-9)
        log.record("time/decisions_per_second", learned / seconds)
        log.dump(self.decisions)

    def check_weights(self) -> None:
        """Raise TrainingError if a weight is huge or not finite."""
        named = dict(self.learner.policy.network.named_parameters())
        # The answers are read in one transfer, because every transfer waits for the GPU.
        fine = torch.stack([(weights.abs() <= LARGEST_WEIGHT).all() for weights in named.values()])
        for name, is_fine in zip(named, fine.tolist(), strict=True):
            if not is_fine:
                raise self._exploded(f"{name} is not finite or beyond {LARGEST_WEIGHT:g}")

    def _exploded(self, fault: str) -> TrainingError:
        return TrainingError(
            f"after {self.decisions:,} decisions {fault}, and nothing more was saved; "
            "start a new run from the last checkpoint with a lower learning_rate than "
            f"{self.config.learning_rate:g}: --start {self.agent_name} "
            f"--set learning_rate={self.config.learning_rate / 4:g}"
        )

    def evaluate(
        self, games: int, on_progress: Callable[[float], None], after_each: Callable[[Result], None]
    ) -> None:
        """Evaluate the learner in the kinds of games that are `unmeasured`.

        Results are added to the history and the log. The processes of a group share the kinds.

        Args:
            games: The number of games of each kind but those on the scale, approximately.
            on_progress: Called after every step with the share of the games that is played.
            after_each: Called with each result.
        """
        log = self.learner.logger
        kinds = {
            (players, opponent): self._strength_decisions(players) if opponent == SCALE else games
            for players, opponent in self.unmeasured
        }
        group = self.group
        ordered = list(kinds)
        if group.size > 1:  # so that the processes end at about the same time
            work = work_of(kinds)
            ordered.sort(key=lambda kind: work[kind], reverse=True)
        results = evaluate_learner(
            self.learner.policy.agent(),
            self._opponents,
            self.config,
            {kind: kinds[kind] for kind in ordered[group.rank :: group.size]},
            decisions=self.decisions,
            seconds=self.elapsed,
            on_progress=on_progress,
        )
        for _ in range(math.ceil(len(kinds) / group.size)):
            for result in self._next_results(results):
                self.history.append(result)
                for name, figure in result.logged.items():
                    log.record(name, figure)
                after_each(result)
        log.dump(self.decisions)

    def _next_results(self, results: Iterator[Result]) -> list[Result]:
        """Return the next results of all processes. Some may have none left."""
        result: Result | None = None
        is_stopped = False
        try:
            result = next(results, None)
        except Stopped:
            is_stopped = True
        found = self.group.all_gather((result, is_stopped))
        if any(stopped for _, stopped in found):
            raise Stopped
        return [each for each, _ in found if each is not None]

    def resume_point(self) -> ResumePoint:
        """Return a copy of the run's state. Call it between an update and the next rollout."""
        return ResumePoint.of(
            self.learner,
            config=self.config,
            bfloat16=self.learner.policy.use_bfloat16,
            commands=self.commands,
            digests=self._digests,
            seconds=self.elapsed,
            limit=self.limit,
            history=list(self.history),
        )

    def save(self, point: ResumePoint | None = None) -> None:
        """Write the checkpoint to play from and the point to resume from, by default the present.

        Raises:
            TrainingError: the run has been closed.
            OSError: the files cannot be written; the last state is intact.
        """
        self.check_open()
        if point is None:
            point = self.resume_point()
        point.save(self.folder, self.group)
        if self.group.rank:
            return
        # This file is for people. Resuming takes the settings from the state.
        write_atomically(self.folder / CONFIG_NAME, as_toml(self.config).encode())


def own_parts(config: TrainingConfig) -> list[str]:
    """Return the names of the user's own network and reward, if there are any."""
    standard = (MLP, WEIGHTED)
    return [name for name in (config.network, config.reward) if name not in standard]


@contextmanager
def _locked_by_first(folder: Path, group: ProcessGroup, *, is_new: bool) -> Iterator[None]:
    """Let process 0 lock a folder for the length of the block, which begins in all processes then.

    Raises:
        Exception: the folder cannot be locked (`saving.locked`).
    """
    with nullcontext() if group.rank else locked(folder, is_new=is_new):
        group.broadcast(None)
        yield


def _processes_option(group: ProcessGroup) -> str:
    return f" --processes {group.size}"


def _time_option(minutes: float | None) -> str:
    return "" if minutes is None else f" --minutes {minutes:g}"


def python_in(config: TrainingConfig) -> list[str]:
    """Return the names in settings that run Python which the user has not installed, sorted."""
    named = {*config.opponents, *config.evaluation_opponents, *own_parts(config)}
    return sorted(names_running_python(named))


def _refuse_python(folder: Path, config: TrainingConfig, trusted: Collection[str]) -> None:
    untrusted = [name for name in python_in(config) if name not in trusted]
    if untrusted:
        raise CheckpointError(
            f"{folder}: resuming would run Python that its settings name: "
            f"{', '.join(map(short_repr, untrusted))}; if you trust it, name each with --trust"
        )
