"""Reference scores of the solo suites, by heavy search: `make solo-suite-references`.

Every run plays all deals once, with draws of its own, and is written as soon as it is over: a
command that was interrupted goes on with the next. `--out` makes a suite anew, to compare with the
bundled one, which is left as it is.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

from shakespeare_agents.arena.solo_suite import (
    SoloSuite,
    check_solo,
    deals_digest,
    suite_file,
    suite_scores,
)
from shakespeare_agents.identity import digest_of
from shakespeare_agents.registry import make
from shakespeare_agents.storage import write_atomically
from shakespeare_env.core import registry
from shakespeare_env.play.agent import AnyAgent
from shakespeare_env.version import version

SEED, DEALS = 1616, 100
RUNS = range(1, 4)
"""Seeds of the reference's draws; 0 is what agents are measured with."""
SIMULATIONS = 512
REFERENCE = (
    f"search,version=2,simulations={SIMULATIONS},considered=12,near_certain=0.999,horizon=1000"
)
"""Its playouts go to the end of the game, where no forecast can be wrong."""
COMMAND = "python -m benchmarks.solo_suite"


def planned(game: str, agent: AnyAgent) -> SoloSuite:
    """A suite before its first run."""
    return SoloSuite(
        game=game,
        seed=SEED,
        scores=((),) * DEALS,
        agent=REFERENCE,
        agent_digest=digest_of(REFERENCE, agent),
        agent_seeds=(),
        playouts=SIMULATIONS,
        box_digest=registry.box_digest(game),
        deals_digest=deals_digest(game, SEED, DEALS),
        package_version=version(),
        command=f"{COMMAND} --game {game}",
    )


def so_far(path: Path, plan: SoloSuite) -> SoloSuite:
    """The suite in a file if it was made by the same plan, else the plan."""
    if not path.is_file():
        return plan
    found = SoloSuite.from_json(path.read_text(encoding="utf-8"))
    same = replace(found, scores=plan.scores, agent_seeds=plan.agent_seeds)
    return found if same == plan else plan


def main(
    game: Annotated[str, typer.Option(help="A game that is played alone.")] = registry.DEFAULT,
    out: Annotated[
        Path | None, typer.Option(help="The file; without it, the bundled suite.")
    ] = None,
) -> None:
    """Play the runs that are missing."""
    check_solo(registry.game(game))
    path = suite_file(game) if out is None else out
    agent = make(REFERENCE, registry.game(game))
    suite = so_far(path, planned(game, agent))
    missing = [seed for seed in RUNS if seed not in suite.agent_seeds]
    for seed in track(missing, description="runs"):
        scores = suite_scores(agent, suite, seed=seed).tolist()
        suite = replace(
            suite,
            scores=tuple((*had, new) for had, new in zip(suite.scores, scores, strict=True)),
            agent_seeds=(*suite.agent_seeds, seed),
        )
        write_atomically(path, suite.to_json().encode())
    Console().print(f"{path}: {len(missing)} runs played, mean {suite.references.mean():.2f}")


if __name__ == "__main__":
    typer.run(main)
