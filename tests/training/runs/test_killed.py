"""A run killed at any moment goes on as if nothing had happened, and leaves nothing lying.

A killed process does nothing more to its files, so from a call on every one that would change the
folder fails, those that tidy up included.  On a full disk one call fails, and all others work.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from itertools import count
from pathlib import Path

import pytest

from shakespeare_agents.networks.checkpoint import load_checkpoint
from shakespeare_env.core import registry
from shakespeare_env.errors import CheckpointError
from shakespeare_training.runs.run import Run
from tests.training.short_runs import Quietly, fingerprint, small

CONFIG = small(registry.DEFAULT).model_copy(update={"decisions": 700, "max_snapshots": 1})
FILES = [".lock", "card.json", "config.toml", "run.json", "run.safetensors", "weights.safetensors"]


class Killed(BaseException):
    """No handler of errors catches it."""


def failed(monkeypatch, moment, work, full_disk=False):
    """Whether `work` met its end at the call `moment` that flushes, renames or deletes."""
    calls = 0

    def guarded(act):
        def acted(*arguments, **options):
            nonlocal calls
            calls += 1
            if full_disk and calls == moment + 1:
                raise OSError(errno.ENOSPC, "No space left on device")
            if not full_disk and calls > moment:
                raise Killed
            return act(*arguments, **options)

        return acted

    with monkeypatch.context() as patch:
        for place, name in ((os, "fsync"), (os, "replace"), (Path, "unlink")):
            patch.setattr(place, name, guarded(getattr(place, name)))
        try:
            work()
        except (Killed, OSError):
            return True
    return False


def stems(folder):
    """What a run has written, digests of contents and logs left out."""
    names = {path.name for path in folder.iterdir()} - {"tensorboard"}
    return sorted(re.sub(r"-[0-9a-f]{16}\.", ".", name) for name in names)


def begin(folder):
    return Run.create(CONFIG, folder, device="cpu")


def go_on(run):
    """Learn to the end, and save."""
    with run:
        run.learn(Quietly(run))
        run.save()
    return fingerprint(run)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """All that a run is which nothing happened to."""
    return go_on(begin(tmp_path_factory.mktemp("runs") / "run"))


def test_killed_in_its_first_save(undisturbed, monkeypatch, tmp_path):
    """Before there is a state --resume tells what to do, and --out takes the folder."""

    def work():
        with begin(folder) as run:
            run.save()

    starts = 0
    for moment in count():
        folder = tmp_path / str(moment)
        was_killed = failed(monkeypatch, moment, work)
        try:
            run = Run.resume(folder, device="cpu")
        except CheckpointError as fault:
            assert "first save" in str(fault)  # noqa: PT017
            run = begin(folder)
            starts += 1
        with run:
            run.save()
        assert stems(folder) == FILES
        if moment == 8 or not was_killed:  # learning takes longer than all else
            assert go_on(Run.resume(folder, device="cpu")) == undisturbed
        if not was_killed:
            break
    assert 4 < starts < moment


@pytest.mark.parametrize("full_disk", [False, True])
def test_killed_in_a_later_save(undisturbed, monkeypatch, tmp_path, full_disk):
    """What can be resumed is one whole state, the old or the new, and goes on as it would have."""
    before = tmp_path / "before"
    with begin(before) as run:
        run.learn(Quietly(run, leave_at=450))
    run = Run.resume(before, device="cpu")
    states = {"old": fingerprint(run)}
    run.learn(Quietly(run))
    states["new"] = fingerprint(run)
    met = []
    for moment in count():
        folder = run.folder = shutil.copytree(before, tmp_path / str(moment))
        has_failed = failed(monkeypatch, moment, run.save, full_disk)
        load_checkpoint(folder, registry.game(CONFIG.game))
        with Run.resume(folder, device="cpu") as again:
            met += [name for name, state in states.items() if state == fingerprint(again)]
            again.save()
        snapshots = [f"snapshot-{one.name}.safetensors" for one in again.learner.league.snapshots]
        assert stems(folder) == sorted([*FILES, *snapshots])
        if moment == 8 or not has_failed:
            assert go_on(Run.resume(folder, device="cpu")) == undisturbed
        if not has_failed:
            break
    run.close()
    assert len(met) == moment + 1
    assert met == sorted(met, reverse=True)
    assert (met[0], met[-1]) == ("old", "new")
