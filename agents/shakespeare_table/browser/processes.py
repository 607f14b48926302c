"""Processes in which agents run, so that the server need not wait for them and can end them.

While a game is being played, a job holds no more of it than the seat to move may know.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sys
import threading
import traceback
from collections import Counter, OrderedDict
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import count
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from queue import LifoQueue
from typing import Any
from weakref import WeakValueDictionary

from shakespeare_agents.making import make
from shakespeare_agents.naming import default
from shakespeare_agents.workers import set_up_worker, starting_processes
from shakespeare_env import IllegalMove, Position
from shakespeare_env.core import registry
from shakespeare_env.core.position import compile_all
from shakespeare_env.errors import ShakespeareEnvError, own_frames
from shakespeare_table.analysis.analyst import Analyst
from shakespeare_table.session import choose

COMPILED_WITHIN_S = 2.0
"""Seconds that a request waits for compiled rules. The page shown afterwards asks again."""
_START_LIMIT_S = 120.0
"""Seconds in which a process must start and make an agent, on a machine that is busy."""
_COMPILE_LIMIT_S = 900.0
_NICENESS = 10  # of the processes, so that pages come first
_JOBS_PER_VIEWER = 2  # at a time
_MAX_GROUPS = 4096  # groups of a `FairPool` whose last turns are remembered
_AGENTS_PER_PROCESS = 6  # agents that a process keeps
_SEARCH = "search,simulations=16"  # its first move compiles all code that thinking aloud needs

Job = Callable[[], Iterator[Any]]
"""Work for a process, which yields None once it has made its agent, and then results.

Jobs are pickled.
"""


class JobError(ShakespeareEnvError):
    """A job that failed or was ended. The message holds no secrets of a game."""


class AgentProcess:
    """A process that runs jobs. It starts with the first job, and again after it has ended.

    Args:
        niceness: How far it gives way to other processes.
    """

    def __init__(self, niceness: int = _NICENESS) -> None:
        self._niceness = niceness
        self._lock = threading.Lock()
        self._process: SpawnProcess | None = None
        self._connection: Connection | None = None
        self._is_closed = False

    def run(self, job: Job, limit: float) -> Generator[Any, None, None]:
        """Run a job and yield its results as they come.

        Closing the generator before the job is done ends the process.

        Args:
            job: The job.
            limit: The longest time to each result, in seconds.

        Raises:
            JobError: A result took too long, the job failed, or the process has ended.
        """
        is_done = False
        try:
            connection = self._connected()
            connection.send(job)
            patience = max(limit, _START_LIMIT_S)  # until the job yields None; then `limit`
            while True:
                if not connection.poll(patience):
                    raise JobError(f"it thought for more than {limit:g} seconds and was ended")
                kind, content = connection.recv()
                is_done = kind in ("done", "failed")
                if kind == "failed":
                    words, details = content
                    print(details, file=sys.stderr)
                    raise JobError(words)
                if is_done:
                    return
                if content is not None:
                    yield content
                patience = limit
        except (EOFError, OSError) as fault:
            raise JobError("its process has ended") from fault
        finally:
            if not is_done:
                self._end()

    def close(self) -> None:
        """End the process at once and for good. A job that is running raises `JobError`."""
        with self._lock:
            self._is_closed = True
            if self._process is not None:
                self._process.kill()

    def _connected(self) -> Connection:
        with self._lock:
            if self._is_closed:
                raise JobError("the server has ended")
            if self._connection is None:
                spawning = multiprocessing.get_context("spawn")
                own_end, other_end = spawning.Pipe()
                # A daemon, so that this process need not wait for it when it ends.
                arguments = (other_end, os.getpid(), self._niceness)
                process = spawning.Process(target=_run_jobs, args=arguments, daemon=True)
                with starting_processes():
                    process.start()
                other_end.close()
                self._process = process
                self._connection = own_end
            return self._connection

    def _end(self) -> None:
        with self._lock:
            process = self._process
            connection = self._connection
            self._process = None
            self._connection = None
        if process is not None and connection is not None:
            process.kill()
            process.join()
            connection.close()


class ProcessPool:
    """A pool of processes that run a job each, with as many threads to wait for them.

    Args:
        size: The number of processes.
        limit: The longest time from one result of a job to the next, in seconds.
    """

    def __init__(self, size: int, limit: float) -> None:
        self.limit = limit
        self.threads = ThreadPoolExecutor(size, "jobs")
        self._processes = {AgentProcess() for _ in range(size)}
        # The process that was used last is taken first, since it has its agents.
        self._idle: LifoQueue[AgentProcess] = LifoQueue()
        for process in self._processes:
            self._idle.put(process)

    def last_result(self, job: Job) -> Any:
        """Run a job to its end and return its last result.

        Raises:
            JobError: As in `AgentProcess.run`.
        """
        process = self._idle.get()
        try:
            *_, last = process.run(job, self.limit)
            return last
        finally:
            self._idle.put(process)

    @property
    def is_idle(self) -> bool:
        """Whether every process waits for a job."""
        return self._idle.qsize() == len(self._processes)

    def close(self) -> None:
        """End all processes at once."""
        self.threads.shutdown(wait=False, cancel_futures=True)
        for process in self._processes:
            process.close()


@dataclass(frozen=True, eq=False)
class _Task:
    """Work that waits or runs, with the groups that it belongs to, the widest first."""

    work: Callable[[], None]
    groups: tuple[str, ...]


class FairPool(ProcessPool):
    """A pool that gives every viewer the same share, for the agents that play at tables.

    Viewers take turns, and so do the groups within a viewer's share, such as owners and their
    tables. A viewer has at most all processes but one, so that others need not wait until a long
    decision ends.
    """

    def __init__(self, size: int, limit: float) -> None:
        super().__init__(size, limit)
        self._lock = threading.Lock()
        self._waiting: list[_Task] = []
        self._running: list[_Task] = []
        self._size = size
        self._turns = count(1)
        self._last_turn: OrderedDict[tuple[str, ...], int] = OrderedDict()

    def submit(self, work: Callable[[], None], viewer: str, *groups: str) -> None:
        """Do some work on a thread once it is the viewer's turn.

        Args:
            work: The work, which may call `last_result`.
            viewer: The viewer whose share it takes.
            groups: The groups within the viewer's share, from the widest to the narrowest.

        Raises:
            RuntimeError: The pool is closed.
        """
        with self._lock:
            self._waiting.append(_Task(work, (viewer, *groups)))
            self._start_waiting()

    def _start_waiting(self) -> None:
        while len(self._running) < self._size:
            busy = Counter(running.groups[0] for running in self._running)
            may_start = [
                waiting for waiting in self._waiting if busy[waiting.groups[0]] < self._size - 1
            ]
            if not may_start:
                return
            # The viewer, the owner and the table whose last turns were longest ago, in this order.
            chosen = min(may_start, key=self._last_turns)
            self._waiting.remove(chosen)
            self._take_turn(chosen)
            self.threads.submit(self._run, chosen)
            self._running.append(chosen)

    def _last_turns(self, waiting: _Task) -> list[int]:
        """Return the number of the last turn of each group, the widest first; 0 without one."""
        groups = waiting.groups
        return [self._last_turn.get(groups[:depth], 0) for depth in range(1, len(groups) + 1)]

    def _take_turn(self, chosen: _Task) -> None:
        turn = next(self._turns)
        for depth in range(1, len(chosen.groups) + 1):
            group = chosen.groups[:depth]
            self._last_turn[group] = turn
            self._last_turn.move_to_end(group)
        while len(self._last_turn) > _MAX_GROUPS:
            self._last_turn.popitem(last=False)

    def _run(self, running: _Task) -> None:
        try:
            running.work()
        finally:
            with self._lock, suppress(RuntimeError):  # RuntimeError: the pool is closed
                self._running.remove(running)
                self._start_waiting()


class AsyncPool(ProcessPool):
    """A pool for pages that wait for results without taking a thread.

    A job that nobody waits for any more is ended. At most `_JOBS_PER_VIEWER` jobs of a viewer run
    at a time.
    """

    def __init__(self, size: int, limit: float) -> None:
        super().__init__(size, limit)
        self._free = asyncio.Semaphore(size)
        self._turns: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def result(self, job: Job, viewer: str) -> Any:
        """Run a job for a viewer to its end and return its last result.

        Raises:
            JobError: As in `AgentProcess.run`.
        """
        async with aclosing(self.results(job, viewer)) as coming:
            return [result async for result in coming][-1]

    async def results(self, job: Job, viewer: str) -> AsyncGenerator[Any, None]:
        """Run a job for a viewer and yield its results; closing the generator ends the job.

        Raises:
            JobError: As in `AgentProcess.run`.
        """
        turn = self._turns.setdefault(viewer, asyncio.Semaphore(_JOBS_PER_VIEWER))
        async with turn, self._free:
            process = self._idle.get_nowait()
            results = process.run(job, self.limit)
            run_in_thread = partial(asyncio.get_running_loop().run_in_executor, self.threads)
            try:
                result = await run_in_thread(next, results, None)
                while result is not None:
                    yield result
                    result = await run_in_thread(next, results, None)
            except RuntimeError as fault:  # the pool is closed
                raise JobError("the server has ended") from fault
            except (asyncio.CancelledError, GeneratorExit):
                # A thread may still wait for this process, so a new one takes its place.
                process.close()
                self._processes.remove(process)
                process = AgentProcess()
                self._processes.add(process)
                raise
            finally:
                self._idle.put(process)


def _run_jobs(connection: Connection, server_pid: int, niceness: int) -> None:
    set_up_worker(server_pid)
    if hasattr(os, "nice"):
        os.nice(niceness)
    with suppress(EOFError, OSError):  # the server has ended
        while True:
            job: Job = connection.recv()
            try:
                for result in job():
                    connection.send(("result", result))
            except (Exception, SystemExit) as fault:  # the agent may be anybody's code
                connection.send(("failed", _described(fault)))
            else:
                connection.send(("done", None))


def _described(fault: BaseException) -> tuple[str, str]:
    """Return an agent's fault in words that hold no secrets, and its details, which may."""
    if isinstance(fault, IllegalMove):
        return "the move it chose is not legal", ""
    frames = own_frames(fault)
    details = "".join(traceback.format_exception(fault))
    where = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    return f"{type(fault).__name__}{where} (the server's terminal shows more)", details


def possible_position(position: Position) -> Position:
    """Return a position that is possible for all that the seat to move knows.

    The returned position depends only on what this seat knows, so an agent or analysis cannot find
    out more from it.
    """
    assert position.to_move is not None
    return position.determinize(position.to_move, 0)


_agent = lru_cache(_AGENTS_PER_PROCESS)(make)
_analyst = lru_cache(_AGENTS_PER_PROCESS)(Analyst)


def decide(name: str, position: Position, seed: int, number: int) -> Iterator[Any]:
    """Yield an agent's move, as a job.

    Args:
        name: The agent's name, as `make` takes it.
        position: A position that `possible_position` has returned.
        seed: The seed of the agents' draws in this game.
        number: The number of the decision in the game.
    """
    agent = _agent(name, position.game)
    yield None
    yield choose(agent, position, seed, number)


def analyse(analysis: Callable[..., Any], game: str, name: str) -> Iterator[Any]:
    """Yield the results of an analysis, as a job.

    Args:
        analysis: A function of `shakespeare_table.analysis` that lacks only its argument `analyst`.
        game: The name of the game.
        name: The analysing agent's name, as `make` takes it.
    """
    analyst = _analyst(registry.game(game), name)
    yield None
    result = analysis(analyst=analyst)
    yield from result if isinstance(result, Iterator) else [result]


def compile_game(game: str, agent: str) -> Iterator[Any]:
    """Compile a game's contract and an agent's code, as a job. The compiled code stays on disk."""
    contract = registry.game(game)  # the `Game` of this name
    compile_all(contract)
    choose(make(agent, contract), Position.new(game, players=contract.min_seats))
    yield None


class NotReadyError(ShakespeareEnvError, ValueError):
    """A game that cannot be played yet because its rules are being compiled.

    Attributes:
        game: The name of the game.
    """

    def __init__(self, game: str) -> None:
        super().__init__(
            f"the rules of {game.capitalize()} are being compiled for this computer. That is done "
            "once and takes a minute or two; try again then"
        )
        self.game = game


class GameCompiler:
    """Compiles the rules of all games and their default agents, one after the other."""

    def __init__(self) -> None:
        self._ready = {name: threading.Event() for name in registry.names()}
        self._process = AgentProcess()
        self._is_closed = False

    def start(self) -> None:
        """Start compiling in the background."""
        threading.Thread(target=self._compile_all, name="compiling", daemon=True).start()

    def close(self) -> None:
        """Stop compiling."""
        self._is_closed = True
        self._process.close()

    def wait(self, game: str, seconds: float = COMPILED_WITHIN_S) -> None:
        """Wait until a game can be played.

        Raises:
            NotReadyError: The game cannot be played after these seconds.
        """
        if not self._ready[game].wait(seconds):
            raise NotReadyError(game)

    def _compile_all(self) -> None:
        for name, is_ready in self._ready.items():
            self._compile(name, default(registry.game(name)))
            if self._is_closed:
                return
            compile_all(registry.game(name))  # loads the compiled code into this process
            is_ready.set()
        # All games can be played now. The search's code is compiled for thinking aloud.
        for name in self._ready:
            if self._is_closed:
                return
            if default(registry.game(name)) == "network":
                self._compile(name, _SEARCH)
        self._process.close()

    def _compile(self, name: str, agent: str) -> None:
        # A fault is reported when a table of this game is opened.
        with suppress(JobError):
            list(self._process.run(partial(compile_game, name, agent), _COMPILE_LIMIT_S))
