"""Check the verdicts of a review against complete games: `python -m benchmarks.verdicts GAME`.

Positions come from games of a random player against the game's default agent, and each is evaluated
with several budgets. Then complete games with other chance tell how much worth the moves called
best lose against the best one of them, how often a move called a mistake is none, and how far its
loss was overstated. Losses are in shares of the victory, to which points are converted where they
decide. With `--cache FILE`, a later call goes on where this one was stopped.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
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
    SHARE_PER_UNIT,
    SMALLEST_LOSS,
    Evaluation,
    Floats,
)
from shakespeare_table.analysis.judging import judge_digest
from shakespeare_table.analysis.playouts import PositionPlayouts
from shakespeare_table.session import Session

SEED = 77
PLAYERS = 4
BUDGETS = (512, 1024, 2048)
TRUTH = 8192
"""The most complete games of each of two moves that check a mistake."""
_FIRST_TRUTH = 1024  # of each; they are doubled until it is sure whether it is a mistake
_TRUTH_OF_BEST = 2048  # of each move that was called best
_SURE = 3.0  # standard errors
_TELL_EVERY = 10  # positions
_NEAR_CERTAIN = 0.95  # likelier moves are left out; a random player makes few of them


@dataclass(frozen=True)
class Checked:
    """A position that was evaluated with one budget, and what the long search says about it.

    Attributes:
        seconds: The processor time of the evaluation.
        playouts: The number of playouts.
        lost: What the move called best loses against the best one of those that a budget called
            best or that was played. One half of the complete games chooses that one, and the other
            half measures the loss, so that noise does not look like a loss.
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
            if PositionPlayouts(analyst, before).probability(move) < _NEAR_CERTAIN:
                yield before, move
        seed += 1


def true_worths(truth: PositionPlayouts, move: str, count: int, *, in_points: bool) -> Floats:
    """Return what a move was worth in each complete game, float64[count], in shares of the victory.

    Args:
        truth: The complete games.
        move: The move.
        count: The number of games.
        in_points: Whether points decide.
    """
    seat = truth.seat
    shares, scores = truth.outcomes(move, count)
    if not in_points:
        own: Floats = shares[:, seat]
        return own
    scale = float(truth.position.game.score_scale)
    places = rankdata(-scores, axis=1)[:, seat]
    points: Floats = scores[:, seat] - POINTS_PER_PLACE * scale * places
    return points * (SHARE_PER_UNIT / scale)


def true_loss(truth: PositionPlayouts, best: str, played: str, *, in_points: bool) -> float:
    """Return how much a move truly loses against another one.

    Games are added until it is sure whether the loss is at least half the smallest one that counts.

    Args:
        truth: The complete games.
        best: The better move.
        played: The move that was played.
        in_points: Whether points decide.
    """
    count = _FIRST_TRUTH
    while True:
        worths = [true_worths(truth, move, count, in_points=in_points) for move in (best, played)]
        differences = worths[0] - worths[1]
        mean = float(differences.mean())
        error = float(differences.std()) / count**0.5
        if count == TRUTH or abs(mean - SMALLEST_LOSS / 2) > _SURE * error:
            return mean
        count *= 2


def lost_by_best(
    truth: PositionPlayouts, best: str, tried: Sequence[str], *, in_points: bool
) -> float:
    """Return what a move loses against the best one of those that were tried.

    Args:
        truth: The complete games.
        best: The move.
        tried: The moves that were tried, this one among them.
        in_points: Whether points decide.
    """
    worths = np.array(
        [true_worths(truth, move, _TRUTH_OF_BEST, in_points=in_points) for move in tried]
    )
    first, second = np.split(worths, 2, axis=1)
    losses = []
    for choosing, measuring in ((first, second), (second, first)):
        means = measuring.mean(axis=1)
        losses.append(means[choosing.mean(axis=1).argmax()] - means[tried.index(best)])
    return float(np.mean(losses))


def check(position: Position, move: str, analyst: Analyst, judge: Analyst) -> list[Checked]:
    """Evaluate a position with each budget, and compare with complete games.

    Args:
        position: The position.
        move: The move that was played.
        analyst: The analyst of the review.
        judge: The analyst that plays complete games.
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
    tried = sorted({evaluation.best.move for evaluation, _ in found} | {move})
    checked = []
    for evaluation, seconds in found:
        best = evaluation.best.move
        played = evaluation.worth(move)
        assert played is not None
        in_points = played.loss.in_points
        is_called = played.loss.is_mistake(scale)
        checked.append(
            Checked(
                seconds=seconds,
                playouts=evaluation.playouts,
                lost=lost_by_best(truth, best, tried, in_points=in_points),
                is_clear=evaluation.is_clear,
                called=played.loss.in_shares(scale) if is_called else None,
                truly_lost=true_loss(truth, best, move, in_points=in_points) if is_called else 0.0,
            )
        )
    return checked


def kept_results(cache: Path | None, what: str) -> list[list[Checked]]:
    """Return the results that an earlier call has kept, and begin the file if there is none.

    Args:
        cache: The file, if any.
        what: A text that says what was checked, and with which code.

    Raises:
        ValueError: The file holds results of something else.
    """
    if cache is None:
        return []
    if not cache.exists():
        cache.write_text(what + "\n")
    first, *lines = cache.read_text().splitlines()
    if first != what:
        raise ValueError(f"{cache} has results of {first!r}, not of {what!r}; name another file")
    return [[Checked(**one) for one in json.loads(line)] for line in lines]


def main(
    name: Annotated[str, typer.Argument(metavar="GAME")],
    positions: int = 200,
    late: Annotated[bool, typer.Option(help="Leave out the first half of each game.")] = False,
    every: Annotated[int, typer.Option(help="Check one of so many decisions.")] = 4,
    cache: Annotated[Path | None, typer.Option(help="A file that keeps results.")] = None,
) -> None:
    """Print what the verdicts are worth, every 10 positions."""
    game = registry.game(name)
    analyst = Analyst(game)
    judge = Analyst(game)
    judge.name = "the truth"  # its playouts have other chance than those of the review
    judge.runner.valued_chapter = TO_THE_END
    which = "of second halves of games" if late else "of games"
    what = f"{name}, {PLAYERS} seats, seed {SEED}: one of {every} positions {which}"
    print(what)
    results = kept_results(cache, f"{what}, {judge_digest(default(game), game)}")
    begun = len(results)
    for number, (position, move) in enumerate(decisions(game, late, every)):
        if number >= positions:
            break
        if number < begun:
            continue
        checked = check(position, move, analyst, judge)
        results.append(checked)
        if cache is not None:
            with cache.open("a") as file:
                file.write(json.dumps([asdict(one) for one in checked]) + "\n")
        if len(results) % _TELL_EVERY == 0 and len(results) < positions:
            print_results(results)
    print_results(results[:positions])


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
