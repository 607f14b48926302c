"""What follows from positions: games played on to the end, a network's forecasts, a search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.naming import Entrant, entrants_of, fill_seats, make
from shakespeare_agents.networks.inference import ForwardPass
from shakespeare_agents.search.agent import SearchAgent
from shakespeare_arena.intervals import mean_interval, wilson_interval
from shakespeare_env import Batch, Position
from shakespeare_env.checks.values import short_repr
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.game import Game, Record, Records
from shakespeare_env.core.rng import streams
from shakespeare_env.errors import IllegalMove
from shakespeare_env.play.agent import AgentLike, AnyAgent, name_of
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.information_sets import InformationSets
from shakespeare_env.play.lineup import Lineup, OnStep, play_out

if TYPE_CHECKING:
    import polars as pl


def batch_of(game: Game, records: Records | Sequence[Record]) -> Batch:
    """A batch of some games of equally many seats, for `play_on`."""
    games = Batch(game.name, len(records), players=int(records[0]["players"]), autoreset=False)
    games.load(slice(None), np.array(records, game.state))
    return games


def play_on(
    games: Batch,
    agents: Sequence[AnyAgent],
    generators: GameGenerators,
    actions: NDArray[np.int64] | None = None,
    *,
    seats: NDArray[np.int64] | None = None,
    names: Sequence[str] = (),
    before_step: OnStep | None = None,
    after_step: OnStep | None = None,
) -> None:
    """Play games of equally many seats on to the end, in place, after an action in each if given.

    Games, `generators`, `actions` and `seats` (int64[n, P], the number of the agent at each seat;
    by default agents alternate from seat 0) go row by row. Both hooks (see `play_out`) are called
    for `actions`, too; `names` are those of agents in errors.
    """
    rows, players = np.arange(games.n), int(games.players[0])
    if seats is None:
        seats = np.tile(np.arange(players) % len(agents), (games.n, 1))
    lineup = Lineup.seated(agents, seats, games.game.max_seats, generators, names)
    if actions is not None:
        if before_step is not None:
            before_step(rows, actions)
        games.step(actions)
        if after_step is not None:
            after_step(rows, actions)
    play_out(games, lineup, before_step=before_step, after_step=after_step)


def victory_shares(games: Batch) -> NDArray[np.float64]:
    """float64[n, S]: every seat's share of the victory in finished games; 0 alone."""
    winners = games.final_winners
    shares: NDArray[np.float64] = winners / winners.sum(axis=1, keepdims=True).clip(1)
    return shares


def forecasts_by_seat(
    network: ForwardPass, games: Batch, rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """What a network with heads forecasts in m games of P seats, clockwise from the mover.

    Returns:
        int64[m, P], the seats; float64[m, P], their shares of the victory and final scores.
    """
    players = int(games.players[0])
    shares, changes = network.forecasts(games.obs[rows], games.players[rows])
    seats = (games.to_move[rows].astype(np.int64)[:, None] + np.arange(players)) % players
    scores = np.take_along_axis(games.scores(rows), seats, axis=1)
    expected = scores + float(games.game.score_scale) * changes[:, :players].astype(np.float64)
    return seats, shares[:, :players].astype(np.float64), expected


class Mean(NamedTuple):
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
    """

    moves: tuple[str, ...]  # K; the others are compared with the first
    agents: tuple[str, ...]  # by seat
    scores: NDArray[np.int16]  # int16[K, continuations, P], final, by move and seat
    shares: NDArray[np.float64]  # of the victory, in the same shape; meaningless in solo games

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
        change = _mean(shares[self._of(move)] - shares[0])
        return Mean(change.mean, max(change.low, -1.0), min(change.high, 1.0))

    def frame(self) -> pl.DataFrame:
        """A row per move and seat, by the extra `data`; solo games have no `won` and `won_change`.

        `score_change` and `won_change` are what `score` and `won` are more than after the first
        move; the ends of intervals are in `score_low`, `score_high` and so on.
        """
        import polars as pl

        rows: list[dict[str, Any]] = []
        for move in self.moves:
            for seat, agent in enumerate(self.agents):
                rows.append({"move": move, "seat": seat, "agent": agent})
                for kind in (self.score, self.won, self.score_change, self.won_change):
                    names = (f"{kind.__name__}{end}" for end in ("", "_low", "_high"))
                    rows[-1] |= zip(names, kind(move, seat), strict=True)
        frame = pl.DataFrame(rows).with_columns(pl.col(pl.Float64).fill_nan(None))
        alone = pl.lit(len(self.agents) == 1)
        return frame.with_columns(pl.when(~alone).then(pl.col("^won.*$")))

    def _of(self, move: str) -> int:
        if move not in self.moves:
            raise KeyError(f"{move!r} was not tried; the moves were {', '.join(self.moves)}")
        return self.moves.index(move)


def counterfactual(
    position: Position,
    moves: Sequence[str],
    agents: Sequence[Entrant | AgentLike] = (),
    *,
    continuations: int = 200,
    seed: int = 0,
    on_progress: Callable[[int, int], None] = lambda _decisions, _games: None,
) -> Counterfactual:
    """Play moves of a position, each on to the end many times, under the same chance for all.

    The position's secrets stay, its chance to come is ignored: the seed decides chance and draws.
    Moves are legal texts, each given once; `agents` play on from seat 0 (see `registry.make`): the
    last of several fills the remaining seats, a single one plays against the default agent.
    `on_progress` is called after every step with decisions made and games finished so far.

    Raises:
        IllegalMove: a move is not legal there.
        ValueError: no move, or one twice; a number is out of range; or as of `registry.make`.
        TypeError: a number is not whole, or as of `registry.make`.
    """
    checked_count("continuations", continuations)
    legal = position.moves()
    for move in moves:
        if move not in legal:
            raise IllegalMove(move, seat=position.to_move, phase=position.phase, legal=legal)
    if not moves or len(set(moves)) < len(moves):
        raise ValueError(f"moves={short_repr(list(moves))}: give one or more, each once")
    entrants = entrants_of(fill_seats(agents, position.players, position.game), position.game)
    # Continuation 0 is the game that the position under this seed and agents of game 0 would play.
    numbers = np.tile(np.arange(continuations), len(moves))
    records = np.array([position.record()] * len(numbers))
    records["random"] = streams(seed, numbers)
    games = batch_of(position.game, records)
    decisions = 0

    def count(rows: NDArray[np.int64], _actions: object) -> None:
        nonlocal decisions
        decisions += len(rows)
        on_progress(decisions, int((games.to_move < 0).sum()))

    play_on(
        games,
        [entrant.agent for entrant in entrants],
        GameGenerators.of_games(seed, numbers),
        np.repeat([position.action_id(move) for move in moves], continuations),
        names=[entrant.name for entrant in entrants],
        after_step=count,
    )
    shape = len(moves), continuations, -1
    return Counterfactual(
        tuple(moves),
        tuple(entrant.name for entrant in entrants),
        games.final_scores.reshape(shape)[:, :, : position.players],
        victory_shares(games).reshape(shape)[:, :, : position.players],
    )


def candidates(position: Position, player: AgentLike = "search", *, seed: int = 0) -> pl.DataFrame:
    """The moves that a search tries, the one it plays first, then those tried most.

    Only what the seat to move may know is used; the player is a searching agent (see `make`).

    A row has `move`; `prior`, its probability before the search; `playouts`, their number; `value`,
    their mean utility (see `Plan.utility`), null without any; `played`. A near-certain decision has
    a single row.

    Raises:
        ValueError: the game is over, or the player does not search.
    """
    if position.to_move is None:
        raise ValueError("the game is over; look at a position that waits for a seat")
    import polars as pl

    agent = make(player, position.game)
    if not isinstance(agent, SearchAgent):
        raise ValueError(f"{name_of(player)} does not search; give `search`, with any options")
    rows = np.zeros(1, np.int64)
    asked = InformationSets(batch_of(position.game, [position.record()]), rows)
    search = agent.look_ahead(asked, GameGenerators.of_games(seed, rows))
    chosen = int(search.actions[0])
    actions = np.union1d(np.flatnonzero(search.visits[0]), [chosen])
    frame = pl.DataFrame(
        {
            "move": [position.move_text(action) for action in actions.tolist()],
            "prior": search.prior[0, actions],
            "playouts": search.visits[0, actions],
            "value": search.values[0, actions],
            "played": actions == chosen,
        }
    ).with_columns(pl.col("value").fill_nan(None))
    return frame.sort("played", "playouts", "prior", descending=True, maintain_order=True)


def _mean(values: NDArray[Any]) -> Mean:
    mean, low, high = mean_interval(values)
    return Mean(mean, *(np.nan if end is None else end for end in (low, high)))
