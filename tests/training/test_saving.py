"""Saving a run: a process killed in a save, or a full disk, leaves a run that continues exactly."""

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
from tests.training.short_runs import SMALL, fingerprint, learn_quietly

SHORT = SMALL.model_copy(update={"decisions": 700, "max_snapshots": 1})
GAME = registry.game(registry.DEFAULT)
FILES = [".lock", "card.json", "config.toml", "run.json", "run.safetensors", "weights.safetensors"]


class Killed(BaseException):
    """Ends a simulated process. It is no `Exception`, so handlers of errors do not catch it."""


def fails_at(monkeypatch, moment, work, full_disk=False):
    """Return whether `work` fails if some of its calls that flush, rename or delete files do.

    A killed process does nothing more to its files, so all calls from number `moment` on fail,
    those that tidy up included. On a full disk only the call with this number fails.
    """
    numbers = count()

    def failing(function):
        def call(*arguments, **options):
            number = next(numbers)
            if full_disk and number == moment:
                raise OSError(errno.ENOSPC, "No space left on device")
            if not full_disk and number >= moment:
                raise Killed
            return function(*arguments, **options)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing(os.fsync))
        patch.setattr(os, "replace", failing(os.replace))
        patch.setattr(Path, "unlink", failing(Path.unlink))
        try:
            work()
        except (Killed, OSError):
            return True
    return False


def file_names(folder):
    """Return the names of a run's files, without the digests in them and without logs."""
    names = {path.name for path in folder.iterdir()} - {"tensorboard"}
    return sorted(re.sub(r"-[0-9a-f]{16}\.", ".", name) for name in names)


def create(folder):
    return Run.create(SHORT, folder, device="cpu")


def complete(run):
    """Learn to the end, save, and return the fingerprint of the run."""
    with run:
        learn_quietly(run)
        run.save()
    return fingerprint(run)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The fingerprint of a run that was never disturbed."""
    return complete(create(tmp_path_factory.mktemp("runs") / "run"))


def test_a_run_killed_in_its_first_save(undisturbed, monkeypatch, tmp_path):
    """As long as there is no state, --resume says what to do, and --out accepts the folder."""

    def create_and_save():
        with create(folder) as run:
            run.save()

    starts = 0
    for moment in count():
        folder = tmp_path / str(moment)
        was_killed = fails_at(monkeypatch, moment, create_and_save)
        try:
            run = Run.resume(folder, device="cpu")
        except CheckpointError as fault:
            assert "first save" in str(fault)  # noqa: PT017
            run = create(folder)
            starts += 1
        with run:
            run.save()
        assert file_names(folder) == FILES
        if moment == 8 or not was_killed:  # at two moments only, because learning takes long
            assert complete(Run.resume(folder, device="cpu")) == undisturbed
        if not was_killed:
            break
    assert 4 < starts < moment


@pytest.mark.parametrize("full_disk", [False, True])
def test_a_run_that_fails_in_a_later_save(undisturbed, monkeypatch, tmp_path, full_disk):
    """Resuming finds a complete state, the old or the new one, and continues it exactly."""
    before = tmp_path / "before"
    with create(before) as run:
        learn_quietly(run, save_at=450)
    run = Run.resume(before, device="cpu")
    old = fingerprint(run)
    learn_quietly(run)
    new = fingerprint(run)
    found_new = []
    for moment in count():
        folder = shutil.copytree(before, tmp_path / str(moment))
        run.folder = folder
        has_failed = fails_at(monkeypatch, moment, run.save, full_disk)
        load_checkpoint(folder, GAME)
        with Run.resume(folder, device="cpu") as again:
            found = fingerprint(again)
            assert found in (old, new)
            found_new.append(found == new)
            again.save()
        snapshots = [
            f"snapshot-{snapshot.name}.safetensors" for snapshot in again.learner.league.snapshots
        ]
        assert file_names(folder) == sorted([*FILES, *snapshots])
        if moment == 8 or not has_failed:
            assert complete(Run.resume(folder, device="cpu")) == undisturbed
        if not has_failed:
            break
    run.close()
    # Once a save has come far enough, all later moments find the new state.
    assert found_new == sorted(found_new)
    assert (found_new[0], found_new[-1]) == (False, True)
