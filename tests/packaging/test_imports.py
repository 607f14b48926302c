"""Importing a package is cheap: it loads nothing that only some of its users need."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

PACKAGES = ["shakespeare_env", "shakespeare_env.cli", "shakespeare_agents", "shakespeare_training"]
HEAVY = {
    *("torch", "stable_baselines3", "sb3_contrib", "tensorboard", "pydantic"),
    *("matplotlib", "polars", "scipy", "pandas", "rich", "PIL", "resvg_py", "pygame"),
}
PROGRAM = """
import json, os, sys
import gymnasium, pettingzoo  # both change the environment of their own accord
before = dict(os.environ)
__import__(sys.argv[1])
changed = {name for name in {*before, *os.environ} if before.get(name) != os.environ.get(name)}
print(json.dumps([sorted(sys.modules), sorted(changed)]))
"""


@pytest.mark.parametrize("package", PACKAGES)
def test_importing_a_package_loads_nothing_heavy_and_changes_no_variable(package):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, package], capture_output=True, text=True, check=True
    )
    modules, changed = json.loads(done.stdout)
    loaded = {name.partition(".")[0] for name in modules}
    assert package in modules
    assert not HEAVY & loaded
    assert not changed
    if package.startswith("shakespeare_env"):
        assert not {"shakespeare_agents", "shakespeare_training"} & loaded
