"""Importing a package is cheap, changes nothing of others, and says which extra is missing.

All files name one version.
"""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

HEAVY = {
    "PIL",
    "matplotlib",
    "pandas",
    "polars",
    "resvg_py",
    "rich",
    "sb3_contrib",
    "scipy",
    "stable_baselines3",
    "tensorboard",
    "torch",
}
"""Libraries that take long to import."""
FROM_THE_ENGINE_UP = [
    "shakespeare_env",
    "shakespeare_env.cli",
    "shakespeare_agents",
    "shakespeare_arena",
    "shakespeare_research",
    "shakespeare_table",
    "shakespeare_training",
]
LOADED = """
import json, os, sys
import gymnasium, pettingzoo  # both change the environment of their own accord
before = dict(os.environ)
for package in sys.argv[1:]:
    __import__(package)
    print(json.dumps(sorted(sys.modules)))
assert before == dict(os.environ)
"""
PROCESS = """
import json, logging, os, pathlib, random, signal, sys, warnings
import gymnasium, numpy, torch, matplotlib.pyplot, pettingzoo.utils, polars
import rich.progress, sb3_contrib

def state():
    return {name: repr(value) for name, value in {
        "environment": dict(os.environ), "warnings": warnings.filters, "sys.path": sys.path,
        "hooks": (sys.excepthook, sys.displayhook, sys.unraisablehook), "cwd": pathlib.Path.cwd(),
        "streams": (sys.stdout, sys.stderr, sys.stdin),
        "signals": [signal.getsignal(one) for one in signal.valid_signals()],
        "logging": (logging.root.level, logging.root.handlers, logging.root.manager.disable),
        "random": random.getstate(), "torch seed": torch.get_rng_state().tolist(),
        "numpy seed": [numpy.asarray(part).tolist() for part in numpy.random.get_state()],
        "numpy": (numpy.geterr(), numpy.get_printoptions()),
        "torch": (torch.get_num_threads(), torch.is_grad_enabled(), torch.get_default_dtype()),
    }.items()}

before = state()
import shakespeare_research, shakespeare_table, shakespeare_training, shakespeare_env.wrappers.sb3
from shakespeare_arena import evaluate
single = gymnasium.make("shakespeare_env:Shakespeare-v0", opponents="random", render_mode="ansi")
_, info = single.reset(seed=1)
single.step(info["action_mask"].argmax())
evaluate(["random", "heuristic"], games=4, players=2)
after = state()
print(json.dumps([name for name in before if before[name] != after[name]]))
"""
MISSING = "import sys; sys.modules['torch'] = None; import shakespeare_training.policy"


def printed_by(*words):
    """Return what another Python prints."""
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True)
    return done.stdout


def test_importing_packages_loads_nothing_heavy_none_above_and_changes_no_variable():
    lines = printed_by("-c", LOADED, *FROM_THE_ENGINE_UP).splitlines()
    for package, line in zip(FROM_THE_ENGINE_UP, lines, strict=True):
        loaded = {name.partition(".")[0] for name in json.loads(line)}
        assert not HEAVY & loaded, package
        if package.startswith("shakespeare_env"):
            assert not {"shakespeare_agents", "shakespeare_arena", "shakespeare_training"} & loaded


def test_a_missing_extra_is_named_with_the_remedy():
    words = [sys.executable, "-c", MISSING]
    fault = subprocess.run(words, capture_output=True, text=True, check=False).stderr
    assert "ModuleNotFoundError" in fault
    assert "install the extra train of shakespeare-env: pip install -e '.[train]'" in fault


def test_importing_and_playing_changes_nothing_of_others():
    for library in ("torch", "sb3_contrib", "matplotlib"):
        pytest.importorskip(library)
    assert not json.loads(printed_by("-c", PROCESS))


def test_all_files_name_one_version():
    root = Path(__file__).resolve().parents[2]
    version = tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"]
    assert f"\nversion: {version}\n" in (root / "CITATION.cff").read_text()
    log = (root / "CHANGELOG.md").read_text()
    newest = [line for line in log.splitlines() if line.startswith("## 0")][:1]
    assert newest == [f"## {version}"]
