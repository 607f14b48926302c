"""Check the verdicts of a review against long searches: `python -m benchmarks.verdicts GAME`.

Positions come from games of a random player against the game's default agent, and each is evaluated
with several budgets. Then many more playouts, all to the end and with other chance, tell how much
worth the moves called best lose against the best one, how often a move called a mistake is none,
and how far its loss was overstated. Losses are in shares of the victory, to which points are
converted where they decide.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import typer
from scipy.stats import rankdata

from shakespeare_agents.making import make
from shakespeare_agents.naming import default
from shakespeare_agents.search.playouts import TO_THE_END
from shakespeare_env import Position
from shakespeare_env.core import registry
from shakespeare_env.core.game import Game
from shakespeare_table.analysis.analyst import Analyst
from shakespeare_table.analysis.evaluation import (
    POINTS_PER_PLACE,
    SMALLEST_LOSS,
    Difference,
    Evaluation,
)
from shakespeare_table.analysis.judging import NEAR_CERTAIN
from shakespeare_table.analysis.playouts import PositionPlayouts
from shakespeare_table.session import Session

SEED = 77
PLAYERS = 4
BUDGETS = (512, 1024, 2048)
TRUTH = 8192
"""Playouts of the search that is taken for the truth."""
_TELL_EVERY = 10  # positions


@dataclass(frozen=True)
class Checked:
    """A position that was evaluated with one budget, and what the long search says about it.

    Attributes:
        seconds: The processor time of the evaluation.
        playouts: The number of playouts.
        lost: What the move called best loses.
        is_clear: Whether it was called clearly best.
        called: The loss of the move that was played, if it was called a mistake.
        truly_lost: What that move loses against the one called best.
    """

    seconds: float
    playouts: int
    lost: float
    is_clear: bool
    called: float | None
    truly_lost: float


def decisions(game: Game, late: bool, every: int) -> Iterator[tuple[Position, str]]:
    """Yield decisions of random players in seat 0, game after game, without near-certain ones.

    Args:
        game: The game.
        late: Whether to leave out the first half of each game.
        every: The number of decisions of which one is taken.
    """
    expert = default(game)
    seed = SEED
    analyst = Analyst(game)
    while True:
        position = Position.new(game.name, players=PLAYERS, seed=seed)
        agents: dict[int, Any] = {0: make("random", game)}
        agents |= {seat: make(expert, game) for seat in range(1, PLAYERS)}
        session = Session(position, agents, seed)
        session.play_out()
        first = len(session.moves) // 2 if late else 0
        numbers = range(first, len(session.moves))
        own = [number for number in numbers if session.positions[number].to_move == 0]
        for number in own[seed % every :: every]:
            before = session.positions[number]
            move = session.moves[number]
            if PositionPlayouts(analyst, before).probability(move) < NEAR_CERTAIN:
                yield before, move
        seed += 1


def true_loss(truth: PositionPlayouts, best: str, played: str, *, in_points: bool) -> float:
    """Return how much a move truly loses against another, in shares of the victory.

    Args:
        truth: The playouts that tell the truth.
        best: The better move.
        played: The move that was played.
        in_points: Whether the loss is said in points.
    """
    seat = truth.seat
    scale = float(truth.position.game.score_scale)
    worths = []
    for move in (best, played):
        shares, scores = truth.outcomes(move, TRUTH)
        places = rankdata(-scores, axis=1)[:, seat]
        points = scores[:, seat] - POINTS_PER_PLACE * scale * places
        worths.append(float((points if in_points else shares[:, seat]).mean()))
    return Difference(worths[0] - worths[1], 0.0, in_points).in_shares(scale)


def check(position: Position, move: str, analyst: Analyst, judge: Analyst) -> list[Checked]:
    """Evaluate a position with each budget, and compare with a long search.

    Args:
        position: The position.
        move: The move that was played.
        analyst: The analyst of the review.
        judge: The analyst of the long search.
    """
    scale = float(position.game.score_scale)
    found: list[tuple[Evaluation, float]] = []
    for budget in BUDGETS:
        began = time.process_time()
        known = PositionPlayouts(analyst, position)
        *_, _ = known.refine(budget)
        evaluation = known.judged(move)
        found.append((evaluation, time.process_time() - began))
    truth = PositionPlayouts(judge, position)
    tried = {move, *(evaluation.best.move for evaluation, _ in found)}
    checked = []
    for evaluation, seconds in found:
        best = evaluation.best.move
        played = evaluation.worth(move)
        assert played is not None
        in_points = played.loss.in_points
        lost = max(true_loss(truth, other, best, in_points=in_points) for other in tried)
        checked.append(
            Checked(
                seconds,
                evaluation.playouts,
                lost,
                evaluation.is_clear,
                played.loss.in_shares(scale) if played.loss.is_mistake(scale) else None,
                true_loss(truth, best, move, in_points=in_points),
            )
        )
    return checked


def main(
    name: Annotated[str, typer.Argument(metavar="GAME")],
    positions: int = 200,
    late: Annotated[bool, typer.Option(help="Leave out the first half of each game.")] = False,
    every: Annotated[int, typer.Option(help="Check one of so many decisions.")] = 4,
) -> None:
    """Print what the verdicts are worth, every 10 positions."""
    game = registry.game(name)
    analyst = Analyst(game)
    judge = Analyst(game)
    judge.name = "the truth"  # its playouts have other chance than those of the review
    judge.runner.chapters = TO_THE_END
    which = "of second halves of games" if late else "of games"
    print(f"{name}, {PLAYERS} seats, seed {SEED}: positions {which}")
    results: list[list[Checked]] = []
    for position, move in decisions(game, late, every):
        results.append(check(position, move, analyst, judge))
        if len(results) % _TELL_EVERY == 0 or len(results) == positions:
            print_results(results)
        if len(results) == positions:
            return


def print_results(results: Sequence[Sequence[Checked]]) -> None:
    """Print a line for each budget."""
    print(f"{len(results)} positions")
    print("budget  playouts  seconds  lost by the best  clear  mistakes  false  said   true")
    for budget, checked in zip(BUDGETS, zip(*results, strict=True), strict=True):
        mistakes = [one for one in checked if one.called is not None]
        false = sum(one.truly_lost < SMALLEST_LOSS / 2 for one in mistakes)
        lost = np.array([one.lost for one in checked])
        margin = 1.96 * lost.std() / len(lost) ** 0.5
        said = sum(one.called or 0.0 for one in mistakes) / max(len(mistakes), 1)
        true = sum(one.truly_lost for one in mistakes) / max(len(mistakes), 1)
        print(
            f"{budget:6}  {np.mean([one.playouts for one in checked]):8.0f}  "
            f"{np.mean([one.seconds for one in checked]):7.3f}  "
            f"{lost.mean():.4f} ± {margin:.4f}   {np.mean([one.is_clear for one in checked]):5.2f}"
            f"  {len(mistakes):8}  {false:5}  {said:.3f}  {true:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    typer.run(main)
