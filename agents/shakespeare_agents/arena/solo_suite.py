"""Fixed deals of a solo game, with reference scores, and how an agent does on them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shakespeare_agents.arena.entrants import Entrant, entrants_of
from shakespeare_agents.arena.evaluation.suite_result import SuiteResult
from shakespeare_env.checks.limits import read_regular
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.game import Game
from shakespeare_env.core.registry import box_fault
from shakespeare_env.errors import BoxError
from shakespeare_env.play.agent import AnyAgent, Player
from shakespeare_env.play.generators import GameGenerators
from shakespeare_env.play.lineup import Lineup, play_out

FORMAT = 1
"""Version of a suite's JSON."""
_FOLDER = Path(__file__).with_name("suites")
_LARGEST = 2**24
"""The most bytes of a suite."""

OnStep = Callable[[int, int], None]
"""Called after every step with decisions made and games finished so far."""


@dataclass(frozen=True)
class SoloSuite:
    """Deals, and what a strong agent scored on them.

    Attributes:
        game: Its name.
        seed: Deal d is game d of `Batch(seed=seed)`; nothing else decides it.
        scores: The reference's scores, by deal, then by run.
        agent: The reference, as `registry.make` names it.
        agent_digest: The digest of what it was made from.
        agent_seeds: The seeds of its draws, one for each run.
        playouts: The playouts that it spent on a decision.
        box_digest: The digest of the box played with.
        deals_digest: See `deals_digest`.
        package_version: The version that played.
        command: The command that makes the suite again.
    """

    game: str
    seed: int
    scores: tuple[tuple[int, ...], ...]
    agent: str
    agent_digest: str
    agent_seeds: tuple[int, ...]
    playouts: int
    box_digest: str
    deals_digest: str
    package_version: str
    command: str

    @property
    def deals(self) -> int:
        """Number of deals."""
        return len(self.scores)

    @property
    def references(self) -> NDArray[np.float64]:
        """float64[deals], the reference's mean score on each."""
        means: NDArray[np.float64] = np.array(self.scores, np.float64).mean(axis=1)
        return means

    def to_json(self) -> str:
        """As text, a line for each deal."""
        facts = {name: value for name, value in vars(self).items() if name != "scores"}
        deals = [
            json.dumps({"deal": deal, "reference": float(reference), "scores": scores})
            for deal, (reference, scores) in enumerate(
                zip(self.references, self.scores, strict=True)
            )
        ]
        head = json.dumps({"format": FORMAT, **facts}, indent=1).removesuffix("\n}")
        return f'{head},\n "deals": [\n  ' + ",\n  ".join(deals) + "\n ]\n}\n"

    @classmethod
    def from_json(cls, text: str) -> SoloSuite:
        """What `to_json` wrote."""
        data = json.loads(text)
        scores = tuple(tuple(deal["scores"]) for deal in data.pop("deals"))
        del data["format"]
        data["agent_seeds"] = tuple(data["agent_seeds"])
        return cls(scores=scores, **data)


def suite_file(game: str) -> Path:
    """The file of the suite that comes with the package."""
    return _FOLDER / f"{game}.json"


def bundled_suite(game: str = registry.DEFAULT) -> SoloSuite:
    """The suite that comes with the package.

    Raises:
        ValueError: there is no such game, it is not played alone, or it has no suite.
        BoxError: the suite was made with another box than the one in force.
    """
    check_solo(registry.game(game))
    if not suite_file(game).is_file():
        raise ValueError(
            f"{game} has no solo suite yet; `python -m benchmarks.solo_suite` in a checkout makes "
            "one"
        )
    suite = SoloSuite.from_json(read_regular(suite_file(game), _LARGEST).decode())
    if fault := box_fault(game, suite.box_digest):
        raise BoxError(f"the solo suite of {game} was {fault}")
    return suite


def check_solo(game: Game) -> None:
    """ValueError unless a game can be played alone."""
    if game.min_seats > 1:
        alone = [name for name in registry.names() if 1 in registry.seats(name)]
        raise ValueError(
            f"{game.name} needs {game.min_seats} seats, so it has no solo suite; "
            f"games played alone: {', '.join(alone)}"
        )


def play_suite(
    player: Player | Entrant,
    game: str = registry.DEFAULT,
    *,
    seed: int = 0,
    suite: SoloSuite | None = None,
    on_progress: OnStep | None = None,
) -> SuiteResult:
    """Play a suite's deals once each and compare with its reference.

    Args:
        player: Whatever plays (see `registry.make`), or `Entrant` with a name of your own.
        game: Its name.
        seed: Decides the agent's draws; the deals stay the same.
        suite: The suite, by default `bundled_suite`.
        on_progress: Called after every step.

    Raises:
        ValueError: as of `bundled_suite` and `make`, or the seed is out of range.
        BoxError: the suite was made with another box than the one in force.
        TypeError: as of `make`.
    """
    played = bundled_suite(game) if suite is None else suite
    (entrant,) = entrants_of([player], registry.game(game))
    scores = suite_scores(
        entrant.agent, played, seed=seed, name=entrant.name, on_progress=on_progress
    )
    return SuiteResult(
        game=game,
        agent=entrant.name,
        seed=seed,
        suite_seed=played.seed,
        reference=played.agent,
        reference_runs=len(played.agent_seeds),
        target=registry.game(game).good_scores[1],
        scores=tuple(scores.tolist()),
        references=tuple(played.references.tolist()),
    )


def suite_scores(
    agent: AnyAgent,
    suite: SoloSuite,
    *,
    seed: int,
    name: str = "",
    on_progress: OnStep | None = None,
) -> NDArray[np.int64]:
    """int64[deals]: an agent's final scores, one game a deal."""
    batch = _dealt(suite.game, suite.seed, suite.deals)
    draws = GameGenerators.of_games(seed, np.arange(suite.deals))
    places = np.zeros((suite.deals, 1), np.int64)
    lineup = Lineup.seated([agent], places, batch.game.max_seats, draws, [name] if name else ())
    decisions = 0

    def count(rows: NDArray[Any], _actions: NDArray[Any]) -> None:
        nonlocal decisions
        decisions += len(rows)
        if on_progress is not None:
            on_progress(decisions, int(batch.done.sum()))

    play_out(batch, lineup, after_step=count)
    return batch.final_scores[:, 0].astype(np.int64)


def deals_digest(game: str, seed: int, deals: int) -> str:
    """SHA-256 of the first positions in notation, to check that a suite's deals are still dealt."""
    batch = _dealt(game, seed, deals)
    positions = [batch.game.to_dict(record) for record in batch.save(slice(None))]
    return hashlib.sha256(json.dumps(positions, sort_keys=True).encode()).hexdigest()


def _dealt(game: str, seed: int, deals: int) -> Batch:
    batch = Batch(game, deals, players=1, autoreset=False)
    batch.reset(seed, np.arange(deals))
    return batch
