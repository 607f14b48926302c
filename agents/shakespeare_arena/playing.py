"""Games under a referee, played together; each becomes a row of results as it ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.programs import Fault
from shakespeare_agents.travel import AgentSet
from shakespeare_agents.workers import ProgressCallback, ignore_progress
from shakespeare_arena.referee import RefereedLineup
from shakespeare_arena.seating import RunSettings, Seating
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


@dataclass(frozen=True)
class Games(Generic[R]):
    """The job of playing games under some rules, whose agents travel by themselves.

    A shard's games are played together by a function such as `play`.
    """

    agents: AgentSet
    digests: tuple[str, ...]
    rules: RunSettings
    played: Callable[[Sequence[Seating], RunSettings, ProgressCallback], R]

    def start(self) -> Callable[[Sequence[Seating], ProgressCallback], R]:
        """See `Job.start`; results are those of the function."""
        agents = dict(zip(self.digests, self.agents.agents, strict=True))
        rules = replace(self.rules, agents=agents)
        return lambda seatings, tell: self.played(seatings, rules, tell)


def dealt(seatings: Sequence[Seating], rules: RunSettings, kind: type[L]) -> tuple[Batch, L]:
    """Games at their first decision, and their line-up.

    Each game's agents draw from a generator of its own, so that it depends on its seating, the seed
    and the agents alone, not on those beside it.
    """
    matches = [seating.match for seating in seatings]
    players = np.array([match.players for match in matches])
    deals = np.array([match.deal for match in matches])
    variants: dict[str, Any] = dict.fromkeys(rules.variants, True)
    batch = Batch(rules.game, len(seatings), players=players, autoreset=False, **variants)
    batch.reset(rules.seed, deals)
    numbers = deals * [len(match.rotations) for match in matches]
    numbers += [seating.rotation for seating in seatings]
    digests = list(dict.fromkeys(digest for match in matches for digest in match.lineup))
    index = {digest: number for number, digest in enumerate(digests)}
    seats = np.full((len(seatings), batch.game.max_seats), NOBODY, np.int32)
    for row, seating in enumerate(seatings):
        seats[row, : players[row]] = [index[digest] for digest in seating.digests]
    agents = [rules.agents[digest] for digest in digests]
    names = [rules.names[digest] for digest in digests]
    return batch, kind(agents, seats, GameGenerators.of_games(rules.seed, numbers), names)


def play(
    seatings: Sequence[Seating],
    rules: RunSettings,
    tell: ProgressCallback = ignore_progress,
    *,
    estimates: bool = False,
) -> pl.DataFrame:
    """The rows, `RESULTS`, of games played together, each as its seating and the rules decide."""
    batch, referee = dealt(seatings, rules, RefereedLineup)
    estimators = [estimates and isinstance(agent, Estimator) for agent in referee.agents]
    steps: list[tuple[NDArray[Any], ...]] = []

    def before(rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        goes_on = ~referee.forfeited[rows]
        rows, actions = rows[goes_on], actions[goes_on]
        movers, values = referee.to_move(batch, rows), np.full(len(rows), np.nan, np.float32)
        for index in np.flatnonzero(estimators).tolist():
            asked = movers == index
            if asked.any():
                values[asked] = _expected(referee, index, batch.obs[rows[asked]])
        steps.append((rows, actions, values))

    def after(rows: NDArray[np.int64], _actions: NDArray[np.int64]) -> None:
        tell(len(rows), 0)

    try:
        play_out(batch, referee, before_step=before, after_step=after)
    finally:
        referee.end()
    rows, actions, values = map(np.concatenate, zip(*steps, strict=True))
    order = np.argsort(rows, kind="stable")
    cuts = np.bincount(rows, minlength=batch.n).cumsum()[:-1]
    by_game = [np.split(column[order], cuts) for column in (actions, values)]
    games = []
    for row, (seating, chosen, expected) in enumerate(zip(seatings, *by_game, strict=True)):
        seats, forfeit = slice(seating.match.players), referee.forfeits.get(row)
        scores = forfeit.scores if forfeit else batch.final_scores[row, seats].tolist()
        games.append(
            result_row(
                seating,
                rules,
                scores,
                batch.final_winners[row, seats],
                None if forfeit is None else (forfeit.seat, forfeit.fault),
                seconds=referee.seconds[row, seats].tolist(),
                decisions=referee.decisions[row, seats].tolist(),
                actions=chosen,
                values=expected if estimates else None,
            )
        )
    not_a_number = load_polars().element().fill_nan(None)
    results = frame(RESULTS, {name: [game[name] for game in games] for name in RESULTS})
    return results.with_columns(load_polars().col("values").list.eval(not_a_number))


def _expected(lineup: Lineup, index: int, observations: NDArray[np.int8]) -> NDArray[np.float32]:
    """What an agent expects of m decisions, float32[m]; a fault names it."""
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
    rules: RunSettings,
    scores: Sequence[int],
    winners: NDArray[np.bool_],
    forfeit: tuple[int, Fault | None] | None,
    **decided: Any,
) -> dict[str, Any]:
    """A finished game as a row of `RESULTS`.

    `forfeit` is the seat that has lost it by a fault, if one has; `decided` the columns `seconds`,
    `decisions`, `actions` and `values`.
    """
    match, (seat, fault) = seating.match, forfeit or (None, None)
    if seat is None:
        places = places_of(np.array([scores]), winners[None])[0].tolist()
    else:
        places = [match.players if other == seat else 1 for other in range(match.players)]
    return {
        "key": rules.key(seating),
        "match": rules.match_key(match),
        "game": rules.game,
        "box_digest": registry.box_digest(rules.game),
        "package_version": version(),
        "variants": list(rules.variants),
        "players": match.players,
        "seed": rules.seed,
        "deal": match.deal,
        "rotation": seating.rotation,
        "agents": [rules.names[digest] for digest in seating.digests],
        "digests": seating.digests,
        "scores": scores,
        "places": places,
        "forfeited_by": seat,
        "fault": fault and fault.kind,
        "fault_details": fault and fault.details,
        **decided,
    }


def places_of(scores: NDArray[Any], winners: NDArray[np.bool_]) -> NDArray[np.int64]:
    """int[m, P]: the finishing orders by seat: winners share place 1, the others go by score.

    Equal scores share the best of their places; the game's tie-breaks decide only who wins.

    Args:
        scores: int[m, P].
        winners: bool[m, P].
    """
    worth = np.where(winners, np.iinfo(np.int64).max, scores.astype(np.int64))
    better: NDArray[np.int64] = (worth[:, None, :] > worth[:, :, None]).sum(axis=2)
    return better + 1
