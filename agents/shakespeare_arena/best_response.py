"""Best responses of small games, exactly: the most that one seat wins against copies of an agent.

The whole game is played out, with every deal, every random event, every move of the seat and every
move that the agent may make. OpenSpiel computes the same (`exploitability`), for games of its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.table import Table
from rich.text import Text

from shakespeare_arena.reports import Report, format_number
from shakespeare_env.core.batch import Batch, victory_shares
from shakespeare_env.core.batch_checks import as_actions
from shakespeare_env.core.game import Game, Records
from shakespeare_env.core.kernels import copy_records
from shakespeare_env.play.agent import Advisor, Agent, AnyAgent, decide, history_length
from shakespeare_env.play.chance import Chance, NotEnumerableError
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.lineup import noting_failure

MOST_POSITIONS = 2_000_000
"""The most positions that are played out. A game with more is too large."""
_MOST_DRAWS = 50_000
"""The most sequences of random draws, which take about a tenth of a millisecond each."""

Floats = NDArray[np.float64]
Policy = Callable[[Batch, NDArray[Any]], Floats]
"""Returns an agent's probabilities of actions, float64[m, A], in the games int[m] of a batch."""


class NotExactError(Exception):
    """The best response cannot be computed exactly. The message says why."""


@dataclass(frozen=True)
class SeatResponse:
    """The values of one seat against copies of an agent in all others.

    The best share of the victory and the best score belong to two responses, since a seat may have
    to choose between them.

    Attributes:
        win_rate: The largest expected share of the victory.
        own_win_rate: The agent's own share in this seat.
        score: The largest expected score.
        own_score: The agent's own score in this seat.
    """

    win_rate: float
    own_win_rate: float
    score: float
    own_score: float


@dataclass(frozen=True)
class BestResponse(Report):
    """The exact best responses to an agent, for every seat of a table.

    A response knows the agent's policy and decides by all that its seat has observed at its own
    decisions so far.

    Attributes:
        game: The game's name.
        players: The number of seats.
        agent: The agent's name.
        positions: The number of positions that were computed, over all seats.
        seats: The values by seat.
    """

    FORMAT = 1

    game: str
    players: int
    agent: str
    positions: int
    seats: tuple[SeatResponse, ...]

    @property
    def beyond_parity(self) -> float:
        """The mean over seats of the share of the victory that best responses win beyond parity.

        It is the NashConv of the shares (Lanctot et al. 2017, "A unified game-theoretic approach
        to multiagent reinforcement learning"), divided by the number of seats.
        """
        return sum(seat.win_rate - seat.own_win_rate for seat in self.seats) / self.players

    @property
    def beyond_own_score(self) -> float:
        """The mean over seats of the score that best responses gain beyond the agent's own.

        It is the NashConv of the scores, divided by the number of seats.
        """
        return sum(seat.score - seat.own_score for seat in self.seats) / self.players

    def table(self) -> Table:
        """Return the values by seat as a table."""
        table = Table(
            title=f"{self.game}, {self.players} seats: best responses to {self.agent}",
            caption=f"Exact, over {self.positions:,} positions.",
            min_width=56,
        )
        table.add_column("Seat", overflow="fold")
        for heading in ("Won %", "agent's", "Score", "agent's"):
            table.add_column(heading, justify="right", no_wrap=True)
        for number, seat in enumerate(self.seats):
            rates = [format_number(100 * rate, 2) for rate in (seat.win_rate, seat.own_win_rate)]
            scores = [format_number(score, 4) for score in (seat.score, seat.own_score)]
            table.add_row(Text(str(number)), *rates, *scores)
        return table

    def verdict(self) -> str:
        """Return what the best response wins beyond parity, and its gain of score."""
        # Rounding may leave a little below 0, and adding 0 turns a rounded -0 into 0.
        wins = round(self.beyond_parity, 9) + 0.0
        score = round(self.beyond_own_score, 9) + 0.0
        return (
            f"Exact: the best response wins {100 * wins:+.2f} percentage points beyond parity, and "
            f"the best one for scores has {score:+.4f} a game more than {self.agent} in its place. "
            f"Against copies of {self.agent} in all other seats no response does better. Summed "
            f"over the seats (NashConv) these are {self.players * wins:.4f} victories and "
            f"{self.players * score:.4f} points."
        )

    def __str__(self) -> str:
        return f"{super().__str__()}\n{self.verdict()}"

    def to_json(self) -> dict[str, Any]:
        """Return the result in JSON types, with a format number."""
        return {
            **super().to_json(),
            "method": "exact",
            "parity": 1.0 / self.players,
            "beyond_parity": self.beyond_parity,
            "beyond_own_score": self.beyond_own_score,
        }


class _Decisions(NamedTuple):
    """The information sets of a seat at its k-th decision of a game, such as its third.

    A *branch* is an information set and an action in it. Branches are numbered set by set.

    Attributes:
        came_from: int64[m], the branch of the seat's previous decision, for each information set.
        masks: bool[m, A], the legal actions.
        policy: float64[m, A], the agent's own probabilities.
        ended: float64[m * A, 2], by branch, the payoffs of games that end before the seat's next
            decision: its shares of the victory and its scores, times the probability that the
            others and chance lead there.
    """

    came_from: NDArray[np.int64]
    masks: NDArray[np.bool_]
    policy: Floats
    ended: Floats


def best_response(agent: AnyAgent, name: str, game: Game, players: int) -> BestResponse:
    """Compute the exact best response to an agent, for every seat.

    Each decision of the agent must be a function of its observation, up to draws. An agent that
    draws must play by its `probabilities`.

    Args:
        agent: The agent in all other seats.
        name: The agent's name.
        game: The game.
        players: The number of seats.

    Raises:
        NotExactError: The game is too large, its chance cannot be enumerated, or the agent's
            probabilities are not known.
    """
    policy = policy_of(agent, name)
    try:
        tree = _GameTree(game, players, policy)
        seats = tuple(tree.values(seat) for seat in range(players))
    except NotEnumerableError as fault:
        raise NotExactError(f"{game.name}: {fault}") from fault
    return BestResponse(
        game=game.name, players=players, agent=name, positions=tree.positions, seats=seats
    )


def policy_of(agent: AnyAgent, name: str) -> Policy:
    """Return an agent's policy, which plays its `probabilities` where it draws its move.

    An error that the agent raises gets a note with its name.

    Raises:
        NotExactError: the agent searches, observes earlier decisions, or decides in an `async def`.
            The policy, too, raises it, if the agent remembers games, or draws its moves without
            having `probabilities`.
    """
    if not isinstance(agent, Agent):
        raise NotExactError("the agent searches, so its probabilities are not known")
    if history_length(agent):
        raise NotExactError("the agent observes earlier decisions, so its policy is not known")
    if inspect.iscoroutinefunction(agent.act):
        raise NotExactError("the agent decides in an `async def`, so its answers may vary")

    def policy(batch: Batch, rows: NDArray[Any]) -> Floats:
        masks = batch.mask[rows]
        rng = GameGenerators.of_games(0, np.arange(len(masks)))
        before, _ = rng.saved()
        with noting_failure(name, len(rows)):
            actions = as_actions(decide(agent, batch, rows, rng), len(rows))
            is_chosen = np.arange(masks.shape[1]) == actions[:, None]
            probabilities: Floats = is_chosen.astype(np.float64)
            if not probabilities[masks].sum() == len(masks):
                raise ValueError("it chose an illegal action; choose one that its mask allows")
        after, memories = rng.saved()
        if memories:
            raise NotExactError("the agent remembers games, so its policy is not known")
        draws = after != before
        if draws.any():
            if not isinstance(agent, Advisor):
                raise NotExactError("the agent draws its moves and has no probabilities()")
            drawn = agent.probabilities(batch.obs[rows[draws]], masks[draws]).astype(np.float64)
            drawn *= masks[draws]
            probabilities[draws] = drawn / drawn.sum(axis=1, keepdims=True)
        return probabilities

    return policy


@dataclass(frozen=True)
class _Games:
    """Positions of games in progress, each with its weight and a seat's last branch.

    Attributes:
        records: records[n], with 0 in the field `random`.
        weights: float64[n], the probability that the others and chance lead there.
        branches: int64[n], the seat's last branch.
    """

    records: Records
    weights: Floats
    branches: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.weights)

    def select(self, rows: NDArray[Any]) -> _Games:
        """Return the positions of some rows, int[k], which may repeat."""
        return _Games(copy_records(self.records, rows), self.weights[rows], self.branches[rows])


class _GameTree:
    """The tree of a game that is played out against an agent.

    Attributes:
        positions: The number of positions so far.
    """

    def __init__(self, game: Game, players: int, policy: Policy) -> None:
        self.positions = 0
        self._policy = policy
        self._actions = game.actions.size
        self._chance = Chance(game, _MOST_DRAWS)
        records, weights = self._chance.deals(players)
        self._deals = _Games(records, weights, np.zeros(len(weights), np.int64))
        self._batch_of = Batch(game.name, n=1, players=players, autoreset=False).maker()

    def values(self, seat: int) -> SeatResponse:
        """Return the values of one seat while all others play by the policy."""
        first_ended, decisions = self._play_out(seat)

        # Payoffs are added up by branch, from the last decisions to the first.
        best = [first_ended] + [step.ended for step in decisions]
        own = [sums.copy() for sums in best]
        for number in reversed(range(len(decisions))):
            step = decisions[number]
            shape = (*step.masks.shape, 2)
            is_legal = step.masks[:, :, None]
            choices = np.where(is_legal, best[number + 1].reshape(shape), -np.inf)
            np.add.at(best[number], step.came_from, choices.max(axis=1))
            mixed = step.policy[:, :, None] * own[number + 1].reshape(shape)
            np.add.at(own[number], step.came_from, mixed.sum(axis=1))
        win_rate, score = best[0][0].tolist()
        own_win_rate, own_score = own[0][0].tolist()
        return SeatResponse(win_rate, own_win_rate, score, own_score)

    def _play_out(self, seat: int) -> tuple[Floats, list[_Decisions]]:
        """Return payoffs of games that end without a decision of the seat, and its decisions."""
        first_ended = np.zeros((1, 2))  # before its first decision a seat is on branch 0
        games = self._play_others(self._deals, seat, first_ended)
        decisions = []
        while len(games):
            batch = self._batch_of(games.records, 0)
            sets, firsts = _groups(games.branches, batch.obs, batch.mask)
            step = _Decisions(
                came_from=games.branches[firsts],
                masks=batch.mask[firsts],
                policy=self._policy(batch, firsts),
                ended=np.zeros((len(firsts) * self._actions, 2)),
            )
            decisions.append(step)
            rows, actions = batch.mask.nonzero()
            branches = sets[rows] * self._actions + actions
            games = replace(games.select(rows), branches=branches)
            games = self._play_others(self._after(games, actions), seat, step.ended)
        return first_ended, decisions

    def _play_others(self, games: _Games, seat: int, ended: Floats) -> _Games:
        """Play on until the seat is to move, and add the payoffs of games that end to `ended`."""
        waiting = []
        while len(games):
            to_move = games.records["to_move"]
            waiting.append(games.select(np.flatnonzero(to_move == seat)))

            over = games.select(np.flatnonzero(to_move < 0))
            if len(over):
                shares = victory_shares(over.records["winners"])[:, seat]
                scores = self._batch_of(over.records, 0).scores()[:, seat]
                payoffs = np.stack([shares, scores], axis=1)
                np.add.at(ended, over.branches, over.weights[:, None] * payoffs)

            games = games.select(np.flatnonzero((to_move >= 0) & (to_move != seat)))
            if len(games):
                batch = self._batch_of(games.records, 0)
                sets, firsts = _groups(batch.obs, batch.mask)
                likely = self._policy(batch, firsts)[sets]
                rows, actions = likely.nonzero()
                weights = games.weights[rows] * likely[rows, actions]
                games = self._after(replace(games.select(rows), weights=weights), actions)
        return _concatenated(waiting) if waiting else games

    def _after(self, games: _Games, actions: NDArray[Any]) -> _Games:
        """Return the positions after a move in each, with every result that chance may give."""
        self.positions += len(actions)
        if self.positions > MOST_POSITIONS:
            raise NotExactError(f"there are more than {MOST_POSITIONS:,} positions")
        batch = self._batch_of(games.records, 0)
        batch.step(actions)
        moved = replace(games, records=batch.save(slice(None)))
        # Before the move each generator was at 0. It is elsewhere if the move has drawn from it.
        has_drawn = moved.records["random"] != 0
        found = [moved.select(np.flatnonzero(~has_drawn))]
        for row in np.flatnonzero(has_drawn).tolist():
            records, shares = self._chance.after(games.records[row], int(actions[row]))
            weights = moved.weights[row] * shares
            found.append(_Games(records, weights, np.full(len(shares), moved.branches[row])))
        return _concatenated(found)


def _concatenated(games: list[_Games]) -> _Games:
    """Return positions one after the other."""
    joined = bytearray().join(part.records.tobytes() for part in games)
    return _Games(
        np.frombuffer(joined, games[0].records.dtype),
        np.concatenate([part.weights for part in games]),
        np.concatenate([part.branches for part in games]),
    )


def _groups(*columns: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the group of each of n rows that are equal in all columns, and a row of each group."""
    as_bytes = [np.ascontiguousarray(each).view(np.uint8) for each in columns]
    joined = np.concatenate([each.reshape(len(columns[0]), -1) for each in as_bytes], axis=1)
    _, firsts, groups = np.unique(joined, axis=0, return_index=True, return_inverse=True)
    return groups.reshape(-1), firsts
