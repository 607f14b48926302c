"""Batches of games, played under a referee into rows of results, or into final scores alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.making import Entrant
from shakespeare_agents.programs import Fault
from shakespeare_agents.travel import AgentSet, agent_set
from shakespeare_agents.workers import (
    ProgressCallback,
    Workers,
    cumulative,
    ignore_progress,
    in_shard_order,
)
from shakespeare_arena.referee import RefereedLineup
from shakespeare_arena.seating import RunSettings, Seating, seat_plan
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.datasets.frames import RESULTS, frame, load_polars
from shakespeare_env.errors import AgentNote
from shakespeare_env.play.agent import Estimator
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.lineup import NOBODY, Lineup, play_out
from shakespeare_env.version import version

if TYPE_CHECKING:
    import polars as pl

L = TypeVar("L", bound=Lineup)
R = TypeVar("R")

GAMES_AT_ONCE = 16_384  # the most games played together, to bound memory; changes no result
_SHARDS_PER_WORKER = 8  # the fewest shards per worker, so that all end at about the same time


@dataclass(frozen=True)
class GamesJob(Generic[R]):
    """The job of playing games under a run's settings, with the agents pickled separately.

    Attributes:
        agents: The agents, in the order of their digests.
        digests: The agents' digests.
        settings: The run's settings, whose `agents` the job fills in.
        play: The function that plays the games of a shard together, such as `play` of this module.
    """

    agents: AgentSet
    digests: tuple[str, ...]
    settings: RunSettings
    play: Callable[[Sequence[Seating], RunSettings, ProgressCallback], R]

    def start(self) -> Callable[[Sequence[Seating], ProgressCallback], R]:
        """Make the agents, and return the function that plays a shard (see `Job.start`)."""
        agents = dict(zip(self.digests, self.agents.agents, strict=True))
        settings = replace(self.settings, agents=agents)
        return lambda seatings, on_progress: self.play(seatings, settings, on_progress)


def begin_games(
    seatings: Sequence[Seating], settings: RunSettings, lineup_class: type[L]
) -> tuple[Batch, L]:
    """Return games at their first decision, and their line-up, made as `lineup_class`.

    Each game's agents draw from a generator of that game. So a game depends on its seating, the
    seed and the agents, and not on the games played beside it.
    """
    matches = [seating.match for seating in seatings]
    players = np.array([match.players for match in matches])
    deals = np.array([match.deal for match in matches])
    variants: dict[str, Any] = dict.fromkeys(settings.variants, True)
    batch = Batch(settings.game, len(seatings), players=players, autoreset=False, **variants)
    batch.reset(settings.seed, deals)

    # All games of a seed are numbered, deal by deal and rotation by rotation.
    games_per_deal = np.array([len(match.rotations) for match in matches])
    rotations = np.array([seating.rotation for seating in seatings])
    numbers = deals * games_per_deal + rotations
    generators = GameGenerators.of_games(settings.seed, numbers)

    digests = list(dict.fromkeys(digest for match in matches for digest in match.lineup))
    index = {digest: number for number, digest in enumerate(digests)}
    seats = np.full((len(seatings), batch.game.max_seats), NOBODY, np.int32)
    for row, seating in enumerate(seatings):
        seats[row, : players[row]] = [index[digest] for digest in seating.digests]
    agents = [settings.agents[digest] for digest in digests]
    names = [settings.names[digest] for digest in digests]
    return batch, lineup_class(agents, seats, generators, names)


# ------------------------------------------------------------------------------ without a referee


class FinalScores(NamedTuple):
    """The outcomes of n games.

    Attributes:
        scores: int16[n, S], final scores by seat.
        winners: bool[n, S], whether the seat won, alone or with others.
    """

    scores: NDArray[np.int16]
    winners: NDArray[np.bool_]


class PlayedDeals(NamedTuple):
    """All games of some deals, by deal, game of the deal, and seat.

    Attributes:
        seating: int8[deals, G, P], the agents by seat, as indices of `DealSeries.names`.
        scores: int16[deals, G, P], final scores.
        winners: bool[deals, G, P], whether the seat won.
    """

    seating: NDArray[np.int8]
    scores: NDArray[np.int16]
    winners: NDArray[np.bool_]


class DealSeries:
    """A numbered series of deals, each played in the games of `SeatPlan`.

    The arguments are those of `evaluate`, with one entrant per seat.

    Attributes:
        names: The entrants' names.
        seats: The seats in every game of every deal.
    """

    def __init__(
        self,
        entrants: Sequence[Entrant],
        game: str,
        *,
        seed: int,
        options: Mapping[str, bool] | None = None,
        on_progress: ProgressCallback | None = None,
        workers: Workers | None = None,
    ) -> None:
        self.names = tuple(entrant.name for entrant in entrants)
        self.seats = seat_plan(entrants, seed)
        self._workers = workers or Workers()
        self._on_progress = cumulative(on_progress)
        # No result is stored, so the identity of an agent's object serves as its digest.
        digests = tuple(str(id(entrant.agent)) for entrant in entrants)
        variants = tuple(name for name, is_on in (options or {}).items() if is_on)
        names = dict(zip(digests, self.names, strict=True))
        settings = RunSettings(game, variants, seed, agents={}, names=names)
        agents = agent_set(entrants, registry.game(game))
        self._job = GamesJob(agents, digests, settings, _play_to_final_scores)

    def play(self, deals: range) -> PlayedDeals:
        """Play all games of some deals together."""
        deals_per_shard = max(GAMES_AT_ONCE // self.seats.games_per_deal, 1)
        if self._workers.size > 1:
            fewest_shards = _SHARDS_PER_WORKER * self._workers.size
            deals_per_shard = min(math.ceil(len(deals) / fewest_shards), deals_per_shard)
        shards = (
            self.seats.seatings(deals[first : first + deals_per_shard], self._job.digests)
            for first in range(0, len(deals), deals_per_shard)
        )
        results = list(in_shard_order(self._workers.run(self._job, shards, self._on_progress)))

        seating = self.seats.places(deals)
        players = len(self.names)
        scores = np.concatenate([result.scores for result in results])[:, :players]
        winners = np.concatenate([result.winners for result in results])[:, :players]
        return PlayedDeals(seating, scores.reshape(seating.shape), winners.reshape(seating.shape))


def _play_to_final_scores(
    seatings: Sequence[Seating], settings: RunSettings, on_progress: ProgressCallback
) -> FinalScores:
    batch, lineup = begin_games(seatings, settings, Lineup)

    def after_step(rows: NDArray[Any], _actions: NDArray[Any]) -> None:
        on_progress(len(rows), int(batch.done.sum()))

    play_out(batch, lineup, after_step=after_step)
    return FinalScores(batch.final_scores, batch.final_winners)


# -------------------------------------------------------------------------------- under a referee


def play(
    seatings: Sequence[Seating],
    settings: RunSettings,
    on_progress: ProgressCallback = ignore_progress,
    *,
    estimates: bool = False,
) -> pl.DataFrame:
    """Play games together under a referee, and return their rows, `RESULTS`.

    Args:
        seatings: The games.
        settings: What the games of the run share.
        on_progress: Called after every step with the decisions of the step and no games.
        estimates: Whether to record the estimates of agents that make some (see `Estimator`).
    """
    batch, referee = begin_games(seatings, settings, RefereedLineup)
    is_estimator = [estimates and isinstance(agent, Estimator) for agent in referee.agents]
    estimators = np.flatnonzero(is_estimator).tolist()
    steps: list[_Step] = []

    def before_step(rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        # No agent chose the action of a game that has just been forfeited.
        is_chosen = ~referee.forfeited[rows]
        rows = rows[is_chosen]
        actions = actions[is_chosen]
        movers = referee.to_move(batch, rows)
        values = np.full(len(rows), np.nan, np.float32)
        for index in estimators:
            is_mover = movers == index
            if is_mover.any():
                values[is_mover] = _estimate(referee, index, batch.obs[rows[is_mover]])
        steps.append(_Step(rows, actions, values))

    def after_step(rows: NDArray[np.int64], _actions: NDArray[np.int64]) -> None:
        on_progress(len(rows), 0)

    try:
        play_out(batch, referee, before_step=before_step, after_step=after_step)
    finally:
        referee.end()

    # Split the decisions of all steps by game, in the order in which they were made.
    rows = np.concatenate([step.rows for step in steps])
    order = np.argsort(rows, kind="stable")
    cuts = np.bincount(rows, minlength=batch.n).cumsum()[:-1]
    actions = np.split(np.concatenate([step.actions for step in steps])[order], cuts)
    values = np.split(np.concatenate([step.values for step in steps])[order], cuts)

    games = []
    for row, seating in enumerate(seatings):
        seats = slice(seating.match.players)
        forfeit = referee.forfeits.get(row)
        games.append(
            result_row(
                seating,
                settings,
                scores=forfeit.scores if forfeit else batch.final_scores[row, seats].tolist(),
                winners=batch.final_winners[row, seats],
                forfeit=None if forfeit is None else (forfeit.seat, forfeit.fault),
                seconds=referee.seconds[row, seats].tolist(),
                decisions=referee.decisions[row, seats].tolist(),
                actions=actions[row],
                values=values[row] if estimates else None,
            )
        )
    results = frame(RESULTS, {name: [game[name] for game in games] for name in RESULTS})
    nan_to_null = load_polars().element().fill_nan(None)
    return results.with_columns(load_polars().col("values").list.eval(nan_to_null))


class _Step(NamedTuple):
    """The decisions of one step: the game, the action and the agent's estimate of each."""

    rows: NDArray[np.int64]
    actions: NDArray[np.int64]
    values: NDArray[np.float32]


def _estimate(lineup: Lineup, index: int, observations: NDArray[np.int8]) -> NDArray[np.float32]:
    """Ask an agent for its estimates of m decisions, float32[m]. If it fails, a note names it."""
    agent: Any = lineup.agents[index]
    try:
        values = np.asarray(agent.values(observations), np.float32)
        if values.shape != (len(observations),):
            raise ValueError(f"values of shape {values.shape}, not ({len(observations)},)")
    except Exception as fault:
        games = "1 game" if len(observations) == 1 else f"{len(observations)} games"
        note = f"The agent {lineup.name(index)} failed to estimate {games}."
        fault.add_note(AgentNote(note))
        raise
    return values


def result_row(
    seating: Seating,
    settings: RunSettings,
    scores: Sequence[int],
    winners: NDArray[np.bool_],
    forfeit: tuple[int, Fault | None] | None,
    **decided: Any,
) -> dict[str, Any]:
    """Return a finished game as a row of `RESULTS`.

    Args:
        seating: The game.
        settings: The run's settings.
        scores: Scores by seat at the end, or when the game was forfeited.
        winners: bool[P], whether the seat won.
        forfeit: The seat that lost the game by a fault, if one did, and the fault, if it is known.
        decided: The columns `seconds`, `decisions`, `actions` and `values`.
    """
    match = seating.match
    seat, fault = forfeit or (None, None)
    if seat is None:
        places = places_of(np.array([scores]), winners[None])[0].tolist()
    else:  # the seat at fault comes last, and the others share place 1
        places = [match.players if other == seat else 1 for other in range(match.players)]
    return {
        "key": settings.key(seating),
        "match": settings.match_key(match),
        "game": settings.game,
        "box_digest": registry.box_digest(settings.game),
        "package_version": version(),
        "variants": list(settings.variants),
        "players": match.players,
        "seed": settings.seed,
        "deal": match.deal,
        "rotation": seating.rotation,
        "agents": [settings.names[digest] for digest in seating.digests],
        "digests": seating.digests,
        "scores": scores,
        "places": places,
        "forfeited_by": seat,
        "fault": None if fault is None else fault.kind,
        "fault_details": None if fault is None else fault.details,
        **decided,
    }


def places_of(scores: NDArray[Any], winners: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return finishing places by seat, int[m, P]: winners share place 1, others go by score.

    Equal scores share the best of their places, since the game's tie-breaks decide only who wins.

    Args:
        scores: int[m, P].
        winners: bool[m, P].
    """
    worth = np.where(winners, np.iinfo(np.int64).max, scores.astype(np.int64))
    # [m, P, P], whether the seat of the last axis is better than that of the middle axis.
    is_better = worth[:, None, :] > worth[:, :, None]
    better: NDArray[np.int64] = is_better.sum(axis=2)
    return better + 1
