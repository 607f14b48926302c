"""Judging decisions while a game goes on, so that its review is ready when the game ends.

A decision is judged only by what its decider knew. Nothing shows a verdict before the game is over:
only reviews ask for verdicts, and a game that is still being played has no review.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from pydantic import TypeAdapter, ValidationError

from shakespeare_env import Position
from shakespeare_table.analysis.judging import MoveVerdict, judge_decision, judge_digest
from shakespeare_table.analysis.playouts import evaluation_key
from shakespeare_table.browser.judging.known import KnownPositions
from shakespeare_table.browser.opponents import default_agent
from shakespeare_table.browser.processes import AgentProcess, JobError, analyse, possible_position
from shakespeare_table.browser.storage.database import StoreError
from shakespeare_table.browser.storage.store import TableStore
from shakespeare_table.browser.tables.state import TableState

_NICENESS = 19  # of the process, which takes only the time that no other process wants
_POLL_EVERY_S = 0.2  # how often a waiting decision looks whether the server is idle
_MAX_WAITING = 4096  # decisions
_KEPT = 2048  # verdicts in memory
_VERDICT = TypeAdapter(MoveVerdict)


class Decision(NamedTuple):
    """A decision to judge.

    Attributes:
        position: A position that is possible for all that the decider knew.
        move: The move that was played.
        number: The number of moves before it.
        agent: The name of the agent that judges, as `make` takes it.
    """

    position: Position
    move: str
    number: int
    agent: str

    @property
    def key(self) -> str:
        """A text by which the verdict is found again, unless it would be another one now."""
        digest = judge_digest(self.agent, self.position.game)
        return f"{digest} {evaluation_key(self.position, self.agent)} {self.move}"


class BackgroundJudge:
    """Judges the decisions of games with people, one at a time, while the server is idle.

    People's decisions come first. Verdicts are kept on disk.

    Args:
        store: The file of games.
        known: The playouts of hints and thoughts, from which verdicts go on.
        is_idle: Whether nobody waits for an agent now.
        limit: The longest time for a decision, in seconds.
    """

    def __init__(
        self, store: TableStore, known: KnownPositions, is_idle: Callable[[], bool], limit: float
    ) -> None:
        self._store = store
        self._known = known
        self._is_idle = is_idle
        self._limit = limit
        self._process = AgentProcess(_NICENESS)
        self._changed = threading.Condition()
        self._of_people: deque[Decision] = deque(maxlen=_MAX_WAITING)
        self._of_agents: deque[Decision] = deque(maxlen=_MAX_WAITING)
        self._current: Decision | None = None
        self._verdicts: OrderedDict[str, MoveVerdict] = OrderedDict()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, table: TableState, move: str) -> None:
        """Judge a decision once the server is idle, if people play at its table.

        Args:
            table: The table before the move.
            move: The move.
        """
        seat = table.position.to_move
        people = table.plan.people
        if not people or seat is None:
            return
        decision = _decision(table, move)
        with self._changed:
            (self._of_people if seat in people else self._of_agents).append(decision)
            if self._thread is None and not self._closing.is_set():
                self._thread = threading.Thread(target=self._run, name="judging", daemon=True)
                self._thread.start()
            self._changed.notify()

    def forget(self, table: TableState, move: str) -> None:
        """Forget a decision that has been taken back, and its verdict.

        Args:
            table: The table before the move.
            move: The move.
        """
        key = _decision(table, move).key

        def is_meant(decision: Decision | None) -> bool:
            return decision is not None and decision.move == move and decision.key == key

        with self._changed:
            for waiting in (self._of_people, self._of_agents):
                for decision in list(filter(is_meant, waiting)):
                    waiting.remove(decision)
            if is_meant(self._current):
                self._current = None
            self._verdicts.pop(key, None)
            with suppress(StoreError):  # the move has been taken back nevertheless
                self._store.delete_verdict(key)

    def verdict(self, decision: Decision) -> MoveVerdict | None:
        """Return the verdict on a decision; None if there is none yet."""
        key = decision.key
        with self._changed:
            verdict = self._verdicts.get(key)
        if verdict is None:
            text = self._store.verdict(key)
            try:
                verdict = None if text is None else _VERDICT.validate_json(text)
            except ValidationError:  # a stranger may have written the file
                return None
        return None if verdict is None else replace(verdict, number=decision.number + 1)

    def analysis(self, decision: Decision) -> partial[MoveVerdict]:
        """Return the analysis that judges a decision, which goes on from known playouts."""
        position, move, number, agent = decision
        stored = self._known.of(position, agent).stored
        return partial(judge_decision, position, move, number, stored=stored)

    def keep(self, decision: Decision, verdict: MoveVerdict) -> None:
        """Keep a verdict in memory and on disk."""
        key = decision.key
        with self._changed:
            self._verdicts[key] = verdict
            while len(self._verdicts) > _KEPT:
                self._verdicts.popitem(last=False)
        # The playouts can be repeated, and bytes are not JSON.
        self._store.keep_verdict(key, _VERDICT.dump_json(replace(verdict, stored=b"")).decode())

    def close(self) -> None:
        """Stop judging."""
        self._closing.set()
        with self._changed:
            self._changed.notify()
        self._process.close()

    def _run(self) -> None:
        while not self._closing.is_set():
            with self._changed:
                if not self._of_people and not self._of_agents:
                    self._changed.wait()
                    continue
            if not self._is_idle():
                self._closing.wait(_POLL_EVERY_S)
                continue
            with self._changed:
                waiting = self._of_people or self._of_agents
                decision = waiting.popleft()
                self._current = decision
            self._judge(decision)

    def _judge(self, decision: Decision) -> None:
        job = partial(analyse, self.analysis(decision), decision.position.game.name, decision.agent)
        try:
            *_, verdict = self._process.run(job, self._limit)
            with self._changed:
                if self._current is not None:  # nobody has taken the move back meanwhile
                    self.keep(decision, verdict)
        except (JobError, StoreError):
            # The review judges the decision again, and says what is wrong.
            self._closing.wait(_POLL_EVERY_S)


def _decision(table: TableState, move: str) -> Decision:
    agent = default_agent(table.position.game)
    return Decision(possible_position(table.position), move, len(table.moves), agent)
