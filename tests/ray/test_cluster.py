"""A Ray cluster does what one process does, whatever becomes of its workers and nodes."""

import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

import psutil
import pytest

ray = pytest.importorskip("ray", reason="the extra ray is not installed")
from ray.cluster_utils import Cluster  # noqa: E402

from shakespeare_agents.arena import evaluate  # noqa: E402
from shakespeare_agents.workers import in_order, open_workers  # noqa: E402
from shakespeare_agents.workers.on_ray import cluster as on_ray  # noqa: E402
from shakespeare_agents.workers.on_ray.node import installed  # noqa: E402
from shakespeare_env.errors import WorkerError  # noqa: E402
from tests.contract.small_datasets import content, small_settings, write  # noqa: E402
from tests.workers.jobs_for_tests import RaisesLocal, Reads, Squares  # noqa: E402

SQUARES = [number * number for number in range(12)]
_NODE = {"num_cpus": 1, "object_store_memory": 2**27}


class TwoNodes:
    """A cluster on one machine: nodes of one core each; `address` is for `--ray`."""

    def __init__(self) -> None:
        self._cluster = Cluster(
            initialize_head=True, head_node_args={**_NODE, "include_dashboard": False}
        )
        self.address = str(self._cluster.address)
        self.add()

    def add(self) -> None:
        """Add the second node."""
        self._second = self._cluster.add_node(wait=False, **_NODE)

    def wait(self) -> None:
        """Wait until both nodes are there."""
        self._cluster.wait_for_nodes(timeout=60)

    def kill(self) -> None:
        """Kill -9 all processes of the second node, as if the machine were gone."""
        raylet = psutil.Process(self._second.all_processes["raylet"][0].process.pid)
        # Without their raylet workers would finish what they do before they end.
        for process in [raylet, *raylet.children(recursive=True)]:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self._cluster.remove_node(self._second, allow_graceful=False)

    def shutdown(self) -> None:
        self._cluster.shutdown()


@pytest.fixture(scope="module")
def nodes():
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("RAY_worker_niceness", "0")  # as all that runs beside it
        cluster = TwoNodes()
        yield cluster
        cluster.shutdown()


@pytest.fixture
def workers(nodes):
    with open_workers(ray=nodes.address) as found:
        yield found


def test_games_are_those_of_one_process_and_what_is_shared_is_read(workers):
    table: dict[str, Any] = {"games": 24, "players": 3, "seed": 5}
    here = evaluate(["heuristic", "network"], "figaro", **table)
    assert evaluate(["heuristic", "network"], "figaro", workers=workers, **table) == here
    shared = workers.share(b"content")
    assert workers.share(b"content") is shared
    parts = [slice(3), slice(3, None)]
    assert list(in_order(workers.run(Reads(shared), parts))) == [b"con", b"tent"]


def slow(folder, count):
    """A job on a folder whose first shards take a while."""
    for number in range(count):
        (folder / f"slow {number}").touch()
    return Squares(folder)


def wait_until(done):
    until = time.monotonic() + 30
    while not done() and time.monotonic() < until:
        time.sleep(0.1)
    assert done()


def test_a_shard_that_fails_raises_and_the_next_job_runs(workers, tmp_path):
    (tmp_path / "fail 5").touch()
    with pytest.raises(ValueError, match="no square of 5") as raised:
        list(workers.run(Squares(tmp_path), range(12)))
    assert raised.value.__notes__ == ["a note"]
    with pytest.raises(RuntimeError, match="Local: mine"):
        list(workers.run(RaisesLocal(), [1]))
    heard: list[tuple[int, int]] = []
    found = workers.run(Squares(tmp_path), range(4), lambda *counts: heard.append(counts))
    assert list(in_order(found)) == SQUARES[:4]
    assert sorted(heard) == [(number, 1) for number in range(4)]


def test_a_worker_killed_loses_nothing_and_ray_keeps_quiet(workers, tmp_path, caplog, capfd):
    (tmp_path / "kill 5").touch()
    assert list(in_order(workers.run(Squares(tmp_path), range(12)))) == SQUARES
    assert "a worker was lost: its process ended" in caplog.text
    assert "raylet" not in "".join(capfd.readouterr())


def test_a_shard_that_kills_its_workers_is_named(workers, tmp_path, monkeypatch):
    monkeypatch.setattr(on_ray, "_MOST_LOST", 2)
    (tmp_path / "always kill 5").touch()
    with pytest.raises(WorkerError, match=r"worker of shard 5, 5, was lost 2 times, at last"):
        list(workers.run(Squares(tmp_path), range(12)))


def test_a_node_with_other_code_is_refused(workers, tmp_path, monkeypatch):
    monkeypatch.setattr(on_ray, "installed", lambda: {**installed(), "numpy": "9.9"})
    with pytest.raises(WorkerError, match=r"has numpy .*, this machine 9.9; install the same"):
        list(workers.run(Squares(tmp_path), range(12)))


def test_a_node_lost_and_another_come(nodes, workers, tmp_path):
    nodes.wait()
    found = workers.run(slow(tmp_path, 12), range(12))
    results = dict([next(found)])
    nodes.kill()
    results.update(found)
    assert [results[number] for number in range(12)] == SQUARES
    wait_until(lambda: workers.size == 1)
    nodes.add()
    nodes.wait()
    wait_until(lambda: workers.size == 2)


def test_a_recording_that_loses_a_node_is_that_of_one_process(nodes, workers, tmp_path):
    wait_until(lambda: workers.size == 2)
    list(workers.run(slow(tmp_path, 4), range(4)))  # processes of both nodes work
    settings, killed = small_settings("figaro", deals=60, deals_per_shard=20), list[int]()

    def kill(_decisions, games):
        if games and not killed:
            killed.append(games)
            nodes.kill()

    write(tmp_path / "cluster", settings, kill, workers=workers)
    write(tmp_path / "here", settings)
    assert killed
    assert content(tmp_path / "cluster") == content(tmp_path / "here")
    nodes.add()
    nodes.wait()


def test_what_is_dropped_stops(workers, tmp_path):
    found = workers.run(slow(tmp_path, 2000), range(2000))
    next(found)
    found.close()
    wait_until(lambda: ray.available_resources().get("CPU", 0) == workers.size)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"_cores": lambda: 0, "WITHOUT_CORES_S": 0.0}, "has had no core for 0 s; add machines"),
        (
            {"head_answers": lambda *_: False, "WITHOUT_HEAD_S": 0.0},
            "the head of .* is gone; start",
        ),
    ],
)
def test_a_cluster_that_is_of_no_use_any_more(workers, tmp_path, monkeypatch, change, said):
    for name, value in change.items():
        monkeypatch.setattr(on_ray, name, value)
    monkeypatch.setattr(on_ray, "_LOOK_EVERY_S", 0.1)
    with pytest.raises(WorkerError, match=said):
        list(workers.run(slow(tmp_path, 12), range(12)))


def test_ray_that_is_used_already_is_used_and_stays(nodes, tmp_path):
    ray.init(nodes.address, logging_level="ERROR", log_to_driver=False)
    try:
        for address in ("auto", "local", nodes.address):
            with open_workers(ray=address) as workers:
                assert list(in_order(workers.run(Squares(tmp_path), range(2)))) == SQUARES[:2]
            assert ray.is_initialized()
        said = "this process uses the Ray cluster at .* already"
        with pytest.raises(WorkerError, match=said), open_workers(ray="127.0.0.1:1"):
            pass
    finally:
        ray.shutdown()


DRIVER = """
import os, signal, sys
from pathlib import Path
from shakespeare_agents.workers import open_workers
from tests.workers.jobs_for_tests import Squares
ends = signal.getsignal(signal.SIGTERM)
with open_workers(ray="local") as workers:
    assert signal.getsignal(signal.SIGTERM) is ends
    for _ in workers.run(Squares(Path(sys.argv[1])), range(100_000)):
        print(os.getpid(), flush=True)
"""


def test_ray_started_here_ends_with_its_driver_killed(tmp_path):
    command = [sys.executable, "-c", DRIVER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as driver:
        assert driver.stdout is not None
        assert driver.stdout.readline().strip() == str(driver.pid)
        # Ray's own agents tell a head that is gone that they end, for up to a minute.
        children = psutil.Process(driver.pid).children(recursive=True)
        started = [process for process in children if not process.name().endswith("Agent")]
        assert len(started) > 3
        driver.kill()
    _, left = psutil.wait_procs(started, timeout=20)
    assert not left
