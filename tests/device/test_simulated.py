"""Rules on a GPU play as on the CPU, which Numba's simulator shows on machines without a GPU."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.device.simulated import PARTS

SIMULATOR = {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}
"""Environment variables that switch the simulator on, before Numba is imported."""


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_in_the_simulator(part):
    """Run kernels in Python, with a thread for every row."""
    command = [sys.executable, "-m", "tests.device.simulated", part]
    environment = os.environ | SIMULATOR
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
