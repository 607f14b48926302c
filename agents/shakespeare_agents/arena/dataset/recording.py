"""Games of agents as rows of a dataset: what they chose and what they expected, nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.arena.dataset.parts import Part
from shakespeare_agents.arena.games.playing import places_of
from shakespeare_agents.arena.games.seat_orders import SeatPlan
from shakespeare_agents.arena.games.seating import deal
from shakespeare_agents.networks.estimating import EstimatingLineup
from shakespeare_agents.portable import AgentSet
from shakespeare_agents.workers import Tell
from shakespeare_env.core.batch import Batch
from shakespeare_env.datasets.frames import GAMES, by_seat, frame, load_polars
from shakespeare_env.datasets.manifest import Settings
from shakespeare_env.play.agent import AnyAgent
from shakespeare_env.play.lineup import play_out


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
        agents = self.agents.agents

        def play(deals: range, _tell: Tell) -> Part:
            return _played(self.settings, agents, deals, self.threads)

        return play


def _played(settings: Settings, agents: Sequence[AnyAgent], deals: range, threads: int) -> Part:
    pl = load_polars()
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
    steps = []

    def note(rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        unknown = np.full(len(rows), np.nan, np.float32)
        values = lineup.expected[rows] if lineup.estimates else unknown
        steps.append((rows.astype(np.int32), actions.astype(np.int16), values))

    play_out(batch, lineup, before_step=note)
    games, actions, values = map(np.concatenate, zip(*steps, strict=True))
    made = pl.DataFrame({"game": games, "actions": actions, "values": values})
    # All games are in the first step, which puts them in order.
    by_game = made.group_by("game", maintain_order=True).agg(
        "actions", pl.col("values").fill_nan(None)
    )
    decisions = {"actions": by_game["actions"], "values": by_game["values"]}
    return Part.of(frame(GAMES, _ends(settings, deals, seating, batch) | decisions))


def _ends(
    settings: Settings, deals: range, seating: NDArray[np.integer], batch: Batch
) -> dict[str, Any]:
    """The columns of what games are and how they ended."""
    n, players, games = batch.n, settings.players, settings.games_per_deal
    numbers = np.arange(deals.start * games, deals.stop * games)
    entrants = np.array(settings.entrants)
    scores = batch.final_scores[:, :players]
    places = places_of(scores, batch.final_winners[:, :players])
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
    }
