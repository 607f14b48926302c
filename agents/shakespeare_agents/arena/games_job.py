"""Games of an arena as shards that workers play."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shakespeare_agents.arena.entrants import Entrant, agent_set
from shakespeare_agents.arena.playing import play
from shakespeare_agents.arena.seating import Rules, Seating
from shakespeare_agents.parcels import AgentSet
from shakespeare_agents.workers import Tell, Workers
from shakespeare_env import registry
from shakespeare_env.datasets.frames import load_polars

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class GamesJob:
    """The job of playing games under some rules; a shard's games are played together.

    Its results are rows of `RESULTS`.
    """

    agents: AgentSet
    digests: tuple[str, ...]
    names: Mapping[str, str]
    variants: tuple[str, ...]
    seed: int

    @classmethod
    def of(cls, rules: Rules, entrants: Mapping[str, Entrant], workers: Workers) -> GamesJob:
        """The job under rules whose agents are those of entrants, by digest."""
        agents = agent_set(list(entrants.values()), registry.game(rules.game), workers)
        return cls(agents, tuple(entrants), rules.names, rules.variants, rules.seed)

    def start(self) -> Callable[[Sequence[Seating], Tell], pl.DataFrame]:
        """See `Job.start`."""
        agents = dict(zip(self.digests, self.agents.agents, strict=True))
        rules = Rules(self.agents.game.name, self.variants, self.seed, agents, self.names)

        def work(seatings: Sequence[Seating], tell: Tell) -> pl.DataFrame:
            kept: list[pl.DataFrame] = []
            play(seatings, rules, kept.append, lambda decisions: tell(decisions, 0))
            rows: pl.DataFrame = load_polars().concat(kept)
            return rows

        return work
