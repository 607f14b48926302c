"""With a time limit schedules follow time, so that a run it stops ends as one of full length."""

from __future__ import annotations

import time

import pytest
from rich.console import Console

from shakespeare_agents.networks.checkpoint import read_card
from shakespeare_training.config import override
from shakespeare_training.ppo.self_play import SelfPlayPPO
from shakespeare_training.runs.run import Run
from shakespeare_training.runs.train import train
from tests.training.short_runs import SMALL

LONG = override(
    SMALL,
    decisions=10**12,
    players=[2],
    opponents={"current": 1.0},
    evaluation_opponents=[],
    first_evaluation_games=2,
    final_evaluation_games=2,
    n_epochs=1,
    learning_rate=1e-3,
    learning_rate_end=0.1,
    ent_coef=1.0,
    ent_coef_end=0.0,
)
ROLLOUT = LONG.n_envs * LONG.n_steps


@pytest.fixture
def updates(monkeypatch):
    """Time stands still but for updates, of 10 seconds; (learning rate, entropy) of each."""
    now, made = 1000.0, []
    monkeypatch.setattr(time, "monotonic", lambda: now)
    update = SelfPlayPPO.train

    def slow(learner):
        nonlocal now
        update(learner)
        now += 10.0
        made.append((learner.policy.optimizer.param_groups[0]["lr"], learner.ent_coef))

    monkeypatch.setattr(SelfPlayPPO, "train", slow)
    return made


def annealed(share):
    """The coefficients at a share of the run."""
    return pytest.approx((1e-3 - 9e-4 * share, 1.0 - share))


def test_schedules_follow_the_time_limit_which_a_resumed_run_has_anew(tmp_path, updates):
    folder = tmp_path / "run"
    with Run.create(LONG, folder, device="cpu", minutes=0.5) as run:
        assert not train(run, Console(quiet=True)), "it is not complete"
    assert updates == [annealed(spent / 30) for spent in (0, 10, 20)]
    assert run.history[-1].decisions == 3 * ROLLOUT, "evaluated after the last update"
    assert read_card(folder).command.endswith(" --minutes 0.5")
    updates.clear()
    # Half of a minute is over.
    with Run.resume(folder, device="cpu", minutes=0.5) as run:
        train(run, Console(quiet=True))
    assert updates == [annealed(spent / 60) for spent in (30, 40, 50)]
    with Run.resume(folder, device="cpu") as run:
        assert run.time_share == 0.0
        assert run.commands[-1] == "shakespeare train --resume RUN"
    updates.clear()
    length = 8 * ROLLOUT
    with Run.resume(folder, decisions=length, device="cpu") as run:
        assert train(run, Console(quiet=True))
    assert [rate for rate, _ in updates] == pytest.approx([1e-3 - 9e-4 * n / 8 for n in (7, 8)])
    assert read_card(folder).command.endswith(
        " --minutes 0.5 && shakespeare train --resume RUN --minutes 0.5"
        f" && shakespeare train --resume RUN --decisions {length}"
    )
