"""Moves of one position: the mean outcome of each over many continuations, or a search of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.naming import Entrant, entrants_of, filled, make
from shakespeare_agents.search.agent import SearchAgent
from shakespeare_arena.intervals import mean_interval, wilson_interval
from shakespeare_env import Batch, Position
from shakespeare_env.checks.values import shown
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.rng import streams
from shakespeare_env.errors import IllegalMove
from shakespeare_env.play.agent import Player, name_of
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.information_sets import InformationSets
from shakespeare_env.play.lineup import Lineup, play_out

if TYPE_CHECKING:
    import polars as pl

_AT_ONCE = 4096
"""The most games played together, to bound memory; it changes no figure."""

OnProgress = Callable[[int, int], None]
"""Called after every step with decisions made and games finished so far."""


@dataclass(frozen=True)
class Mean:
    """A mean and the ends of its 95 % interval, NaN with one continuation."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Counterfactual:
    """Moves of one position, each played on to the end equally often.

    Continuation i of every move meets the same chance, and its agents draw the same numbers, for as
    long as the games draw alike; continuations are independent. Intervals cover chance and the
    agents' draws from the position on.

    Attributes:
        moves: K texts; the others are compared with the first.
        agents: Their names by seat.
        scores: int16[K, continuations, P], final, by move and seat.
        shares: float64[K, continuations, P], of the victory; meaningless in solo games.
    """

    moves: tuple[str, ...]
    agents: tuple[str, ...]
    scores: NDArray[np.int16]
    shares: NDArray[np.float64]

    @property
    def continuations(self) -> int:
        """The number of continuations of each move."""
        return int(self.scores.shape[1])

    def score(self, move: str, seat: int) -> Mean:
        """A seat's final score after a move."""
        return _mean(self.scores[self._of(move), :, seat])

    def won(self, move: str, seat: int) -> Mean:
        """A seat's chance to win after a move, by Wilson's score; a shared victory is a share."""
        shares = self.shares[self._of(move), :, seat]
        return Mean(float(shares.mean()), *wilson_interval(float(shares.sum()), len(shares)))

    def score_change(self, move: str, seat: int) -> Mean:
        """The score after a move less that after the first one, by pairs of continuations."""
        scores = self.scores[:, :, seat].astype(np.int64)
        return _mean(scores[self._of(move)] - scores[0])

    def won_change(self, move: str, seat: int) -> Mean:
        """The change of the chance to win, -1 to 1, by pairs of continuations."""
        shares = self.shares[:, :, seat]
        found = _mean(shares[self._of(move)] - shares[0])
        return Mean(found.mean, max(found.low, -1.0), min(found.high, 1.0))

    def frame(self) -> pl.DataFrame:
        """A row per move and seat, for which the extra `data` is needed.

        The columns: `move`, `seat`, `agent`; `score`, `won`, and what they are more than after the
        first move, `score_change` and `won_change`, each with its ends as `score_low`, `score_high`
        and so on. Solo games have nothing under `won` and `won_change`.
        """
        import polars as pl

        kinds = (self.score, self.won, self.score_change, self.won_change)
        rows: list[dict[str, Any]] = []
        for move in self.moves:
            for seat, agent in enumerate(self.agents):
                row: dict[str, Any] = {"move": move, "seat": seat, "agent": agent}
                for kind in kinds:
                    name, found = kind.__name__, kind(move, seat)
                    if len(self.agents) == 1 and name.startswith("won"):
                        found = Mean(np.nan, np.nan, np.nan)
                    row |= {name: found.mean, f"{name}_low": found.low, f"{name}_high": found.high}
                rows.append(row)
        figures = [name for name in rows[0] if name not in ("move", "seat", "agent")]
        return pl.DataFrame(rows).with_columns(pl.col(figures).fill_nan(None))

    def _of(self, move: str) -> int:
        if move not in self.moves:
            raise KeyError(f"{move!r} was not tried; the moves were {', '.join(self.moves)}")
        return self.moves.index(move)


def counterfactual(
    position: Position,
    moves: Sequence[str],
    agents: Sequence[Entrant | Player] = (),
    *,
    continuations: int = 200,
    seed: int = 0,
    on_progress: OnProgress | None = None,
) -> Counterfactual:
    """Play moves of a position, each on to the end many times, under the same chance for all.

    Args:
        position: The position with all its secrets, which stay; its chance to come is ignored.
        moves: Texts of legal moves, each once; the others are compared with the first.
        agents: Who plays on from seat 0 (see `registry.make`); the last of several fills the
            remaining seats, a single one plays against the default agent.
        continuations: The number for each move.
        seed: Decides chance and the agents' draws.
        on_progress: Called after every step.

    Raises:
        IllegalMove: a move is not legal there.
        ValueError: no move, or one twice; a number is out of range; or as of `registry.make`.
        TypeError: a number is not whole, or as of `registry.make`.
    """
    checked_count("continuations", continuations)
    actions = _ids(position, moves)
    made = entrants_of(filled(agents, position.players, position.game), position.game)
    ends: list[tuple[NDArray[np.int16], NDArray[np.bool_]]] = []
    decisions = finished = 0

    for first in range(0, continuations, size := max(_AT_ONCE // len(moves), 1)):
        numbers = np.arange(first, min(first + size, continuations))
        batch, lineup = _games(position, actions, made, numbers, seed)

        def count(rows: NDArray[np.int64], _actions: object, batch: Batch = batch) -> None:
            nonlocal decisions, finished
            decisions += len(rows)
            finished += int(batch.done.sum())
            if on_progress is not None:
                on_progress(decisions, finished)

        count(np.arange(batch.n), None)
        play_out(batch, lineup, after_step=count)
        shape = len(moves), len(numbers), batch.game.max_seats
        ends.append((batch.final_scores.reshape(shape), batch.final_winners.reshape(shape)))
    scores, winners = (
        np.concatenate(column, axis=1)[:, :, : position.players]
        for column in zip(*ends, strict=True)
    )
    shares = winners / winners.sum(axis=2, keepdims=True).clip(1)
    return Counterfactual(tuple(moves), tuple(one.name for one in made), scores, shares)


def candidates(position: Position, player: Player = "search", *, seed: int = 0) -> pl.DataFrame:
    """The moves that a search tries, the one it plays first, then those tried most.

    Args:
        position: A position that waits for a seat; only what that seat may know is used.
        player: A searching agent (see `shakespeare_agents.make`).
        seed: Decides its draws.

    Returns:
        One row per move: `move`, its text; `prior`, its probability before the search; `playouts`,
        their number; `value`, their mean utility (see `Plan.utility`), null without any;
        `played`. A near-certain decision has a single row.

    Raises:
        ValueError: the game is over, or the player does not search.
    """
    if position.to_move is None:
        raise ValueError("the game is over; look at a position that waits for a seat")
    import polars as pl

    game = position.game
    agent = make(player, game)
    if not isinstance(agent, SearchAgent):
        raise ValueError(f"{name_of(player)} does not search; give `search`, with any options")
    batch = Batch(game.name, players=position.players, seed=seed, autoreset=False)
    batch.load([0], np.array([position.record()]))
    rows = np.zeros(1, np.int64)
    found = agent.look_ahead(InformationSets(batch, rows), GameGenerators.of_games(seed, rows))
    chosen = int(found.actions[0])
    actions = np.union1d(np.flatnonzero(found.visits[0]), [chosen])
    return pl.DataFrame(
        {
            "move": [position.move_text(action) for action in actions.tolist()],
            "prior": found.prior[0, actions],
            "playouts": found.visits[0, actions],
            "value": found.values[0, actions],
            "played": actions == chosen,
        }
    ).with_columns(pl.col("value").fill_nan(None)).sort(
        "played", "playouts", "prior", descending=True, maintain_order=True
    )  # fmt: skip


def _mean(values: NDArray[Any]) -> Mean:
    mean, low, high = mean_interval(values)
    return Mean(mean, *(np.nan if end is None else end for end in (low, high)))


def _ids(position: Position, moves: Sequence[str]) -> NDArray[np.int64]:
    legal = position.moves()
    for move in moves:
        if move not in legal:
            raise IllegalMove(move, seat=position.to_move, phase=position.phase, legal=legal)
    if not moves or len(set(moves)) < len(moves):
        raise ValueError(f"moves={shown(list(moves))}: give one or more, each once")
    return np.array([position.action_id(move) for move in moves])


def _games(
    position: Position,
    actions: NDArray[np.int64],
    agents: Sequence[Entrant],
    numbers: NDArray[np.int64],
    seed: int,
) -> tuple[Batch, Lineup]:
    """The games of these continuations after every move, and who plays on.

    Continuation 0 is the game that the position under this seed and agents from game 0 would play.
    """
    one = Batch(position.game.name, players=position.players, autoreset=False)
    one.load([0], np.array([position.record()]))
    records = one.save(np.zeros(len(actions) * len(numbers), np.int64))
    records["random"] = np.tile(streams(seed, numbers), len(actions))
    batch = one.maker()(records, seed)
    batch.step(np.repeat(actions, len(numbers)))
    generators = GameGenerators.of_games(seed, np.tile(numbers, len(actions)))
    lineup = Lineup.seated(
        [entrant.agent for entrant in agents],
        np.tile(np.arange(len(agents)), (batch.n, 1)),
        batch.game.max_seats,
        generators,
        [entrant.name for entrant in agents],
    )
    return batch, lineup
