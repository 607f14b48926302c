"""Every shard runs once, in this process, in several or on a local Ray, or an error is raised."""

import os
import signal
import subprocess
import sys
from typing import Any

import psutil
import pytest

from shakespeare_agents.workers import code_digest, open_workers
from shakespeare_arena import evaluate
from shakespeare_env.errors import WorkerError, own_frames
from tests.workers.agents_for_tests import AsyncDrawing
from tests.workers.jobs_for_tests import Answered, RaisesUnpicklable, Squares

SQUARES = [number * number for number in range(12)]
KINDS: dict[str, dict[str, Any]] = {
    "this process": {},
    "processes": {"processes": 2},
    "ray": {"ray": "local"},
}


def results(progress):
    return sorted(step.result for step in progress if step.result is not None)


@pytest.fixture(params=KINDS, scope="module")
def workers(request):
    if request.param == "ray":
        pytest.importorskip("ray", reason="the extra ray is not installed")
    with open_workers(**KINDS[request.param]) as found:
        yield found


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nowhere", "ray://127.0.0.1:1"])
def test_a_cluster_that_is_not_there_is_refused_with_the_remedy(address):
    pytest.importorskip("ray", reason="the extra ray is not installed")
    with pytest.raises(WorkerError, match="ray start"), open_workers(ray=address):
        pass


def test_every_shard_runs_once_and_is_counted(workers, tmp_path):
    """Each worker starts the job once, even if it runs twice: jobs are known by their content."""
    for _ in range(2):
        progress = list(workers.run(Squares(tmp_path), range(12)))
        assert results(progress) == SQUARES
        assert sum(step.decisions for step in progress) == sum(range(12))
        assert sum(step.games for step in progress) == 12
    starts = (tmp_path / "starts").read_text().split()
    assert len(starts) <= max(2, workers.size)


@pytest.mark.parametrize("workers", ["this process", "processes"], indirect=True)
def test_results_and_progress_come_before_their_shard_is_over(workers, tmp_path):
    results_so_far = []
    for step in workers.run(Answered(tmp_path / "answer"), range(1)):
        if step.result is not None:
            results_so_far.append(step.result)
            (tmp_path / "answer").touch()
    assert results_so_far == ["first", "last"]


def test_shards_that_are_dropped_do_no_harm(workers, tmp_path):
    for number in range(2, 5):
        (tmp_path / f"slow {number}").touch()
    found = workers.run(Squares(tmp_path), range(12))
    next(found)
    found.close()
    assert results(workers.run(Squares(tmp_path), range(5))) == SQUARES[:5]


def test_a_failed_shard_raises_its_own_exception_and_others_run_afterwards(workers, tmp_path):
    (tmp_path / "fail 5").touch()
    with pytest.raises(ValueError, match="no square of 5") as raised:
        list(workers.run(Squares(tmp_path), range(12)))
    assert raised.value.__notes__ == ["a note"]
    assert own_frames(raised.value)[-1].filename.endswith("jobs_for_tests.py")
    assert results(workers.run(Squares(tmp_path), range(5))) == SQUARES[:5]


def test_an_exception_that_cannot_be_pickled_is_put_in_words(workers):
    with pytest.raises(Exception, match="mine"):
        list(workers.run(RaisesUnpicklable(), range(2)))


def test_an_agent_that_decides_in_an_async_def_plays_as_it_does_here(workers):
    agents: list[Any] = ["tests.workers.agents_for_tests:AsyncDrawing", AsyncDrawing(), "random"]
    table: dict[str, Any] = {"games": 12, "players": 3, "seed": 7}
    found = evaluate(agents, "figaro", workers=workers, **table)
    assert found == evaluate(agents, "figaro", **table)


@pytest.mark.parametrize("workers", ["processes", "ray"], indirect=True)
def test_a_killed_worker_is_an_error_after_which_others_run(workers, tmp_path):
    (tmp_path / "kill 5").touch()
    with pytest.raises(WorkerError, match="fewer workers"):
        list(workers.run(Squares(tmp_path), range(12)))
    assert results(workers.run(Squares(tmp_path), range(2))) == SQUARES[:2]


@pytest.mark.parametrize("workers", ["ray"], indirect=True)
def test_a_node_with_other_code_is_refused(workers, tmp_path, monkeypatch):
    monkeypatch.setattr("shakespeare_agents.workers.code_digest", lambda: "other")
    with pytest.raises(WorkerError, match="another version"):
        list(workers.run(Squares(tmp_path), range(12)))


@pytest.mark.parametrize("workers", ["ray"], indirect=True)
def test_a_cluster_that_this_process_has_joined_is_used_and_not_left(workers, tmp_path):
    import ray

    with open_workers(ray="auto") as others:
        assert results(others.run(Squares(tmp_path), range(2))) == SQUARES[:2]
    assert ray.is_initialized()


DRIVER = """
import signal, sys
from functools import partial
from pathlib import Path
from shakespeare_table.browser.processes import AgentProcess, decide
from shakespeare_agents.workers import open_workers
from shakespeare_env import Position
from tests.workers.jobs_for_tests import Squares
if __name__ == "__main__":
    # Test runners in the background ignore SIGINT, and so would their children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    position = Position.new("figaro", players=3)
    assert list(AgentProcess().run(partial(decide, "random", position, 0, 0), 60))
    with open_workers(2, *sys.argv[1:]) as workers:
        for _ in workers.run(Squares(Path.cwd()), range(10_000)):
            print(flush=True)
"""


@pytest.mark.parametrize(("end", "ray"), [(signal.SIGKILL, ()), (signal.SIGINT, ("local",))])
def test_workers_end_with_their_driver_and_import_nothing_from_its_folder(tmp_path, end, ray):
    """Workers start with `-c` or `-m`, for which Python would search the current folder first."""
    if ray:
        pytest.importorskip("ray", reason="the extra ray is not installed")
    script = tmp_path / "driver" / "driver.py"
    script.parent.mkdir()
    script.write_text(DRIVER)
    for name in ("random", "signal", "heapq", "shakespeare_agents"):
        (tmp_path / f"{name}.py").write_text("open('it_ran', 'w')\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        [sys.executable, str(script), *ray],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environment,
    ) as driver:
        assert driver.stdout is not None
        assert driver.stdout.readline()
        children = psutil.Process(driver.pid).children(recursive=True)
        assert len(children) >= 2
        os.kill(driver.pid, end)
        driver.communicate()
    _, left = psutil.wait_procs(children, timeout=10)
    assert not left
    assert not (tmp_path / "it_ran").exists()


def test_files_edited_since_this_process_imported_them_are_refused(monkeypatch):
    """Workers would import the edited files."""
    monkeypatch.setattr("shakespeare_agents.workers.edited_project_file", lambda since: "edited.py")
    code_digest.cache_clear()
    with pytest.raises(WorkerError, match=r"edited\.py was edited after this process"):
        code_digest()
