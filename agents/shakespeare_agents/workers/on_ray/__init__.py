"""Workers of a Ray cluster."""

from shakespeare_env.extras import needing

with needing("ray", "many machines need"):
    from shakespeare_agents.workers.on_ray.cluster import Cluster
    from shakespeare_agents.workers.on_ray.joining import joined

__all__ = ["Cluster", "joined"]
