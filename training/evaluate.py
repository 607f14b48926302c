"""How often an agent wins against others at one table, seat by seat, on the same deals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Protocol

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from agents.base import AnyAgent, decide
from agents.checkpoint import load_checkpoint, read_card
from agents.network import NetworkAgent
from agents.random_agent import RandomAgent
from shakespeare_env.batch import Batch
from shakespeare_env.errors import CheckpointError
from shakespeare_env.registry import game as game_named

_Z_95 = 1.959963984540054


@dataclass(frozen=True)
class Evaluation:
    """What an agent did in a number of games.

    Attributes:
        games: Games played.
        wins: Games won; a victory shared by k seats counts 1/k, so equal players win games / seats
            each.
        low: Lower end of the 95 % interval of the win rate (Wilson).
        high: Its upper end.
        mean_score: Mean final score of the agent.
        mean_opponent_score: Mean final score of the others; NaN if it sat alone.
        mean_winning_score: Mean of the best final score of each game.
        seat_wins: Wins at each seat; every seat was played equally often.
    """

    games: int
    wins: float
    low: float
    high: float
    mean_score: float
    mean_opponent_score: float
    mean_winning_score: float
    seat_wins: tuple[float, ...]

    @property
    def win_rate(self) -> float:
        """Share of the games won, 0 to 1."""
        return self.wins / self.games


class BatchMaker(Protocol):
    """Makes the games: `Batch` with the game's name filled in."""

    def __call__(self, *, n: int, players: int, seed: int, autoreset: bool) -> Batch:
        """Make n new games."""
        ...


def wilson_interval(wins: float, games: int) -> tuple[float, float]:
    """The 95 % interval of a rate by Wilson's score, which holds near 0 and 1, too.

    It takes the games as independent; games that share a deal are slightly less than that.

    Args:
        wins: 0 to games.
        games: At least 1.

    Returns:
        Lower and upper end, 0 to 1.
    """
    rate, z2 = wins / games, _Z_95**2
    middle = (rate + z2 / (2 * games)) / (1 + z2 / games)
    half = _Z_95 / (1 + z2 / games) * math.sqrt(rate * (1 - rate) / games + z2 / (4 * games**2))
    return max(0.0, middle - half), min(1.0, middle + half)


def evaluate(
    agent: AnyAgent, opponents: Sequence[AnyAgent], make_batch: BatchMaker, *, games: int, seed: int
) -> Evaluation:
    """Play games in which the agent sits at every seat equally often.

    Each deal is played once from every seat: the games of one deal begin with the same record,
    generator included, and the whole table moves on by one seat from each to the next.  All games
    are stepped together, and an agent decides for all games that wait for it in one call.

    Args:
        agent: The one that is measured.
        opponents: The others in the order they sit after it; the same object may sit at several
            seats.
        make_batch: Makes the games.
        games: How many; a multiple of the number of seats.
        seed: Of the deals and of the agents' draws.

    Returns:
        The figures.

    Raises:
        ValueError: `games` is not a positive multiple of the number of seats.
    """
    table = [agent, *opponents]
    players = len(table)
    if games <= 0 or games % players:
        raise ValueError(f"games={games} with {players} seats: give a multiple of {players}")
    batch = make_batch(n=games, players=players, seed=seed, autoreset=False)
    deal_in_rotation(batch, players)
    rotation = np.arange(games) // (games // players)
    scores, winners = play_out(batch, table, rotation, seed)
    return _figures(scores[:, :players], winners[:, :players], rotation)


def deal_in_rotation(batch: Batch, players: int) -> None:
    """Repeat the deals of the batch's first part in its other parts, one part for each seat.

    Args:
        batch: Games that have just begun.
        players: Parts; the batch is a multiple of it.
    """
    deals = batch.n // players
    records = batch.save(np.arange(deals))
    for part in range(1, players):
        batch.load(np.arange(part * deals, (part + 1) * deals), records)


def play_out(
    batch: Batch, table: Sequence[AnyAgent], rotation: NDArray[Any], seed: int
) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
    """Play all games of a batch to their end.

    Args:
        batch: Made with `autoreset=False`.
        table: One agent a seat.
        rotation: int[n], by how many seats each game's table has moved on: `table[0]` sits at that
            seat.
        seed: Of the agents' draws.

    Returns:
        int16[n, S] final scores and bool[n, S] winners.
    """
    scores = np.zeros(batch.final_scores.shape, np.int16)
    winners = np.zeros(batch.final_winners.shape, np.bool_)
    # Seats with the same agent are asked together.
    agents = list({id(agent): agent for agent in table}.values())
    place = np.array([next(i for i, a in enumerate(agents) if a is b) for b in table])
    generators = [np.random.default_rng([seed, index]) for index in range(len(agents))]
    actions = np.empty(batch.n, np.int64)
    while (alive := batch.to_move >= 0).any():
        actions[:] = -1  # what a game that is over takes
        who = np.where(alive, place[(batch.to_move - rotation) % len(table)], -1)
        for index, agent in enumerate(agents):
            rows = np.flatnonzero(who == index)
            if len(rows):
                actions[rows] = decide(agent, batch, rows, generators[index])
        _, done = batch.step(actions)
        scores[done] = batch.final_scores[done]
        winners[done] = batch.final_winners[done]
    return scores, winners


def _figures(
    scores: NDArray[np.int16], winners: NDArray[np.bool_], rotation: NDArray[Any]
) -> Evaluation:
    games, players = scores.shape
    rows = np.arange(games)
    shares = winners / winners.sum(axis=1, keepdims=True).clip(1)
    won = shares[rows, rotation]
    own = scores[rows, rotation].astype(np.float64)
    others = (scores.sum(axis=1) - own) / (players - 1) if players > 1 else np.full(games, np.nan)
    low, high = wilson_interval(float(won.sum()), games)
    return Evaluation(
        games=games,
        wins=float(won.sum()),
        low=low,
        high=high,
        mean_score=float(own.mean()),
        mean_opponent_score=float(others.mean()),
        mean_winning_score=float(scores.max(axis=1).mean()),
        seat_wins=tuple(float(won[rotation == seat].sum()) for seat in range(players)),
    )


def show_evaluations(title: str, evaluations: Mapping[str, Evaluation]) -> Table:
    """A table with one evaluation a row."""
    table = Table("", "won", "95 % interval", "own score", "others' score", title=title)
    for column in table.columns[1:]:
        column.justify = "right"
    for name, found in evaluations.items():
        table.add_row(
            name,
            f"[bold]{found.win_rate:.1%}",
            f"{found.low:.1%} to {found.high:.1%}",
            f"{found.mean_score:.1f}",
            f"{found.mean_opponent_score:.1f}",
        )
    return table


def main(
    checkpoint: Annotated[Path, typer.Argument(help="folder of a checkpoint")],
    games: Annotated[int, typer.Option(min=1, help="a multiple of the seats")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="of the deals")] = 1,
) -> None:
    """Measure a checkpoint against random opponents at as many seats as it was trained on."""
    console = Console()
    try:
        game = game_named(read_card(checkpoint).game)
        network, card = load_checkpoint(checkpoint, game)
        found = {
            name: evaluate(
                NetworkAgent(network, greedy=greedy),
                [RandomAgent()] * (card.players - 1),
                partial(Batch, game.name),
                games=games,
                seed=seed,
            )
            for name, greedy in (("likeliest action", True), ("drawn action", False))
        }
    except (CheckpointError, ValueError) as error:
        console.print(f"[red]{error}", highlight=False)
        raise typer.Exit(2) from error
    console.print(show_evaluations(f"{card.players - 1} random opponents, {games} games", found))


if __name__ == "__main__":
    typer.run(main)
