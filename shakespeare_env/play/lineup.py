"""Line-ups of agents in many games, and the loop that asks them for actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.core.batch import Batch
from shakespeare_env.core.batch_checks import as_actions
from shakespeare_env.errors import AgentNote, IllegalMove
from shakespeare_env.play.agent import AnyAgent, decide, history_length
from shakespeare_env.play.generators import GameGenerators

OUTSIDE = -1
"""Stands in `Lineup.seats` for a seat held by a learner or a person, not an agent."""
NOBODY = -2
"""Stands in `Lineup.seats` for a seat that the game does not have."""

OnStep = Callable[[NDArray[np.int64], NDArray[np.int64]], None]
"""Called with the games stepped, int64[m], and their actions, int64[m]."""


@dataclass(eq=False)
class Lineup:
    """The agents at the seats of n games, and the generators that they draw from."""

    agents: Sequence[AnyAgent]  # each listed once, however many seats it holds
    seats: NDArray[Any]  # int[n, S], an index of `agents`, `OUTSIDE` or `NOBODY`; may be changed
    generators: GameGenerators  # of the n games
    names: Sequence[str] = ()  # the agents' names in errors; agents without one appear as repr

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
        """The most last decisions that one of the agents observes."""
        return max(map(history_length, self.agents), default=0)

    def to_move(self, batch: Batch, rows: NDArray[Any]) -> NDArray[Any]:
        """Return int[m], the indices of the agents to move in m games, or `OUTSIDE`."""
        movers: NDArray[Any] = self.seats[rows, batch.to_move[rows]]
        return movers

    def decide(self, batch: Batch, rows: NDArray[Any]) -> NDArray[np.int64]:
        """Return int64[m], the agents' actions in m games. Each agent is asked once for all games.

        In each of these games an agent has to be to move, not an `OUTSIDE` seat. An error that an
        agent raises gets a note with the agent's name.
        """
        if len(self.agents) == 1 and len(rows):
            return self._ask(0, batch, rows)
        movers = self.to_move(batch, rows)
        actions = np.empty(len(rows), np.int64)
        for index in np.flatnonzero(np.bincount(movers)).tolist():
            of_agent = np.flatnonzero(movers == index)
            actions[of_agent] = self._ask(index, batch, rows[of_agent])
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

    def _generators_for(self, batch: Batch, rows: NDArray[Any]) -> GameGenerators:
        return self.generators.for_seats(batch.to_move[rows], rows)

    def _ask(self, index: int, batch: Batch, rows: NDArray[Any]) -> NDArray[np.int64]:
        try:
            chosen = decide(self.agents[index], batch, rows, self._generators_for(batch, rows))
            return as_actions(chosen, len(rows)).astype(np.int64)
        except Exception as fault:
            games = "1 game" if len(rows) == 1 else f"{len(rows)} games"
            fault.add_note(AgentNote(f"The agent {self.name(index)} failed to decide in {games}."))
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
