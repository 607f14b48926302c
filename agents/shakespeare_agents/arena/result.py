"""What agents did at one table: win rates and scores with 95 % intervals, and the same as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.intervals import mean_interval, wilson_interval
from shakespeare_agents.storage import write_atomically
from shakespeare_env.registry import box_digest

FORMAT = 1
"""Version of the JSON's form."""


@dataclass(frozen=True)
class AgentResult:
    """What one agent did, all its copies at the table together.

    Attributes:
        name: As it was given.
        copies: How many seats it held in every game.
        games: Games played, each counted once for every copy.
        wins: How many of those it won; a victory shared by k seats counts 1/k.  None with one
            seat, where nobody wins; so are the next four.
        win_rate: wins / games, 0 to 1; equal agents have 1 / players each.
        low: Lower end of its 95 % interval.
        high: Upper end.
        seat_win_rates: Win rate at each seat, in seat order; all seats were played equally often.
        mean_score: Mean final score.
        score_low: Lower end of its 95 % interval; None if there was one deal only.
        score_high: Upper end; None likewise.
    """

    name: str
    copies: int
    games: int
    wins: float | None
    win_rate: float | None
    low: float | None
    high: float | None
    seat_win_rates: tuple[float, ...] | None
    mean_score: float
    score_low: float | None
    score_high: float | None


@dataclass(frozen=True)
class TableResult:
    """What came out at one table, and what it takes to play the same games again.

    Attributes:
        game: Name of the game.
        options: Its variants, by name.
        players: Seats at the table.
        seed: Of the deals and of the agents' draws.
        games: Games played.
        deals: Different deals; each was played `players` times.
        table: Names of the agents as they sit, the first at seat 0 of the first games.
        agents: One result for each name, in the order they sit.
        mean_winning_score: Mean of the best final score of each game; None with one seat.
        winning_score_low: Lower end of its 95 % interval; None with one seat or one deal.
        winning_score_high: Upper end; None likewise.
        solo_target: The score a game for one is measured against; None with more seats.
    """

    game: str
    options: dict[str, bool]
    players: int
    seed: int
    games: int
    deals: int
    table: tuple[str, ...]
    agents: tuple[AgentResult, ...]
    mean_winning_score: float | None
    winning_score_low: float | None
    winning_score_high: float | None
    solo_target: float | None

    def __getitem__(self, name: str) -> AgentResult:
        for agent in self.agents:
            if agent.name == name:
                return agent
        raise KeyError(f"{name!r} did not play; at the table were {', '.join(self.table)}")

    def to_json(self) -> dict[str, Any]:
        """All of it as JSON's own types, with the digest of the box in force and a format number.

        Raises:
            ValueError: the game is not registered.
        """
        facts = asdict(self)
        facts["table"] = list(self.table)
        facts["agents"] = [asdict(agent) for agent in self.agents]
        for agent in facts["agents"]:
            rates = agent["seat_win_rates"]
            agent["seat_win_rates"] = None if rates is None else list(rates)
        return {"format": FORMAT, "box_digest": box_digest(self.game), **facts}

    def save(self, path: Path) -> None:
        """Write the JSON into a file, as a whole or not at all.

        Raises:
            ValueError: a figure is not finite.
            OSError: the file cannot be written.
        """
        text = json.dumps(self.to_json(), indent=2, allow_nan=False) + "\n"
        write_atomically(path, text.encode())


def agent_results(
    names: Sequence[str], scores: NDArray[np.integer], winners: NDArray[np.bool_]
) -> tuple[AgentResult, ...]:
    """The figures of all agents at a table of P seats; seats of one name are counted together.

    Args:
        names: P names; the first sits at seat r in the games of rotation r, the others follow.
        scores: int[P, deals, P], final scores by rotation, deal and seat.
        winners: bool[P, deals, P], who won, of the same form.

    Returns:
        One result for each different name, in order.
    """
    players, deals, _ = scores.shape
    shares = winners / winners.sum(axis=2, keepdims=True).clip(1)
    # Place at the table, by rotation and seat.
    places = (np.arange(players) - np.arange(players)[:, None]) % players
    results = []
    for name in dict.fromkeys(names):
        held = np.array([other == name for other in names])[places][:, None, :]
        copies = list(names).count(name)
        deal_scores = (scores * held).sum(axis=(0, 2)) / (players * copies)
        score, score_low, score_high = mean_interval(deal_scores)
        won = (shares * held).sum(axis=(0, 1))
        solo = players == 1
        low, high = wilson_interval(float(won.sum()), players * deals)
        results.append(
            AgentResult(
                name=name,
                copies=copies,
                games=players * deals * copies,
                wins=None if solo else float(won.sum()),
                win_rate=None if solo else float(won.sum()) / (players * deals * copies),
                # The interval is that of "one of the copies wins", shared out among them: within
                # a game they depend on each other.
                low=None if solo else low / copies,
                high=None if solo else high / copies,
                seat_win_rates=None if solo else tuple((won / (deals * copies)).tolist()),
                mean_score=score,
                score_low=score_low,
                score_high=score_high,
            )
        )
    return tuple(results)
