"""A cluster of two nodes on one machine, whose second node is killed and replaced."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil
import ray.cluster_utils

_NODE = {"num_cpus": 1, "object_store_memory": 2**27}


class TwoNodes:
    """Nodes of one core each; `address` is for `--ray`."""

    def __init__(self) -> None:
        self._cluster = ray.cluster_utils.Cluster(
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


@contextmanager
def two_nodes() -> Iterator[TwoNodes]:
    """A cluster for the length of a block."""
    cluster = TwoNodes()
    try:
        yield cluster
    finally:
        cluster._cluster.shutdown()
