"""Recording games of agents as a dataset."""

from __future__ import annotations

from shakespeare_agents.arena.dataset.writing import open_dataset, settings_of, write_dataset

__all__ = ["open_dataset", "settings_of", "write_dataset"]
