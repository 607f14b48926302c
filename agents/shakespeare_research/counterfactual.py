"""Consequences of moves: games played to the end, networks' forecasts, and searched moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.making import Entrant, entrants_of, fill_seats, make
from shakespeare_agents.search.agent import SearchAgent
from shakespeare_arena.intervals import mean_interval, wilson_interval
from shakespeare_env import Batch, Position
from shakespeare_env.checks.values import short_repr
from shakespeare_env.core.batch import victory_shares
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.game import Game, Record, Records
from shakespeare_env.core.move_history import Decisions
from shakespeare_env.core.rng import streams
from shakespeare_env.errors import IllegalMove
from shakespeare_env.play.agent import AgentLike, AnyAgent, Forecaster, history_length, name_of
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.information_sets import InformationSets
from shakespeare_env.play.lineup import Lineup, OnStep, play_out

if TYPE_CHECKING:
    import polars as pl


def batch_of(
    game: Game, records: Records | Sequence[Record], decisions: Decisions | None = None
) -> Batch:
    """Return a batch of n games with equally many seats, ready for `play_to_end`.

    `decisions`, `DECISION`[n, k], are the last k of each game, for agents that observe them.
    """
    games = Batch(game.name, len(records), players=int(records[0]["players"]), autoreset=False)
    if decisions is not None:
        games.keep_history(decisions.shape[1])
    games.load(slice(None), np.array(records, game.state), decisions)
    return games


def play_to_end(
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
    """Play games of equally many seats to their ends, in place.

    Args:
        games: n games.
        agents: The agents.
        generators: The generator of each game's agents.
        actions: An action to begin with in each game, int64[n].
        seats: The index of the agent at each seat, int64[n, P]. By default the agents sit
            in their order from seat 0 on, and are repeated if there are more seats.
        names: The agents' names in errors.
        before_step: A hook (see `play_out`), also called for `actions`.
        after_step: Another hook, also called for `actions`.
    """
    rows = np.arange(games.n)
    players = int(games.players[0])
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


class SeatForecasts(NamedTuple):
    """A network's forecasts in m games of P seats, by seat clockwise from the one to move."""

    seats: NDArray[np.int64]  # int64[m, P]
    shares: NDArray[np.float64]  # float64[m, P], shares of the victory
    scores: NDArray[np.float64]  # float64[m, P], final scores


def forecasts_by_seat(
    forecaster: Forecaster, games: Batch, rows: NDArray[np.int64]
) -> SeatForecasts:
    """Return an agent's or a network's forecasts in m games of equally many seats."""
    players = int(games.players[0])
    shares, changes = forecaster.forecasts(games.obs[rows], games.players[rows])
    seats = (games.to_move[rows].astype(np.int64)[:, None] + np.arange(players)) % players
    scores = np.take_along_axis(games.scores(rows), seats, axis=1)
    expected = scores + float(games.game.score_scale) * changes[:, :players].astype(np.float64)
    return SeatForecasts(seats, shares[:, :players].astype(np.float64), expected)


class Mean(NamedTuple):
    """A mean over continuations, and the ends of its 95 % interval, NaN if there is only one."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Counterfactual:
    """Results of moves in one position, each played to the end equally often.

    A continuation is one such game from the move to the end. Continuation i of every move meets the
    same chance, and its agents draw the same random numbers, as long as the games make the same
    draws in the same order. The continuations of a move are independent of each other. Intervals
    cover chance and the agents' draws from the position on.
    """

    moves: tuple[str, ...]  # K moves; the first is the baseline of the others
    agents: tuple[str, ...]  # the agents' names by seat
    scores: NDArray[np.int16]  # int16[K, continuations, P], final scores by move and seat
    shares: NDArray[np.float64]  # shares of the victory, like `scores`; meaningless in solo games

    @property
    def continuations(self) -> int:
        """The number of continuations of each move."""
        return int(self.scores.shape[1])

    def score(self, move: str, seat: int) -> Mean:
        """Return a seat's mean final score after a move."""
        return _mean(self.scores[self._index(move), :, seat])

    def won(self, move: str, seat: int) -> Mean:
        """Return a seat's mean share of the victory after a move, with Wilson's score interval."""
        shares = self.shares[self._index(move), :, seat]
        low, high = wilson_interval(float(shares.sum()), len(shares))
        return Mean(float(shares.mean()), low, high)

    def score_change(self, move: str, seat: int) -> Mean:
        """Return the score after a move less the score after the first, paired by continuation."""
        scores = self.scores[:, :, seat].astype(np.int64)
        return _mean(scores[self._index(move)] - scores[0])

    def won_change(self, move: str, seat: int) -> Mean:
        """Return the change of the share of the victory, -1 to 1, paired by continuation."""
        shares = self.shares[:, :, seat]
        change = _mean(shares[self._index(move)] - shares[0])
        return Mean(change.mean, max(change.low, -1.0), min(change.high, 1.0))

    def frame(self) -> pl.DataFrame:
        """Return a row per move and seat. This needs the extra `data`.

        `score_change` and `won_change` compare with the first move. The ends of intervals are in
        `score_low`, `score_high` and so on. Columns about winning are null in solo games.
        """
        import polars as pl

        measures = {
            "score": self.score,
            "won": self.won,
            "score_change": self.score_change,
            "won_change": self.won_change,
        }
        rows: list[dict[str, Any]] = []
        for move in self.moves:
            for seat, agent in enumerate(self.agents):
                row: dict[str, Any] = {"move": move, "seat": seat, "agent": agent}
                for name, measure in measures.items():
                    mean, low, high = measure(move, seat)
                    row |= {name: mean, f"{name}_low": low, f"{name}_high": high}
                rows.append(row)
        frame = pl.DataFrame(rows).with_columns(pl.col(pl.Float64).fill_nan(None))
        has_winners = pl.lit(len(self.agents) > 1)
        return frame.with_columns(pl.when(has_winners).then(pl.col("^won.*$")))

    def _index(self, move: str) -> int:
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
    """Try moves of a position, and play each to the end many times under the same chance.

    All continuations start from the position with its hidden information. Chance after it is drawn
    anew.

    Args:
        position: The position.
        moves: Texts of legal moves, each given once.
        agents: The agents that play the game on, by seat (see `making.make`). The last of several
            fills the remaining seats. A single one plays against the default agent.
        continuations: How often each move is played to the end.
        seed: Decides chance and the agents' draws.
        on_progress: Called after every step with the numbers of decisions made and of games
            finished so far.

    Raises:
        IllegalMove: A move is not legal in the position.
        ValueError: No move is given, a move is given twice, a number is out of range, or
            `making.make` raises it.
        TypeError: A number is not whole, or `making.make` raises it.
    """
    checked_count("continuations", continuations)
    legal = position.moves()
    for move in moves:
        if move not in legal:
            raise IllegalMove(move, seat=position.to_move, phase=position.phase, legal=legal)
    if not moves or len(set(moves)) < len(moves):
        raise ValueError(f"moves={short_repr(list(moves))}: give one move or more, each once")
    entrants = entrants_of(fill_seats(agents, position.players, position.game), position.game)
    # Continuation i of every move draws like game i of this seed.
    numbers = np.tile(np.arange(continuations), len(moves))
    records = np.array([position.record()] * len(numbers))
    records["random"] = streams(seed, numbers)
    length = max(history_length(entrant.agent) for entrant in entrants)
    games = batch_of(position.game, records, position.decisions(length).repeat(len(numbers), 0))
    decisions = 0

    def count(rows: NDArray[np.int64], _actions: object) -> None:
        nonlocal decisions
        decisions += len(rows)
        on_progress(decisions, int((games.to_move < 0).sum()))

    play_to_end(
        games,
        [entrant.agent for entrant in entrants],
        GameGenerators.of_games(seed, numbers),
        actions=np.repeat([position.action_id(move) for move in moves], continuations),
        names=[entrant.name for entrant in entrants],
        after_step=count,
    )
    shape = len(moves), continuations, -1
    return Counterfactual(
        moves=tuple(moves),
        agents=tuple(entrant.name for entrant in entrants),
        scores=games.final_scores.reshape(shape)[:, :, : position.players],
        shares=victory_shares(games.final_winners).reshape(shape)[:, :, : position.players],
    )


def candidates(position: Position, player: AgentLike = "search", *, seed: int = 0) -> pl.DataFrame:
    """Return the moves that a search tries: the one it plays, then the others by playouts.

    The search knows no more than the seat to move may know.

    Args:
        position: The position.
        player: A searching agent (see `making.make`).
        seed: Decides the search's draws.

    Returns:
        One row per move: `move`; `prior`, its probability before the search; `playouts`, the number
        of its playouts; `value`, their mean utility (see `SearchSettings.utility`), null without
        playouts; and `played`, whether the search plays it. A near-certain decision has a single
        row.

    Raises:
        ValueError: The game is over, or the player does not search.
    """
    if position.to_move is None:
        raise ValueError("the game is over; give a position in which a seat is to move")
    import polars as pl

    agent = make(player, position.game)
    if not isinstance(agent, SearchAgent):
        raise ValueError(f"{name_of(player)} does not search; give `search`, perhaps with options")
    rows = np.zeros(1, np.int64)
    information_sets = InformationSets(batch_of(position.game, [position.record()]), rows)
    search = agent.look_ahead(information_sets, GameGenerators.of_games(seed, rows))
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
    if low is None or high is None:
        return Mean(mean, np.nan, np.nan)
    return Mean(mean, low, high)
