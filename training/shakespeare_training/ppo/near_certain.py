"""Learning from a random part of the near-certain decisions, each standing for several.

Most moves of a trained network are near-certain and teach little, but cost an update as much as the
others.  A minibatch keeps a part of them and repeats the network's outputs for these, instead of
asking it about all.  In expectation every decision counts as before, and so the means of the loss,
and the mean and deviation by which advantages are normalised, stay the same.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

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


def thinned(
    decisions: NDArray[np.intp], near_certain: NDArray[np.bool_], share: float
) -> tuple[NDArray[np.intp], Repeated]:
    """Replace all but a share of the near-certain decisions by repetitions of that share.

    Args:
        decisions: intp[n], a minibatch in random order, so the first of a kind are a random part.
        near_certain: bool[n].
        share: The share, above 0, up to 1; at least one decision is kept.

    Returns:
        intp[n], the repetitions last, and their number.
    """
    certain = decisions[near_certain]
    kept = math.ceil(share * len(certain))
    repeated = np.resize(certain[:kept], len(certain))
    return np.concatenate([decisions[~near_certain], repeated]), Repeated(kept, len(certain))
