"""Processes that learn together, on one machine or on many, by `torch.distributed`.

Each process plays a part of the games and learns from its own decisions. The gradients are averaged
in every minibatch, so all processes have the same weights at all times.
"""

from __future__ import annotations

import math
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import numpy as np
import torch
import torch.distributed
from numpy.typing import NDArray

from shakespeare_agents.workers import end_with
from shakespeare_env.errors import WorkerError
from shakespeare_training.stopping import STOPPED, Stop, is_in_group

T = TypeVar("T")
S = TypeVar("S")
R = TypeVar("R")

_STARTER = "SHAKESPEARE_STARTER"
"""The environment variable with the id of the process that has started a group."""
_MEETING = "SHAKESPEARE_MEETING"
"""The environment variable with the file by which the processes of a group find each other."""
_LOOPBACK = {"linux": "lo", "darwin": "lo0"}
"""The network interfaces that no other machine reaches."""
_GRACE_S = 5.0
"""The seconds that processes have to end once another one of their group has failed."""
_POLL_S = 0.05


class ProcessGroup:
    """The processes that learn together. This base class is a group of the present process alone.

    All processes of a group must call its methods together and in the same order, because each
    call exchanges data.

    Attributes:
        rank: The number of this process, from 0 on. Number 0 saves, logs and reports.
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

    def all_gather(self, value: T) -> list[T]:
        """Return the values of all processes, by rank."""
        return [value]

    def gather(self, value: T) -> list[T]:
        """Return the values of all processes, by rank, in process 0, and none in others."""
        return [value]

    def broadcast(self, value: T) -> T:
        """Return the value of process 0."""
        return value

    def all_reduce(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the sum of a tensor over all processes."""
        return tensor

    def union(self, values: Iterable[int]) -> list[int]:
        """Return the numbers that any process has, in ascending order."""
        return sorted(set().union(*self.all_gather(set(values))))

    def all_average(self, tensors: Sequence[torch.Tensor], weight: float) -> None:
        """Replace float32 tensors by their means over all processes, with a weight for each.

        The tensors of a process with weight 0 may hold anything. One process at least must have
        another weight.
        """


ALONE = ProcessGroup()
"""The group of a process that learns alone."""


class TorchProcessGroup(ProcessGroup):
    """The processes that torchrun, or a command like it, has started.

    Raises:
        WorkerError: a process is lost. Any method that exchanges data may raise it.
    """

    def __init__(self) -> None:
        self.rank = torch.distributed.get_rank()
        self.size = torch.distributed.get_world_size()
        # Kept, because the system takes long to give memory anew.
        self._joined = torch.empty(0)
        self._shared_sums: SharedSums | None = None

    def _exchange(self, exchange: Callable[..., Any], *arguments: Any) -> None:
        try:
            exchange(*arguments)
        except RuntimeError as fault:
            raise WorkerError(
                f"process {self.rank} of {self.size} has lost another process of its group"
            ) from fault

    def all_gather(self, value: T) -> list[T]:
        """Return the values of all processes, by rank."""
        gathered: list[Any] = [None] * self.size
        self._exchange(torch.distributed.all_gather_object, gathered, value)
        return gathered

    def gather(self, value: T) -> list[T]:
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

    def all_reduce(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the sum of a tensor over all processes."""
        total = tensor.clone()
        self._exchange(torch.distributed.all_reduce, total)
        return total

    def all_average(self, tensors: Sequence[torch.Tensor], weight: float) -> None:
        """Replace float32 tensors by their means over all processes, with a weight for each."""
        one = tensors[0].new_ones(1)
        parts = [*(tensor.flatten() for tensor in tensors), one]
        flat = self._memory_for(sum(map(torch.Tensor.numel, parts)), one.device)
        if weight:
            places = torch.split(flat, list(map(torch.Tensor.numel, parts)))
            for part, memory in zip(parts, places, strict=True):
                torch.mul(part, weight, out=memory)
        else:
            flat.zero_()
        if self._shared_sums is None:
            self._exchange(torch.distributed.all_reduce, flat)
            sums = flat
        else:
            sums = self._shared_sums.add_up()
        total = sums[-1].clone()
        first = 0
        for tensor in tensors:
            own_sums = sums[first : first + tensor.numel()].view_as(tensor)
            torch.div(own_sums, total, out=tensor)
            first += tensor.numel()

    def _memory_for(self, numel: int, device: torch.device) -> torch.Tensor:
        """Return memory for numbers to be added up, which is shared if all are on one machine."""
        if self._joined.numel() != numel or self._joined.device != device:
            self._shared_sums = None
            # Without the variable it is unknown which processes share a machine.
            shares_machine = os.environ.get("LOCAL_WORLD_SIZE") == str(self.size)
            if device.type == "cpu" and shares_machine and hasattr(socket, "AF_UNIX"):
                self._shared_sums = SharedSums(self, numel)
                self._joined = self._shared_sums.own
            else:
                self._joined = torch.empty(numel, device=device)
        return self._joined


class SharedSums:
    """Numbers that the processes of one machine add up in shared memory.

    On a machine with many cores this takes a fraction of the time that sending them would.

    Args:
        group: The processes. All must make the object together.
        numel: How many numbers each process has.

    Attributes:
        own: float32[numel], the numbers of this process, for it to write.

    Raises:
        WorkerError: a process is lost. `add_up` may raise it, too.
    """

    def __init__(self, group: ProcessGroup, numel: int) -> None:
        folder = TemporaryDirectory() if group.rank == 0 else None
        path = Path(group.broadcast("" if folder is None else folder.name))
        size = (group.size + 1) * numel
        memory = torch.from_file(str(path / "sums"), shared=True, size=size)
        self._rows = memory.view(group.size + 1, numel)  # those of all processes, then their sums
        self._barrier = Barrier(group, path / "barrier")
        self._barrier.wait()
        if folder is not None:
            folder.cleanup()  # the memory stays until all processes have ended
        self.own = self._rows[group.rank]
        self._share = slice(
            numel * group.rank // group.size, numel * (group.rank + 1) // group.size
        )

    def add_up(self) -> torch.Tensor:
        """Return the sums over all processes, float32[numel], until the next call."""
        self._barrier.wait()
        columns = self._rows[:, self._share]
        torch.sum(columns[:-1], dim=0, out=columns[-1])
        self._barrier.wait()
        return self._rows[-1]


class Barrier:
    """A point at which the processes of one machine wait for each other.

    Each sends a byte to process 0, which answers them all. `torch.distributed` would take several
    times as long: it receives in threads, which wait for a core while all cores learn.

    Args:
        group: The processes. All must make the object together.
        path: The path of a file that does not exist yet.
    """

    def __init__(self, group: ProcessGroup, path: Path) -> None:
        self._leads = group.rank == 0
        self._process = f"process {group.rank} of {group.size}"
        if self._leads:
            with socket.socket(socket.AF_UNIX) as entrance:
                entrance.bind(str(path))
                entrance.listen(group.size)
                group.broadcast(None)  # the others wait for this before they connect
                self._others = [entrance.accept()[0] for _ in range(group.size - 1)]
        else:
            group.broadcast(None)
            leader = socket.socket(socket.AF_UNIX)
            leader.connect(str(path))
            self._others = [leader]

    def wait(self) -> None:
        """Wait until all processes have come here.

        Raises:
            WorkerError: a process is lost.
        """
        try:
            if self._leads:
                self._hear()
                self._tell()
            else:
                self._tell()
                self._hear()
        except OSError as fault:
            raise self._loss() from fault

    def _tell(self) -> None:
        for other in self._others:
            other.sendall(b".")

    def _hear(self) -> None:
        for other in self._others:
            if not other.recv(1):  # closed at the other end
                raise self._loss()

    def _loss(self) -> WorkerError:
        return WorkerError(f"{self._process} has lost another process of its group")


@contextmanager
def joined_group() -> Iterator[ProcessGroup]:
    """Join the processes that torchrun or `run_processes` has started with this one, for a block.

    A process that was started alone is a group of its own. If `torch.distributed` is in use
    already, as in Ray's TorchTrainer, its processes are the group.

    Raises:
        WorkerError: the processes do not find each other.
    """
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        yield TorchProcessGroup()
        return
    if not is_in_group():
        yield ALONE
        return
    starter = os.environ.get(_STARTER)
    if starter is not None:
        end_with(int(starter))
    backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
    address = os.environ.get(_MEETING, "env://")
    rank = int(os.environ["RANK"])
    size = int(os.environ["WORLD_SIZE"])
    try:
        torch.distributed.init_process_group(backend, address, rank=rank, world_size=size)
    except (RuntimeError, ValueError) as fault:
        where = f"finds no others ({_first_line(fault)})"
        if _MEETING not in os.environ:
            names = ("MASTER_ADDR", "MASTER_PORT")
            at = ":".join(os.environ.get(name, "?") for name in names)
            where += f" at {at}; check that the address is right and its port is free"
        raise WorkerError(f"process {rank} of {size} {where}") from fault
    group = TorchProcessGroup()
    try:
        yield group
        group.all_gather(None)  # no process leaves while others still wait for its answer
    finally:
        torch.distributed.destroy_process_group()


def run_processes(size: int, python: Sequence[str], stop: Stop | None = None) -> int:
    """Run Python in a group of processes on this machine, until all of them have ended.

    If one fails, the others fail too when they next exchange data. Those that do not are killed
    after a while.

    Args:
        size: The number of processes.
        python: The arguments of Python.
        stop: If it is requested, the processes are asked to stop.

    Returns:
        The exit code of a process that failed; 0 if none did.

    Raises:
        WorkerError: a process was ended by a signal.
    """
    stop = stop or Stop()
    with TemporaryDirectory() as folder, stop.deferred():
        meeting = Path(folder, "meeting").as_uri()
        processes = [
            # In sessions of their own, so that Ctrl-C reaches this process alone, which asks them.
            subprocess.Popen(
                [sys.executable, *python],
                env=_environment(rank, size, meeting),
                start_new_session=True,
            )
            for rank in range(size)
        ]
        try:
            _wait(processes, stop)
            codes = [process.poll() for process in processes]
        finally:
            for process in processes:
                process.kill()  # without effect if it has ended
                process.wait()
    if stop.requested:
        return STOPPED if any(codes) else 0
    # Once one process has ended by a signal, the others fail because they have lost it.
    for rank, code in enumerate(codes):
        if code is not None and code < 0:
            name = signal.Signals(-code).name
            raise WorkerError(
                f"process {rank} of {size} was ended by {name}; if memory ran out, give fewer "
                "--processes"
            )
    return next((code for code in codes if code), 0)


def _environment(rank: int, size: int, meeting: str) -> dict[str, str]:
    """Return the environment of a process of a group, with the names that torchrun uses."""
    facts = {
        "RANK": rank,
        "LOCAL_RANK": rank,
        "WORLD_SIZE": size,
        "LOCAL_WORLD_SIZE": size,
        "OMP_NUM_THREADS": 1,
        _STARTER: os.getpid(),
        _MEETING: meeting,
    }
    loopback = _LOOPBACK.get(sys.platform)
    if loopback is not None:  # so that no other machine reaches the processes
        facts["GLOO_SOCKET_IFNAME"] = loopback
    return {**os.environ, **{name: str(value) for name, value in facts.items()}}


def _wait(processes: Sequence[subprocess.Popen[bytes]], stop: Stop) -> None:
    """Wait until processes have ended, or one has failed and the others had time to end."""
    failed_at = math.inf
    was_told = False
    # All are asked each time, because a failed one may come after one that waits for it.
    while None in (codes := [process.poll() for process in processes]):
        if failed_at == math.inf and any(codes):
            failed_at = time.monotonic()
        if time.monotonic() - failed_at > _GRACE_S:
            return
        if stop.requested and not was_told:
            for process in processes:
                process.terminate()
            was_told = True
        time.sleep(_POLL_S)


def _first_line(fault: Exception) -> str:
    return str(fault).partition("\n")[0]
