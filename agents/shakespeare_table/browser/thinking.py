"""Agents in processes of their own, so that a table waits for none and ends any.

Where a game is still being played, a job holds no more of it than the seat to move may know.
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

from shakespeare_agents.naming import default, make
from shakespeare_agents.workers import set_up_worker, starting_processes
from shakespeare_env import IllegalMove, Position
from shakespeare_env.core import registry
from shakespeare_env.core.position import compile_all
from shakespeare_env.errors import ShakespeareEnvError, own_steps
from shakespeare_table.analysis.analyst import Analyst
from shakespeare_table.session import choose

PATIENCE_S = 2.0
"""Seconds that a request waits for compiled rules; the page that waits asks again."""
_STARTING_S = 120.0
"""Seconds for a process to start or to make an agent, on a machine that does much else."""
_COMPILING_S = 900.0
_GIVE_WAY = 10  # niceness of processes that think
_EACH = 2  # questions of one viewer that are thought about at a time
_REMEMBERED = 4096  # groups of people of whom it is known when they were served last
_MADE = 6  # agents that a process keeps
_THINKING = "search,simulations=16"  # an agent that uses all that thinking aloud does

Job = Callable[[], Iterator[Any]]
"""What a process does: it makes an agent, yields None, then results. It travels pickled."""


class ThinkerError(ShakespeareEnvError):
    """An agent has failed, or its process was ended; says how in words that all may read."""


class Thinker:
    """A process that is started when it is first asked, and again after it was ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: SpawnProcess | None = None
        self._ours: Connection | None = None
        self._is_closed = False

    def ask(self, job: Job, limit: float) -> Generator[Any, None, None]:
        """The results of a job as they come; closing the iterator early ends the process.

        ThinkerError if a result took more than `limit` seconds, or the agent or process has failed.
        """
        is_done = False
        try:
            ours = self._running()
            ours.send(job)
            within = max(limit, _STARTING_S)
            while True:
                if not ours.poll(within):
                    words = f"it has thought for more than {limit:g} seconds and was ended"
                    raise ThinkerError(words)
                kind, content = ours.recv()
                is_done = kind in ("done", "failed")
                if kind == "failed":
                    words, details = content
                    print(details, file=sys.stderr)
                    raise ThinkerError(words)
                if is_done:
                    return
                if content is not None:
                    yield content
                within = limit
        except (EOFError, OSError) as fault:
            raise ThinkerError("its process has ended") from fault
        finally:
            if not is_done:
                self._end()

    def close(self) -> None:
        """End the process at once and start none; who waits for it gets a `ThinkerError`."""
        with self._lock:
            self._is_closed = True
            if self._process is not None:
                self._process.kill()

    def _running(self) -> Connection:
        with self._lock:
            if self._is_closed:
                raise ThinkerError("the server has ended")
            if self._ours is None:
                spawning = multiprocessing.get_context("spawn")
                ours, theirs = spawning.Pipe()
                # A daemon: should this process end without a word, none waits for it.
                process = spawning.Process(target=_think, args=(theirs, os.getpid()), daemon=True)
                with starting_processes():
                    process.start()
                theirs.close()
                self._process, self._ours = process, ours
            return self._ours

    def _end(self) -> None:
        with self._lock:
            process, ours = self._process, self._ours
            self._process = self._ours = None
        if process is not None and ours is not None:
            process.kill()
            process.join()
            ours.close()


class Thinkers:
    """At most `size` processes that think, each about one thing at a time, and as many threads.

    A process that takes longer than `limit` seconds from one result to the next is ended.
    """

    def __init__(self, size: int, limit: float) -> None:
        self.limit = limit
        self.threads = ThreadPoolExecutor(size, "thinking")
        self._all = {Thinker() for _ in range(size)}
        # The latest first: it has made its agents.
        self._idle: LifoQueue[Thinker] = LifoQueue()
        for thinker in self._all:
            self._idle.put(thinker)

    def result(self, job: Job) -> Any:
        """The last result of a job; errors as of `Thinker.ask`."""
        thinker = self._idle.get()
        try:
            *_, last = thinker.ask(job, self.limit)
            return last
        finally:
            self._idle.put(thinker)

    def close(self) -> None:
        """End all processes at once."""
        self.threads.shutdown(wait=False, cancel_futures=True)
        for thinker in self._all:
            thinker.close()


@dataclass(frozen=True, eq=False)
class _Waiting:
    """Some work, and whose it is, from the widest group to the narrowest."""

    work: Callable[[], None]
    groups: tuple[str, ...]


class AgentThinkers(Thinkers):
    """Thinkers for the agents of tables: everybody gets the same share of them.

    Viewers take turns, and so do a viewer's groups, such as owners and their tables. One viewer has
    all thinkers but one at most, so that the others never wait for the end of a long thought.
    """

    def __init__(self, size: int, limit: float) -> None:
        super().__init__(size, limit)
        self._lock = threading.Lock()
        self._waiting: list[_Waiting] = []
        self._running: list[_Waiting] = []
        self._size = size
        self._turns = count(1)
        self._last_turn: OrderedDict[tuple[str, ...], int] = OrderedDict()

    def begin(self, work: Callable[[], None], viewer: str, *groups: str) -> None:
        """Do some work of a viewer on a thread when its turn comes.

        Raises:
            RuntimeError: The thinkers are closed.
        """
        with self._lock:
            self._waiting.append(_Waiting(work, (viewer, *groups)))
            self._begin_next()

    def _begin_next(self) -> None:
        while len(self._running) < self._size:
            busy = Counter(running.groups[0] for running in self._running)
            may_begin = [it for it in self._waiting if busy[it.groups[0]] < self._size - 1]
            if not may_begin:
                return
            chosen = min(may_begin, key=self._last_turns)
            self._waiting.remove(chosen)
            self._take_turn(chosen)
            self.threads.submit(self._run, chosen)
            self._running.append(chosen)

    def _last_turns(self, waiting: _Waiting) -> list[int]:
        """When the groups of some work had their last turns, the widest first; 0 is never."""
        groups = waiting.groups
        return [self._last_turn.get(groups[:depth], 0) for depth in range(1, len(groups) + 1)]

    def _take_turn(self, chosen: _Waiting) -> None:
        turn = next(self._turns)
        for depth in range(1, len(chosen.groups) + 1):
            group = chosen.groups[:depth]
            self._last_turn[group] = turn
            self._last_turn.move_to_end(group)
        while len(self._last_turn) > _REMEMBERED:
            self._last_turn.popitem(last=False)

    def _run(self, running: _Waiting) -> None:
        try:
            running.work()
        finally:
            with self._lock, suppress(RuntimeError):  # RuntimeError: all has been closed
                self._running.remove(running)
                self._begin_next()


class Analysts(Thinkers):
    """Thinkers whom viewers ask: waiting takes no thread, and what nobody waits for is ended.

    Of one viewer at most `_EACH` questions are thought about.
    """

    def __init__(self, size: int, limit: float) -> None:
        super().__init__(size, limit)
        self._free = asyncio.Semaphore(size)
        self._turns: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def answer(self, job: Job, viewer: str) -> Any:
        """The last result of a job; errors as of `Thinker.ask`."""
        async with aclosing(self.stream(job, viewer)) as coming:
            return [result async for result in coming][-1]

    async def stream(self, job: Job, viewer: str) -> AsyncGenerator[Any, None]:
        """The results of a job as they come; closing the iterator ends the job."""
        turn = self._turns.setdefault(viewer, asyncio.Semaphore(_EACH))
        async with turn, self._free:
            thinker = self._idle.get_nowait()
            results, run = thinker.ask(job, self.limit), asyncio.get_running_loop().run_in_executor
            try:
                while (result := await run(self.threads, next, results, None)) is not None:
                    yield result
            except RuntimeError as fault:  # all has been closed
                raise ThinkerError("the server has ended") from fault
            except (asyncio.CancelledError, GeneratorExit):
                # Its thread may still be in it, so another one takes its place.
                thinker.close()
                self._all.remove(thinker)
                thinker = Thinker()
                self._all.add(thinker)
                raise
            finally:
                self._idle.put(thinker)


def _think(theirs: Connection, server: int) -> None:
    set_up_worker(server)
    if hasattr(os, "nice"):
        os.nice(_GIVE_WAY)
    with suppress(EOFError, OSError):  # the server has ended
        while True:
            job: Job = theirs.recv()
            try:
                for result in job():
                    theirs.send(("result", result))
            except (Exception, SystemExit) as fault:  # an agent may be anybody's
                theirs.send(("failed", _in_words(fault)))
            else:
                theirs.send(("done", None))


def _in_words(fault: BaseException) -> tuple[str, str]:
    """A fault of an agent in words that all may read, and its details, which may reveal a hand."""
    if isinstance(fault, IllegalMove):
        return "the move it has chosen is not legal", ""
    steps, details = own_steps(fault), "".join(traceback.format_exception(fault))
    where = f" in {Path(steps[-1].filename).name}, line {steps[-1].lineno}" if steps else ""
    return f"{type(fault).__name__}{where} (the server's terminal shows more)", details


def as_seen(position: Position) -> Position:
    """A possible position instead of the true one, the same whatever its mover does not know."""
    assert position.to_move is not None
    return position.determinize(position.to_move, 0)


_agent = lru_cache(_MADE)(make)
_analyst = lru_cache(_MADE)(Analyst)


def decide(name: str, seen: Position, seed: int, number: int) -> Iterator[Any]:
    """An agent's move as decision `number` of a game; see `choose`."""
    agent = _agent(name, seen.game)
    yield None
    yield choose(agent, seen, seed, number)


def analyse(analysis: Callable[..., Any], game: str, name: str) -> Iterator[Any]:
    """The results of a function of `shakespeare_table.analysis`, given all but its analyst."""
    analyst = _analyst(registry.game(game), name)
    yield None
    result = analysis(analyst=analyst)
    yield from result if isinstance(result, Iterator) else [result]


def compile_game(game: str, agent: str) -> Iterator[Any]:
    """Compile a game's rules and what an agent adds to them; the code is kept on disk."""
    rules = registry.game(game)
    compile_all(rules)
    choose(make(agent, rules), Position.new(game, players=rules.min_seats))
    yield None


class NotReadyError(ShakespeareEnvError, ValueError):
    """The game of this name cannot be played yet."""

    def __init__(self, game: str) -> None:
        super().__init__(
            f"the rules of {game.capitalize()} are being compiled for this computer, which is done "
            "once and takes a minute or two; try again then"
        )
        self.game = game


class Preparing:
    """Compiles the rules and agents of all games, one after the other, in a process."""

    def __init__(self) -> None:
        self._ready = {name: threading.Event() for name in registry.names()}
        self._compiler = Thinker()
        self._is_closed = False

    def start(self) -> None:
        """Begin, on a thread of its own."""
        threading.Thread(target=self._prepare, name="compiling", daemon=True).start()

    def close(self) -> None:
        """Compile no more."""
        self._is_closed = True
        self._compiler.close()

    def wait(self, game: str, seconds: float = PATIENCE_S) -> None:
        """Wait until a game can be played; NotReadyError if that takes longer."""
        if not self._ready[game].wait(seconds):
            raise NotReadyError(game)

    def _prepare(self) -> None:
        for name, is_ready in self._ready.items():
            self._compile(name, default(registry.game(name)))
            if self._is_closed:
                return
            compile_all(registry.game(name))  # loads what is kept
            is_ready.set()
        for name in self._ready:
            if default(registry.game(name)) == "network":
                self._compile(name, _THINKING)
        self._compiler.close()

    def _compile(self, name: str, agent: str) -> None:
        with suppress(ThinkerError):  # opening a table of this game shows the fault
            list(self._compiler.ask(partial(compile_game, name, agent), _COMPILING_S))
