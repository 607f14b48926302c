"""How often an arena, or an evaluation, takes one of several identical agents for stronger.

`python -m tests.arena.tournament.identical --arenas 200 --game figaro` plays arenas of agents that
differ in nothing but their names, stopped early as every arena is, and reports in how many of them
any verdict says "stronger"; then evaluations of such agents, and in how many of them the interval
of a `difference` leaves out 0. It fails if a share's 95 % interval lies above 5 %.

To find agents equal takes a ninth of the games with three times the `equal_within`. So arenas are
that much smaller: `equal_within` is 60, and 1,200 games take the place of 10,000.
"""

import argparse
import itertools
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from rich.progress import track

from shakespeare_agents import RandomAgent, evaluate
from shakespeare_agents.arena import Entrant
from shakespeare_agents.arena.field import Field
from shakespeare_agents.arena.standings import standings_of
from shakespeare_agents.arena.standings.verdicts import LEVEL
from shakespeare_agents.arena.tournament import Ending, run_arena
from shakespeare_agents.intervals import wilson_interval
from shakespeare_env.core import registry
from shakespeare_env.datasets.results_reading import read_results

GAMES, EQUAL_WITHIN = 1200, 60.0
"""Of an arena: see above."""
DEALS = (3, 10, 40)
"""Of evaluations."""
NAMES = (2, 4, 8)
TABLES: dict[str, Sequence[tuple[int, ...]]] = {
    "shakespeare": ((2,), (4,), (2, 4), (1, 2, 4)),
    "figaro": ((3,), (4,), (6,), (3, 4, 5, 6)),
}
"""Of fields: how many agents they have, and at which tables these meet."""


class Share(NamedTuple):
    """How many of some arenas or evaluations find a difference."""

    found: int
    of: int

    @property
    def too_large(self) -> bool:
        """Whether the interval lies above what verdicts allow."""
        return wilson_interval(*self)[0] > LEVEL

    def __str__(self) -> str:
        low, high = wilson_interval(*self)
        share = self.found / self.of
        return f"{self.found} of {self.of}, {share:.1%} ({low:.1%} to {high:.1%})"


def play_arena(
    game: str, players: Sequence[int], seed: int, names: int, **how: Any
) -> tuple[Ending, bool]:
    """Why an arena ended, and whether it calls any agent stronger; `how` are more settings."""
    # Each plays like `random`, and is of a class of its own, which makes it another agent.
    twins = [type(f"Twin {number}", (RandomAgent,), {})() for number in range(names)]
    settings = {"games": GAMES, "equal_within": EQUAL_WITHIN, **how}
    field = Field.of(game=game, players=players, agents=twins, seed=seed, **settings)
    with tempfile.TemporaryDirectory() as folder:
        ending = run_arena(field, Path(folder))
        results = read_results(Path(folder))
    found = standings_of(results, equal_within=field.equal_within)
    ladders = pl.concat(one.select("verdict", "rank") for one in (found.ladder, found.solo))
    # Beside another, or further down.
    is_below = not {"1", "1="}.issuperset(ladders["rank"])
    return ending, is_below or "stronger" in ladders["verdict"].drop_nulls()


def arenas(game: str, count: int, first_seed: int = 0, **how: Any) -> Iterator[tuple[Ending, bool]]:
    """Arenas of identical agents, fields of all kinds in turn."""
    fields = itertools.cycle(itertools.product(NAMES, TABLES[game]))
    for seed, (names, players) in zip(range(first_seed, first_seed + count), fields, strict=False):
        yield play_arena(game, players, seed, names, **how)


def differing(game: str, players: int, deals: int, seeds: range) -> Share:
    """Evaluations of identical agents: whether the first two of them differ in wins."""
    entrants = [Entrant(f"twin {seat}", RandomAgent()) for seat in range(players)]
    games = deals * players * (players - 1)  # a deal in balanced orders: every pair of seats
    found = 0
    for seed in seeds:
        result = evaluate(entrants, game, games=games, players=players, seed=seed)
        between = result.difference("twin 0", "twin 1")
        assert between.deals == deals
        assert between.win_low is not None and between.win_high is not None  # noqa: PT018
        found += not between.win_low <= 0 <= between.win_high
    return Share(found, len(seeds))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--arenas", type=int, default=200)
    parser.add_argument("--evaluations", type=int, default=1000, help="of each size and table")
    parser.add_argument("--game", choices=registry.names(), default=registry.DEFAULT)
    parser.add_argument("--seed", type=int, default=0, help="of the first arena or evaluation")
    given = parser.parse_args()
    shares = []
    if given.arenas:
        playing = arenas(given.game, given.arenas, given.seed)
        played = list(track(playing, "arenas", given.arenas, transient=True))
        shares.append(Share(sum(stronger for _, stronger in played), len(played)))
        settled = sum(ending is Ending.settled for ending, _ in played)
        print(f"{given.game}, arenas with any verdict stronger: {shares[0]}; {settled} settled")
    tables = [players for players in registry.seats(given.game) if players > 1]
    tables = tables if given.evaluations else []
    for series, (players, deals) in enumerate(itertools.product(tables, DEALS)):
        # Series share no deal, so that they can be counted together.
        first = given.seed + series * given.evaluations
        share = differing(given.game, players, deals, range(first, first + given.evaluations))
        where = f"{given.game}, {players} seats, {deals} deals"
        print(f"{where}: an interval of a difference without 0 in {share}")
        shares.append(share)
    sys.exit(any(share.too_large for share in shares))


if __name__ == "__main__":
    main()
