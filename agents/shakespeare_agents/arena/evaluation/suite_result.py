"""How an agent did on a solo suite, with 95 % intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.arena.evaluation.result import WIDTH, Shown
from shakespeare_agents.arena.wording import counted, with_margin
from shakespeare_agents.intervals import mean_interval, wilson_interval
from shakespeare_env.core.registry import box_digest

if TYPE_CHECKING:
    from rich.table import Table


class Mean(NamedTuple):
    """A mean over deals and its 95 % interval; the ends are None with one deal."""

    mean: float
    low: float | None
    high: float | None


class Deal(NamedTuple):
    """One deal of a suite: the agent's score, the reference's mean, and what lies between."""

    deal: int
    score: int
    reference: float
    regret: float


@dataclass(frozen=True)
class SuiteResult(Shown):
    """An agent's scores on a suite's deals, beside the reference's.

    Attributes:
        game: Its name.
        agent: As entered.
        seed: The seed of the agent's draws.
        suite_seed: The seed of the deals.
        reference: The agent that made the reference scores.
        reference_runs: The reference's games on each deal.
        target: The score that the rule book calls good.
        scores: The agent's, by deal.
        references: The reference's mean, by deal.
    """

    FORMAT = 1

    game: str
    agent: str
    seed: int
    suite_seed: int
    reference: str
    reference_runs: int
    target: float
    scores: tuple[int, ...]
    references: tuple[float, ...]

    @property
    def _regrets(self) -> NDArray[np.float64]:
        regrets: NDArray[np.float64] = np.array(self.references) - np.array(self.scores)
        return regrets

    @property
    def score(self) -> Mean:
        """The agent's mean score."""
        return Mean(*mean_interval(np.array(self.scores)))

    @property
    def median(self) -> float:
        """The median of its scores."""
        return float(np.median(self.scores))

    @property
    def regret(self) -> Mean:
        """The mean of the reference less the score, deal by deal; below 0 for a better agent."""
        return Mean(*mean_interval(self._regrets))

    @property
    def reached(self) -> Mean:
        """The share of deals, 0 to 1, on which the agent scores at least the reference."""
        deals, found = len(self.scores), int((self._regrets <= 0).sum())
        return Mean(found / deals, *wilson_interval(found, deals))

    @property
    def passed(self) -> float:
        """The share of deals, 0 to 1, on which the agent passes the rule book's target."""
        return float((np.array(self.scores) > self.target).mean())

    @property
    def deals(self) -> list[Deal]:
        """Every deal, in the order of their numbers."""
        rows = zip(self.scores, self.references, self._regrets.tolist(), strict=True)
        return [Deal(number, *row) for number, row in enumerate(rows)]

    def worst(self, most: int) -> list[Deal]:
        """The deals of the largest regret, at most `most`."""
        return sorted(self.deals, key=lambda deal: (-deal.regret, deal.deal))[:most]

    def table(self) -> Table:
        """The figures, 80 columns at most."""
        from rich.table import Table
        from rich.text import Text

        runs = counted(self.reference_runs, "game")
        table = Table(
            title=f"{self.game}, alone: {counted(len(self.scores), 'fixed deal')}, "
            f"the agent's seed {self.seed}",
            caption=f"Reference: mean {np.mean(self.references):.2f}, of {runs} a deal by "
            f"{self.reference}.\nA good solo game passes {self.target:g}: "
            f"{100 * self.passed:.0f} % of these do.\n"
            "Regret: the reference's score less the agent's. ± is a 95 % interval.",
            min_width=WIDTH,
        )
        table.add_column("Agent", overflow="fold")
        for title in ("Mean score", "Median", "Regret", "At reference, %"):
            table.add_column(title, justify="right")
        share, low, high = (f"{100 * (end or 0):.0f}" for end in self.reached)
        table.add_row(
            Text(self.agent),
            with_margin(self.score.mean, self.score.high),
            f"{self.median:g}",
            with_margin(self.regret.mean, self.regret.high),
            f"{share} ({low} to {high})",
        )
        return table

    def worst_table(self, most: int) -> Table:
        """The worst deals, a row each."""
        from rich.table import Table

        table = Table(title=f"Worst deals of seed {self.suite_seed}")
        for title in ("Deal", "Score", "Reference", "Regret"):
            table.add_column(title, justify="right")
        for deal in self.worst(most):
            row = (deal.deal, deal.score, f"{deal.reference:.1f}", f"{deal.regret:.1f}")
            table.add_row(*map(str, row))
        return table

    def to_json(self) -> dict[str, Any]:
        """JSON types, with a format number and the box's digest."""
        named = ("game", "agent", "seed", "suite_seed", "reference", "reference_runs", "target")
        means = {"score": self.score, "regret": self.regret, "reached": self.reached}
        return {
            "format": self.FORMAT,
            "box_digest": box_digest(self.game),
            **{name: getattr(self, name) for name in named},
            "passed": self.passed,
            "median": self.median,
            **{name: mean._asdict() for name, mean in means.items()},
            "deals": [deal._asdict() for deal in self.deals],
        }
