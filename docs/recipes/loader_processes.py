"""Recorded decisions for PyTorch, read by several processes."""

import argparse
from collections.abc import Iterator
from pathlib import Path

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from shakespeare_env.datasets import Batches


class RecordedDecisions(IterableDataset[dict[str, torch.Tensor]]):
    """Batches of tensors by name. Set `epoch` before each pass over them.

    With DistributedDataParallel, give each process its rank and the number
    of ranks. All ranks then have equally many batches.
    """

    def __init__(
        self, batches: Batches, rank: int = 0, ranks: int = 1
    ) -> None:
        self.batches = batches
        self.rank = rank
        self.ranks = ranks
        self.epoch = 0

    def __iter__(self) -> Iterator[dict[str, torch.Tensor]]:
        worker = get_worker_info()
        worker_id = worker.id if worker else 0
        workers = worker.num_workers if worker else 1
        # This process reads part i of n, given as (i, n).
        part = (self.rank * workers + worker_id, self.ranks * workers)
        for batch in self.batches.epoch(self.epoch, part):
            yield {
                name: torch.from_numpy(column)
                for name, column in batch._asdict().items()
            }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, help="a dataset or an arena")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    decisions = RecordedDecisions(Batches(args.folder, size=2048, seed=0))
    # A process that has used Polars, as `Batches` does, must not fork.
    loader = DataLoader(
        decisions,
        batch_size=None,
        num_workers=args.processes,
        multiprocessing_context="spawn",
    )
    for epoch in range(args.epochs):
        decisions.epoch = epoch
        sizes = [len(batch["actions"]) for batch in loader]
        print(
            f"epoch {epoch}: {sum(sizes):,} decisions in {len(sizes)} batches"
        )
