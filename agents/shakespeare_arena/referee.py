"""A referee of many games: an agent that fails loses its game, and the other games go on."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.program_agent import Answers
from shakespeare_agents.programs import Fault
from shakespeare_agents.python_names import fault_in_words
from shakespeare_env.compile.decorators import compile_seconds
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.batch_checks import as_actions
from shakespeare_env.play.agent import AnyAgent, decide
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.information_sets import InformationSets
from shakespeare_env.play.lineup import OUTSIDE, Lineup

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
    """A line-up that times its agents, checks their choices, and survives their faults.

    A game in which an agent fails is forfeited: it is noted in `forfeits`, all its seats become
    `OUTSIDE`, and `decide` returns some legal action for it. `play_out` plays that action and then
    leaves the game; `forfeited` tells hooks that no agent chose that action. KeyboardInterrupt
    passes through.

    Attributes:
        forfeits: Forfeits by game.
        forfeited: bool[n], whether the game is forfeited.
        seconds: float64[n, S], how long each seat has thought; games decided together share the
            time equally.
        decisions: int32[n, S], the number of each seat's legal choices.
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
        self.seconds = np.zeros(seats.shape)
        self.decisions = np.zeros(seats.shape, np.int32)
        self._token = object()  # distinguishes keys of these games from those of other line-ups
        self._is_answerer = [isinstance(agent, Answerer) for agent in agents]

    def end(self) -> None:
        """Tell agents that report their own faults that every game is over. Call this last."""
        rows, seats = np.indices(self.seats.shape).reshape(2, -1)
        for agent in self.agents:
            if isinstance(agent, Answerer):
                agent.end(self._keys(rows, seats))

    def _ask(self, index: int, batch: Batch, rows: NDArray[Any]) -> NDArray[np.int64]:
        agent: Any = self.agents[index]
        seats = batch.to_move[rows]
        if self._is_answerer[index]:
            answers: Answers = agent.answer(InformationSets(batch, rows), self._keys(rows, seats))
        else:
            answers = self._ask_in_process(agent, batch, rows)
        self.seconds[rows, seats] += answers.seconds
        self.decisions[rows, seats] += 1
        actions = as_actions(answers.actions, len(rows))
        if batch.first_illegal(actions, rows) >= 0:
            self._forfeit_illegal(batch, rows, actions, answers)
        return actions.astype(np.int64)

    def _keys(self, rows: NDArray[Any], seats: NDArray[Any]) -> list[tuple[object, int, int]]:
        pairs = zip(rows.tolist(), seats.tolist(), strict=True)
        return [(self._token, row, seat) for row, seat in pairs]

    def _ask_in_process(self, agent: AnyAgent, batch: Batch, rows: NDArray[Any]) -> Answers:
        """Ask an agent of this process for all games at once; if it fails, game by game."""
        rng = self._generators_for(batch, rows)
        before = rng.saved()
        started = perf_counter()
        compiled_before = compile_seconds()
        chosen = _choice(agent, batch, rows, rng)
        # Rules are compiled once, which does not count as thinking.
        compiling = compile_seconds() - compiled_before
        seconds = max(0.0, perf_counter() - started - compiling) / len(rows)
        if not isinstance(chosen, Fault):
            return Answers(chosen, seconds, {})
        if len(rows) == 1:
            no_action = np.array([-1])  # illegal, so the game is forfeited
            return Answers(no_action, seconds, {0: chosen})
        # Ask again, game by game, with the same random numbers. The failed attempt's time counts.
        rng.restore(before)
        single = [self._ask_in_process(agent, batch, rows[k : k + 1]) for k in range(len(rows))]
        return Answers(
            np.concatenate([answers.actions for answers in single]),
            seconds + np.array([answers.seconds for answers in single]),
            {place: answers.faults[0] for place, answers in enumerate(single) if answers.faults},
        )

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
            self.decisions[row, seat] -= 1  # the choice does not count, but its time does
            self.seats[row] = OUTSIDE
            actions[place] = legal[0]


def _choice(
    agent: AnyAgent, batch: Batch, rows: NDArray[Any], rng: GameGenerators
) -> NDArray[np.int32] | Fault:
    kind = "error"  # the kind of fault if the next step fails
    try:
        chosen = decide(agent, batch, rows, rng)
        kind = "garbage"  # from here on only the conversion of the answer can fail
        return as_actions(chosen, len(rows))
    except Exception as fault:  # an object's own conversion may raise anything, too
        return Fault(kind, fault_in_words(fault))


def _illegal(batch: Batch, row: int, seat: int, action: int) -> Fault:
    texts = batch.actions.texts_for(seat, int(batch.players[row]))
    move = texts[action] if 0 <= action < len(texts) else f"action {action}"
    legal = ", ".join(texts[choice] for choice in np.flatnonzero(batch.mask[row]))
    return Fault("illegal", f"{move} is not legal; legal: {legal}")
