"""Processes that learn together, on one machine or on many.

Each process plays a part of the games and learns from its own decisions. The gradients are averaged
in every minibatch, so all processes have the same weights at all times.
"""

from __future__ import annotations

import math
import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection
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
_SOCKETS = "SHAKESPEARE_SOCKETS"
"""The environment variable with the file descriptors of sockets to other processes of the group."""
_MEETING = "SHAKESPEARE_MEETING"
"""The environment variable with the file by which processes without sockets find each other."""
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

    def _loss(self) -> WorkerError:
        return WorkerError(
            f"process {self.rank} of {self.size} has lost another process of its group"
        )


ALONE = ProcessGroup()
"""The group of a process that learns alone."""


class LocalProcessGroup(ProcessGroup):
    """The processes that `run_processes` has started to learn on the cores of this machine.

    They exchange values through sockets and average in shared memory. `torch.distributed` would
    take several times as long: it receives in threads, which wait for a core while all cores learn.

    Args:
        rank: The number of this process.
        size: The number of processes.
        others: Connections to all others in process 0, by rank, and to process 0 in all others.

    Raises:
        WorkerError: a process is lost. Any method that exchanges data may raise it.
    """

    def __init__(self, rank: int, size: int, others: Sequence[Connection]) -> None:
        self.rank = rank
        self.size = size
        self._others = others
        # The numbers of all processes to be averaged, by rank, and then their sums.
        self._rows = torch.empty(size + 1, 0)

    def all_gather(self, value: T) -> list[T]:
        """Return the values of all processes, by rank."""
        return self.broadcast(self.gather(value))

    def gather(self, value: T) -> list[T]:
        """Return the values of all processes, by rank, in process 0, and none in others."""
        if self.rank == 0:
            return [value, *self._receive()]
        self._send(value)
        return []

    def broadcast(self, value: T) -> T:
        """Return the value of process 0."""
        if self.rank == 0:
            self._send(value)
            return value
        received: T = self._receive()[0]
        return received

    def all_reduce(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the sum of a tensor over all processes."""
        arrays = self.all_gather(tensor.numpy())
        return torch.stack(list(map(torch.from_numpy, arrays))).sum(dim=0)

    def all_average(self, tensors: Sequence[torch.Tensor], weight: float) -> None:
        """Replace float32 tensors by their means over all processes, with a weight for each."""
        numel = _joined_numel(tensors)
        if self._rows.shape[1] != numel:
            self._rows = self._shared_rows(numel)
        _join(tensors, weight, self._rows[self.rank])
        self._wait_for_all()
        # Each process adds up its share of the numbers.
        first = numel * self.rank // self.size
        end = numel * (self.rank + 1) // self.size
        share = self._rows[:, first:end]
        torch.sum(share[:-1], dim=0, out=share[-1])
        self._wait_for_all()
        _divide(self._rows[-1], tensors)

    def _shared_rows(self, numel: int) -> torch.Tensor:
        """Return memory that all processes share, float32[size + 1, numel]."""
        folder = TemporaryDirectory() if self.rank == 0 else None
        path = Path(self.broadcast("" if folder is None else folder.name), "rows")
        rows = torch.from_file(str(path), shared=True, size=(self.size + 1) * numel)
        self._wait_for_all()
        if folder is not None:
            folder.cleanup()  # the memory stays until all processes have ended
        return rows.view(self.size + 1, numel)

    def _wait_for_all(self) -> None:
        """Wait until all processes have come here. Each sends a byte, and process 0 answers."""
        with self._noticing_loss():
            if self.rank > 0:
                self._send_byte()
            for other in self._others:
                if not os.read(other.fileno(), 1):  # closed at the other end
                    raise EOFError
            if self.rank == 0:
                self._send_byte()

    def _send_byte(self) -> None:
        for other in self._others:
            os.write(other.fileno(), b".")

    def _send(self, value: object) -> None:
        message = pickle.dumps(value)
        with self._noticing_loss():
            for other in self._others:
                other.send_bytes(message)

    def _receive(self) -> list[Any]:
        with self._noticing_loss():
            messages = [other.recv_bytes() for other in self._others]
        return list(map(pickle.loads, messages))

    @contextmanager
    def _noticing_loss(self) -> Iterator[None]:
        try:
            yield
        except (EOFError, OSError) as fault:
            raise self._loss() from fault


class TorchProcessGroup(ProcessGroup):
    """The processes that torchrun, or a command like it, has started, or that learn on GPUs.

    Raises:
        WorkerError: a process is lost. Any method that exchanges data may raise it.
    """

    def __init__(self) -> None:
        self.rank = torch.distributed.get_rank()
        self.size = torch.distributed.get_world_size()
        # Kept, because the system takes long to give memory anew.
        self._joined = torch.empty(0)

    def _exchange(self, exchange: Callable[..., Any], *arguments: Any) -> None:
        try:
            exchange(*arguments)
        except RuntimeError as fault:
            raise self._loss() from fault

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
        numel = _joined_numel(tensors)
        if self._joined.numel() != numel:
            self._joined = tensors[0].new_empty(numel)
        _join(tensors, weight, self._joined)
        self._exchange(torch.distributed.all_reduce, self._joined)
        _divide(self._joined, tensors)


def _joined_numel(tensors: Sequence[torch.Tensor]) -> int:
    """Return how many numbers tensors have when they are joined: theirs, and their weight."""
    return sum(tensor.numel() for tensor in tensors) + 1


def _join(tensors: Sequence[torch.Tensor], weight: float, memory: torch.Tensor) -> None:
    """Write tensors times their weight into memory, float32[k], and then the weight.

    The tensors of a process with weight 0 may hold anything, even infinities.
    """
    if not weight:
        memory.zero_()
        return
    first = 0
    for tensor in tensors:
        torch.mul(tensor, weight, out=memory[first : first + tensor.numel()].view_as(tensor))
        first += tensor.numel()
    memory[-1] = weight


def _divide(sums: torch.Tensor, tensors: Sequence[torch.Tensor]) -> None:
    """Write joined sums, float32[k], divided by the sum of the weights, into the tensors."""
    total = sums[-1].clone()
    first = 0
    for tensor in tensors:
        own_sums = sums[first : first + tensor.numel()].view_as(tensor)
        torch.div(own_sums, total, out=tensor)
        first += tensor.numel()


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
    starter = os.environ.get(_STARTER)
    if starter is not None:
        end_with(int(starter))
    if not is_in_group() or os.environ["WORLD_SIZE"] == "1":
        yield ALONE
        return
    rank = int(os.environ["RANK"])
    size = int(os.environ["WORLD_SIZE"])
    if _SOCKETS in os.environ:
        with ExitStack() as opened:
            descriptors = map(int, os.environ[_SOCKETS].split(","))
            others = [opened.enter_context(Connection(number)) for number in descriptors]
            yield LocalProcessGroup(rank, size, others)
        return
    backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
    address = os.environ.get(_MEETING, "env://")
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


def run_processes(
    size: int, python: Sequence[str], stop: Stop | None = None, *, device: str = "cpu"
) -> int:
    """Run Python in a group of processes on this machine, until all of them have ended.

    If one fails, the others fail too when they next exchange data. Those that do not are killed
    after a while.

    Args:
        size: The number of processes.
        python: The arguments of Python.
        stop: If it is requested, the processes are asked to stop.
        device: The PyTorch device that the processes learn on.

    Returns:
        The exit code of a process that failed; 0 if none did.

    Raises:
        WorkerError: a process was ended by a signal.
    """
    stop = stop or Stop()
    with TemporaryDirectory() as folder, ExitStack() as opened, stop.deferred():
        meeting = Path(folder, "meeting").as_uri()
        sockets: list[list[int]] = [[] for _ in range(size)]
        if device == "cpu" and os.name == "posix":  # other systems hand on no sockets
            for rank in range(1, size):
                for end, owner in zip(socket.socketpair(), (0, rank), strict=True):
                    sockets[owner].append(opened.enter_context(end).fileno())
        processes = [
            # In sessions of their own, so that Ctrl-C reaches this process alone, which asks them.
            subprocess.Popen(
                [sys.executable, *python],
                env=_environment(rank, size, meeting, sockets[rank]),
                pass_fds=sockets[rank],
                start_new_session=True,
            )
            for rank in range(size)
        ]
        opened.close()  # so that a process that ends leaves no open end
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


def _environment(rank: int, size: int, meeting: str, sockets: Sequence[int]) -> dict[str, str]:
    """Return the environment of a process of a group, with the names that torchrun uses."""
    facts: dict[str, object] = {
        "RANK": rank,
        "LOCAL_RANK": rank,
        "WORLD_SIZE": size,
        "LOCAL_WORLD_SIZE": size,
        "OMP_NUM_THREADS": 1,
        _STARTER: os.getpid(),
        _MEETING: meeting,
    }
    if sockets:
        facts[_SOCKETS] = ",".join(map(str, sockets))
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
