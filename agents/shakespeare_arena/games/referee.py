"""A referee of many games: an agent that fails loses its game, and the other games go on."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.program_agent import Answers
from shakespeare_agents.programs import Fault
from shakespeare_agents.python_names import fault_in_words
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.batch_checks import as_actions
from shakespeare_env.play.agent import AnyAgent, Decision, ask
from shakespeare_env.play.generators import GameGenerators, Saved
from shakespeare_env.play.information_sets import InformationSets
from shakespeare_env.play.lineup import OUTSIDE, Call, Lineup

FAULT_KINDS: Mapping[str, str] = {
    "crash": "its program ended, closed its pipes, or could not be started",
    "time": "it thought for longer than allowed",
    "memory": "its program took more memory than allowed",
    "flood": "its program wrote more than allowed",
    "garbage": "its answer is not a choice",
    "illegal": "its choice is not a legal move",
    "error": "it raised an exception",
}
"""The kinds of faults, each with its meaning."""


@runtime_checkable
class Answerer(Protocol):
    """An agent that reports its own faults: it may fail in some games and go on in others.

    Keys identify games. A key is the same for all decisions of one seat in one game.
    """

    def answer(self, games: InformationSets, keys: Sequence[Hashable]) -> Answers:
        """Decide in m games, identified by m keys."""
        ...

    def end(self, keys: Sequence[Hashable]) -> None:
        """Forget games that are over; keys that the agent was never asked about are ignored."""
        ...


@dataclass(frozen=True)
class Forfeit:
    """A game lost by a seat's fault, with the scores by seat when the game stopped."""

    seat: int
    fault: Fault
    scores: tuple[int, ...]


class RefereedLineup(Lineup):
    """A line-up that checks its agents' choices and survives their faults.

    A game in which an agent fails is forfeited: it is noted in `forfeits`, all its seats become
    `OUTSIDE`, and `decide` returns some legal action for it. `play_out` plays that action and then
    leaves the game; `forfeited` tells hooks that no agent chose that action. KeyboardInterrupt
    passes through.

    Attributes:
        forfeits: Forfeits by game.
        forfeited: bool[n], whether the game is forfeited.
    """

    def __init__(
        self,
        agents: Sequence[AnyAgent],
        seats: NDArray[Any],
        generators: GameGenerators,
        names: Sequence[str] = (),
    ) -> None:
        super().__init__(agents, seats, generators, names)
        self.forfeits: dict[int, Forfeit] = {}
        self.forfeited = np.zeros(len(seats), np.bool_)
        self._tokens = [object() for _ in seats]  # one for each game, for the keys of `Answerer`
        self._attempts: dict[int, _Attempt] = {}  # by agent

    def seat(self, rows: NDArray[Any], seats: NDArray[Any], states: NDArray[np.uint64]) -> None:
        """Seat agents in games that begin anew (see `Lineup.seat`), which are not forfeited."""
        super().seat(rows, seats, states)
        self.forfeited[rows] = False
        for row in rows.tolist():
            self.forfeits.pop(row, None)
            self._tokens[row] = object()

    def end(self, rows: NDArray[np.int64]) -> None:
        """Tell agents that report their own faults that some games, int64[m], are over."""
        answerers = [agent for agent in self.agents if isinstance(agent, Answerer)]
        if answerers:
            seats = np.tile(np.arange(self.seats.shape[1]), len(rows))
            keys = self._keys(rows.repeat(self.seats.shape[1]), seats)
            for agent in answerers:
                agent.end(keys)

    def _ask(self, index: int, batch: Batch, rows: NDArray[Any]) -> Future[Any]:
        agent: Any = self.agents[index]
        if isinstance(agent, Answerer):
            answered: Future[Answers] = Future()
            keys = self._keys(rows, batch.to_move[rows])
            answered.set_result(agent.answer(InformationSets(batch, rows), keys))
            return answered
        self._attempts[index] = _Attempt(agent, batch, rows, self._generators_for(batch, rows))
        return self._attempts[index].asked

    def _answer(
        self, asked: Future[Any], index: int, batch: Batch, rows: NDArray[Any]
    ) -> NDArray[np.int64]:
        attempt = self._attempts.pop(index, None)
        answers: Answers = asked.result() if attempt is None else attempt.answers()
        self.calls.append(Call(index, rows, answers.seconds))
        actions = as_actions(answers.actions, len(rows))
        if batch.first_illegal(actions, rows) >= 0:
            self._forfeit_illegal(batch, rows, actions, answers)
        return actions.astype(np.int64)

    def _keys(self, rows: NDArray[Any], seats: NDArray[Any]) -> list[tuple[object, int]]:
        pairs = zip(rows.tolist(), seats.tolist(), strict=True)
        return [(self._tokens[row], seat) for row, seat in pairs]

    def _forfeit_illegal(
        self, batch: Batch, rows: NDArray[Any], actions: NDArray[np.int32], answers: Answers
    ) -> None:
        """Forfeit games whose actions are not legal, and replace those actions by legal ones."""
        for place, (row, action) in enumerate(zip(rows.tolist(), actions.tolist(), strict=True)):
            legal = np.flatnonzero(batch.mask[row])
            if action in legal:
                continue
            seat = int(batch.to_move[row])
            fault = answers.faults.get(place) or _illegal(batch, row, seat, action)
            scores = batch.scores(np.array([row]))[0, : batch.players[row]].tolist()
            self.forfeits[row] = Forfeit(seat, fault, tuple(scores))
            self.forfeited[row] = True
            self.seats[row] = OUTSIDE
            actions[place] = legal[0]


class _Attempt:
    """A question to an agent of this process about m games, repeated game by game if it fails."""

    def __init__(
        self, agent: AnyAgent, batch: Batch, rows: NDArray[Any], rng: GameGenerators
    ) -> None:
        self._agent = agent
        self._batch = batch
        self._rows = rows
        self._rng = rng
        self._before: Saved = rng.saved()
        self._began = perf_counter()
        self.asked: Future[Decision] = ask(agent, batch, rows, rng)
        self._seconds = perf_counter() - self._began  # for agents that are not asynchronous

    def answers(self) -> Answers:
        """Wait for the agent, and return its answers."""
        count = len(self._rows)
        is_background = not self.asked.done()
        kind = "error"  # the kind of fault if the next step fails
        try:
            decision = self.asked.result()
            kind = "garbage"  # from here on only the conversion of the answer can fail
            actions = as_actions(decision.actions, count)
            return Answers(actions, decision.seconds / count, {})
        except Exception as raised:  # an object's own conversion may raise anything, too
            fault = Fault(kind, fault_in_words(raised))
        if is_background:
            self._seconds = perf_counter() - self._began
        seconds = self._seconds / count
        if count == 1:
            no_action = np.array([-1])  # illegal, so the game is forfeited
            return Answers(no_action, seconds, {0: fault})
        # Ask again, game by game, with the same random numbers. The failed attempt's time counts.
        self._rng.restore(self._before)
        places = np.arange(count)[:, None]
        again = [
            _Attempt(self._agent, self._batch, self._rows[place], self._rng[place])
            for place in places
        ]
        try:
            single = [attempt.answers() for attempt in again]
        finally:
            for attempt in again:
                attempt.asked.cancel()  # has an effect only after an interrupt
        return Answers(
            np.concatenate([answers.actions for answers in single]),
            seconds + np.array([answers.seconds for answers in single]),
            {place: answers.faults[0] for place, answers in enumerate(single) if answers.faults},
        )


def _illegal(batch: Batch, row: int, seat: int, action: int) -> Fault:
    texts = batch.actions.texts_for(seat, int(batch.players[row]))
    move = texts[action] if 0 <= action < len(texts) else f"action {action}"
    legal = ", ".join(texts[choice] for choice in np.flatnonzero(batch.mask[row]))
    return Fault("illegal", f"{move} is not legal; legal: {legal}")
