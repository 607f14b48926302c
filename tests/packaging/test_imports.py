"""Imports are fast, change nothing in other libraries, and name an extra that is missing.

All files name the same version.
"""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

SLOW_TO_IMPORT = {
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
"""Libraries that are slow to import."""
PACKAGES = [
    "shakespeare_env",
    "shakespeare_env.cli",
    "shakespeare_agents",
    "shakespeare_arena",
    "shakespeare_research",
    "shakespeare_table",
    "shakespeare_training",
]
PRINT_LOADED_MODULES = """
import json, os, sys
import gymnasium, pettingzoo  # both change environment variables themselves
before = dict(os.environ)
for package in sys.argv[1:]:
    __import__(package)
    print(json.dumps(sorted(sys.modules)))
assert before == dict(os.environ)
"""
PRINT_CHANGES = """
import json, logging, os, pathlib, random, signal, sys, warnings
import gymnasium, numpy, torch, matplotlib.pyplot, pettingzoo.utils, polars, scipy.special
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
IMPORT_WITHOUT_TORCH = (
    "import sys; sys.modules['torch'] = None; import shakespeare_training.networks.policy"
)


def printed_by(program, *arguments):
    """Return what a program prints in another process."""
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_importing_a_package_loads_no_slow_library_and_changes_no_environment_variable():
    """The engine does not load the packages that build on it, either."""
    lines = printed_by(PRINT_LOADED_MODULES, *PACKAGES).splitlines()
    for package, line in zip(PACKAGES, lines, strict=True):
        loaded = {name.partition(".")[0] for name in json.loads(line)}
        assert not SLOW_TO_IMPORT & loaded, package
        if package.startswith("shakespeare_env"):
            assert not {"shakespeare_agents", "shakespeare_arena", "shakespeare_training"} & loaded


def test_a_missing_extra_is_named_with_the_remedy():
    command = [sys.executable, "-c", IMPORT_WITHOUT_TORCH]
    fault = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    assert "ModuleNotFoundError" in fault
    assert "install the extra train of shakespeare-env: pip install -e '.[train]'" in fault


def test_importing_and_playing_changes_no_state_of_python_and_other_libraries():
    for library in ("torch", "sb3_contrib", "matplotlib"):
        pytest.importorskip(library)
    assert not json.loads(printed_by(PRINT_CHANGES))


def test_all_files_name_one_version():
    root = Path(__file__).resolve().parents[2]
    version = tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"]
    assert f"\nversion: {version}\n" in (root / "CITATION.cff").read_text()
    log = (root / "CHANGELOG.md").read_text()
    newest = [line for line in log.splitlines() if line.startswith("## 0")][:1]
    assert newest == [f"## {version}"]
