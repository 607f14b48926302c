"""What a node does with a shard that is new to it; no cluster is needed."""

import importlib.metadata
import os
import subprocess
import sys

import pytest

ray = pytest.importorskip("ray", reason="the extra ray is not installed")

from shakespeare_agents.workers import open_workers  # noqa: E402
from shakespeare_agents.workers.on_ray import node, store  # noqa: E402
from shakespeare_agents.workers.on_ray.cluster import loss  # noqa: E402
from shakespeare_env.errors import WorkerError  # noqa: E402


@pytest.fixture(autouse=True)
def own_environment():
    """A node's process has one core from then on; this one lives on."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


BARE = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("shakespeare_"):
            raise ModuleNotFoundError(f"no {name}", name=name)

sys.meta_path.insert(0, Missing())
from ray import cloudpickle
print(cloudpickle.loads(sys.stdin.buffer.read())("key", [None], b"", {}))
"""


def test_a_node_without_the_package_says_so():
    """What it is sent does not need the package."""
    done = subprocess.run(
        [sys.executable, "-c", BARE],
        input=ray.cloudpickle.dumps(node.shard_on_node(node.installed())),
        capture_output=True,
        check=True,
    )
    assert b"cannot import shakespeare_agents', b'')" in done.stdout


def test_a_node_without_an_extra_says_so(monkeypatch):
    monkeypatch.setattr(ray, "get", lambda _place: (b"cgone_missing\nA\n.", {}))
    with pytest.raises(WorkerError, match="cannot import gone_missing, which the work needs"):
        store.job_at(None)


def test_checkouts_of_other_code_differ(tmp_path, monkeypatch):
    def digest():
        node.installed.cache_clear()
        return node.installed()["shakespeare-env"]

    monkeypatch.setattr(node, "_PACKAGES", ("made_up",))
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "made_up").mkdir()
    module = tmp_path / "made_up" / "__init__.py"
    module.write_text("A = 1\n")
    first = digest()
    module.write_bytes(b"A = 1\r\n")
    assert digest() == first
    module.write_text("A = 2\n")
    assert digest() != first
    node.installed.cache_clear()
    assert importlib.metadata.version("shakespeare-env") in first


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("127.0.0.1:1", "no Ray cluster at '127.0.0.1:1'; give the HOST:PORT"),
        ("", "no Ray cluster at ''"),
        ("ray://127.0.0.1:10001", "Ray's client is not supported; run this on a machine of the"),
        ("auto", "this machine belongs to no Ray cluster; start one"),
    ],
)
def test_a_cluster_that_is_not_there(address, said, monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")  # of `auto`
    with pytest.raises(WorkerError, match=said), open_workers(ray=address):
        pass


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (ray.exceptions.OutOfMemoryError("x"), "its node ran out of memory"),
        (ray.exceptions.ObjectLostError("0" * 56, None, ""), "its result was lost"),
        (ray.exceptions.NodeDiedError("x"), "its node is gone"),
    ],
)
def test_losses_are_named_in_our_words(fault, said):
    assert loss(fault)[0].startswith(said)
    with pytest.raises(WorkerError, match="Ray has ended on this machine; start it again"):
        loss(ray.exceptions.LocalRayletDiedError())
    with pytest.raises(WorkerError, match="Ray has failed: RuntimeEnvSetupError"):
        loss(ray.exceptions.RuntimeEnvSetupError("no pip"))
