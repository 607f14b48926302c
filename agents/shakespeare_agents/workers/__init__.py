"""Work in independent shards, done here, by processes or by a cluster."""

from shakespeare_agents.workers.choosing import open_workers
from shakespeare_agents.workers.jobs import Job, Shared, Tell, Work, Workers, in_order

__all__ = ["Job", "Shared", "Tell", "Work", "Workers", "in_order", "open_workers"]
