"""Agents in many games under a referee: who fails loses the game, and the others play on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.arena.faults import Answerer, Answers, Fault
from shakespeare_agents.arena.thinking import Thinking
from shakespeare_agents.python_agents import fault_in_words
from shakespeare_env.agent import AnyAgent, decide
from shakespeare_env.batch import Batch
from shakespeare_env.batch_checks import as_actions
from shakespeare_env.generators import GameGenerators
from shakespeare_env.information_sets import InformationSets
from shakespeare_env.lineup import OUTSIDE, Lineup


@dataclass(frozen=True)
class Forfeit:
    """A game lost by a fault.

    Attributes:
        seat: The seat whose agent failed.
        kind: One of `faults.KINDS`.
        details: What it did, in words.
        scores: Scores by seat, where the game stopped.
    """

    seat: int
    kind: str
    details: str
    scores: tuple[int, ...]


class RefereedLineup(Lineup):
    """A line-up that times its agents, checks what they choose, and survives what they do.

    A game in which an agent fails is forfeited: it is written down in `forfeits`, all its seats
    become `OUTSIDE`, and `decide` returns any legal action for it. `play_out` plays that one and
    then leaves the game; `forfeited` shows hooks that no agent chose it. Only an `Exception` is
    caught, so KeyboardInterrupt passes through.

    Attributes:
        thinking: Each seat's thinking time and number of legal choices.
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
        self.thinking = Thinking(*seats.shape)
        self.forfeits: dict[int, Forfeit] = {}
        self.forfeited = np.zeros(len(seats), np.bool_)
        self._token = object()
        self._answers_itself = [isinstance(agent, Answerer) for agent in agents]

    def end(self) -> None:
        """Notify agents that remember games that all are over; call it after the last."""
        rows, seats = np.indices(self.seats.shape).reshape(2, -1)
        for agent in self.agents:
            if isinstance(agent, Answerer):
                agent.end(self._keys(rows, seats))

    def _ask(self, index: int, batch: Batch, rows: NDArray[Any]) -> NDArray[np.int64]:
        agent: Any = self.agents[index]
        seats = batch.to_move[rows]
        if self._answers_itself[index]:
            answers: Answers = agent.answer(InformationSets(batch, rows), self._keys(rows, seats))
        else:
            answers = self._answers_of(agent, batch, rows)
        self.thinking.note(rows, seats, answers.seconds)
        actions = as_actions(answers.actions, len(rows))
        if batch.first_illegal(actions, rows) >= 0:
            self._judge(batch, rows, actions, answers)
        return actions.astype(np.int64)

    def _keys(self, rows: NDArray[Any], seats: NDArray[Any]) -> list[tuple[object, int, int]]:
        pairs = zip(rows.tolist(), seats.tolist(), strict=True)
        return [(self._token, row, seat) for row, seat in pairs]

    def _answers_of(self, agent: AnyAgent, batch: Batch, rows: NDArray[Any]) -> Answers:
        """Ask an agent of this process for all games at once; if it fails, game by game."""
        rng = self.generators[rows]
        before = rng.states[rng.rows]
        started = perf_counter()
        chosen = _choice(agent, batch, rows, rng)
        seconds = (perf_counter() - started) / len(rows)
        if not isinstance(chosen, Fault):
            return Answers(chosen, seconds, {})
        if len(rows) == 1:
            return Answers(np.array([-1]), seconds, {0: chosen})
        rng.states[rng.rows] = before
        alone = [self._answers_of(agent, batch, rows[k : k + 1]) for k in range(len(rows))]
        return Answers(
            np.concatenate([one.actions for one in alone]),
            seconds + np.array([one.seconds for one in alone]),
            {place: one.faults[0] for place, one in enumerate(alone) if one.faults},
        )

    def _judge(
        self, batch: Batch, rows: NDArray[Any], actions: NDArray[np.int32], answers: Answers
    ) -> None:
        """Forfeit the games whose actions are not legal, and put any legal ones in their place."""
        for place, (row, action) in enumerate(zip(rows.tolist(), actions.tolist(), strict=True)):
            legal = np.flatnonzero(batch.mask[row])
            if action in legal:
                continue
            seat = int(batch.to_move[row])
            fault = answers.faults.get(place) or _illegal(batch, row, seat, action)
            scores = batch.scores(np.array([row]))[0, : batch.players[row]].tolist()
            self.forfeits[row] = Forfeit(seat, fault.kind, fault.details, tuple(scores))
            self.forfeited[row] = True
            self.thinking.without_choice(row, seat)
            self.seats[row] = OUTSIDE
            actions[place] = legal[0]


def _choice(
    agent: AnyAgent, batch: Batch, rows: NDArray[Any], rng: GameGenerators
) -> NDArray[np.int32] | Fault:
    try:
        chosen = decide(agent, batch, rows, rng)
    except Exception as raised:
        return Fault("error", _in_words(raised))
    try:
        return as_actions(chosen, len(rows))
    except Exception as refused:  # an object's own conversion may raise anything
        return Fault("garbage", _in_words(refused))


def _in_words(raised: Exception) -> str:
    try:
        return fault_in_words(raised)
    except Exception:  # `str(raised)` itself may raise
        return type(raised).__name__


def _illegal(batch: Batch, row: int, seat: int, action: int) -> Fault:
    texts = batch.actions.texts_for(seat, int(batch.players[row]))
    move = texts[action] if 0 <= action < len(texts) else f"action {action}"
    legal = [texts[legal] for legal in np.flatnonzero(batch.mask[row])]
    return Fault("illegal", f"{move} is not legal; legal: {', '.join(legal)}")
