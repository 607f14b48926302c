"""Without an extra its modules say how to install it."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import importlib, sys
sys.modules[sys.argv[1]] = None
try:
    importlib.import_module(sys.argv[2])
except ModuleNotFoundError as fault:
    print(fault, fault.name)
"""


@pytest.mark.parametrize(
    ("missing", "module"),
    [
        ("stable_baselines3", "shakespeare_env.wrappers.sb3"),
        ("pydantic", "shakespeare_training.config"),
        ("threadpoolctl", "shakespeare_training.league"),
        ("tomlkit", "shakespeare_training.config_text"),
        ("torch", "shakespeare_training.ppo.policy"),
        ("torch", "shakespeare_training.ppo.self_play"),
        ("sb3_contrib", "shakespeare_training.ppo.self_play"),
    ],
)
def test_a_missing_extra_is_named_with_the_remedy(missing, module):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, missing, module], capture_output=True, text=True, check=True
    )
    assert f" {missing}" in done.stdout
    assert (
        "install the extra train of shakespeare-env: pip install -e '.[train]' in a checkout"
        in done.stdout
    )
    assert done.stdout.split()[-1].startswith(missing)
