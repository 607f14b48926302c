"""What of the whole process our packages change: `python -m tests.packaging.global_state`.

Prints it as a JSON object, by what is done.  Other libraries are imported before: what they change
themselves does not count.
"""

import importlib
import json
import locale
import logging
import os
import pkgutil
import random
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import gymnasium
import matplotlib.pyplot
import numba
import numpy as np
import rich
import torch
import typer.rich_utils

PRELOADED = """
    filelock jinja2 mcp.server moviepy pettingzoo.utils polars psutil ray resvg_py
    sb3_contrib scipy.optimize scipy.sparse threadpoolctl torch._dynamo torch.utils.tensorboard
    torch._inductor.runtime.cache_dir_utils
"""
PACKAGES = ("shakespeare_env", "shakespeare_agents", "shakespeare_training")
NOT_SET_UP = ("shakespeare_env.wrappers.openspiel",)
"""Modules that need libraries which `make setup` does not install."""
OWN_AGENT = "def first(observations, masks, rng):\n    return masks.argmax(axis=1)\n"


def state() -> dict[str, str]:
    """Everything that belongs to the process, by name, as text."""
    return {name: repr(value) for name, value in _values()}


def _values() -> Iterator[tuple[str, Any]]:
    yield from (("os.environ " + name, value) for name, value in os.environ.items())
    yield "warnings.showwarning", warnings.showwarning
    yield "warnings.filters", warnings.filters
    yield "sys.path", (sys.path, sys.path_hooks)
    yield "sys.meta_path", [one for one in sys.meta_path if not _is_ours(one)]
    yield "hooks", (sys.excepthook, sys.displayhook, sys.unraisablehook, threading.excepthook)
    yield "sys.stdout", (sys.stdout, sys.stderr, sys.stdin)
    yield "sys.recursionlimit", sys.getrecursionlimit()
    yield "working directory", Path.cwd()
    yield "locale", locale.setlocale(locale.LC_ALL)
    yield from ((f"signal {one}", signal.getsignal(one)) for one in signal.valid_signals())
    yield "logging.disable", logging.root.manager.disable
    for name, logger in [("root", logging.root), *logging.root.manager.loggerDict.items()]:
        if isinstance(logger, logging.Logger) and (logger.level, logger.handlers) != (0, []):
            yield f"logging {name}", (logger.level, logger.handlers, logger.filters)
    yield "random", random.getstate()
    yield "np.random", [np.asarray(part).tolist() for part in np.random.get_state(legacy=True)]
    yield "numpy", (np.geterr(), np.get_printoptions())
    yield "torch seed", (torch.initial_seed(), torch.get_rng_state().tolist())
    yield "torch threads", (torch.get_num_threads(), torch.get_num_interop_threads())
    yield "torch deterministic", torch.are_deterministic_algorithms_enabled()
    yield "torch grad", (torch.is_grad_enabled(), torch.is_inference_mode_enabled())
    yield "torch types", (torch.get_default_dtype(), torch.get_float32_matmul_precision())
    yield "numba threads", numba.get_num_threads()
    yield from _constants(numba.config)
    yield "matplotlib backend", matplotlib.get_backend(auto_select=False)
    # Reading all of them, the backend too, would choose one.
    settings = matplotlib.rcParams.keys() - {"backend"}
    yield "matplotlib settings", {name: matplotlib.rcParams[name] for name in sorted(settings)}
    yield "rich console", id(rich.get_console())
    yield from _constants(typer.rich_utils)
    registered = gymnasium.registry.items()
    yield from ((f"gymnasium {name}", one) for name, one in registered if not _is_ours(one))


def _is_ours(value: Any) -> bool:
    """Whether it serves our own names only: a finder of modules, a registered environment."""
    return "shakespeare_" in repr(value)


def _constants(module: Any) -> Iterator[tuple[str, Any]]:
    for name in filter(str.isupper, dir(module)):
        yield f"{module.__name__}.{name}", getattr(module, name)


def import_everything() -> None:
    """Every module of our packages."""
    for name in PACKAGES:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            if module.name.endswith("__main__"):
                continue
            may_be_missing = module.name in NOT_SET_UP
            with suppress(ImportError) if may_be_missing else nullcontext():
                importlib.import_module(module.name)


def make_environments() -> None:
    """One of each, a few steps long."""
    import shakespeare_env
    from shakespeare_env.wrappers.sb3 import SB3SelfPlayVecEnv

    batch = shakespeare_env.Batch(n=4, players=2, autoreset=False)
    batch.step(batch.random_actions())
    games = SB3SelfPlayVecEnv(batch)
    games.reset()
    games.step(batch.random_actions())
    single = gymnasium.make("Shakespeare-v0", opponents="random", render_mode="ansi")
    _, info = single.reset(seed=1)
    single.step(info["action_mask"].argmax())
    single.render()
    many = gymnasium.make_vec("Shakespeare-v0", 2, opponents="random")
    _, info = many.reset(seed=1)
    many.step(info["action_mask"].argmax(axis=1))
    table = shakespeare_env.env(render_mode="rgb_array")
    table.reset(seed=1)
    table.step(table.last()[0]["action_mask"].argmax())
    table.render()
    for view in (single, many, table):
        view.close()


def evaluate_an_own_agent() -> None:
    """From a file, against others."""
    from shakespeare_agents.arena import evaluate

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "own.py"
        file.write_text(OWN_AGENT)
        evaluate([f"{file}:first", "heuristic"], games=4, players=2)


def train_briefly() -> None:
    """A run of a second, with its curves."""
    from rich.console import Console

    from shakespeare_training.runs.run import Run
    from shakespeare_training.runs.train import train
    from tests.training.short_runs import SMALL

    with tempfile.TemporaryDirectory() as folder:
        train(Run.create(SMALL, Path(folder) / "run", device="cpu"), Console(quiet=True))


def run_commands() -> None:
    """Through the app of the command line, as from Python."""
    from typer.testing import CliRunner

    from shakespeare_env.cli import app

    for words in ("--help", "watch random --players 2 --seed 1", "nothing"):
        CliRunner().invoke(app, words.split())


ACTS = (import_everything, make_environments, evaluate_an_own_agent, train_briefly, run_commands)


def main() -> None:
    """Do everything in turn."""
    for name in PRELOADED.split():
        with suppress(ModuleNotFoundError):
            importlib.import_module(name)
    changed = {}
    state()  # asking Numba for its threads sets OpenMP's, which PyTorch shows
    before = state()
    for act in ACTS:
        act()
        after = state()
        changed[act.__name__] = {
            name: [before.get(name, ""), after.get(name, "")]
            for name in sorted({*before, *after})
            if before.get(name) != after.get(name)
        }
        before = after
    print(json.dumps(changed))


if __name__ == "__main__":
    main()
