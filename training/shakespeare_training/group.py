"""Processes that learn together, on one machine or on many, by `torch.distributed`.

Each process plays a part of the games and learns from its own decisions. The gradients are averaged
in every minibatch, so all processes have the same weights at all times.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import cloudpickle
import numpy as np
import torch
import torch.distributed
from numpy.typing import NDArray

from shakespeare_agents.workers import Job, Progress, Workers
from shakespeare_env.errors import WorkerError
from shakespeare_training.stopping import STOPPED, Stopped

T = TypeVar("T")
S = TypeVar("S")
R = TypeVar("R")


class Group:
    """The processes that learn together. This base class is a group of the present process alone.

    All processes of a group must call the methods that exchange data in the same order.

    Attributes:
        rank: The number of this process, from 0 on. Number 0 evaluates, saves and reports.
        size: The number of processes.
    """

    rank = 0
    size = 1

    @property
    def local_rank(self) -> int:
        """The number of this process among those on its machine, from 0 on."""
        return int(os.environ.get("LOCAL_RANK", self.rank))

    @property
    def local_size(self) -> int:
        """The number of processes on this machine."""
        return int(os.environ.get("LOCAL_WORLD_SIZE", self.size))

    def share(self, games: int) -> NDArray[np.int64]:
        """Return the numbers of this process's games, which are about an equal part of all games.

        Raises:
            ValueError: there are fewer games than processes.
        """
        if games < self.size:
            raise ValueError(
                f"{self.size} processes cannot share n_envs = {games} games; start fewer "
                "processes, or give more games"
            )
        return np.array_split(np.arange(games), self.size)[self.rank]

    def gather(self, value: T) -> list[T]:
        """Return the values of all processes, by rank."""
        return [value]

    def send_to_first(self, value: T) -> list[T]:
        """Return the values of all processes, by rank, in process 0, and none in others."""
        return [value]

    def broadcast(self, value: T) -> T:
        """Return the value of process 0."""
        return value

    def sum(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the sum of a tensor over all processes."""
        return tensor

    def union(self, values: Iterable[int]) -> list[int]:
        """Return the numbers that any process has, in ascending order."""
        return sorted(set().union(*self.gather(set(values))))

    def average(self, tensors: Sequence[torch.Tensor], weight: float) -> None:
        """Replace float32 tensors by their means over all processes, with a weight for each.

        The tensors of a process with weight 0 may hold anything. One process at least must have
        another weight.
        """

    @contextmanager
    def workers(self) -> Iterator[Workers | None]:
        """Let process 0 have the shards of jobs run by all processes, in a block of its own.

        The block gets the workers in process 0. In other processes it gets None, and begins when
        the block of process 0 is over.

        Raises:
            Stopped: the block of process 0 was stopped.
        """
        yield Workers()


ALONE = Group()
"""The group of a process that learns alone."""


class TorchGroup(Group):
    """The processes that torchrun, or a command like it, has started.

    Raises:
        WorkerError: a process is lost. Any method that exchanges data may raise it.
    """

    def __init__(self) -> None:
        self.rank = torch.distributed.get_rank()
        self.size = torch.distributed.get_world_size()

    def _exchange(self, exchange: Callable[..., Any], *arguments: Any) -> None:
        try:
            exchange(*arguments)
        except RuntimeError as fault:
            raise WorkerError(
                f"process {self.rank} of {self.size} has lost another process of its group"
            ) from fault

    def gather(self, value: T) -> list[T]:
        """Return the values of all processes, by rank."""
        gathered: list[Any] = [None] * self.size
        self._exchange(torch.distributed.all_gather_object, gathered, value)
        return gathered

    def send_to_first(self, value: T) -> list[T]:
        """Return the values of all processes, by rank, in process 0, and none in others."""
        gathered: list[Any] | None = None if self.rank else [None] * self.size
        self._exchange(torch.distributed.gather_object, value, gathered)
        return gathered or []

    def broadcast(self, value: T) -> T:
        """Return the value of process 0."""
        held: list[Any] = [value]
        self._exchange(torch.distributed.broadcast_object_list, held, 0)
        shared: T = held[0]
        return shared

    def sum(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the sum of a tensor over all processes."""
        total = tensor.clone()
        self._exchange(torch.distributed.all_reduce, total)
        return total

    def average(self, tensors: Sequence[torch.Tensor], weight: float) -> None:
        """Replace float32 tensors by their means over all processes, with a weight for each."""
        one = tensors[0].new_ones(1)
        flat = torch.cat([*(tensor.flatten() for tensor in tensors), one])
        if weight:
            flat *= weight
        else:
            flat.zero_()
        self._exchange(torch.distributed.all_reduce, flat)
        flat /= flat[-1].clone()
        first = 0
        for tensor in tensors:
            mean = flat[first : first + tensor.numel()]
            tensor.copy_(mean.view_as(tensor))
            first += tensor.numel()

    @contextmanager
    def workers(self) -> Iterator[Workers | None]:
        """Let process 0 have the shards of jobs run by all processes (see `Group.workers`)."""
        if self.rank:
            if self._serve():
                raise Stopped
            yield None
            return
        is_stopped = False
        try:
            yield _GroupWorkers(self)
        except Stopped:
            is_stopped = True
            raise
        finally:
            self.broadcast(is_stopped)

    def _serve(self) -> bool:
        """Run shards for process 0 until its block is over. Return whether it was stopped."""
        work: Callable[[Any], Iterator[Progress[Any]]] | None = None
        while True:
            order: _Order | bool = self.broadcast(False)
            if isinstance(order, bool):
                return order
            if order.job is not None:
                work = cloudpickle.loads(order.job).start()
            assert work is not None
            own = order.shards[self.rank : self.rank + 1]
            self.send_to_first([step for shard in own for step in work(cloudpickle.loads(shard))])


class _Order(NamedTuple):
    """What processes run at the same time."""

    job: bytes | None  # pickled; None if it is the job of the order before
    shards: list[bytes]  # pickled, one for each process; the last processes may get none


class _GroupWorkers(Workers):
    """Runs shards in all processes of a group, in turns of one shard for each process."""

    def __init__(self, group: TorchGroup) -> None:
        self._group = group
        self.size = group.size

    def run(self, job: Job[S, R], shards: Iterable[S]) -> Generator[Progress[R], None, None]:
        """Run shards as `Workers.run` does. Progress and results come at the end of a turn."""
        group = self._group
        new_job: bytes | None = cloudpickle.dumps(job)
        work = job.start()
        source = iter(shards)
        while taken := list(islice(source, self.size)):
            order: _Order | bool = _Order(new_job, list(map(cloudpickle.dumps, taken)))
            group.broadcast(order)
            new_job = None
            for steps in group.send_to_first(list(work(taken[0]))):
                yield from steps


@contextmanager
def joined_group() -> Iterator[Group]:
    """Join the processes that torchrun has started together with this one, for a block.

    A process that was started alone is a group of its own. If `torch.distributed` is in use
    already, as in Ray's TorchTrainer, its processes are the group.

    Raises:
        WorkerError: the processes do not find each other.
    """
    if torch.distributed.is_initialized():
        yield TorchGroup()
        return
    if not is_in_group():
        yield ALONE
        return
    backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
    try:
        torch.distributed.init_process_group(backend)
    except (RuntimeError, ValueError) as fault:
        address = ":".join(os.environ.get(name, "?") for name in ("MASTER_ADDR", "MASTER_PORT"))
        raise WorkerError(
            f"process {os.environ['RANK']} finds no others at {address} "
            f"({str(fault).splitlines()[0]}); check that the address is right and its port is free"
        ) from fault
    try:
        yield TorchGroup()
    finally:
        torch.distributed.destroy_process_group()


def is_in_group() -> bool:
    """Return whether torchrun, or a command like it, has started this process in a group."""
    return {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"} <= os.environ.keys()


def run_processes(size: int, module: str, arguments: Sequence[str]) -> int:
    """Run a Python module in a group of processes on this machine, as torchrun does.

    Returns:
        The exit code. It is that of the first process that failed, and 0 if none did.

    Raises:
        WorkerError: a process was ended by a signal.
    """
    from torch.distributed.elastic.multiprocessing import SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    # What PyTorch logs about processes that end says no more than the errors below.
    for name in logging.root.manager.loggerDict:
        if name.startswith("torch.distributed."):
            logging.getLogger(name).setLevel(logging.CRITICAL)
    launch = elastic_launch(
        LaunchConfig(
            min_nodes=1,
            max_nodes=1,
            nproc_per_node=size,
            run_id="shakespeare",
            rdzv_backend="c10d",
            rdzv_endpoint="localhost:0",  # on a free port
            max_restarts=0,
        ),
        sys.executable,
    )
    try:
        launch("-m", module, *arguments)
    except SignalException:
        return STOPPED  # it has sent the signal on to the processes, and waited for them
    except ChildFailedError as failed:
        failures = sorted(failed.failures.items(), key=lambda item: item[1].timestamp)
        # Once one process is lost, the others fail, or are ended by SIGTERM.
        for rank, failure in failures:
            if failure.exitcode < 0 and failure.exitcode != -signal.SIGTERM:
                name = signal.Signals(-failure.exitcode).name
                raise WorkerError(
                    f"process {rank} of {size} was ended by {name}; if memory ran out, give fewer "
                    "--processes"
                ) from None
        first: int = failures[0][1].exitcode
        return max(first, 1)
    return 0
