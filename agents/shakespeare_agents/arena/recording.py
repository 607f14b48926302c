"""Games of agents as rows of a dataset: what they chose and what they expected, nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.arena.dataset_parts import Part
from shakespeare_agents.arena.deals import deal
from shakespeare_agents.arena.playing import places_of
from shakespeare_agents.arena.seat_orders import SeatPlan
from shakespeare_agents.estimating import EstimatingLineup, estimating
from shakespeare_agents.parcels import AgentSet
from shakespeare_agents.workers import Tell
from shakespeare_env.agent import AnyAgent
from shakespeare_env.batch import Batch
from shakespeare_env.datasets.frames import GAMES, by_seat, frame, load_polars
from shakespeare_env.datasets.manifest import Settings
from shakespeare_env.lineup import play_out

_FIRST_ROOM = 512
"""Initial room for decisions, per game."""


@dataclass(frozen=True)
class Recording:
    """The job of playing a dataset's deals; a shard of it is a range of deals.

    Attributes:
        settings: The settings of the dataset.
        agents: The agents of `settings.entrants`, one per seat.
        threads: The threads that step the games; they change no row.
    """

    settings: Settings
    agents: AgentSet
    threads: int

    def start(self) -> Callable[[range, Tell], Part]:
        """See `Job.start`."""
        agents = estimating(self.agents.agents)

        def play(deals: range, _tell: Tell) -> Part:
            return _played(self.settings, agents, deals, self.threads)

        return play


def _played(settings: Settings, agents: Sequence[AnyAgent], deals: range, threads: int) -> Part:
    seating = SeatPlan(settings.entrants, "balanced", settings.seed).of(deals)
    batch, seated = deal(
        agents,
        settings.game,
        deals,
        settings.seed,
        seating,
        options=dict.fromkeys(settings.variants, True),
        threads=threads,
        names=settings.entrants,
    )
    lineup = EstimatingLineup(seated.agents, seated.seats, seated.generators, seated.names)
    log = _Log(batch, lineup)
    play_out(batch, lineup, before_step=log.note)
    return Part.of(frame(GAMES, _columns(settings, deals, seating, batch, log)))


class _Log:
    """The decisions in the games of a batch.

    Attributes:
        counts: int64[n].
        actions: int16[n, room], the first `counts` of each row.
        values: float32[n, room], the first `counts` of each row; NaN where none is estimated.
    """

    def __init__(self, batch: Batch, lineup: EstimatingLineup) -> None:
        self._lineup = lineup
        self.counts = np.zeros(batch.n, np.int64)
        self.actions = np.zeros((batch.n, _FIRST_ROOM), np.int16)
        self.values = np.full((batch.n, _FIRST_ROOM), np.nan, np.float32)

    def note(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Before a step."""
        counts = self.counts[rows]
        if counts.max() == self.actions.shape[1]:
            self.actions = np.hstack([self.actions, np.zeros_like(self.actions)])
            self.values = np.hstack([self.values, np.full_like(self.values, np.nan)])
        self.actions[rows, counts] = actions
        if self._lineup.estimates:
            self.values[rows, counts] = self._lineup.expected[rows]
        self.counts[rows] = counts + 1


def _columns(
    settings: Settings, deals: range, seating: NDArray[np.integer], batch: Batch, log: _Log
) -> dict[str, Any]:
    pl = load_polars()
    n, players, games = batch.n, settings.players, settings.games_per_deal
    numbers = np.arange(deals.start * games, deals.stop * games)
    entrants = np.array(settings.entrants)
    scores = batch.final_scores[:, :players]
    places = places_of(scores, batch.final_winners[:, :players])
    made = np.arange(log.actions.shape[1]) < log.counts[:, None]
    decisions = pl.DataFrame(
        {
            "game": np.repeat(np.arange(n), log.counts),
            "actions": log.actions[made],
            "values": pl.Series(log.values[made]).fill_nan(None),
        }
    )
    listed = decisions.group_by("game", maintain_order=True).agg("actions", "values")
    return {
        "game_id": numbers,
        "game": [settings.game] * n,
        "box_digest": [settings.box_digest] * n,
        "package_version": [settings.package_version] * n,
        "variants": [list(settings.variants)] * n,
        "players": np.full(n, players, np.int8),
        "seed": np.full(n, settings.seed, np.uint64),
        "deal": numbers // games,
        "rotation": numbers % games,
        "agents": by_seat(entrants[seating].reshape(-1), players),
        "scores": by_seat(scores.reshape(-1), players),
        "places": by_seat(places.reshape(-1), players),
        "actions": listed["actions"],
        "values": listed["values"],
    }
