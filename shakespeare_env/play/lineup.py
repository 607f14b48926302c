"""Line-ups of agents in many games, and the loop that asks them for actions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.batch import Batch
from shakespeare_env.core.batch_checks import as_actions
from shakespeare_env.errors import AgentNote, IllegalMove
from shakespeare_env.play.agent import AnyAgent, Decision, ask, history_length, is_asynchronous
from shakespeare_env.play.generators import GameGenerators

OUTSIDE = -1
"""Stands in `Lineup.seats` for a seat held by a learner or a person, not an agent."""
NOBODY = -2
"""Stands in `Lineup.seats` for a seat that the game does not have."""

OnStep = Callable[[NDArray[np.int64], NDArray[np.int64]], None]
"""Called with the games stepped, int64[m], and their actions, int64[m]."""


class Call(NamedTuple):
    """One call of an agent, for all games of a step in which it decides."""

    agent: int  # its index in `Lineup.agents`
    rows: NDArray[np.int64]  # int64[m], the games
    seconds: NDArray[np.float64] | float  # float64[m], the time for each game, or one for all


@dataclass(eq=False)
class Lineup:
    """The agents at the seats of n games, and the generators that they draw from."""

    agents: Sequence[AnyAgent]  # each listed once, however many seats it holds
    seats: NDArray[Any]  # int[n, S], an index of `agents`, `OUTSIDE` or `NOBODY`; may be changed
    generators: GameGenerators  # of the n games
    names: Sequence[str] = ()  # the agents' names in errors; agents without one appear as repr
    calls: list[Call] = field(default_factory=list, init=False)  # those of the last `decide`

    @classmethod
    def seated(
        cls,
        agents: Sequence[AnyAgent],
        places: NDArray[Any],
        max_seats: int,
        generators: GameGenerators,
        names: Sequence[str] = (),
    ) -> Lineup:
        """Return the line-up of n games.

        Args:
            agents: The agents; one may be listed several times.
            places: int[n, P], the index in `agents` of the agent at each seat of each game.
            max_seats: The number of columns of `seats`.
            generators: The generators of the n games.
            names: The agents' names in errors, in the order of `agents`.
        """
        distinct = {id(agent): agent for agent in agents}
        # `names` may be empty, so it need not be as long as `agents`.
        names_by_id = {id(agent): name for agent, name in zip(agents, names, strict=False)}
        index = np.array([list(distinct).index(id(agent)) for agent in agents])
        seats = np.full((len(places), max_seats), NOBODY, np.int32)
        seats[:, : places.shape[1]] = index[places]
        return cls(list(distinct.values()), seats, generators, list(names_by_id.values()))

    @property
    def history_length(self) -> int:
        """The largest `history_length` of the agents (see `Agent`)."""
        return max(map(history_length, self.agents), default=0)

    def to_move(self, batch: Batch, rows: NDArray[Any]) -> NDArray[Any]:
        """Return int[m], the indices of the agents to move in m games, or `OUTSIDE`."""
        movers: NDArray[Any] = self.seats[rows, batch.to_move[rows]]
        return movers

    def seat(self, rows: NDArray[Any], seats: NDArray[Any], states: NDArray[np.uint64]) -> None:
        """Seat agents in games that begin anew.

        Args:
            rows: int[m], the games.
            seats: int[m, S], as in the attribute `seats`.
            states: uint64[m], the states of the games' generators.
        """
        self.seats[rows] = seats
        self.generators.states[rows] = states
        self.generators[rows].forget()

    def decide(self, batch: Batch, rows: NDArray[Any]) -> NDArray[np.int64]:
        """Return int64[m], the agents' actions in m games. Each agent is asked once for all games.

        Agents with an `async def` think at the same time as all others. In each of these games an
        agent has to be to move, not an `OUTSIDE` seat. An error that an agent raises gets a note
        with the agent's name.
        """
        self.calls = []
        if len(self.agents) == 1 and len(rows):
            return self._answer(self._ask(0, batch, rows), 0, batch, rows)
        movers = self.to_move(batch, rows)
        indices = np.flatnonzero(np.bincount(movers)).tolist()
        places = {index: np.flatnonzero(movers == index) for index in indices}
        asked: dict[int, Future[Decision]] = {}
        actions = np.empty(len(rows), np.int64)
        try:
            # Asynchronous agents come first, so that they think while the others are asked.
            for index in sorted(indices, key=self._is_synchronous):
                asked[index] = self._ask(index, batch, rows[places[index]])
            for index, of_agent in places.items():
                answer = self._answer(asked[index], index, batch, rows[of_agent])
                actions[of_agent] = answer
        finally:
            for future in asked.values():
                future.cancel()  # has an effect only after an error or an interrupt
        return actions

    def name(self, index: int) -> str:
        """Return an agent's name for errors."""
        return self.names[index] if index < len(self.names) else repr(self.agents[index])

    def name_chooser(self, fault: IllegalMove, batch: Batch) -> None:
        """Add a note to an error about an illegal move that names the agent who chose it.

        A move that was chosen outside the line-up gets no note.
        """
        chooser = int(self.to_move(batch, np.array([fault.game_index]))[0])
        if chooser != OUTSIDE:
            fault.add_note(AgentNote(f"The agent {self.name(chooser)} chose it."))

    def _is_synchronous(self, index: int) -> bool:
        return not is_asynchronous(self.agents[index])

    def _generators_for(self, batch: Batch, rows: NDArray[Any]) -> GameGenerators:
        return self.generators.for_seats(batch.to_move[rows], rows)

    def _ask(self, index: int, batch: Batch, rows: NDArray[Any]) -> Future[Decision]:
        return ask(self.agents[index], batch, rows, self._generators_for(batch, rows))

    def _answer(
        self, asked: Future[Decision], index: int, batch: Batch, rows: NDArray[Any]
    ) -> NDArray[np.int64]:
        """Wait for an agent's answer, and note the call."""
        with noting_failure(self.name(index), len(rows)):
            decision = asked.result()
            actions = as_actions(decision.actions, len(rows))
        self.calls.append(Call(index, rows, decision.seconds / len(rows)))
        return actions.astype(np.int64)


@contextmanager
def noting_failure(name: str, games: int) -> Iterator[None]:
    """Add a note to an error that an agent raises in the block, where it decides in some games."""
    try:
        yield
    except Exception as fault:
        counted = "1 game" if games == 1 else f"{games} games"
        fault.add_note(AgentNote(f"The agent {name} failed to decide in {counted}."))
        raise


def warm_up(agents: Mapping[str, AnyAgent], game: str, players: int, seed: int) -> None:
    """Ask each agent for a move and play one, so that later games find everything compiled.

    `agents` are given by name. An error that an agent raises gets a note with its name.
    """
    batch = Batch(game, n=1, players=players, seed=seed)
    rows = np.zeros(1, np.int64)
    seats = np.zeros((1, batch.game.max_seats), np.int32)
    for name, agent in agents.items():
        Lineup([agent], seats, GameGenerators.of_games(seed, rows), [name]).decide(batch, rows)
    batch.step(batch.mask.argmax(axis=1))  # the first legal action


def play_out(
    batch: Batch,
    lineup: Lineup,
    rows: NDArray[np.int64] | None = None,
    *,
    before_step: OnStep | None = None,
    after_step: OnStep | None = None,
    max_steps: int | None = None,
) -> None:
    """Ask agents for actions until every game is over or waits for an `OUTSIDE` seat.

    Args:
        batch: A batch with `autoreset=False`, which keeps `final_scores` and `final_winners`.
        lineup: The agents at the seats.
        rows: int64[m], ascending, the games to play. None plays all.
        before_step: Called before every step.
        after_step: Called after every step.
        max_steps: The most steps. None means no limit.

    Raises:
        IllegalMove: An agent's action is illegal. A note names the agent.
    """
    played = np.arange(batch.n) if rows is None else rows
    batch.keep_history(lineup.history_length)
    steps = 0
    while max_steps is None or steps < max_steps:
        agent_moves = lineup.to_move(batch, played) != OUTSIDE
        played = played[agent_moves & (batch.to_move[played] >= 0)]
        if not len(played):
            return
        actions = lineup.decide(batch, played)
        if before_step is not None:
            before_step(played, actions)
        try:
            batch.step(actions, played)
        except IllegalMove as fault:
            lineup.name_chooser(fault, batch)
            raise
        if after_step is not None:
            after_step(played, actions)
        steps += 1
