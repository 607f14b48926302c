"""What of the whole process our packages change: `python -m tests.packaging.global_state`.

Prints the names as JSON, by what is done.  Other libraries are imported before: what they change
themselves does not count.
"""

import importlib
import json
import logging
import os
import pkgutil
import random
import signal
import sys
import warnings
from contextlib import suppress
from pathlib import Path

import gymnasium
import numpy as np
import torch

PRELOADED = """
    filelock jinja2 matplotlib.pyplot mcp.server pettingzoo.utils polars psutil ray
    resvg_py rich.markdown rich.progress rich.table sb3_contrib scipy.optimize scipy.sparse
    threadpoolctl torch._dynamo torch._inductor.runtime.cache_dir_utils torch.utils.tensorboard
    typer.rich_utils
"""
PACKAGES = (
    *("shakespeare_env", "shakespeare_agents", "shakespeare_arena"),
    *("shakespeare_research", "shakespeare_table", "shakespeare_training"),
)


def state() -> dict[str, str]:
    """What belongs to the process, by name, as text."""
    values = {
        **{f"os.environ {name}": value for name, value in os.environ.items()},
        "warnings.filters": warnings.filters,
        "sys.path": sys.path,
        "hooks": (sys.excepthook, sys.displayhook, sys.unraisablehook),
        "sys.stdout": (sys.stdout, sys.stderr, sys.stdin),
        "working directory": Path.cwd(),
        "signals": [signal.getsignal(one) for one in signal.valid_signals()],
        "logging": (logging.root.level, logging.root.handlers, logging.root.manager.disable),
        "random": random.getstate(),
        "np.random": [np.asarray(part).tolist() for part in np.random.get_state(legacy=True)],
        "numpy": (np.geterr(), np.get_printoptions()),
        "torch seed": torch.get_rng_state().tolist(),
        "torch threads": (torch.get_num_threads(), torch.get_num_interop_threads()),
        "torch grad": (torch.is_grad_enabled(), torch.get_default_dtype()),
    }
    return {name: repr(value) for name, value in values.items()}


def import_everything() -> None:
    """Every module of our packages whose libraries are here."""
    for name in PACKAGES:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            if not module.name.endswith("__main__"):
                with suppress(ImportError):
                    importlib.import_module(module.name)


def play() -> None:
    """An environment, and games of agents."""
    from shakespeare_arena import evaluate

    single = gymnasium.make("Shakespeare-v0", opponents="random", render_mode="ansi")
    _, info = single.reset(seed=1)
    single.step(info["action_mask"].argmax())
    single.close()
    evaluate(["random", "heuristic"], games=4, players=2)


def main() -> None:
    """Do everything in turn."""
    for name in PRELOADED.split():
        with suppress(ModuleNotFoundError):
            importlib.import_module(name)
    changed = {}
    before = state()
    for act in (import_everything, play):
        act()
        after = state()
        names = sorted({*before, *after})
        changed[act.__name__] = [name for name in names if before.get(name) != after.get(name)]
        before = after
    print(json.dumps(changed))


if __name__ == "__main__":
    main()
