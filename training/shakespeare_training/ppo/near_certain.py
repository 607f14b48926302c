"""Learning from a random part of the near-certain decisions, each standing for several.

Most moves of a trained network are near-certain and teach little, but cost an update as much as the
others.  A minibatch keeps a part of them and repeats the network's outputs for these, instead of
asking it about all.  In expectation every decision counts as before, and so the means of the loss,
and the mean and deviation by which advantages are normalised, stay the same.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch

NEAR_CERTAIN = 0.99
"""A decision is near-certain if its move was likelier than this when it was made.

The rare decisions in which another move was drawn teach most, and are not near-certain.
"""


class Repeated(NamedTuple):
    """Which rows of a minibatch stand for several decisions.

    Attributes:
        kept: Their number; they are the last rows.
        total: The number of decisions that they stand for, themselves included.
    """

    kept: int
    total: int

    def spread(self, found: torch.Tensor) -> torch.Tensor:
        """Results for each row, [k, ...], spread to every decision of the minibatch."""
        if self.kept == self.total:
            return found
        alone = len(found) - self.kept
        # Copying a whole block, unlike indexing, sums gradients in a fixed order.
        copies = found[alone:].repeat(math.ceil(self.total / self.kept), *[1] * (found.ndim - 1))
        return torch.cat([found[:alone], copies[: self.total]])


def thinned(near_certain: torch.Tensor, share: float) -> tuple[torch.Tensor, Repeated]:
    """Replace all but a share of the near-certain decisions by repetitions of that share.

    Args:
        near_certain: int64[n], those of a minibatch in random order, so the first are a random
            part.
        share: The share, above 0, up to 1; at least one decision is kept.

    Returns:
        int64[n], and how many of them come first, once each, before the repetitions.
    """
    total = len(near_certain)
    repeated = Repeated(math.ceil(share * total), total)
    return repeated.spread(near_certain[: repeated.kept]), repeated
