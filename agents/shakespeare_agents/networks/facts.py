"""Weights of printed facts: one network for every box, folded into a plain one for each.

The first layer reads, for each table of facts, the products of what is seen of its entities with
their facts; the last adds, to the logit of an action that chooses an entity, a product of the
entity's facts with weights that depend on the situation. Both are linear in the facts, so that for
one box they are nothing but other weights of the plain network.

Tensors, for a table of E entities with F facts, K rows of inputs and M of actions, at width W:

    facts.<table>.seen         float32[W, K * F]
    facts.<table>.chosen       float32[M * F, W]
    facts.<table>.chosen_bias  float32[M * F]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any as FactTable

import numpy as np
from numpy.typing import NDArray

Tensors = Mapping[str, NDArray[np.float32]]
"""Weights by name (see `Network.shapes`, `Network.head_shapes` and `shapes`)."""

SCALE = np.float32(0.5)
"""What facts are multiplied with; most are from 0 to 5."""
_PREFIX = "facts."


def names(table: FactTable) -> tuple[str, str, str]:
    """The names of a table's tensors, in the order above."""
    seen, chosen = f"{_PREFIX}{table.name}.seen", f"{_PREFIX}{table.name}.chosen"
    return seen, chosen, f"{chosen}_bias"


def are_in(tensors: Tensors) -> bool:
    """Whether weights of facts are among these."""
    return any(name.startswith(_PREFIX) for name in tensors)


def shapes(tables: Sequence[FactTable], width: int) -> dict[str, tuple[int, ...]]:
    """The shapes of the tensors of these tables."""
    found: dict[str, tuple[int, ...]] = {}
    for table in tables:
        facts = table.facts.shape[2]
        rows, chosen = len(table.inputs) * facts, len(table.actions) * facts
        found |= zip(names(table), ((width, rows), (chosen, width), (chosen,)), strict=True)
    return found


def folded(
    tensors: Tensors, tables: Sequence[FactTable], number: int
) -> dict[str, NDArray[np.float32]]:
    """The weights of the plain network for a box in force."""
    plain = {name: tensor for name, tensor in tensors.items() if not name.startswith(_PREFIX)}
    return plain | moved(tensors, tables, number, np.float32(1.0))


def moved(
    tensors: Tensors, tables: Sequence[FactTable], number: int, times: np.float32
) -> dict[str, NDArray[np.float32]]:
    """The first and last layer, plus so many times what the facts of a box add to them."""
    first, action = tensors["trunk.weight"].copy(), tensors["action.weight"].copy()
    bias = tensors["action.bias"].copy()
    width = len(first)
    for table in tables:
        seen, chosen, chosen_bias = (tensors[name] for name in names(table))
        facts = table.facts[number].T * (SCALE * times)
        count = len(facts)
        rows, present = table.inputs, table.inputs >= 0
        added = seen.reshape(width, len(rows), count) @ facts
        first[:, rows[present]] += added[:, present]
        rows, present = table.actions, table.actions >= 0
        weights = chosen.reshape(len(rows), count, width).transpose(0, 2, 1) @ facts
        action[rows[present]] += weights.transpose(0, 2, 1)[present]
        bias[rows[present]] += (chosen_bias.reshape(len(rows), count) @ facts)[present]
    return {"trunk.weight": first, "action.weight": action, "action.bias": bias}
