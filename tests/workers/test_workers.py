"""Shards are done once each, whoever does them and whatever becomes of it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import cloudpickle
import psutil
import pytest
from loky import ProcessPoolExecutor

from shakespeare_agents.workers import in_order, open_workers
from shakespeare_agents.workers.processes import FOLDERS
from shakespeare_env.errors import WorkerError, own_steps
from tests.workers.jobs_for_tests import RaisesLocal, Reads, Squares

SQUARES = [number * number for number in range(12)]


@pytest.fixture(scope="module")
def processes():
    with open_workers(2) as workers:
        yield workers


@pytest.fixture(params=["this process", "processes"])
def workers(request):
    if request.param == "processes":
        yield request.getfixturevalue("processes")
    else:
        with open_workers() as here:
            yield here


def test_every_shard_is_done_once_and_counted(workers, tmp_path):
    """Each worker starts the job once: the same job again is known by its content."""
    heard: list[tuple[int, int]] = []
    found = dict(workers.run(Squares(tmp_path), range(12), lambda *counts: heard.append(counts)))
    assert [found[number] for number in range(12)] == SQUARES
    counted = sorted(counts for counts in heard if counts != (0, 0))
    assert counted == [(number, 1) for number in range(12)]
    if workers.size > 1:
        list(workers.run(Squares(tmp_path), range(12)))
    starts = (tmp_path / "starts").read_text().split()
    assert len(starts) == len(set(starts)) <= workers.size


def test_results_can_be_put_in_order_and_dropped(processes, tmp_path):
    (tmp_path / "slow 0").touch()
    numbers = [number for number, _ in processes.run(Squares(tmp_path), range(12))]
    assert numbers != sorted(numbers)
    assert list(in_order(processes.run(Squares(tmp_path), range(12)))) == SQUARES
    for number in range(2, 12):
        (tmp_path / f"slow {number}").touch()
    found = processes.run(Squares(tmp_path), range(12))
    next(found)
    found.close()
    assert list(in_order(processes.run(Squares(tmp_path), range(2)))) == SQUARES[:2]


def test_shards_are_taken_only_as_they_can_be_begun(workers, tmp_path):
    """So whoever makes them may learn from earlier results, and may have none for now."""
    taken: list[int] = []
    waiting = [3, 4, 5]

    class Refilled:
        def __iter__(self):
            return self

        def __next__(self):
            if not waiting:
                raise StopIteration
            taken.append(waiting.pop(0))
            return taken[-1]

    results = workers.run(Squares(tmp_path), Refilled())
    done = []
    for group in ([], [6], list(range(7, 20))):
        waiting += group
        for _ in group or [3, 4, 5]:
            done.append(next(results)[1])
            assert len(taken) <= len(done) + 2 * workers.size
    assert not list(results)
    assert sorted(done) == [number**2 for number in range(3, 20)]


def test_a_failed_shard_raises_what_it_raised(workers, tmp_path):
    (tmp_path / "fail 5").touch()
    with pytest.raises(ValueError, match="no square of 5") as raised:
        list(workers.run(Squares(tmp_path), range(12)))
    assert raised.value.__notes__ == ["a note"]
    assert own_steps(raised.value)[-1].filename.endswith("jobs_for_tests.py")
    assert list(in_order(workers.run(Squares(tmp_path), range(5)))) == SQUARES[:5]
    if workers.size > 1:  # what cannot travel is put in words
        with pytest.raises(RuntimeError, match="Local: mine"):
            list(workers.run(RaisesLocal(), range(2)))


def test_a_lost_workers_shards_are_done_again(processes, tmp_path):
    """Also those of one lost while its results are looked at: beginning another notices it."""
    for number in (3, 7, 8):
        (tmp_path / f"kill {number}").touch()
    assert list(in_order(processes.run(Squares(tmp_path), range(12)))) == SQUARES
    found = []
    for number, result in processes.run(Squares(tmp_path), range(12)):
        found.append((number, result))
        if len(found) == 4:
            (lost, *_) = processes._executor._processes
            os.kill(lost, signal.SIGKILL)
            psutil.wait_procs([psutil.Process(lost)], timeout=10)
            time.sleep(0.5)
    assert sorted(found) == list(enumerate(SQUARES))


def test_workers_lost_again_and_again_are_an_error(processes, tmp_path):
    (tmp_path / "always kill 2").touch()
    with pytest.raises(WorkerError, match=r"lost 4 times in a row.* --workers"):
        list(processes.run(Squares(tmp_path), [2]))
    assert list(in_order(processes.run(Squares(tmp_path), range(2)))) == SQUARES[:2]


def test_nothing_large_goes_through_the_pipe_that_workers_share(processes, monkeypatch):
    """Lost in the middle of writing to it, a worker would leave the driver reading for ever."""
    sent = []
    submitted = ProcessPoolExecutor.submit

    def submit(self, *task):
        sent.append(submitted(self, *task))
        return sent[-1]

    monkeypatch.setattr(ProcessPoolExecutor, "submit", submit)
    large = processes.share(b"x" * 10**6)
    results = list(in_order(processes.run(Reads(large), [slice(None)] * 3)))
    assert results == [b"x" * 10**6] * 3
    assert all(len(cloudpickle.dumps(future.result())) < 256 for future in sent)
    assert not any(Path(future.result()).exists() for future in sent)


def test_what_is_shared_is_read_until_it_is_released_as_often(workers):
    shared, again = workers.share(b"content"), workers.share(b"content")
    assert shared == again
    parts = [slice(3), slice(3, None)]
    assert list(in_order(workers.run(Reads(shared), parts))) == [b"con", b"tent"]
    workers.release(shared)
    assert again.read() == b"content"
    workers.release(again)
    assert workers.size == 1 or not again.path.exists()


def test_who_waits_for_slow_shards_is_asked_now_and_then(processes, tmp_path, monkeypatch):
    """What it raises then stops the work."""
    monkeypatch.setattr("shakespeare_agents.workers.processes._LOOK_EVERY_S", 0.02)
    (tmp_path / "slow 0").touch()
    heard: list[tuple[int, int]] = []
    list(processes.run(Squares(tmp_path), range(1), lambda *counts: heard.append(counts)))
    assert {*heard[:-1]} == {(0, 0)}
    assert heard[-1] == (0, 1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"processes": 0}, "workers=0 is out of range 1 to"),
        ({"processes": 2, "ray": "local"}, "give one of them"),
    ],
)
def test_workers_that_cannot_be(options, said):
    with pytest.raises(ValueError, match=said), open_workers(**options):
        pass


SLEEPER = """
import signal, sys
from pathlib import Path
from shakespeare_agents.workers import open_workers
from tests.workers.jobs_for_tests import Squares
# Test runners in the background ignore it, and their children would, too.
signal.signal(signal.SIGINT, signal.default_int_handler)
with open_workers(2) as workers:
    for _ in workers.run(Squares(Path(sys.argv[1])), range(10_000)):
        print(flush=True)
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_workers_end_with_their_driver(tmp_path, end):
    command = [sys.executable, "-c", SLEEPER, str(tmp_path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe) as driver:
        assert driver.stdout is not None
        driver.stdout.readline()
        children = psutil.Process(driver.pid).children(recursive=True)
        assert len(children) >= 2
        os.kill(driver.pid, end)
        driver.communicate()
    _, left = psutil.wait_procs(children, timeout=10)
    assert not left


def test_folders_of_killed_processes_are_forgotten(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    for process in (ended.pid, os.getpid()):
        (tmp_path / f"{FOLDERS}{process}-x").mkdir()
    (tmp_path / "shakespeare-env-elsewhere-1-x").mkdir()
    with open_workers(2):
        left = sorted(path.name for path in tmp_path.iterdir())
    assert len(left) == 3
    assert f"{FOLDERS}{ended.pid}-x" not in left
