"""All views compared: the same seed and moves must give the same games.

A `Batch` plays by a rule on what the mover sees (`trace.py`), so that single-seat views play the
same games if their opponents follow it. Then each view's observations, masks and rewards are
compared with the batch's (`views.py`), and the rules keep their promises (`soundness.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

from shakespeare_env.equality import views
from shakespeare_env.equality.soundness import soundness
from shakespeare_env.equality.trace import Setting, Trace, play
from shakespeare_env.equality.views import Comparison, DifferenceError

__all__ = ["VIEWS", "DifferenceError", "Setting", "compare", "is_installed", "play"]

VIEWS: dict[str, Callable[[Setting, Trace, Comparison], None]] = {
    # The rules are tried in games of their own.
    "Rules": lambda setting, _, comparison: soundness(setting, comparison),
    "Position": views.position,
    "Batch": views.resetting_batch,
    "PettingZoo": views.aec,
    "Gymnasium": views.seat_env,
    "Gymnasium vector": views.seat_vector_env,
    "SB3 one seat": views.seat_vec_env,
    "SB3 self-play": views.batch_vec_env,
}
"""The views in order of comparison."""


def is_installed(view: str) -> bool:
    """Whether a view's packages are installed."""
    return not view.startswith("SB3") or find_spec("stable_baselines3") is not None


def compare(view: str, setting: Setting, trace: Trace) -> int:
    """Step a view through the games of a trace and count the decisions.

    Raises:
        DifferenceError: the view shows something else.
    """
    comparison = Comparison(view, setting)
    VIEWS[view](setting, trace, comparison)
    return comparison.decisions
